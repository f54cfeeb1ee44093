"""Wraps Presidio's recognisers as ours: gated, scored by whole-word context, retyped."""

import re
from collections.abc import Collection, Iterator
from functools import partial

from presidio_analyzer import EntityRecognizer, predefined_recognizers

from detectors.detection import Detection
from detectors.recognisers.base import Recogniser, near, words
from detectors.recognisers.presets import PRESETS, Preset

CONTEXT_BOOST = 0.35  # as in Presidio's own enhancer
UNCHECKED = 0.95  # a score of 1.0 is kept for a valid checksum


def presidio_recognisers(countries: Collection[str]) -> list[Recogniser]:
    """Presidio's recognisers for everywhere and for the given countries."""
    return [wrap(preset) for preset in PRESETS if not preset.country or preset.country in countries]


def wrap(preset: Preset) -> Recogniser:
    """One of Presidio's recognisers in our shape."""
    recogniser = getattr(predefined_recognizers, preset.recogniser)()
    context = words(preset.context) if preset.context else None
    # Context words are rarer than digits: where they are required, they are the better trigger.
    trigger = rf"(?:^|\W)(?:{preset.context})" if preset.required else preset.trigger
    return Recogniser(preset.name, (trigger,), partial(find, preset, recogniser, context))


def find(
    preset: Preset,
    recogniser: EntityRecognizer,
    context: re.Pattern[str] | None,
    text: str,
) -> Iterator[Detection]:
    """Run one recogniser and score its results by the words around them."""
    for result in recogniser.analyze(text, recogniser.supported_entities, None):
        if is_torn(text, result.start, result.end):
            continue
        in_context = context is not None and near(text, result.start, result.end, context)
        if preset.required and not in_context:
            continue
        score = result.score
        if in_context and score < 1.0:
            score = min(score + CONTEXT_BOOST, UNCHECKED)
        yield Detection(preset.entity_type, result.start, result.end, score, preset.name)


def is_torn(text: str, start: int, end: int) -> bool:
    """Whether a span is only a part of a longer run of letters and digits."""
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    return (before.isalnum() and text[start].isalnum()) or (
        after.isalnum() and text[end - 1].isalnum()
    )
