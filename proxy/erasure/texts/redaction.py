"""A neutral phrase where a name stood, in the words around it; who is only spoken to goes."""

import re

from detectors.words import word_set
from detectors.words.folding import fold, without_possessive
from proxy.erasure.texts.mentions import Needles, Span
from proxy.erasure.texts.spoken_to import (
    is_apposed,
    is_spoken_to,
    titled_from,
    without_subject,
)
from proxy.erasure.texts.surfaces import WORD, is_person, kind_of
from proxy.erasure.texts.words import STOP_WORDS, is_name_word

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
# Right in every case but one, whatever verb or preposition asks for it.
SOMEBODY, SOMEBODYS = "jemand", "jemandes"
GERMAN = word_set(
    "und ist ich nicht mit das dem den der des eine einen einem einer mein meine meinen meinem "
    "meiner sein seine wir auf für von vom nach aus auch wird wurde sind sich herr herrn frau "
    "hallo bei beim zum zur über aber weil hilft traf trifft kennt wohnt arbeitet spielt sagt "
    "sagte hat haben kommt geht mag ihr ihre ihm uns"
)
ENGLISH = STOP_WORDS - GERMAN
ARTICLE = re.compile(r"an?\s+", re.IGNORECASE)
GERMAN_ARTICLE = re.compile(
    r"(?<!\w)(?:d(?:er|ie|as|en|em|es)|ein(?:e[mnrs]?)?)\s+$", re.IGNORECASE
)
DETERMINER = re.compile(
    r"\b(?:an?|the|my|your|his|her|their|its|our|whose|no|any|some)\s+$", re.IGNORECASE
)
BEFORE = 16  # characters that are enough for a determiner and the space behind it
# Greetings that nobody says without a name.
DEAR = re.compile(
    r"(?:^|(?<=[.!?…:\n]))\s*(?:(?:my )?dear(?:est)?|liebe[rs]?|sehr geehrte[rs]?)$", re.IGNORECASE
)


def redact(text: str, needles: Needles) -> str:
    """Put a neutral phrase where the mentions stood; the rest stays word for word.

    With a name go its titles, its case and who is only spoken to: ``Dr. Orla Quist's plan``
    becomes ``A person's plan``, ``Thanks, Orla, I moved`` becomes ``Thanks, I moved``. Nothing is
    left where nobody can tell whether what follows a greeting is said of whom it greets:
    ``Hey Orla, my landlady, wants the rent``.
    """
    spans = needles.sure(text)
    if any(_is_unclear(text, span) for span in spans):
        return ""
    german = is_german(text)
    for span in sorted(spans, key=lambda each: each.start, reverse=True):
        kind = kind_of(text[span.start : span.end], needles.entity_type)
        if not is_person(kind):
            text = _replaced(text, span.start, span.end, PHRASES.get(kind or "", ERASED))
        elif is_spoken_to(text, span.start, span.end):
            text = _unaddressed(text, titled_from(text, span.start), span.end)
        elif german:
            text = _in_german(text, span, needles)
        else:
            text = _replaced(text, titled_from(text, span.start), span.end, PHRASES["PERSON"])
    return text


def phrase(kind: str | None, text: str) -> str:
    """What stands for something of this kind in a text."""
    return SOMEBODY if is_person(kind) and is_german(text) else PHRASES.get(kind or "", ERASED)


def is_german(text: str) -> bool:
    """Whether more of its small words are German than English."""
    words = [match[0].casefold() for match in WORD.finditer(text)]
    return sum(word in GERMAN for word in words) > sum(word in ENGLISH for word in words)


def _is_unclear(text: str, span: Span) -> bool:
    """Whether what follows a form of address may be said of them: ``Jon, wants the rent``.

    An aside is not where a name follows it: ``Hey Jon, my landlord, old Mr. Fox, calls``.
    """
    after = text[span.end :].lstrip()
    if not is_spoken_to(text, span.start, span.end):
        return False
    goes_on = after.split(",")[2:3]
    named = goes_on and any(map(is_name_word, WORD.findall(goes_on[0])))
    return without_subject(after) or (is_apposed(after) and not named)


def _replaced(text: str, start: int, end: int, phrase: str) -> str:
    end = without_possessive(text, start, end)
    start, phrase = _agreed(text, start, phrase)
    return _put(text, start, end, phrase)


def _in_german(text: str, span: Span, needles: Needles) -> str:
    """``Orlas Plan`` becomes ``jemandes Plan``, ``bei der Orla`` becomes ``bei jemand``."""
    end = without_possessive(text, span.start, span.end)
    last = fold(text[span.start : end].rsplit(maxsplit=1)[-1])
    known = {fold(word) for surface in needles.surfaces for word in surface.split()}
    owns = end < span.end or (last.endswith("s") and last not in known)
    start = titled_from(text, span.start)
    article = GERMAN_ARTICLE.search(text, max(0, start - BEFORE), start)
    start = start if article is None else article.start()
    return _put(text, start, span.end, SOMEBODYS if owns else SOMEBODY)


def _put(text: str, start: int, end: int, phrase: str) -> str:
    shown = phrase[:1].upper() + phrase[1:] if _opens(text, start) else phrase
    return text[:start] + shown + text[end:]


def _unaddressed(text: str, start: int, end: int) -> str:
    """A text that speaks to nobody: a salutation goes with the name, another greeting stays."""
    before, after = text[:start].rstrip(), text[end:]
    salutation = DEAR.search(before)
    if salutation is not None:
        before = before[: salutation.start()]
    if before and not _opens(text, len(before)):
        return before.rstrip(", ") + after
    said = after.lstrip(" ,;!?.…")
    return text[: len(before)] + _gap(text, before) + said[:1].upper() + said[1:]


def _gap(text: str, before: str) -> str:
    """The space that stands between what was said before and the name."""
    rest = text[len(before) :]
    return rest[: len(rest) - len(rest.lstrip())]


def _agreed(text: str, start: int, phrase: str) -> tuple[int, str]:
    """Where a phrase begins, and the phrase: an article is said once, and behind ``her`` not."""
    before = DETERMINER.search(text, max(0, start - BEFORE), start)
    if before is None or not ARTICLE.match(phrase):
        return start, phrase
    if ARTICLE.match(before[0]):
        return before.start(), phrase
    return start, ARTICLE.sub("", phrase)


def _opens(text: str, start: int) -> bool:
    before = text[:start].rstrip()
    return not before or before[-1] in ".!?\n"
