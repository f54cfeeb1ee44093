"""Finds medicines, conditions, groups and relations by committed word lists."""

import gzip
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

import ahocorasick_rs

from detectors.detection import Detection
from detectors.errors import DetectionUnavailable
from detectors.words.eponyms import find_eponyms
from detectors.words.relations import OTHER_LANGUAGES, RELATION
from detectors.words.spoken import languages_of

LIST_DIR = Path(__file__).parents[1] / "models" / "lists"
RECOGNISER = "lexicon"
MEDICINE_SCORE = 0.85
CONDITION_SCORE = 0.8
GROUP_SCORE = 0.7
RELATION_SCORE = 0.75

# "black coffee", "Polish the shoes", "periods and commas": words that need a person beside them.
GROUP_CONTEXT = re.compile(
    r"(?:\b(?:is|am|are|im|i'm|was|a|an|as|half|part|identif\w+|raised|born|practi[sc]ing|devout)\s+)$",
    re.IGNORECASE,
)
CONTEXT_GROUPS = frozenset({"black", "polish", "english", "roma", "conservative", "unionist"})
STERILE = frozenset({"ms", "sti", "std", "aids", "prep", "hrt", "rsi", "pms", "periods", "ulcer"})
# Trade names that are words of other languages: "de hemel", "gana", "il promet", "der Modus".
_WORDS = """
actos agit aman banan cera cinna cortan darob dolin dops gana hemel lastet luzu modus ogen ovide
prent promet provas provera rayos rela renova rufen serc sone sortis stimate theon trittico urso
vals vanos vasten zeven
"""
WORDS = frozenset(_WORDS.split())
# Illnesses only where a person has them: not "a depressed market", "born under Cancer".
_THINGS = (
    r"econom(?:y|ies|ic)|markets?|prices?|wages?|rates?|stocks?|shares?|sales|demand|industry|sectors?"
    r"|trade|housing|currency|growth|buttons?|keys?|switch|levers?|pedals?|roads?|surfaces?|areas?"
    r"|regions?|towns?|cit(?:y|ies)|valley|ground|floor|skull|spring|brake|clutch|trigger|shutter"
)
_STARS = r"zodiac|horoscopes?|star ?signs?|signs?|tropic of|constellation|rising|ascendant|season"
OTHER_SENSES = {
    "depressed": re.compile(rf"(?<!\w)(?:{_THINGS})(?!\w)", re.IGNORECASE),
    "cancer": re.compile(rf"(?<!\w)(?:{_STARS})(?!\w)", re.IGNORECASE),
}
SAMPLE = 200  # code points that tell which language a text is in
SENSE_BEFORE, SENSE_AFTER = 40, 20  # code points around a word that tell which sense it has
SOMEBODY = re.compile(
    r"(?<!\w)(?:i|i['’]?m|he|she|they|we|who|feel(?:s|ing)?|felt|got|been|became|patients?|diagnosed"
    r"|had|has|with)(?!\w)",
    re.IGNORECASE,
)

_OWN = "my|our|his|her|their|your|ur|user's|user’s|the user's|[^\\W\\d_]+['’]s"
_OWN_OTHER = (
    "mein|meine|meiner|meinem|meinen|sein|seine|ihr|ihre|unser|unsere|mon|ma|mes|son|sa|ses|leur|mi|"
    "mis|su|sus|mio|mia|suo|sua|meu|minha|seu|mijn|zijn|haar|onze"
)
RELATION_MENTION = re.compile(
    rf"\b(?:{_OWN})\s+(?:(?:late|older|younger|little|big|new|former|old|twin|only)[\s-]+)?"
    rf"(?P<relation>{RELATION})\b|\b(?:{_OWN_OTHER})\s+(?P<other>{OTHER_LANGUAGES})\b",
    re.IGNORECASE,
)


# Before a thing, these make an illness of it; behind it, the German ones.
_ALLERGIC = re.compile(
    r"\ballerg(?:ic(?: reactions?)? to|isch (?:gegen|auf|voor)|ique (?:aux?|a)|i(?:es?|c) to"
    r"|ic[oa] (?:all[aeo']?|agli|ai|al?))(?: (?:the|all|la|les?|den|die|de|het))? ?(?:l')?$"
    r"|\balergic[oa]s? (?:al?|aos?|as)(?: (?:las?|los|el))? $|\bgegen $"
)
_ALLERGY = re.compile("all?[eé]rg", re.IGNORECASE)
_ALLERGIC_AFTER = re.compile(r" (?:hoch)?allergisch\b")
_LISTED = re.compile(r"(?:,| ?/)?(?: (?:and|or|und|oder|et|ou|y|o|e|ed|en|of|a|alle?|aux?|al))* ")
_ALLERGY_NEAR = 30  # code points before the thing


class _Matcher:
    """Whole-word search for many phrases at once, longest first, whatever the case.

    Args:
        written: makes phrases and texts alike, each code point in its place.
    """

    def __init__(self, phrases: Iterable[str], written: Callable[[str], str] | None = None) -> None:
        self._written = written or _lower
        self._phrases = sorted({self._written(phrase) for phrase in phrases})
        self._automaton = ahocorasick_rs.AhoCorasick(
            self._phrases, matchkind=ahocorasick_rs.MatchKind.LeftmostLongest
        )

    def find(self, text: str) -> Iterator[tuple[int, int]]:
        """Spans of phrases that begin and end at word boundaries."""
        lowered = self._written(text).replace("’", "'")
        for _, start, end in self._automaton.find_matches_as_indexes(lowered, overlapping=False):
            if _stands_alone(lowered, start, end):
                yield start, end


def find_medical(text: str) -> list[Detection]:
    """Find medicines and conditions; spans are code points of ``text``."""
    found = [
        Detection("MEDICATION", start, end, MEDICINE_SCORE, RECOGNISER, text[start:end])
        for start, end in _medicines().find(text)
        if _bare(text[start:end]) not in WORDS or languages_of(text[:SAMPLE])[:1] == ("en",)
    ]
    taken = {index for span in found for index in range(span.start, span.end)}
    for start, end in _conditions().find(text):
        if start not in taken and _is_condition(text, start, end):
            found.append(
                Detection(
                    "MEDICAL_CONDITION", start, end, CONDITION_SCORE, RECOGNISER, text[start:end]
                )
            )
    found += [
        Detection("MEDICAL_CONDITION", start, end, CONDITION_SCORE, RECOGNISER, text[start:end])
        for start, end in find_eponyms(text)
        if not any(one.start < end and start < one.end for one in found)
    ]
    found += [each for each in _allergies(text) if taken.isdisjoint(range(each.start, each.end))]
    return sorted(found, key=lambda span: span.start)


def _allergies(text: str) -> Iterator[Detection]:
    """``allergic to peanuts`` is a condition, though neither word is one; so is ``and eggs``."""
    if not _ALLERGY.search(text):
        return
    plain, reached = _bare(text).replace("’", "'"), -1
    for start, end in _allergens().find(text):
        lead = _ALLERGIC.search(plain, max(0, start - _ALLERGY_NEAR), start)
        behind = _ALLERGIC_AFTER.match(plain, end)
        if reached >= 0 and _LISTED.fullmatch(plain, reached, start):
            span = start, end
        elif lead and lead[0] != "gegen ":
            span = lead.start(), end
        elif lead and behind:
            span = lead.start(), behind.end()
        else:
            continue
        reached = span[1]
        words = text[slice(*span)]
        yield Detection("MEDICAL_CONDITION", *span, CONDITION_SCORE, RECOGNISER, words)


def find_groups(text: str) -> list[Detection]:
    """Find peoples, creeds and political groups as ``NRP``."""
    return [
        Detection("NRP", start, end, GROUP_SCORE, RECOGNISER, text[start:end])
        for start, end in _groups().find(text)
        if _is_group(text, start, end)
    ]


def find_relationships(text: str) -> list[Detection]:
    """Find mentions of somebody's relation ("my ex-wife", "his landlord") as ``RELATIONSHIP``."""
    return [
        Detection("RELATIONSHIP", start, end, RELATION_SCORE, RECOGNISER, text[start:end])
        for match in RELATION_MENTION.finditer(text)
        for start, end in [match.span(match.lastgroup or 0)]
    ]


def sections(name: str) -> dict[str, str]:
    """The parts of a list of alternatives, each as one regular expression, by its heading."""
    parts: dict[str, list[str]] = {}
    words: list[str] = []
    for line in _plain(name):
        if line.startswith("["):
            words = parts.setdefault(line.strip("[]"), [])
        else:
            words.append(line)
    return {heading: "|".join(words) for heading, words in parts.items()}


def _is_condition(text: str, start: int, end: int) -> bool:
    """Words of many senses count where the text means the illness; ``MS`` only as capitals."""
    found = text[start:end]
    if found.lower() in OTHER_SENSES:
        return not _means_otherwise(text, start, end)
    return found.lower() not in STERILE or (found.isupper() and not text.isupper())


def _means_otherwise(text: str, start: int, end: int) -> bool:
    """Whether the words around say that no person is ill; what is said of somebody, is."""
    before = text[max(0, start - SENSE_BEFORE) : start]
    if start > SENSE_BEFORE:
        before = before.partition(" ")[2]  # the first word may be torn
    sense = OTHER_SENSES[text[start:end].lower()]
    around = bool(sense.search(before) or sense.search(text[end : end + SENSE_AFTER]))
    return around and not SOMEBODY.search(before)


def _is_group(text: str, start: int, end: int) -> bool:
    found = text[start:end]
    if found in _capitalised() or found.lower() not in _capitalised_folded():
        lowered = found.lower()
        return (
            lowered not in CONTEXT_GROUPS
            or GROUP_CONTEXT.search(text[max(0, start - 40) : start]) is not None
        )
    return False


def _stands_alone(text: str, start: int, end: int) -> bool:
    before = text[start - 1] if start > 0 else " "
    after = text[end] if end < len(text) else " "
    return not (_is_word(before) or _is_word(after))


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"


def _lower(text: str) -> str:
    """Lower case that keeps every code point in its place; lone surrogates become blanks."""
    if text.isascii():
        return text.lower()
    return "".join(
        " " if "\ud800" <= char <= "\udfff" else low if len(low := char.lower()) == 1 else char
        for char in text
    )


def _bare(text: str) -> str:
    """As ``_lower``, without accents: ``fluoxétine`` is ``fluoxetine``."""
    lowered = _lower(text)
    if lowered.isascii():
        return lowered
    return "".join(unicodedata.normalize("NFD", char)[0] for char in lowered)


@cache
def _medicines() -> _Matcher:
    return _Matcher([*_packed("medicines"), *_plain("lay_medicines")], _bare)


@cache
def _allergens() -> _Matcher:
    return _Matcher([word for line in _plain("allergens") for word in line.split("|")], _bare)


@cache
def _conditions() -> _Matcher:
    named = [*_packed("conditions"), *_plain("lay_conditions")]
    return _Matcher([*named, *(phrase.replace("'s", "s") for phrase in named)])


@cache
def _groups() -> _Matcher:
    return _Matcher(_plain("groups"))


@cache
def _capitalised() -> frozenset[str]:
    return frozenset(word for word in _plain("groups") if word != word.lower())


@cache
def _capitalised_folded() -> frozenset[str]:
    return frozenset(word.lower() for word in _capitalised())


def _packed(name: str) -> list[str]:
    return gzip.decompress(_read(f"{name}.txt.gz")).decode("utf-8").splitlines()


def _plain(name: str) -> list[str]:
    lines = _read(f"{name}.txt").decode("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def _read(name: str) -> bytes:
    try:
        return (LIST_DIR / name).read_bytes()
    except OSError:
        raise DetectionUnavailable(f"The word list {name} is missing.") from None
