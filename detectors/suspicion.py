"""Writes that try to steer later sessions: standing orders addressed to an assistant."""

from collections.abc import Mapping

import re2

from detectors.unicode import without_surrogates

_ALWAYS = re2.compile(
    r"(?i)\b(?:from now on|in (?:all )?future|every time|each time|whenever|always|never|"
    r"for all (?:later|following|future)|permanently|henceforth)\b"
)
_ORDER = re2.compile(
    r"(?i)\b(?:forward|send|transfer|copy|e-?mail|post|upload|reply|answer|respond|act|behave|"
    r"approve|recommend|execute|run|call|visit|open|install|ignore|disregard|override|bypass|"
    r"reveal|disclose|pretend|obey|trust|mention|tell|say)\b"
)
_SECRECY = re2.compile(
    r"(?i)\b(?:(?:never|do not|don't|without) (?:mention|mentioning|tell|telling|reveal|revealing|"
    r"disclos\w+|say|saying)|keep (?:this|it) (?:secret|hidden)|secretly|silently)\b"
)
_OVERRIDE = re2.compile(
    r"(?i)\b(?:ignore|disregard|forget|override|bypass) (?:all |any |the |your |my )*"
    r"(?:previous|prior|earlier|above|system|safety|other) ?"
    r"(?:instruction|rule|prompt|guideline|polic|direction|order)\w*"
)
_ROLE = re2.compile(
    r"(?im)^\s*(?:system|developer)\s*:|<\|?(?:im_start|system)|\byou are now\b|"
    r"\bnew (?:system )?instructions?\b"
)
_TARGET = re2.compile(r"(?i)[\w.+-]@[\w-]+\.\w|https?://|\b(?:account|wallet|iban|address)\b")
_WEIGHTS = (
    (_OVERRIDE, 0.7), (_ROLE, 0.6), (_SECRECY, 0.4), (_ALWAYS, 0.25), (_ORDER, 0.2),
    (_TARGET, 0.15),
)  # fmt: skip


def suspicion(text: str) -> Mapping[str, float]:
    """How much a text reads like an order to the assistant instead of a memory, in [0, 1]."""
    plain = without_surrogates(text)
    score = sum(weight for pattern, weight in _WEIGHTS if pattern.search(plain))
    return {"instruction": min(1.0, score)} if score >= 0.4 else {}
