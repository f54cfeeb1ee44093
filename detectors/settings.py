"""What an operator can choose about detection."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Tier = Literal["structured", "fast", "full"]
TIERS: tuple[Tier, ...] = ("structured", "fast", "full")  # each does what the one before does

DEFAULT_LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl")
DEFAULT_COUNTRIES = ("us", "gb", "de", "fr", "es", "it", "pt", "nl")


def holds(loaded: Tier, wanted: Tier) -> bool:
    """Whether a detector of one tier can also do another's work."""
    return TIERS.index(wanted) <= TIERS.index(loaded)


@dataclass(frozen=True, slots=True)
class DetectorSettings:
    """Settings of one detector; they must be picklable, workers receive a copy.

    Args:
        tier: ``structured`` runs no model, ``fast`` adds names, ``full`` adds the sentence encoder;
            the largest that a call can ask for.
        languages: ISO 639-1 codes the text may be in.
        countries: ISO 3166-1 alpha-2 codes whose identity numbers and phone formats are looked for.
        recognisers_file: YAML in Presidio's recogniser format with the operator's own recognisers.
        minimum_score: detections below it are dropped, in [0, 1].
        regex_timeout: seconds one of the operator's patterns may take on one text.
        window: code points the patterns see at once; longer texts are cut into windows.
        window_overlap: code points neighbouring windows share.
        model_window: code points the model sees at once, cut at sentence ends.
        model_overlap: code points neighbouring model windows share.
    """

    tier: Tier = "full"
    languages: tuple[str, ...] = DEFAULT_LANGUAGES
    countries: tuple[str, ...] = DEFAULT_COUNTRIES
    recognisers_file: Path | None = None
    minimum_score: float = 0.4
    regex_timeout: float = 0.25
    window: int = 64_000
    window_overlap: int = 8_000
    model_window: int = 2_000
    model_overlap: int = 200
