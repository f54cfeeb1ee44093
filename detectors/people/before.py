"""Whether the word before a name is its first half there, though it is a common word elsewhere."""

import re

from detectors.identity.names import PARTICLES
from detectors.words.folding import fold
from detectors.words.namelists import is_given_name, never_names
from detectors.words.relations import RELATION
from detectors.words.titles import FIRST_NAMES_TOO, HONORIFICS

SPEAKS = (
    "is|are|was|were|has|had|wants|wanted|said|says|called|calls|texted|bought|likes|liked|loves|"
    "loved|prefers|hates|told|tells|asked|asks|lives|lived|moved|works|worked|went|goes|came|comes|"
    "got|gets|took|left|met|sent|wrote|thinks|thought|knows|knew|needs|plays|played|studies|owes|"
    "paid|visited|lost|found|made|gave|keeps|started|stopped|sings|sang|drives|drove|runs|ran|"
    "teaches|taught|retired|married|died|won|sold|built|earns|owns|swims|skis|cooks|bakes|"
    "suffers|takes|speaks|collects|eats|drinks|smokes|hired|fired|helped|helps|saw|broke|fell"
)
# Names that are words to most, and known to no list of names.
UNLISTED = frozenset({"ask", "are", "even", "go", "mo", "so", "une"})
# At the beginning of a sentence they are said of whom is named behind them.
SAID_OF_SOMEBODY = frozenset(
    {"an", "as", "even", "ever", "little", "my", "sad", "so", "une", "young"}
)
# There they may as well be first names: "So Falk came by", "Mark Falk as away".
OPENS_OR_NAMES = SAID_OF_SOMEBODY - {"little", "young"} | {
    "can", "chase", "don", "drew", "grant", "hope", "mark", "may", "pat", "per", "sue", "will",
}  # fmt: skip
ASKS = frozenset({"can", "may", "will"})
WISHES = frozenset({"hope"})
ARTICLES = frozenset({"an"})  # before no name that acts: "An Falk is nice"
BOTH = FIRST_NAMES_TOO | {"ben", "per"}  # titles or particles, and first names
RELATIVE = re.compile(RELATION)
ACTS = re.compile(
    rf"[\w-]+(?:['’]s(?: [^\W\d_]+){{1,2}})?(?: (?:and|&) [\w-]+(?: [A-Z][\w-]+)?)?"
    rf" (?:also |still |never |always |often |now )?(?:{SPEAKS})\b(?![^.!\n]*\?)"
)
SENTENCE = re.compile(r"[.!?\n]\s")
QUESTION = re.compile(r"[^.!?\n]{0,200}\?")
SMALL = re.compile(r"(?<![\w'’])[^\W\d_A-Z][^\W\d_]+")
REACH = 200  # code points on either side that tell how a text is written


def begins_sentence(text: str, start: int) -> bool:
    """Whether only a sign, or nothing, stands right before a word."""
    before = text[:start].rstrip()
    return not before or before[-1] in ".!?:;\n•*-"


def is_first_name(text: str, start: int, end: int, family: int) -> bool:
    """Whether the word at [start, end) is a first name of whose name goes on at ``family``.

    ``with Per Falk`` and ``Will Falk is nice`` name somebody; ``Will Falk come?`` asks, ``Ask
    Falk about it`` requests.
    """
    word = text[start:end]
    folded = fold(word)
    if not _may_be_a_name(folded) or (word.isupper() and len(word) > 1):
        return False
    inside = word[0].isupper() and not begins_sentence(text, start)
    if inside:
        return text[family : family + 1].isupper() and _has_small_words(text, start, family)
    if folded in SAID_OF_SOMEBODY:
        return False
    return word[0].isupper() == text[family].isupper() and bool(ACTS.match(text, family))


def may_be_first_name(text: str, start: int, end: int, family: int) -> bool:
    """Whether nothing says if the word at [start, end) opens its sentence or is a first name.

    ``So Falk came by`` is about Falk, or about somebody called So; ``Will Falk come?`` asks, and
    ``Per Falk is nice`` names Per. Where every word has a capital, ``Met So Falk`` may be either.
    """
    folded = fold(text[start:end])
    if not begins_sentence(text, start):
        written = text[start].isupper() and text[family : family + 1].isupper()
        unlike = folded in OPENS_OR_NAMES | UNLISTED and not text[start:family].strip().isupper()
        return written and unlike and not _has_small_words(text, start, family)
    if folded not in OPENS_OR_NAMES:
        return False
    if folded in ASKS and QUESTION.match(text, family):
        return False
    if folded in SAID_OF_SOMEBODY:
        return folded not in ARTICLES or ACTS.match(text, family) is None
    return folded in WISHES or not is_first_name(text, start, end, family)


def _may_be_a_name(folded: str) -> bool:
    if folded in never_names() or (folded in HONORIFICS | PARTICLES and folded not in BOTH):
        return False
    if RELATIVE.fullmatch(folded):
        return False
    return is_given_name(folded) or folded in UNLISTED


def _has_small_words(text: str, start: int, family: int) -> bool:
    """Whether the sentence is written in small letters else: capitals say nothing in a title."""
    before = SENTENCE.split(text[max(0, start - REACH) : start])[-1]
    after = SENTENCE.split(text[family : family + REACH])[0]
    return SMALL.search(before) is not None or SMALL.search(after) is not None
