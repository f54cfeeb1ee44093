"""Makers and their models, which look like a given and a family name: ``Renault Mégane``."""

from detectors.words.called import called
from detectors.words.famous import famous_as
from detectors.words.folding import fold
from detectors.words.namelists import is_given_name, is_name
from detectors.words.spoken import is_spoken
from detectors.words.titles import HONORIFICS


def is_model(name: str) -> str | None:
    """``things`` where a brand that nobody is called by begins or ends it: ``Hoka Clifton``.

    Behind a given name, an initial or a title it is a family name: ``Anna Cartier``.
    """
    words = name.split()
    if len(words) > 1 and _is_made(*map(fold, words[:2])):
        return "things"
    brands = [famous_as(word) == "things" and not is_name(fold(word)) for word in words]
    led = any(_leads_a_name(part) for word in words[:-1] for part in word.split("-"))
    return "things" if len(words) > 1 and any(brands) and (brands[0] or not led) else None


def _is_made(maker: str, model: str) -> bool:
    """``Renault Mégane``; of a maker that people are called by, what is no family's name."""
    if maker not in called().makes:
        return False
    return not is_given_name(maker) or is_spoken(model) or not is_name(model)


def _leads_a_name(word: str) -> bool:
    folded = fold(word.rstrip("."))
    return len(folded) == 1 or is_given_name(folded) or folded in HONORIFICS
