"""The operator's own recognisers, written in Presidio's YAML and run under a time limit."""

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import regex
import yaml
from presidio_analyzer import PatternRecognizer

from detectors.detection import Detection
from detectors.errors import DetectionError, DetectionTimeout
from detectors.recognisers.base import Recogniser, near, words

CONTEXT_BOOST = 0.35
EVERY_TEXT = r""  # an empty RE2 pattern occurs everywhere: nothing is known about their patterns


def custom_recognisers(path: Path, timeout: float) -> list[Recogniser]:
    """The recognisers of a file in the format of Presidio's ``recognizers`` YAML.

    Args:
        path: the file; ``patterns``, ``deny_list`` and ``context`` of each entry are honoured.
        timeout: seconds each pattern may take on one text.

    Raises:
        DetectionError: the file is missing or not in that format; names the entry, not its content.
    """
    try:
        entries = list(yaml.safe_load(path.read_text("utf-8"))["recognizers"])
    except (OSError, UnicodeDecodeError, yaml.YAMLError, KeyError, TypeError):
        raise DetectionError(
            "the file of recognisers is missing or not in Presidio's format"
        ) from None
    return [_recogniser(number, entry, timeout) for number, entry in enumerate(entries, 1)]


def _recogniser(number: int, entry: Mapping[str, Any], timeout: float) -> Recogniser:
    try:
        loaded = PatternRecognizer.from_dict(_fields(entry))
        for pattern in loaded.patterns:
            pattern.compiled_regex = regex.compile(pattern.regex, loaded.global_regex_flags)
    except (TypeError, ValueError, KeyError, AttributeError, regex.error):
        raise DetectionError(f"recogniser {number} of the file is not valid") from None
    return Recogniser(loaded.name, (EVERY_TEXT,), partial(find, loaded, timeout))


def _fields(entry: Mapping[str, Any]) -> dict[str, Any]:
    fields = {key: value for key, value in entry.items() if key not in {"type", "enabled"}}
    languages = fields.pop("supported_languages", None)
    return fields | ({"supported_language": str(languages[0])} if languages else {})


def find(recogniser: PatternRecognizer, timeout: float, text: str) -> Iterator[Detection]:
    """What the operator's patterns match.

    Raises:
        DetectionTimeout: a pattern took too long, so that the text counts as not scanned.
    """
    context = words(*map(regex.escape, recogniser.context)) if recogniser.context else None
    entity_type = recogniser.supported_entities[0]
    for pattern in recogniser.patterns:
        try:
            spans = [
                match.span() for match in pattern.compiled_regex.finditer(text, timeout=timeout)
            ]
        except TimeoutError:
            raise DetectionTimeout("one of the operator's patterns took too long") from None
        for start, end in spans:
            if end > start:
                boost = CONTEXT_BOOST if context and near(text, start, end, context) else 0.0
                score = min(1.0, pattern.score + boost)
                yield Detection(entity_type, start, end, score, recogniser.name)
