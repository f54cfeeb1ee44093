"""What the category heads see of a text beside its meaning: words and detections, as flags."""

import re
from collections.abc import Iterable, Sequence

import numpy as np
import re2

from detectors.categories.encoder import Floats
from detectors.detection import Detection
from detectors.words.lexicons import find_groups, find_medical, find_relationships, sections
from detectors.words.relations import OTHER_LANGUAGES, PERSONAL, RELATION

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


def _sections() -> dict[str, str]:
    """One expression per section of the word file, then relations, without and with work."""
    relations = {"personal": PERSONAL, "relation": f"{RELATION}|{OTHER_LANGUAGES}"}
    return sections("category_words") | relations


def whole_words(expressions: Iterable[str]) -> re2.Set:
    """Whole words of any script, whatever their case, in one pass."""
    options = re2.Options()
    options.case_sensitive = False
    found = re2.Set.SearchSet(options)
    for expression in expressions:
        words = expression.replace(r"\w", LETTER)
        found.Add(rf"(?:^|[^\pL\pN_])(?:{words})(?:[^\pL\pN_]|$)")
    found.Compile()
    return found


LETTER = r"[\pL\pN_]"
_EXPRESSIONS = _sections()
SECTIONS = tuple(_EXPRESSIONS)
WORDS = whole_words(_EXPRESSIONS.values())
FIRST_PERSON = re.compile(r"\b(?:i|im|i'm|my|me|we|our)\b", re.IGNORECASE)
QUESTION = re.compile(r"\?\s*$|^(?:what|how|why|when|where|who|can you|could you)\b", re.IGNORECASE)


def flags(text: str, detections: Sequence[Detection]) -> Floats:
    """One number per lexicon, entity group and manner of speech; hints, never verdicts."""
    types = {detection.entity_type for detection in detections}
    found = {detection.entity_type for detection in find_medical(text)}
    said = set(WORDS.Match(text.encode("utf-8", "replace")) or ())
    words = [index in said for index in range(len(SECTIONS))]
    values = [
        *words[:-2],
        *(not types.isdisjoint(group) for group in ENTITY_GROUPS),
        "MEDICATION" in types | found,
        "MEDICAL_CONDITION" in types | found,
        bool(find_groups(text)),
        words[-1] and bool(find_relationships(text)),
        *words[-2:],
        FIRST_PERSON.search(text) is not None,
        QUESTION.search(text) is not None,
    ]
    return np.array(values, dtype=np.float32)
