"""Where tokens go in a text: each is a word of its own."""

from collections.abc import Iterable
from dataclasses import replace

from policies import Edit
from proxy.tokens.surrogate import place_for

REVERSIBLE = frozenset({"tokenise", "encrypt"})  # actions that leave a token


def placed(text: str, edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """Edits of a text, those that leave a token with what touches them."""
    return tuple(_placed(text, edit) if edit.action in REVERSIBLE else edit for edit in edits)


def _placed(text: str, edit: Edit) -> Edit:
    start, end = place_for(text, edit.start, edit.end)
    return replace(edit, start=start, end=end)
