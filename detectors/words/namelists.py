"""Small word lists: given names, family names, ordinary words, and words that are never names."""

import gzip
from functools import cache
from pathlib import Path

from detectors.errors import DetectionUnavailable
from detectors.words.folding import ascii_form, fold

LIST_DIR = Path(__file__).parents[1] / "models" / "lists"


@cache
def given_names() -> frozenset[str]:
    """Folded given names of about eighty locales, with and without accents."""
    return _read("given")


@cache
def family_names() -> frozenset[str]:
    """Folded family names of about eighty locales, with and without accents."""
    return _read("family")


@cache
def ordinary_words() -> frozenset[str]:
    """Lower-case English words."""
    return _read("words")


@cache
def stop_words() -> frozenset[str]:
    """Function words of the supported languages, some of which are names elsewhere."""
    return _read("stop")


@cache
def never_names() -> frozenset[str]:
    """Words that models take for people, such as ``user`` and ``Redis``: no names by themselves."""
    return _plain("never_names") | products() | names_by_use()


@cache
def names_by_use() -> frozenset[str]:
    """Those of them that people are called too, where their use says so: ``julia``, ``winter``."""
    return _plain("names_by_use")


@cache
def products() -> frozenset[str]:
    """Programs and services that nobody is called after: ``kibana``."""
    return _plain("products")


@cache
def product_names() -> frozenset[str]:
    """Programs and services with the name of somebody, or a common word: ``loki``."""
    return _plain("product_names")


@cache
def word_names() -> tuple[str, ...]:
    """Words that are also given names, such as ``will`` and ``rose``."""
    return tuple(sorted(_plain("word_names")))


@cache
def rarely_words() -> frozenset[str]:
    """Names listed as words whose meaning as a word is rare: ``john``, ``maria``."""
    return _plain("rarely_words")


@cache
def place_names() -> frozenset[str]:
    """Given names that are at least as often places: ``paris``, ``austin``."""
    return _plain("place_names")


@cache
def places() -> frozenset[str]:
    """Cities, regions and countries that are hardly anybody's given name."""
    return _plain("places")


@cache
def towns() -> frozenset[str]:
    """Larger towns all over the world, each a word that is no name and no English word."""
    return _read("towns")


@cache
def eponyms() -> frozenset[str]:
    """Words by which illnesses are called that bear a doctor's name: ``crohn``."""
    return _read("eponyms")


@cache
def foreign_verbs() -> frozenset[str]:
    """Verbs of other languages that begin notes: ``toma``, ``mag``."""
    return _plain("foreign_verbs")


@cache
def foreign_nouns() -> frozenset[str]:
    """Words for things in German and other languages that are somebody's name somewhere."""
    return frozenset(map(fold, _plain("foreign_nouns")))


@cache
def german_nouns() -> frozenset[str]:
    """German nouns for things that nobody is called by."""
    return frozenset(map(fold, _plain("german_nouns")))


def is_given_name(folded: str) -> bool:
    """Whether a folded word is known as a given name somewhere."""
    return folded in given_names() or ascii_form(folded) in given_names()


def is_name(folded: str) -> bool:
    """Whether a folded word is known as a given or family name somewhere."""
    return is_given_name(folded) or folded in family_names() or ascii_form(folded) in family_names()


def is_ordinary(folded: str) -> bool:
    """Whether a folded word is an English word or a function word of a supported language."""
    return folded in ordinary_words() or folded in stop_words()


def _read(name: str) -> frozenset[str]:
    try:
        content = gzip.decompress((LIST_DIR / f"{name}.txt.gz").read_bytes())
    except OSError:
        raise DetectionUnavailable(f"The word list {name} is missing.") from None
    return frozenset(content.decode("utf-8").split())


def _plain(name: str) -> frozenset[str]:
    try:
        lines = (LIST_DIR / f"{name}.txt").read_text("utf-8").splitlines()
    except OSError:
        raise DetectionUnavailable(f"The word list {name} is missing.") from None
    words = (word for line in lines if not line.startswith("#") for word in line.split())
    return frozenset(word.lower() for word in words)
