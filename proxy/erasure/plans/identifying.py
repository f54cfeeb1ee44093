"""What of a stored text identifies somebody, and who but whom is forgotten is named in it."""

import re
from collections.abc import Iterable, Iterator, Sequence

from detectors.detection import Detection
from detectors.identity.keys import PERSON_TYPES
from proxy.erasure.plans.assess import people_in
from proxy.erasure.search.found import Found
from proxy.erasure.search.means import Means
from proxy.erasure.search.pieces import Piece, pieces, read, stored
from proxy.erasure.search.resolve import Aim
from proxy.erasure.texts.identifier_words import worded
from proxy.erasure.texts.identifiers import Identifiers
from proxy.erasure.texts.mentions import Span
from proxy.erasure.texts.words import is_somebody

# All others, an operator's own types too, identify somebody.
NO_IDENTIFIERS = PERSON_TYPES | {
    "ORGANIZATION", "LOCATION", "NRP", "DATE_TIME", "MONEY", "MEDICAL_CONDITION", "MEDICATION",
}  # fmt: skip
LOOSE = frozenset({"URL", "AGE"})
ADDRESS = frozenset({"STREET_ADDRESS", "POSTCODE"})
WITHIN_AN_ADDRESS = re.compile(r"[\s,]*(?:[^\W\d_a-z][\w-]*[\s,]+)?")


async def identifying(means: Means, aim: Aim, found: Found, *, speaks: bool) -> Identifiers:
    """Read a memory as its readers do, and tell what was found as pieces of the stored text.

    Args:
        speaks: who is forgotten says ``my`` in it.
    """
    if found.item is None or aim.needles is None:
        return Identifiers()
    taken = await pieces(means, aim.tenant_id, found.item.text)
    text = read(taken)
    analysis = (await means.detectors.analyse([text], scope=aim.tenant_id))[0]
    ours = aim.needles.find(text)
    people = [
        Span(start, end)
        for start, end in people_in(analysis, {"PERSON"})
        if is_somebody(text, start, end)
        and not any(start < each.end and each.start < end for each in ours)
    ]
    sure, loose = worded(text)
    sure += _addresses(text, analysis.detections)
    for each in analysis.detections:
        if each.entity_type not in NO_IDENTIFIERS | ADDRESS:
            (loose if each.entity_type in LOOSE else sure).append(Span(each.start, each.end))
    return Identifiers(
        _pieces(found.item.text, taken, sure), _pieces(found.item.text, taken, loose),
        _pieces(found.item.text, taken, people), speaks,
    )  # fmt: skip


def _pieces(text: str, taken: Sequence[Piece], spans: Iterable[Span]) -> tuple[str, ...]:
    """Spans of what a reader sees as the stored text has them."""
    pairs = (pair for span in spans for pair in stored(taken, [span]))
    return tuple(dict.fromkeys(text[start:end] for start, end in pairs))


def _addresses(text: str, detections: Sequence[Detection]) -> Iterator[Span]:
    """Street, place and postcode that follow each other, as one."""
    whole: Span | None = None
    for each in detections:
        goes_on = whole and WITHIN_AN_ADDRESS.fullmatch(text, whole.end, each.start)
        if whole and goes_on and each.entity_type in ADDRESS | {"LOCATION"}:
            whole = Span(whole.start, each.end)
        elif each.entity_type in ADDRESS:
            yield from [whole] if whole else []
            whole = Span(each.start, each.end)
    yield from [whole] if whole else []
