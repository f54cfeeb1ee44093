"""What is left of a text once something in it is forgotten: redaction, or the clauses that stay."""

import re
from collections.abc import Iterable, Sequence

from proxy.erasure.mentions import Needles, Span

ERASED = "[erased]"
PHRASES = {
    "PERSON": "a person",
    "RELATIONSHIP": "a person",
    "ORGANIZATION": "an organisation",
    "LOCATION": "a place",
    "STREET_ADDRESS": "an address",
    "MONEY": "an amount",
    "MEDICAL_CONDITION": "a health condition",
    "MEDICATION": "a medication",
    "EMAIL_ADDRESS": "an e-mail address",
    "PHONE_NUMBER": "a phone number",
}
SENTENCE = re.compile(r"[^.!?\n]+(?:[.!?](?!\s|$)[^.!?\n]*)*[.!?]*\s*|\n+")
CLAUSE = re.compile(r"(?<=[;,])\s+|\s+(?=(?:and|but|while|whereas|although|though|because)\s)")
LEADING = re.compile(r"^(?:and|but|while|whereas|although|though|because)\s+", re.IGNORECASE)
VERBS = re.compile(
    r"\b(?:is|are|was|were|has|have|had|does|did|will|would|can|could|wants?|likes?|loves?|lives?|"
    r"works?|plans?|earns?|makes?|needs?|uses?|\w{3,}(?:ed|s))\b",
    re.IGNORECASE,
)


def redact(text: str, spans: Sequence[Span], entity_type: str | None) -> str:
    """Put a neutral phrase where the mentions stood; the rest stays word for word."""
    phrase = PHRASES.get(entity_type or "", ERASED)
    for span in sorted(spans, key=lambda each: each.start, reverse=True):
        start, end = span.start, _with_article(text, span.end)
        starts = _opens(text, start)
        shown = phrase[:1].upper() + phrase[1:] if starts else phrase
        text = text[:start] + shown + text[end:]
    return text


def surviving(text: str, needles: Needles) -> str:
    """The sentences and clauses of ``text`` that do not mention what is forgotten."""
    kept = [_surviving_clauses(sentence, needles) for sentence in sentences(text)]
    return " ".join(part for part in kept if part).strip()


def combine(texts: Iterable[str]) -> str:
    """One text stated anew from the surviving sources, each as a sentence, in their order."""
    stated = [_as_sentence(text) for text in dict.fromkeys(texts) if text.strip()]
    return " ".join(stated)


def sentences(text: str) -> list[str]:
    """The sentences of a text, without surrounding space."""
    return [match[0].strip() for match in SENTENCE.finditer(text) if match[0].strip()]


def _surviving_clauses(sentence: str, needles: Needles) -> str:
    if not needles.sure(sentence):
        return sentence
    clauses = [clause for clause in CLAUSE.split(sentence) if clause.strip()]
    kept = [clause for clause in clauses if not needles.sure(clause)]
    if not kept or not VERBS.search(" ".join(kept)):
        return ""
    joined = LEADING.sub("", " ".join(clause.strip() for clause in kept)).rstrip(",; ")
    ending = "" if joined.endswith((".", "!", "?")) else "."
    return joined[:1].upper() + joined[1:] + ending


def _as_sentence(text: str) -> str:
    text = text.strip()
    return text if text.endswith((".", "!", "?")) else text + "."


def _with_article(text: str, end: int) -> int:
    """Let the possessive ending stay: "Orla's plan" becomes "A person's plan"."""
    return end - 2 if text[max(0, end - 2) : end] in {"'s", "’s"} else end


def _opens(text: str, start: int) -> bool:
    before = text[:start].rstrip()
    return not before or before[-1] in ".!?\n"
