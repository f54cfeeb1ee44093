"""Makes the committed word lists: ``python -m detectors.training.lists WORDS_FILE TARGET_DIR``.

``given.txt.gz`` and ``family.txt.gz`` come from Faker's person providers (MIT) and our own grammar;
``words.txt.gz`` holds the lower-case words of Debian's ``wamerican`` (SCOWL, see the NOTICE),
``stop.txt.gz`` spaCy's function words, whose packages take seconds to import; ``towns.txt.gz`` the
towns of phonenumbers' area codes (Apache-2.0).
"""

import gzip
import importlib
import pkgutil
import re
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

import faker.providers.person as providers
from phonenumbers import COUNTRY_CODE_TO_REGION_CODE
from phonenumbers.geodata import GEOCODE_DATA

from detectors.training.grammar import read_slots
from detectors.words.folding import ascii_form, fold

STOP_WORD_LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl")
TOWN_LANGUAGES = frozenset({"en", "de", "fr", "es", "it", "pt", "nl", "pl"})
SHORT, MANY = 3, 12  # digits of a large town's area code; codes of one that has several
LEAST = 3  # letters
NAME = re.compile(r"[^\W\d_]{2,}(?:[-'’ ][^\W\d_]{2,})*")


def faker_names(kind: str) -> Iterator[str]:
    """Every name of a kind (``first`` or ``last``) that any locale of Faker lists."""
    for module in pkgutil.iter_modules(providers.__path__):
        yield from name_strings(module.name, kind)


def name_strings(locale: str, kind: str) -> Iterator[str]:
    """Every name of a kind (``first`` or ``last``) that one locale of Faker lists."""
    try:
        provider = importlib.import_module(f"{providers.__name__}.{locale}").Provider
    except (ImportError, AttributeError):
        return
    for attribute in dir(provider):
        if f"{kind}_name" in attribute and not attribute.endswith(("_format", "s_")):
            yield from _strings(getattr(provider, attribute))


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, dict | list | tuple | set):
        yield from (item for item in value if isinstance(item, str))


def folded_words(names: Iterable[str]) -> set[str]:
    """Single folded words of names in Latin letters, with and without their accents."""
    words: set[str] = set()
    for name in names:
        if NAME.fullmatch(name) and "{" not in name:
            for part in re.split(r"[- ]", name):
                folded = fold(part)
                words |= {folded, ascii_form(folded)}
    return {word for word in words if len(word) > 1}


def stop_words() -> set[str]:
    """Function words of the supported languages."""
    return set().union(*map(stop_words_of, STOP_WORD_LANGUAGES))


def stop_words_of(language: str) -> set[str]:
    """Function words of one language."""
    words: set[str] = importlib.import_module(f"spacy.lang.{language}.stop_words").STOP_WORDS
    return words


def towns(names: Collection[str], words: Collection[str]) -> set[str]:
    """Towns of one word, with an area code of their own or many, that are no names or words."""
    codes = Counter(
        re.split("[,/(]", said[language])[0].strip()
        for prefix, said in GEOCODE_DATA.items()
        for language in said.keys() & TOWN_LANGUAGES
        for _ in range(MANY if _area(prefix) <= SHORT else 1)
    )
    found = {fold(town) for town, count in codes.items() if count >= MANY and NAME.fullmatch(town)}
    plain = {town for town in found if " " not in town and "-" not in town and len(town) > LEAST}
    return {town for town in plain if not {town, ascii_form(town)} & {*names, *words}}


def _area(prefix: str) -> int:
    """Digits of an area code, without the country's."""
    country = next(n for n in (1, 2, 3) if int(prefix[:n]) in COUNTRY_CODE_TO_REGION_CODE)
    return len(prefix) - country


def write_list(path: Path, words: Iterable[str]) -> None:
    """Write sorted lines, compressed, the same bytes every time."""
    content = "\n".join(sorted(words)) + "\n"
    path.write_bytes(gzip.compress(content.encode(), compresslevel=9, mtime=0))


def write_sections(path: Path, sections: Iterable[Iterable[str]]) -> None:
    """Write several lists into one file, a blank line between them."""
    content = "\n\n".join("\n".join(sorted(words)) for words in sections) + "\n"
    path.write_bytes(gzip.compress(content.encode(), compresslevel=9, mtime=0))


def main(words_file: Path, target: Path) -> None:
    """Write the five lists."""
    slots = read_slots()
    own = {*slots["given"], *slots["word_names"]}
    lines = words_file.read_text("utf-8").splitlines()
    given = folded_words([*faker_names("first"), *own])
    family = folded_words([*faker_names("last"), *slots["surnames"]])
    words = {line for line in lines if line.isalpha() and line.islower()}
    target.mkdir(parents=True, exist_ok=True)
    write_list(target / "given.txt.gz", given)
    write_list(target / "family.txt.gz", family)
    write_list(target / "stop.txt.gz", stop_words())
    write_list(target / "words.txt.gz", words)
    write_list(target / "towns.txt.gz", towns(given | family, words))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
