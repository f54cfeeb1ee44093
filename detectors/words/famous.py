"""Who and what everybody knows by name, and hardly anybody is called privately."""

import re
from functools import cache

from detectors.words.folding import fold
from detectors.words.lexicons import sections


@cache
def famous() -> dict[str, str]:
    """Words that everybody knows, and whether they name ``people`` or ``things``."""
    lists = sections("famous")
    kinds = {"people": lists["people"], "things": lists["things"]}
    return {word: kind for kind, words in kinds.items() for word in re.split(r"[|\s]", words)}


def famous_as(name: str) -> str | None:
    """Whether people or things are called so; ``PostNord`` is listed as ``Postnord``."""
    return famous().get(name) or (famous().get(name.capitalize()) if name[0].isupper() else None)


@cache
def listed(section: str) -> frozenset[str]:
    """Folded words of one section: ``titles``, ``works``, ``games``, ``artists`` and so on."""
    return frozenset(fold(word) for word in re.split(r"[|\s]", sections("famous")[section]))


@cache
def phrases() -> re.Pattern[str]:
    """Firms, works and the dead by more than one word."""
    known = "|".join(map(re.escape, sections("famous")["phrases"].split("|")))
    return re.compile(rf"(?<!\w)(?:{known})(?!\w)")
