"""People in letters and languages that the name model was not trained on: known or told names only.

There the model takes whole sentences for people. A person is a word that some list of names holds,
in its own letters or by their sound, or what stands behind a title or a relation of that language.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

from detectors.detection import Detection
from detectors.people.before import begins_sentence
from detectors.people.foreign import is_foreign
from detectors.words.folding import WORD, fold
from detectors.words.language import by_words
from detectors.words.lexicons import sections
from detectors.words.namelists import (
    family_names,
    given_names,
    is_name,
    never_names,
    ordinary_words,
)
from detectors.words.variants import one_form

RECOGNISER = "names_told"
SCORE = 0.7
LEARNED = ("en", "de", "fr", "es", "it", "pt", "nl")
FOREIGN_LETTER = re.compile("[\u0370-\u1fff\u2c00-\ud7ff]")  # neither Latin nor a sign
SEMITIC = re.compile("[\u0590-\u06ff]")  # nothing tells a name from a word there
CASED = "[\u0370-\u0588\u1f00-\u1fff]"  # Greek, Cyrillic, Armenian: capitals tell
_WORD = re.compile(WORD)
_CASED_WORD = re.compile(rf"(?<![\w@./-]){CASED}{{2,}}(?![\w@/])")
SAMPLE = 200  # code points that tell whether a text is English
NEAR = 60  # code points before a name that may tell it
# Endings of Russian and Ukrainian cases, and those of the names that they stand for.
CASES = re.compile("(?:ой|ей|ем|ом|ою|ею|ем|єм|ові|еві|[аяуюеиыії])$")
NAMED = ("", "а", "я", "й", "ь", "о")
LEAST = 3  # letters of a name without its ending
PARTICLES = re.compile(
    "(?:은|는|이|가|을|를|과|와|의|도|에게|한테|께서?|이랑|랑|입니다|이에요|예요|이다|씨|님)$"
)
HAN = "\u3040-\u30ff\u3400-\u9fff"


def told_only(text: str, spans: Sequence[Detection]) -> list[Detection]:
    """Without people whom nothing but a model names there, and with those whom a word tells.

    Args:
        text: the text (or window) that the spans refer to.
        spans: what model and rules found.
    """
    foreign = FOREIGN_LETTER.search(text) is not None
    if not foreign and not _is_in_another_language(text, spans):
        return list(spans)
    unlearned = not foreign and _has_no_english(text)
    kept: list[Detection] = []
    for span in spans:
        strange = unlearned or FOREIGN_LETTER.search(text, span.start, span.end)
        kept += _judged(text, span) if span.entity_type == "PERSON" and strange else [span]
    for start, end in (*_told(text), *(_known(text) if foreign else ())):
        if not any(start < one.end and one.start < end for one in kept):
            kept.append(Detection("PERSON", start, end, SCORE, RECOGNISER, text[start:end]))
    return kept


def _is_in_another_language(text: str, spans: Sequence[Detection]) -> bool:
    """Whether a text in Latin letters is in a language that the model does not know."""
    if text.isascii() and not any(span.entity_type == "PERSON" for span in spans):
        return False
    return by_words(text, LEARNED) in _languages()


def _has_no_english(text: str) -> bool:
    words = [fold(word) for word in _WORD.findall(text[:SAMPLE]) if len(word) > 1]
    return is_foreign(text) or 3 * sum(map(ordinary_words().__contains__, words)) <= len(words)


def _judged(text: str, span: Detection) -> list[Detection]:
    """The part of a claimed person that is known to be a name or told to be one."""
    words = [match.span() for match in _WORD.finditer(text, span.start, span.end)]
    if len(words) > 1 and all(is_name(fold(text[start:end])) for start, end in words):
        return [span]
    sure = [index for index, word in enumerate(words) if _is_sure(text, *word)]
    if not sure:
        return []
    first, last = sure[0], sure[-1]
    while first and _goes_before(text, words[first - 1][0]):
        first -= 1
    start, end = words[first][0], _whole(text, words[last][1])
    return [replace(span, start=start, end=end, text=text[start:end])]


def _goes_before(text: str, start: int) -> bool:
    return text[start].isupper() and not begins_sentence(text, start)


def _is_sure(text: str, start: int, end: int) -> bool:
    word = text[start:end]
    if word[0].islower() or word.isdecimal():
        return False
    if any(match.end() == start for match in _before().finditer(text, max(0, start - NEAR), start)):
        return True
    return _is_known(word, begins=begins_sentence(text, start)) or _is_han_name(text, start, end)


def _told(text: str) -> Iterator[tuple[int, int]]:
    """Capitalised words behind a title or a relation; known names where nothing has capitals."""
    for match in _before().finditer(text):
        following = _WORD.match(text, match.end())
        if following is None or following[0].isupper() or following[0][0].islower():
            continue
        if following[0][0].isupper() or fold(following[0]) in given_names():
            yield match.end(), _whole(text, following.end())


def _known(text: str) -> Iterator[tuple[int, int]]:
    """Capitalised words in Greek and Cyrillic letters that a list of names holds."""
    for match in _CASED_WORD.finditer(text):
        if match[0][0].isupper() and _is_known(
            match[0], begins=begins_sentence(text, match.start())
        ):
            yield match.start(), _whole(text, match.end())
    for match in _arabic().finditer(text):
        yield match.span()


def _whole(text: str, end: int) -> int:
    """Where a name ends that goes on with words in capitals."""
    while following := _WORD.match(text, end + 1):
        if text[end] != " " or not following[0][0].isupper():
            break
        end = following.end()
    return end


def _is_known(word: str, *, begins: bool) -> bool:
    folded = fold(word)
    if folded in _ambiguous():
        return False
    if not FOREIGN_LETTER.search(word):
        return _is_latin_name(folded)
    if SEMITIC.search(word):
        return _arabic().fullmatch(word) is not None
    bare = PARTICLES.sub("", folded)
    parts = (folded, bare, bare[1:] if len(bare) > LEAST - 1 else bare)
    if any(each in given_names() or each in family_names() for each in parts):
        return True
    return not begins and any(form in given_names() for form in _forms(folded))


def _is_latin_name(folded: str) -> bool:
    return is_name(folded) and folded not in never_names() and folded not in ordinary_words()


def _forms(folded: str) -> Iterator[str]:
    """What a word in some case may be called in the first: ``сергея`` is ``сергей``."""
    stem = CASES.sub("", folded)
    if stem != folded and len(stem) >= LEAST:
        yield from (stem + ending for ending in NAMED)


def _is_han_name(text: str, start: int, end: int) -> bool:
    """A family name with a few signs that stands alone, a Korean one as all of the text."""
    if _han_name().fullmatch(one_form(text[start:end])):
        return True
    return text.strip() == text[start:end] and _korean().fullmatch(text, start, end) is not None


@cache
def _before() -> re.Pattern[str]:
    told = sections("told_names")["before"]
    return re.compile(rf"(?<!\w)(?i:{told})[,:.]? (?:je |jest |är |er |on )?", re.UNICODE)


@cache
def _han_name() -> re.Pattern[str]:
    words = sections("script_names")
    families = one_form(words["zh_family"]), one_form(words["ja_family"])
    return re.compile(rf"(?:{families[0]})[{HAN}]{{1,2}}|(?:{families[1]})[{HAN}]{{1,4}}")


@cache
def _korean() -> re.Pattern[str]:
    return re.compile(rf"(?:{sections('script_names')['ko_family']})[\uac00-\ud7a3]{{2}}")


@cache
def _arabic() -> re.Pattern[str]:
    ambiguous = set(sections("told_names")["ar_words"].split())
    given = sections("script_names")["ar_given"].split("|")
    names = "|".join(name for name in given if name not in ambiguous)
    return re.compile(f"(?<!\\w)(?:{names})(?!\\w)")


@cache
def _ambiguous() -> frozenset[str]:
    return frozenset(sections("told_names")["words"].split())


@cache
def _languages() -> frozenset[str]:
    return frozenset(sections("told_names")["languages"].split())
