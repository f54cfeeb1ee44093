"""A text as it would read without its disguise, with every character tied to the original."""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass

Edit = tuple[int, int, str]  # start, end, what stands there instead; in code points of a view


@dataclass(frozen=True, slots=True)
class View:
    """A reading of a text.

    Args:
        text: what is read.
        starts: for every character of ``text``, where its origin begins in the original; None
            means that the view is the original.
        ends: likewise, where its origin ends.
    """

    text: str
    starts: "array[int] | None" = None
    ends: "array[int] | None" = None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The span of the original that a non-empty span of the view was read from."""
        if self.starts is None or self.ends is None:
            return start, end
        return min(self.starts[start:end]), max(self.ends[start:end])


def rewrite(view: View, edits: Iterable[Edit]) -> View:
    """A view with some of its parts read differently.

    Every character of a replacement stems from the whole replaced part. A part that disappears is
    added to the origin of the character before it, so that redacting that one takes it along.

    Args:
        edits: sorted and disjoint.
    """
    pieces: list[str] = []
    starts, ends = array("I"), array("I")
    done = 0
    for start, end, replacement in edits:
        _keep(view, done, start, pieces, starts, ends)
        first, last = view.span(start, end) if end > start else (start, start)
        if replacement:
            pieces.append(replacement)
            starts.extend([first] * len(replacement))
            ends.extend([last] * len(replacement))
        elif ends:
            ends[-1] = max(ends[-1], last)
        done = end
    _keep(view, done, len(view.text), pieces, starts, ends)
    return View("".join(pieces), starts, ends)


def _keep(
    view: View,
    start: int,
    end: int,
    pieces: list[str],
    starts: "array[int]",
    ends: "array[int]",
) -> None:
    pieces.append(view.text[start:end])
    if view.starts is None or view.ends is None:
        starts.extend(range(start, end))
        ends.extend(range(start + 1, end + 1))
    else:
        starts.extend(view.starts[start:end])
        ends.extend(view.ends[start:end])


def reverse(view: View, start: int, end: int) -> View:
    """A view with the characters of one part read backwards."""
    order = [*range(start), *range(end - 1, start - 1, -1), *range(end, len(view.text))]
    return View(
        "".join(view.text[index] for index in order),
        array("I", (view.span(index, index + 1)[0] for index in order)),
        array("I", (view.span(index, index + 1)[1] for index in order)),
    )


def disjoint(edits: Iterable[Edit]) -> list[Edit]:
    """Sorted edits without those that overlap an earlier one; at one place the longest stays."""
    kept: list[Edit] = []
    for edit in sorted(edits, key=lambda item: (item[0], -item[1])):
        if not kept or edit[0] >= kept[-1][1]:
            kept.append(edit)
    return kept
