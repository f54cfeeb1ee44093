"""What detection yields: spans, category scores, and the analysis of one text."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Detection:
    """One span found in a text.

    Args:
        entity_type: upper-case type, e.g. ``PERSON`` or ``EMAIL_ADDRESS``.
        start: first code point of the original text.
        end: code point after the last one.
        score: confidence in [0, 1].
        recogniser: which recogniser found it.
        text: the covered text; personal data, never logged or stored, not shown in ``repr``.
    """

    entity_type: str
    start: int
    end: int
    score: float
    recogniser: str
    text: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class CategoryScore:
    """How strongly a text belongs to one category, in [0, 1]."""

    name: str
    score: float


@dataclass(frozen=True, slots=True)
class Analysis:
    """All that was found in one text: sorted, non-overlapping detections and its categories."""

    detections: tuple[Detection, ...] = ()
    categories: tuple[CategoryScore, ...] = ()
    language: str = "en"
