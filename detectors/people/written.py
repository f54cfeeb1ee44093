"""People as programs write them: ``assignee=femi.adeyemi``, cells of statements, elements."""

import re
from collections.abc import Iterator, Sequence

import re2

from detectors.detection import Detection
from detectors.words.folding import fold
from detectors.words.namelists import (
    is_given_name,
    is_name,
    is_ordinary,
    names_by_use,
    never_names,
    place_names,
    places,
    product_names,
)

RECOGNISER = "names_written"
SCORE = 0.75
_HOLDERS = (
    r"assignees?|assigned[ _-]?to|owners?|authors?|reviewers?|approver|reporter|user(?:[ _-]?name)?"
    r"|login|(?:owned|created|updated|modified|reviewed|approved|reported|closed|merged|assigned"
    r"|made|written|signed[ _-]off)[ _-]by|maintainers?|contact|employee|customer|client|patient"
    r"|member|sender|recipient|manager|lead|on-?call|actor|committer|participant|attendee|surname"
    r"|(?:full|first|last|given|family|display|real)?[ _-]?name|person|doctor|guest|tenant"
)
_WORD = r"[^\W\d_]{2,24}"
_SAID = rf"(?P<said>(?:{_WORD}|[^\W\d_])(?:[._]{_WORD}){{1,2}})\d{{0,4}}"
_LOGIN = re.compile(
    rf"(?:(?<![^\W_])(?:{_HOLDERS})\\?[\"']?\s?[:=]\s?\\?[\"'@]?"
    rf"|(?<!\w)(?:TODO|FIXME|XXX|HACK|NOTE|BUG)\(@?){_SAID}(?![\w@(/-]|\.\w)",
    re.IGNORECASE,
)
_HOME = re.compile(rf"[/\\](?:home|Users)[/\\]{{1,2}}{_SAID}(?![\w@.-])", re.IGNORECASE)
_SHORT = re.compile(rf"(?<!\w)(?:TODO|FIXME|XXX|HACK)\(@?(?P<said>{_WORD})\)", re.IGNORECASE)
_NAME = r"[^\W\d_a-z][^\W\d_]{1,24}(?:['’-][^\W\d_]{2,24})?"
_NAMES = rf"(?P<said>{_NAME}(?: {_NAME}){{1,3}})"
_ELEMENT = re.compile(
    rf"<(?:\w{{1,20}}:)?(?i:{_HOLDERS})(?:\s[^<>]{{0,80}})?>\s{{0,8}}{_NAMES}\s{{0,8}}</"
)
_STATEMENT = re.compile(r"\b(?:VALUES\s{0,8}\(|WHERE\s|SET\s)", re.IGNORECASE)
_CELL = re.compile(rf"(?<=[(,=%\s])N?'{_NAMES}'(?=\s*(?:[),;]|AND\b|OR\b|WHERE\b|\Z))")
STATEMENT = 4000  # code points of a statement that are read
PLACES_BEGIN = frozenset(
    {"san", "santa", "sao", "saint", "los", "las", "port", "fort", "rio", "bad"}
)
_TRIGGER = re2.compile(
    rf"(?i)(?:{_HOLDERS})\\?[\"']?\s?[:=]\s?\\?[\"'@]?\pL+[._]\pL|(?:todo|fixme|xxx|hack|note|bug)\("
    rf"|[/\\](?:home|users)[/\\]|</(?:\w{{1,20}}:)?(?:{_HOLDERS})|values\s{{0,8}}\(|(?:where|set)\s[^;]{{0,400}}='"
)


def with_written(text: str, spans: Sequence[Detection]) -> list[Detection]:
    """The same detections with people in the notations of programs.

    Args:
        text: the text (or window) that the spans refer to.
        spans: what model and rules found.
    """
    if not _TRIGGER.search(text):
        return list(spans)
    people = [span for span in spans if span.entity_type == "PERSON"]
    written = set(_people(text, people))
    others = [
        span for span in spans
        if span.entity_type == "PERSON" or not any(_meets(span, *place) for place in written)
    ]  # fmt: skip
    return others + [
        Detection("PERSON", start, end, SCORE, RECOGNISER, text[start:end])
        for start, end in sorted(written)
    ]


def _people(text: str, known: Sequence[Detection]) -> Iterator[tuple[int, int]]:
    for pattern in (_LOGIN, _HOME, _SHORT):
        for match in pattern.finditer(text):
            if _is_somebody(re.split(r"[._]", match["said"])):
                yield match.span("said")
    cells = (
        match
        for statement in _STATEMENT.finditer(text)
        for match in _CELL.finditer(text, statement.end(), statement.end() + STATEMENT)
    )
    for match in (*_ELEMENT.finditer(text), *cells):
        words = match["said"].split()
        begun = any(_meets(one, *match.span("said")) for one in known)
        if _is_somebody(words) or (begun and not any(is_ordinary(fold(word)) for word in words)):
            yield match.span("said")


def _meets(span: Detection, start: int, end: int) -> bool:
    return span.start < end and start < span.end


def _is_somebody(words: Sequence[str]) -> bool:
    """Whether words are a name: one is known as such, and no other is a mere word."""
    folded = [fold(word) for word in words if len(word) > 1]
    if any(map(_is_none, folded[:1] if _is_only_a_name(folded[0]) else folded)):
        return False
    if len(folded) < len(words) or len(folded) == 1:
        return all(map(_is_only_a_name, folded))
    if folded[0] in PLACES_BEGIN or all(map(is_ordinary, folded)):
        return False
    known = any(map(_is_only_a_name, folded)) or is_given_name(folded[0])
    return known and all(is_name(word) or not is_ordinary(word) for word in folded)


def _is_only_a_name(word: str) -> bool:
    return is_name(word) and not is_ordinary(word) and not _is_none(word)


def _is_none(word: str) -> bool:
    if word in places() or word in place_names() or word in product_names():
        return True
    return word in never_names() and word not in names_by_use()
