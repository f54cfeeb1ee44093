"""Words that say little: stop words and greetings; and which words may be somebody's name."""

import re

from detectors.identity.windows import LONGEST_NAME
from detectors.words import word_set
from detectors.words.abbreviations import without_titles
from detectors.words.folding import is_unspaced
from detectors.words.namelists import is_given_name, is_name, is_ordinary
from detectors.words.titles import HONORIFICS
from proxy.tokens.mentions.standing import is_caseless_name

REACH = 20
WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
CHINESE = re.compile("[\u3400-\u9fff]{2,3}")
ARTICLE = re.compile(r"(?<!\w)(?:an?|the|his|her|their|its|my|our|your)\s+$", re.IGNORECASE)
TITLE = re.compile(r"([^\W\d_]+)\.?\s+$")


STOP_WORDS = word_set(
    """
    a an the and or but of to in on at for with by from as is are was were be been being am has have
    had do does did i me my mine we us our ours you your yours he him his she her hers it its they
    them their theirs this that these those there here not no so if then than when who which what
    s t
    """
)

GREETINGS = word_set(
    """
    hey hi hello thanks thank you wow bye goodbye oh ah yes yeah yep no sure ok okay congrats
    congratulations dear morning evening goodnight cheers sorry well great cool nice please welcome
    awesome absolutely definitely right exactly haha hmm aw aww yay totally agreed amazing lovely
    sounds true indeed of course good luck happy birthday so and but
    """
)


def is_somebody(text: str, start: int, end: int) -> bool:
    """Whether what was taken for a person at [start, end) surely is one.

    A first and a family name, or a known first name, or a title with one: ``Norvane`` may be a
    firm, ``a Mercedes`` is none's name, and ``reads Tolstoy`` is about books.
    """
    if ARTICLE.search(text[max(0, start - REACH) : start]):
        return False
    words = WORD.findall(text[start:end])
    titled = TITLE.search(text[max(0, start - REACH) : start])
    if titled and titled[1].casefold() in HONORIFICS:
        return True
    return len(words) > 1 or any(is_given_name(word.casefold()) for word in words)


def is_full_name(name: str) -> bool:
    """Whether what no index knows is a person's whole name for sure: a given name comes first.

    No word of it may be an ordinary one only: ``Florence Cathedral`` is nobody. In scripts without
    capitals all of it must be known: ``خالد الحربي``, and ``李伟`` by its family name.
    """
    words = without_titles(name, HONORIFICS).split()
    if len(words) == 1 and is_unspaced(name.strip()):
        return CHINESE.fullmatch(words[0]) is not None and is_name(words[0][0])
    if not 1 < len(words) <= LONGEST_NAME or not all(WORD.fullmatch(each) for each in words):
        return False
    folded = [each.casefold() for each in words]
    titled = all(each[:1].isupper() or is_caseless_name(each) for each in words)
    ordinary = any(is_ordinary(each) and not is_given_name(each) for each in folded)
    return titled and is_given_name(folded[0]) and not ordinary


def is_name_word(word: str) -> bool:
    """Whether a capitalised word beside a name is likely a name too, and no ordinary word."""
    folded = word.casefold()
    if folded in STOP_WORDS or folded in GREETINGS:
        return False
    return word[:1].isupper() and (is_given_name(folded) or not is_ordinary(folded))
