"""Words that say little: stop words and greetings; and which words may be somebody's name."""

from detectors.namelists import is_given_name, is_ordinary


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


def is_name_word(word: str) -> bool:
    """Whether a capitalised word beside a name is likely a name too, and no ordinary word."""
    folded = word.casefold()
    if folded in STOP_WORDS or folded in GREETINGS:
        return False
    return word[:1].isupper() and (is_given_name(folded) or not is_ordinary(folded))
