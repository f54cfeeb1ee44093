"""Where a name ends that a model stretched over what is said: ``Birgit spült``, ``Priya 35``."""

from collections.abc import Sequence

from detectors.identity.names import PARTICLES
from detectors.people.foreign import is_foreign
from detectors.words import word_set
from detectors.words.namelists import is_given_name, is_name, is_ordinary
from detectors.words.spoken import is_spoken, languages_of, spoken

# Small words within names, if a capital follows.
WITHIN = PARTICLES | word_set(
    "op het 't t in aan auf am vor mac ap abu ould degli dello dalla dal lo san santa i o or n u "
    "und et"
)
NEAR = 120  # code points on either side that tell the language

Claimed = tuple[int, int, str]  # a word of a claim: its place, and the word folded


def name_end(text: str, words: Sequence[Claimed]) -> int:
    """How many words of a claim are before a number or a small word that goes on with the sentence.

    Args:
        text: the text (or window).
        words: all words of what a model takes for one person.
    """
    capital = next((index for index, word in enumerate(words) if text[word[0]].isupper()), None)
    if capital is None:
        return len(words)
    ends = (
        index
        for index in range(capital + 1, len(words))
        if _is_number(words, index) or _goes_on(text, words, index)
    )
    end = next(ends, len(words))
    return end if any(_may_be_name(folded) for *_, folded in words[capital:end]) else len(words)


def _may_be_name(folded: str) -> bool:
    """Whether a word could be somebody by itself: ``Liest gern Krimis`` is judged as a whole."""
    return is_given_name(folded) or not (is_ordinary(folded) or is_spoken(folded))


def _is_number(words: Sequence[Claimed], index: int) -> bool:
    """``Priya 35``; what is no name keeps its number, which tells that it is a thing."""
    return words[index][2].isdigit() and is_name(words[index - 1][2])


def _goes_on(text: str, words: Sequence[Claimed], index: int) -> bool:
    start, end, folded = words[index]
    following = words[index + 1 : index + 2]
    if not text[start:end].isalpha() or text[start].isupper() or text[start - 1] != " ":
        return False
    inner = bool(following)
    if folded in WITHIN and inner:
        return False
    if is_name(folded) and not (inner and is_ordinary(folded)) and not is_foreign(text):
        return False
    around = languages_of(text[max(0, start - NEAR) : end + NEAR])
    return is_ordinary(folded) or any(_is_word(language, folded) for language in around)


def _is_word(language: str, folded: str) -> bool:
    return spoken(language).is_word(folded) or folded in spoken(language).either
