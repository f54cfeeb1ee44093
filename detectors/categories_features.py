"""What the category heads see of a text beside its meaning: words and detections, as flags."""

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from detectors.detection import Detection
from detectors.encoder import Floats
from detectors.lexicons import find_groups, find_medical, find_relationships
from detectors.relations import PERSONAL_PATTERN, RELATION_PATTERN

ENTITY_GROUPS: tuple[tuple[str, ...], ...] = (
    ("CREDIT_CARD", "IBAN_CODE", "BANK_ACCOUNT", "CRYPTO"),
    ("MONEY",),
    ("TAX_ID", "US_ITIN"),
    ("STREET_ADDRESS", "POSTCODE", "COORDINATES"),
    ("LOCATION",),
    ("ORGANIZATION",),
    ("PERSON",),
    ("AGE", "DATE_OF_BIRTH"),
    ("EMAIL_ADDRESS", "PHONE_NUMBER", "URL"),
)
WORD_FILE = Path(__file__).parent / "models" / "lists" / "category_words.txt"


def _patterns() -> dict[str, re.Pattern[str]]:
    """Read the sections of the word file: one expression a line, whole words only."""
    sections: dict[str, list[str]] = {}
    words: list[str] = []
    for line in WORD_FILE.read_text("utf-8").splitlines():
        if line.startswith("["):
            words = sections.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            words.append(line)
    return {
        name: re.compile(rf"\b(?:{'|'.join(words)})\b", re.IGNORECASE)
        for name, words in sections.items()
    }


PATTERNS = _patterns()
FIRST_PERSON = re.compile(r"\b(?:i|im|i'm|my|me|we|our)\b", re.IGNORECASE)
QUESTION = re.compile(r"\?\s*$|^(?:what|how|why|when|where|who|can you|could you)\b", re.IGNORECASE)


def flags(text: str, detections: Sequence[Detection]) -> Floats:
    """One number per lexicon, entity group and manner of speech; hints, never verdicts."""
    types = {detection.entity_type for detection in detections}
    found = {detection.entity_type for detection in find_medical(text)}
    values = [
        *(pattern.search(text) is not None for pattern in PATTERNS.values()),
        *(not types.isdisjoint(group) for group in ENTITY_GROUPS),
        "MEDICATION" in types | found,
        "MEDICAL_CONDITION" in types | found,
        bool(find_groups(text)),
        bool(find_relationships(text)),
        PERSONAL_PATTERN.search(text) is not None,
        RELATION_PATTERN.search(text) is not None,
        FIRST_PERSON.search(text) is not None,
        QUESTION.search(text) is not None,
    ]
    return np.array(values, dtype=np.float32)
