"""Erased texts as parts of longer ones that stay: their bytes there are no residue.

In whatever case: names are looked for so, and ``will`` stays where Will is forgotten.
"""

from collections.abc import Collection, Iterator

from ahocorasick_rs import AhoCorasick

from proxy.upstreams.layers.boundaries import LONGEST

AROUND = 40  # characters on each side by which a piece of a longer text is known
MOST = 5_000  # pieces; what is beyond them counts as left


class Within:
    """Finds erased texts in others.

    Args:
        texts: the erased ones.
    """

    def __init__(self, texts: Collection[str]) -> None:
        self._texts = AhoCorasick(sorted({_lower(each) for each in texts})) if texts else None

    def found_in(self, text: str) -> bool:
        """Whether any of them stands in a text."""
        return next(self.pieces(text), None) is not None

    def pieces(self, text: str) -> Iterator[str]:
        """Each of them as it stands in a text, with what is around it."""
        if self._texts is None:
            return
        for _, start, end in self._texts.find_matches_as_indexes(_lower(text), overlapping=True):
            piece = text[max(0, start - AROUND) : end + AROUND]
            if len(piece) <= LONGEST:
                yield piece


def _lower(text: str) -> str:
    """In small letters, unless that moves what stands behind them."""
    lower = text.lower()
    return lower if len(lower) == len(text) else text
