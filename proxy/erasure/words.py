"""Words that say little: stop words and greetings."""


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

GREETINGS = _set(
    """
    hey hi hello thanks thank you wow bye goodbye oh ah yes yeah yep no sure ok okay congrats
    congratulations dear morning evening goodnight cheers sorry well great cool nice please welcome
    awesome absolutely definitely right exactly haha hmm aw aww yay totally agreed amazing lovely
    sounds true indeed of course good luck happy birthday so and but
    """
)
