"""Makes the committed word lists: ``python -m detectors.training.lists WORDS_FILE TARGET_DIR``.

``given.txt.gz`` and ``family.txt.gz`` come from Faker's person providers (MIT) and our own grammar;
``words.txt.gz`` holds the lower-case words of Debian's ``wamerican`` (SCOWL, see the NOTICE),
``stop.txt.gz`` spaCy's function words, whose packages take seconds to import.
"""

import gzip
import importlib
import pkgutil
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import faker.providers.person as providers

from detectors.training.grammar import read_slots
from detectors.words.folding import ascii_form, fold

STOP_WORD_LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl")
NAME = re.compile(r"[^\W\d_]{2,}(?:[-'’ ][^\W\d_]{2,})*")


def faker_names(kind: str) -> Iterator[str]:
    """Every name of a kind (``first`` or ``last``) that any locale of Faker lists."""
    for module in pkgutil.iter_modules(providers.__path__):
        try:
            provider = importlib.import_module(f"{providers.__name__}.{module.name}").Provider
        except (ImportError, AttributeError):
            continue
        for attribute in dir(provider):
            if attribute.startswith(f"{kind}_name") and not attribute.endswith(("_format", "s_")):
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
    modules = (f"spacy.lang.{language}.stop_words" for language in STOP_WORD_LANGUAGES)
    return set().union(*(importlib.import_module(module).STOP_WORDS for module in modules))


def write_list(path: Path, words: Iterable[str]) -> None:
    """Write sorted lines, compressed, the same bytes every time."""
    content = "\n".join(sorted(words)) + "\n"
    path.write_bytes(gzip.compress(content.encode(), compresslevel=9, mtime=0))


def main(words_file: Path, target: Path) -> None:
    """Write the four lists."""
    slots = read_slots()
    own = {*slots["given"], *slots["word_names"]}
    target.mkdir(parents=True, exist_ok=True)
    write_list(target / "given.txt.gz", folded_words([*faker_names("first"), *own]))
    write_list(target / "family.txt.gz", folded_words([*faker_names("last"), *slots["surnames"]]))
    write_list(target / "stop.txt.gz", stop_words())
    lines = words_file.read_text("utf-8").splitlines()
    write_list(
        target / "words.txt.gz", {line for line in lines if line.isalpha() and line.islower()}
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
