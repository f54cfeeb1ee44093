"""Categories: meaning counts, words alone do not decide, damaged heads are refused."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from detectors.categories.encoder import Encoder
from detectors.categories.features import SECTIONS, WORDS, flags
from detectors.categories.heads import (
    CATEGORIES,
    MODEL_DIR,
    CategoryClassifier,
    load_heads,
    scale,
    without_names,
)
from detectors.detection import Detection
from detectors.errors import DetectionUnavailable


@pytest.fixture(scope="module")
def full() -> CategoryClassifier:
    """The full tier."""
    return CategoryClassifier(Encoder())


@pytest.fixture(scope="module")
def fast() -> CategoryClassifier:
    """The fast tier, without an encoder."""
    return CategoryClassifier(None)


def names(classifier: CategoryClassifier, text: str) -> set[str]:
    """Categories that count for one text without detections."""
    return {one.name for one in classifier.classify([text], [()])[0]}


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("Takes pills for high blood pressure", "health"),
        ("Is waiting for a biopsy", "health"),
        ("Owes the bank twelve thousand", "financial"),
        ("Cannot pay the rent this month", "financial"),
        ("The gate opens with a fingerprint", "biometric"),
        ("Had the genome sequenced", "biometric"),
        ("Moved from Lisbon to Oslo", "location"),
        ("Prays in the mosque every Friday", "political_religious"),
        ("Voted for the socialists", "political_religious"),
        ("Is getting divorced from her husband", "relationships"),
        ("Works as a nurse in a hospital", "professional"),
        ("Prefers tea over coffee", "preferences"),
    ],
)
def test_a_text_has_its_category(full: CategoryClassifier, text: str, category: str) -> None:
    """Plain examples of each category."""
    assert category in names(full, text)


@pytest.mark.parametrize(
    "text",
    [
        "The parcel arrived",
        "Rename the branch before merging",
        "ok thanks",
        "Set a timer for nine minutes",
    ],
)
def test_a_text_may_have_none(full: CategoryClassifier, text: str) -> None:
    """Nothing personal, no category."""
    assert names(full, text) == set()


def test_a_text_may_have_several(full: CategoryClassifier) -> None:
    """A text about an illness at work is both."""
    found = names(full, "Works as a teacher and takes pills for her depression")
    assert {"health", "professional"} <= found


def test_a_listed_word_does_not_decide_alone(full: CategoryClassifier) -> None:
    """Words of a category in another sense must not fire, and other words must."""
    technical = "Share the screen and scan the document"
    assert SECTIONS.index("health") in WORDS.Match(technical)
    assert "health" not in names(full, technical)
    unlisted = "Wakes up drenched and shivering with a temperature of 39"
    assert "health" in names(full, unlisted)


def test_the_fast_tier_needs_no_encoder(fast: CategoryClassifier) -> None:
    """It still knows plain texts."""
    assert "health" in names(fast, "Was diagnosed with asthma")
    assert "financial" in names(fast, "Has credit card debt")


def test_batches_keep_their_order(full: CategoryClassifier) -> None:
    """Texts and results correspond, and an empty batch is no error."""
    texts = ["ok thanks", "Has diabetes", "Prefers tea over coffee"]
    together = full.classify(texts, [(), (), ()])
    assert [{one.name for one in found} for found in together] == [
        names(full, text) for text in texts
    ]
    assert full.classify([], []) == []


def test_scores_are_sorted_and_count_from_a_half(full: CategoryClassifier) -> None:
    """Only categories that count are reported, strongest first."""
    found = full.classify(["Works as a teacher and takes pills for her depression"], [()])[0]
    scores = [one.score for one in found]
    assert scores == sorted(scores, reverse=True)
    assert all(0.5 <= score <= 1 for score in scores)


@pytest.mark.parametrize("text", ["", " ", "\x00", "\ud800", "😀", "字" * 3000])
def test_odd_texts_are_classified_too(full: CategoryClassifier, text: str) -> None:
    """No text is refused."""
    assert isinstance(full.classify([text], [()])[0], tuple)


def test_names_are_blanked_before_the_meaning_is_taken() -> None:
    """A name is replaced where its span is exact, and left where it is not."""
    exact = Detection("PERSON", 0, 5, 1.0, "model", "Faith")
    shifted = Detection("PERSON", 1, 6, 1.0, "model", "Faith")
    assert without_names("Faith left", [exact]) == "Sam left"
    assert without_names("Faith left", [shifted]) == "Faith left"


def test_detections_are_features() -> None:
    """A card number changes the flags."""
    card = Detection("CREDIT_CARD", 0, 4, 1.0, "card", "4111")
    assert not np.array_equal(flags("4111", []), flags("4111", [card]))


def test_thresholds_lie_at_a_half() -> None:
    """Scaling keeps the ends and moves each threshold to 0.5."""
    values = np.array([0.0, 0.25, 1.0], dtype=np.float32)
    thresholds = np.full(3, 0.25, dtype=np.float32)
    np.testing.assert_allclose(scale(values, thresholds), [0, 0.5, 1], atol=1e-6)


def test_special_categories_have_lower_thresholds() -> None:
    """What a miss would cost most counts sooner."""
    for tier in ("fast", "full"):
        limits = dict(zip(CATEGORIES, load_heads(tier).thresholds.tolist(), strict=True))
        special = ("health", "financial", "biometric", "political_religious")
        others = [limits[name] for name in CATEGORIES if name not in special]
        assert np.mean([limits[name] for name in special]) < np.mean(others)


def test_changed_or_missing_heads_are_refused(tmp_path: Path) -> None:
    """Heads that are not the trained ones do not load."""
    with pytest.raises(DetectionUnavailable):
        load_heads("full", tmp_path)
    shutil.copytree(MODEL_DIR, tmp_path / "heads")
    manifest = json.loads((tmp_path / "heads" / "manifest.json").read_text())
    manifest["sha256"]["heads.npz"] = "0" * 64
    (tmp_path / "heads" / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(DetectionUnavailable):
        load_heads("full", tmp_path / "heads")
