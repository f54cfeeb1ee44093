"""Long texts in pieces for the workers, so that others get their turn between them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from detectors.categories.topics import strongest
from detectors.chunks import Chunk, chunks
from detectors.detection import Analysis
from detectors.overlaps import resolve
from detectors.settings import Tier
from detectors.structured import shifted

LONG = 8_000  # code points; what is no longer is scanned at once
PIECE = 6_000
OVERLAP = 400  # twice what windows of the name model share
_RUN = re.compile(rf"\S{{{OVERLAP}}}")  # may be coded text, which is read as a whole or not at all


@dataclass(frozen=True, slots=True)
class Parts:
    """What the workers are asked about one text: pieces of it, or the whole."""

    text: str
    tier: Tier
    pieces: tuple[Chunk, ...] = ()

    @property
    def asked(self) -> list[tuple[str, Tier]]:
        """Texts and tiers: a long text is seen whole by all patterns, and in pieces by models."""
        if not self.pieces:
            return [(self.text, self.tier)]
        return [(self.text, "structured"), *((each.text, self.tier) for each in self.pieces)]

    def joined(self, found: Sequence[Analysis]) -> Analysis:
        """One analysis from those of ``asked``."""
        if not self.pieces:
            return found[0]
        whole, *rest = found
        pairs = list(zip(self.pieces, rest, strict=True))
        spans = [shifted(one, piece.start) for piece, each in pairs for one in each.detections]
        return Analysis(
            resolve(self.text, [*whole.detections, *spans]),
            strongest(score for _, each in pairs for score in each.categories),
            rest[0].language,
        )


def parts_of(text: str, tier: Tier) -> Parts:
    """How a text is scanned; patterns alone are quick, and need no pieces."""
    if len(text) <= LONG or tier == "structured" or _RUN.search(text):
        return Parts(text, tier)
    return Parts(text, tier, tuple(chunks(text, PIECE, OVERLAP)))
