"""Values of metadata are no sentences: only their own words say which category they are of."""

import pytest

from detectors.engine import Detector
from detectors.settings import DetectorSettings

LABELS = (
    "high", "High", "medium", "low", "normal", "en", "de", "de-DE", "gpt-4", "gpt-4o-mini", "dev",
    "staging", "prod", "voice", "support", "premium", "gold", "monthly", "positive", "long-term",
    "episodic", "0.93", "tag", "left", "home", "north", "ground floor", "US", "Germany",
    "Europe/Berlin", "login", "signup", "hotfix",
    "Tamsin Okafor", "tamsin", "Anna Weber", "Anna", "Weber, Anna", "2026-11-30", "ticket 4411",
)  # fmt: skip
TOLD = {
    "diabetes": "health", "type 2 diabetes": "health", "HIV positive": "health",
    "Metformin": "health", "peanut allergy": "health", "pregnant": "health",
    "bankrupt": "financial", "salary 80000": "financial", "in debt": "financial",
    "IBAN DE89 3704 0044 0532 0130 00": "financial", "fingerprint": "biometric",
    "face scan": "biometric", "Catholic": "political_religious", "union member":
    "political_religious", "12 Harbour Lane": "location", "lives in Munich": "location",
    "divorced": "relationships", "works at Acme": "professional",
    "vegan": "preferences", "schwanger": "health", "Krebs": "health",
}  # fmt: skip
FACTS = {
    "Has the flu": "health", "Had an abortion": "health", "Is in hospice": "health",
    "toothache": "health", "overdrawn": "financial",
    "House repossessed": "financial", "Trump supporter": "political_religious",
}  # fmt: skip
SENTENCES = FACTS | {
    "The doctor says my blood pressure is high.": "health",
    "We moved to the ground floor in Lisbon.": "location",
}
SHORTENING = {"health", "financial", "biometric", "location", "political_religious"}


@pytest.fixture(scope="module", params=["fast", "full"])
def detector(request: pytest.FixtureRequest) -> Detector:
    return Detector(DetectorSettings(tier=request.param))


@pytest.mark.parametrize("text", LABELS)
def test_a_label_or_a_name_is_of_no_category_that_ends_a_memory_early(
    detector: Detector, text: str
) -> None:
    assert SHORTENING.isdisjoint(_categories(detector, text))


@pytest.mark.parametrize(("text", "category"), TOLD.items())
def test_few_words_that_speak_of_a_category_have_it(
    detector: Detector, text: str, category: str
) -> None:
    assert category in _categories(detector, text)


@pytest.mark.parametrize(("text", "category"), SENTENCES.items())
def test_a_sentence_is_judged_by_what_it_means(text: str, category: str) -> None:
    assert category in _categories(Detector(DetectorSettings(tier="full")), text)


def _categories(detector: Detector, text: str) -> set[str]:
    return {each.name for each in detector.analyse([text])[0].categories}
