"""Turns overlapping detections into disjoint ones that together cover every detected character."""

from collections.abc import Collection, Iterable, Sequence

from detectors.detection import Detection
from detectors.words.folding import without_possessive

# Found by a model: they give way to anything a pattern found and keep what is left of them.
MODEL_TYPES = frozenset({"PERSON", "LOCATION", "ORGANIZATION", "NRP", "DATE_TIME"})

# The more a type says about its value, the higher it ranks when two detections are joined.
SPECIFICITY = {
    "PRIVATE_KEY": 9,
    "API_KEY": 8,
    "PASSWORD": 8,
    "CREDIT_CARD": 7,
    "IBAN_CODE": 7,
    "CRYPTO": 7,
    "US_SSN": 7,
    "US_ITIN": 7,
    "PASSPORT": 7,
    "DRIVER_LICENSE": 7,
    "MEDICAL_LICENSE": 7,
    "EMAIL_ADDRESS": 7,
    "NATIONAL_ID": 6,
    "TAX_ID": 6,
    "DATE_OF_BIRTH": 6,
    "STREET_ADDRESS": 6,
    "MAC_ADDRESS": 6,
    "IP_ADDRESS": 6,
    "COORDINATES": 6,
    "BANK_ACCOUNT": 6,
    "PHONE_NUMBER": 5,
    "USERNAME": 5,
    "MEDICATION": 5,
    "MEDICAL_CONDITION": 5,
    "URL": 4,
    "POSTCODE": 4,
    "AGE": 3,
    "MONEY": 3,
    "RELATIONSHIP": 2,
    "PERSON": 1,
    "LOCATION": 1,
    "NRP": 1,
    "ORGANIZATION": 0,
    "DATE_TIME": -1,
}
# What stands in one encoded run has one span: a name there must not hide behind what says less.
SAYS_LESS = frozenset({"RELATIONSHIP", "MONEY", "AGE", "URL"})
SHORTEST_RUN = 16  # code points of an encoded run
UNKNOWN_SPECIFICITY = 6  # an operator's own type is meant to win over the general ones


def rank(detection: Detection) -> tuple[bool, int, int, float]:
    """Order of precedence: checksum over pattern, specific over generic, longer, surer."""
    specificity = SPECIFICITY.get(detection.entity_type, UNKNOWN_SPECIFICITY)
    length = detection.end - detection.start
    return detection.score >= 1.0, specificity, length, detection.score


def resolve(text: str, detections: Iterable[Detection]) -> tuple[Detection, ...]:
    """Make detections disjoint and sorted.

    Overlapping pattern detections become one, typed by the one of the highest rank. A model's
    detection keeps only what no pattern claimed, so a name is never stretched over a number.

    Args:
        text: the text the spans refer to.
        detections: spans in code points, in any order, possibly overlapping.
    """
    patterns: list[Detection] = []
    models: list[Detection] = []
    for detection in detections:
        (models if detection.entity_type in MODEL_TYPES else patterns).append(detection)
    named = {(one.start, one.end) for one in models if one.entity_type == "PERSON"}
    joined = merge([one for one in patterns if not _hides_name(text, one, named)])
    left = merge([part for model in models for part in remainder(text, model, joined)])
    disjoint = sorted((*joined, *left), key=lambda found: found.start)
    return tuple(with_text(text, found) for found in disjoint)


def _hides_name(text: str, found: Detection, named: Collection[tuple[int, int]]) -> bool:
    span = found.start, found.end
    if found.entity_type not in SAYS_LESS or span not in named:
        return False
    # A plain link has a dot or a colon, which no encoding leaves.
    plain = found.entity_type == "URL" and not {".", ":"}.isdisjoint(text[slice(*span)])
    return found.end - found.start >= SHORTEST_RUN and not plain


def merge(detections: Sequence[Detection]) -> list[Detection]:
    """Join detections that share a character; the best one names the whole."""
    merged: list[Detection] = []
    for found in sorted(detections, key=lambda item: (item.start, item.end)):
        if merged and found.start < merged[-1].end:
            merged[-1] = join(merged[-1], found)
        else:
            merged.append(found)
    return merged


def join(one: Detection, other: Detection) -> Detection:
    """One detection over both spans, with the type and recogniser of the better one."""
    best = max(one, other, key=rank)
    start, end = min(one.start, other.start), max(one.end, other.end)
    return Detection(best.entity_type, start, end, best.score, best.recogniser)


def with_text(text: str, found: Detection) -> Detection:
    """The detection with the text it covers; the ending of a possessive is no part of a name."""
    start, end = found.start, found.end
    if found.entity_type in MODEL_TYPES:
        end = without_possessive(text, start, end)
    covered = text[start:end]
    return Detection(found.entity_type, start, end, found.score, found.recogniser, covered)


def remainder(text: str, found: Detection, taken: Sequence[Detection]) -> list[Detection]:
    """What is left of a detection outside the taken spans, trimmed to letters and digits."""
    start, parts = found.start, []
    for other in taken:
        if other.end <= start or other.start >= found.end:
            continue
        parts.append((start, other.start))
        start = other.end
    if not parts:
        return [found]
    parts.append((start, found.end))
    kept = (trim(text, first, last) for first, last in parts)
    return [
        Detection(found.entity_type, first, last, found.score, found.recogniser)
        for first, last in kept
        if last > first
    ]


def trim(text: str, start: int, end: int) -> tuple[int, int]:
    """Shrink a span until it begins and ends with a letter or digit."""
    while start < end and not text[start].isalnum():
        start += 1
    while end > start and not text[end - 1].isalnum():
        end -= 1
    return start, end
