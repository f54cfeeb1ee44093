"""Whether a word of a name is beside another name, so that nobody knows whose it is there."""

import re

from detectors.words.folding import fold
from proxy.erasure.texts.words import is_name_word
from proxy.tokens.forms.halves import other_half
from proxy.tokens.mentions.capitals import WORD_BEFORE
from proxy.tokens.mentions.longer_names import is_coupled
from proxy.tokens.mentions.named_after import is_a_family, names_two
from proxy.tokens.mentions.standing import REACH, in_front, is_caseless_name, small_names_beside

WORD = re.compile(r"\w+", re.UNICODE)
AFTER = re.compile(r"[ \t]+(\w[\w’'-]*)")
# An initial beside a name; without its dot it is no word: "Kira I met", "Kira A".
INITIAL_AFTER = re.compile(
    r"[ \t\u00a0]{1,2}(?:([^\W\d_a-zß-ÿ])\.(?!\w)|(?![AIOÉÀ])([^\W\d_a-zß-ÿ])(?![\w.-]))"
)
REMOVED_BEFORE = re.compile(
    r"(?<!\w)(?:(?:step|half|foster|ex|grand|god|belle|beau)[- ]|great-)$", re.IGNORECASE
)
REMOVED_BEHIND = re.compile(r"[- ]in[- ]law(?!\w)", re.IGNORECASE)
INITIAL_BEFORE = re.compile(r"(?<![\w.’'-])([^\W\d_a-zß-ÿ])\.[ \t\u00a0]{0,2}$")


def is_anothers(text: str, start: int, end: int, own: frozenset[str]) -> bool:
    """Whether it is two people's names, or half of what a hyphen couples: ``Ann-Marie``.

    Of a whole name that goes on behind a hyphen nobody can tell, see ``longer_names``.
    """
    if WORD.fullmatch(text, start, end) and is_coupled(text, start, end, own):
        return True
    return names_two(text, start, end)


def beside_a_name(text: str, start: int, end: int, words: frozenset[str]) -> bool:
    """Whether another capitalised word touches it; which it belongs to is then the question."""
    front = in_front(text, start)
    before, after = WORD_BEFORE.search(text, max(0, front - REACH), front), AFTER.match(text[end:])
    beside = [match[1] for match in (before, after) if match]
    if not words.issuperset(small_names_beside(text, start, end)):
        return True
    if _beside_an_initial(text, start, end, words):
        return True
    if is_a_family(text, start, end):
        return True
    half = other_half(text, start, end)
    if half is not None and fold(half) not in words:
        return True
    return any(
        (word[:1].isupper() or is_caseless_name(word)) and words_beside(word, 0, len(word), words)
        for word in beside
    )


def is_removed(text: str, start: int, end: int) -> bool:
    """Whether the word for a relation there is only part of another's: ``brother-in-law``."""
    before = REMOVED_BEFORE.search(text, max(0, start - REACH), start)
    return before is not None or REMOVED_BEHIND.match(text, end) is not None


def words_beside(text: str, start: int, end: int, words: frozenset[str]) -> list[str]:
    """Words of a stretch of text that are part of none of the names."""
    found = (match[0] for match in WORD.finditer(text[start:end]))
    return [word for word in found if word.casefold() not in words and len(word) > 1]


def _beside_an_initial(text: str, start: int, end: int, words: frozenset[str]) -> bool:
    """Whether the initial of another name touches it: ``Hedvig K.``, ``Hedvig M. Falk``."""
    initials = {word[:1] for word in words}
    before = INITIAL_BEFORE.search(text, max(0, start - REACH), start)
    if before and before[1].casefold() not in initials:
        return True
    behind = INITIAL_AFTER.match(text, end)
    if behind is None:
        return False
    following = AFTER.match(text[behind.end() :])
    return (behind[1] or behind[2]).casefold() not in initials or (
        following is not None and is_name_word(following[1])
        and following[1].casefold() not in words
    )  # fmt: skip
