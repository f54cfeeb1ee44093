"""Whether a found piece of text stands for itself or is a part of a longer word."""

from typing import Literal

Side = Literal["left", "right"]
LONGEST = 1000  # characters of one needle
_CONNECTORS = frozenset(".+-@")


def joins(edge: str, near: str, beyond: str, *, identifier: bool) -> bool:
    """Whether the neighbour continues the word: then this is another word.

    ``u-1`` is not ``u-10``, ``smith@`` is not ``alice.smith@``, ``Ann`` is not ``Anna``.
    Scripts without letter case write words without spaces, so there no neighbour joins.

    Args:
        edge: the outermost character of the match on this side.
        near: the character beside it, or empty.
        beyond: the one after that, or empty.
        identifier: the match has digits or ``@``; then ``. + - @`` join as well.
    """
    if not _wordy(edge):
        return False
    return _wordy(near) or (identifier and near in _CONNECTORS and _wordy(beyond))


def changes_class(left: str, right: str) -> bool:
    """Whether two neighbours differ as fields do that a file keeps without a separator.

    In raw bytes the text of one column touches the next: ``…met Bob`` and ``ADD``.
    """
    if not (left.isalnum() and right.isalnum()):
        return False
    if left.isdigit() != right.isdigit():
        return not (left.isdigit() and right.islower())
    return left.islower() and right.isupper()


def beginning(needle: str) -> str:
    """What is looked for of a needle: of one longer than ``LONGEST`` its beginning.

    Preparing to look for a text that repeats itself takes time that grows with the square of its
    length. Who else begins with the same characters is found as well: that is the safe side.
    """
    return needle if len(needle) <= LONGEST else needle.lstrip()[:LONGEST]


def is_identifier(needle: str) -> bool:
    """Whether a needle is an address or number rather than a name or a sentence."""
    return " " not in needle and any(character.isdigit() or character == "@"
                                     for character in needle)  # fmt: skip


def _wordy(character: str) -> bool:
    return bool(character) and (
        character == "_" or character.isdigit() or character.lower() != character.upper()
    )
