"""Words that say little: stop words, and names that are common words too."""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


STOP_WORDS = _set(
    """
    a an the and or but of to in on at for with by from as is are was were be been being am has have
    had do does did i me my mine we us our ours you your yours he him his she her hers it its they
    them their theirs this that these those there here not no so if then than when who which what
    s t
    """
)

COMMON_WORDS = _set(
    """
    will may grace mark bill rose hope faith joy june april august art frank jack rich pat sue drew
    dawn iris lily ruby summer autumn hunter chase miles penny gene dean earl grant guy max ray rob
    sandy skip sunny victor ward wade chance christian major king prince page young long brown green
    white black gray grey stone wood banks fields rivers bush bell price rice sage olive ivy daisy
    jade pearl crystal amber ginger cherry angel charity mercy patience harmony serenity trinity
    justice noble reed rush lane ford cliff glen dale heath brook forest
    """
)
