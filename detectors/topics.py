"""Puts texts of any length into categories, piece by piece."""

from collections.abc import Iterable, Iterator, Sequence

from detectors.categories import CategoryClassifier
from detectors.chunks import Chunk, chunks, sentences
from detectors.detection import CategoryScore, Detection
from detectors.encoder import Encoder
from detectors.encoder_words import WordVectors
from detectors.settings import Tier
from detectors.structured import shifted

PIECE = 1_000  # code points; about the tokens that the encoder reads before it stops
OVERLAP = 100
SENTENCES = 160  # code points, at least: the meaning of a whole page is nobody's
ENCODED_TOGETHER = 8


class TopicFinder:
    """Categories of texts: a text has those of all its pieces, each with its highest score."""

    def __init__(self, tier: Tier, words: WordVectors | None = None) -> None:
        encoder = Encoder(batch_size=ENCODED_TOGETHER) if tier == "full" else None
        self._classifier = CategoryClassifier(encoder, words)

    def find(
        self, texts: Sequence[str], found: Sequence[Sequence[Detection]]
    ) -> list[tuple[CategoryScore, ...]]:
        """Categories per text, strongest first.

        Args:
            texts: without lone surrogates.
            found: the detections of each text.
        """
        pieces = [(index, piece) for index, text in enumerate(texts) for piece in _pieces(text)]
        within = [inside(piece, found[index]) for index, piece in pieces]
        scores = self._classifier.classify([piece.text for _, piece in pieces], within)
        gathered: list[list[CategoryScore]] = [[] for _ in texts]
        for (index, _), categories in zip(pieces, scores, strict=True):
            gathered[index].extend(categories)
        return [strongest(categories) for categories in gathered]


def _pieces(text: str) -> Iterator[Chunk]:
    for piece in chunks(text, PIECE, OVERLAP):
        for part in sentences(piece.text, SENTENCES):
            yield Chunk(piece.start + part.start, part.text)


def inside(piece: Chunk, found: Sequence[Detection]) -> list[Detection]:
    """The detections that lie in a piece, with offsets into it."""
    end = piece.start + len(piece.text)
    lying = (one for one in found if one.start >= piece.start and one.end <= end)
    return [shifted(one, -piece.start) for one in lying]


def strongest(categories: Iterable[CategoryScore]) -> tuple[CategoryScore, ...]:
    """One score per category, the highest, strongest category first."""
    best: dict[str, CategoryScore] = {}
    for category in categories:
        if category.name not in best or category.score > best[category.name].score:
            best[category.name] = category
    return tuple(sorted(best.values(), key=lambda category: (-category.score, category.name)))
