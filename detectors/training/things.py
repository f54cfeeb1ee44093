"""Makes the lists of what is called like somebody: ``... detectors.training.things FILE TARGET``.

Breeds, species, songs and books come from the npm package ``@faker-js/faker`` (MIT), whose lists
FILE holds as JSON, ``{"en": {"animal": {"dog": [...]}}}``, written by ``node``:
``console.log(JSON.stringify((await import("@faker-js/faker")).allLocales))``. Feasts come from the
PyPI package ``holidays`` (MIT), illnesses that bear a doctor's name from ``simple-icd-10-cm``
(ICD-10-CM, public domain). None of them is needed to detect.
"""

import json
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import holidays
import simple_icd_10_cm as icd

from detectors.training.lists import write_list, write_sections
from detectors.words.folding import WORD, fold
from detectors.words.namelists import is_given_name, is_name, is_ordinary

LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pt", "pl")
YEARS = range(2024, 2028)
LOCALES = ("en", "de", "fr", "es", "it", "nl", "pt_BR", "pt_PT", "pl")
WORKS = (("music", "song_name"), ("book", "title"), ("book", "series"))
LONGEST = 6  # words of what somebody says of a feast or a song
_WORD = re.compile(WORD)
_NOTE = re.compile(r"\s*[(:*].*|%s", re.DOTALL)
# What a breed is besides, which nobody says: a "Jack Russell" is a terrier.
_KIND = re.compile(
    r" (?:terrier|spaniel|hound|dog|cat|horse|pony|shepherd|cattle|rabbit|setter|retriever|pointer"
    r"|bulldog|mastiff|collie|sheepdog|mountain dog|rex|chicken)$",
    re.IGNORECASE,
)
_DOCTORS = re.compile(
    r"\b([A-ZÀ-Þ][a-zà-ÿ]{3,})(?:['’]s)?(?:-[A-Z]\w+)? (?:disease|syndrome|palsy|thyroiditis"
    r"|phenomenon|tics?|chorea|dementia|lymphoma|sarcoma|contracture|ataxia|anomaly)\b"
)


def breeds(faker: dict[str, Any]) -> Iterator[str]:
    """Kinds of animals, also without the word that says which animal it is."""
    for locale in LOCALES:
        for kind, names in faker.get(locale, {}).get("animal", {}).items():
            if kind not in {"type", "pet_name"}:
                for name in names:
                    yield from (name, _KIND.sub("", name))


def works(faker: dict[str, Any]) -> Iterator[str]:
    """Songs and books; no albums and no authors, who are people."""
    for locale in LOCALES:
        for part, kind in WORKS:
            yield from faker.get(locale, {}).get(part, {}).get(kind, ())


def feasts() -> Iterator[str]:
    """Feasts of all countries in our languages."""
    for country, languages in holidays.list_localized_countries().items():
        for language in languages:
            if language.startswith(LANGUAGES):
                kinds = getattr(holidays, country).supported_categories
                days = holidays.country_holidays(
                    country, language=language, years=YEARS, categories=kinds
                )
                yield from (
                    _NOTE.sub("", part) for day in days.values() for part in day.split("; ")
                )


def makes(faker: dict[str, Any]) -> Iterator[str]:
    """Makers of cars that are called by one word."""
    for parts in faker.values():
        for make in parts.get("vehicle", {}).get("manufacturer", ()):
            if _WORD.fullmatch(make) and make.isascii():
                yield fold(make)


def doctors() -> Iterator[str]:
    """Words by which illnesses are called that are no other words and nobody's given name."""
    for code in icd.get_all_codes():
        for said in (icd.get_description(code), *icd.get_inclusion_term(code)):
            for match in _DOCTORS.finditer(said):
                folded = fold(match[1])
                if not (is_ordinary(folded) or is_given_name(folded)):
                    yield folded


def like_somebody(phrases: Iterable[str]) -> set[str]:
    """Phrases of a few words, one of them a name that is no other word."""
    found = set()
    for phrase in phrases:
        words = _WORD.findall(phrase)
        named = (word for word in words if word[0].isupper() and _is_only_a_name(fold(word)))
        if 1 < len(words) <= LONGEST and any(named):
            found.add(phrase.replace("’", "'").strip())
    return found


def _is_only_a_name(folded: str) -> bool:
    return is_name(folded) and not is_ordinary(folded)


def main(faker_file: Path, target: Path) -> None:
    """Write the two lists."""
    faker = json.loads(faker_file.read_text("utf-8"))
    said = list(feasts())
    days = {fold(each) for each in said if _WORD.fullmatch(each) and _is_only_a_name(fold(each))}
    phrases = like_somebody([*breeds(faker), *works(faker), *said])
    write_sections(target / "called_things.txt.gz", (phrases, days, set(makes(faker))))
    write_list(target / "eponyms.txt.gz", set(doctors()))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
