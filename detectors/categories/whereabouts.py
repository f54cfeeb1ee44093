"""Whether a text says where somebody is, lives or goes: a place alone may be a machine's."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

import re2

from detectors.categories.features import LETTER, whole_words
from detectors.categories.heads import without_names
from detectors.detection import Detection
from detectors.words.folding import WORD, fold
from detectors.words.lexicons import sections
from detectors.words.namelists import product_names, products
from detectors.words.relations import RELATION

PLACED = frozenset({"STREET_ADDRESS", "POSTCODE", "COORDINATES"})
# "I'm", "im", "she's": as "I is", so that one spelling of the verb is enough.
_CONTRACTED = re.compile(
    r"\b(?:(i|you|he|she|we|they|who)['’](?:m|re|s)|(i)m|(s?he)s|(they)re)\b", re.IGNORECASE
)
_GOAL = re.compile(rf"\bmov(?:e|es|ed|ing) (?:over )?(?:to|from) (?:the )?({WORD})", re.IGNORECASE)
_SLOT = re.compile(r"\{(\w+)\}")
_READABLE = re.compile(r"[a-z]", re.IGNORECASE)
# A clause begins, or a person stands there, or a relation of one.
_BEFORE = r"(?:^|[.;:,!?()\n]\s*|(?:^|\W)(?:and|but|then|because|while|when) |(?:^|\W)(?:{who}) )"


def tells_whereabouts(text: str, found: Sequence[Detection]) -> bool:
    """Whether the words alone say where somebody is at a time, comes and goes, or lives."""
    return _matches(text, found, "tells")


def allows_whereabouts(text: str, found: Sequence[Detection]) -> bool:
    """Whether a likeness to such sentences may count: somebody is said to be, live or go there.

    What is in no Latin script is left to the likeness: there are no words for it here.
    """
    goals = (fold(match[1]) for match in _GOAL.finditer(text))
    if any(goal in products() or goal in product_names() for goal in goals):
        return False  # "moved to Postgres"
    if any(each.entity_type in PLACED for each in found) or not _READABLE.search(text):
        return True
    return _matches(text, found, "allows") or _matches(text, found, "tells")


def _matches(text: str, found: Sequence[Detection], section: str) -> bool:
    """As written, for a verb may be taken for a name, and with one name for all."""
    written = {text, without_names(text, found)}
    said = [_CONTRACTED.sub(_full, each).replace("’", "'") for each in written]
    return any(
        expressions.Match(each.encode("utf-8", "replace"))
        for each in said
        for expressions in _expressions()[section]
    )


def _full(match: re.Match[str]) -> str:
    return f"{next(filter(None, match.groups()))} is"


@cache
def _expressions() -> dict[str, tuple[Any, ...]]:
    written = sections("whereabouts")
    who = f"{written['who']}|{RELATION}"
    slots = {**written, "who": who}
    before = _BEFORE.replace("{who}", who)
    return {
        "tells": (
            _behind(before, _filled(written["tells"], slots), written["adverb"]),
            whole_words([_filled(written["anywhere tells"], slots)]),
        ),
        "allows": (
            _behind(before, _filled(written["allows"], slots), written["adverb"]),
            whole_words([_filled(written["anywhere"], slots)]),
        ),
    }


def _filled(expression: str, slots: dict[str, str]) -> str:
    while _SLOT.search(expression):
        expression = _SLOT.sub(lambda match: f"(?:{slots[match[1]]})", expression)
    return expression


def _behind(before: str, verbs: str, adverbs: str) -> Any:
    options = re2.Options()
    options.case_sensitive = False
    found = re2.Set.SearchSet(options)
    found.Add(rf"{before}(?:(?:{adverbs}) )*(?:{verbs})(?:[^\pL\pN_]|$)".replace(r"\w", LETTER))
    found.Compile()
    return found
