"""Edits applied to a text, so that nothing that was to go is left."""

from collections.abc import Callable, Iterable

from policies.decision import Edit
from policies.generalise import coarser
from policies.rules import STRENGTH
from policies.schema.write import Mask

_REVERSIBLE = frozenset({"tokenise", "encrypt"})


class EditError(ValueError):
    """An edit that does not fit the text; nothing may be forwarded."""


def apply_edits(text: str, edits: Iterable[Edit], surrogate: Callable[[Edit, str], str]) -> str:
    """The text with every edit made.

    Edits that overlap are joined first and made as the strictest of them, so no covered
    character survives whatever the order. ``surrogate(edit, original)`` gives the text that
    stands for a tokenised or encrypted original.

    Raises:
        EditError: if an edit lies outside the text or is empty.
    """
    pieces: list[str] = []
    position = 0
    for edit in _joined(text, edits):
        pieces += (text[position : edit.start], _replacement(edit, text, surrogate))
        position = edit.end
    return "".join([*pieces, text[position:]])


def _joined(text: str, edits: Iterable[Edit]) -> list[Edit]:
    joined: list[Edit] = []
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        if not 0 <= edit.start < edit.end <= len(text):
            raise EditError("an edit does not fit the text")
        if joined and edit.start < joined[-1].end:
            joined[-1] = _join(joined[-1], edit)
        else:
            joined.append(edit)
    return joined


def _join(a: Edit, b: Edit) -> Edit:
    strict = b if STRENGTH[b.action] > STRENGTH[a.action] else a
    end = max(a.end, b.end)
    return Edit(a.start, end, strict.action, strict.entity_type, strict.rule, strict.params)


def _replacement(edit: Edit, text: str, surrogate: Callable[[Edit, str], str]) -> str:
    original = text[edit.start : edit.end]
    if edit.action in _REVERSIBLE:
        return surrogate(edit, original) if original.strip() else original
    mark: str = edit.params.get("mark") or f"[{edit.entity_type.lower()}]"
    match edit.action:
        case "mask":
            return mask(original, edit.params.get("mask") or Mask())
        case "replace":
            replacement: str = edit.params.get("replacement") or mark
            return replacement
        case "generalise":
            return coarser(edit.entity_type, original, edit.params.get("to")) or mark
        case "redact":
            return mark
        case _:
            raise EditError("an edit has an action that is not known")


def mask(text: str, how: Mask) -> str:
    """Cover all but a few characters at one end; never show more than a third."""
    keep = min(how.keep, len(text) // 3)
    covered = how.character * (len(text) - keep)
    if not keep:
        return covered
    return covered + text[-keep:] if how.side == "end" else text[:keep] + covered
