"""What of a stored text identifies somebody, and who but whom is forgotten is named in it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import starmap

from detectors.detection import Detection
from detectors.identity.keys import PERSON_TYPES
from detectors.words.folding import fold, without_possessive
from detectors.words.namelists import place_names, places, towns
from proxy.erasure.plans.assess import people_in
from proxy.erasure.search.found import Found
from proxy.erasure.search.means import Means
from proxy.erasure.search.pieces import Piece, pieces, read, stored
from proxy.erasure.search.resolve import Aim
from proxy.erasure.texts.identifier_words import worded
from proxy.erasure.texts.mentions import Needles, Span
from proxy.erasure.texts.named import Identifiers, meet
from proxy.erasure.texts.words import is_full_name, is_somebody
from proxy.ledger import entities, reach
from proxy.ledger.engine import Tx

# All others, an operator's own types too, identify somebody.
NO_IDENTIFIERS = PERSON_TYPES | {
    "ORGANIZATION", "LOCATION", "NRP", "DATE_TIME", "MONEY", "MEDICAL_CONDITION", "MEDICATION",
}  # fmt: skip
LOOSE = frozenset({"URL", "AGE"})
ADDRESS = frozenset({"STREET_ADDRESS", "POSTCODE"})
MARK = re.compile(r"\[street_address\]")  # what policies leave of one
COARSE = re.compile(r"(?<!\w)(?:\d\d\*{3}|[A-Z]{1,2}\d[A-Z\d]?)(?![\w*])")  # "10***", "LS2"
BETWEEN = re.compile(r"(?<=\d)\s+[/|]\s+(?=[+(\d])")
FULL_NAME = re.compile(r"\b[^\W\d_a-z][\w’'-]+ [^\W\d_a-z][\w’'-]+\b")
WORD = re.compile(r"[^\W\d_a-z]\w+")
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
    named = [each for each in people_in(analysis, {"PERSON"}) if is_somebody(text, *each)]
    for match in FULL_NAME.finditer(text):
        end = without_possessive(text, *match.span())
        named += [(match.start(), end)] if is_full_name(text[match.start() : end]) else []
    people = [each for each in starmap(Span, named) if not any(meet(each, one) for one in ours)]
    sure, loose = worded(text)
    whole = [each for each in people if " " in text[each.start : each.end]]  # not "York" alone
    sure += _addresses(text, analysis.detections, [*ours, *whole])
    for each in analysis.detections:
        if each.entity_type not in NO_IDENTIFIERS | ADDRESS:
            (loose if each.entity_type in LOOSE else sure).append(Span(each.start, each.end))
    sure = [part for span in sure for part in _parted(text, span)]
    return Identifiers(
        _pieces(found.item.text, taken, sure), _pieces(found.item.text, taken, loose),
        _pieces(found.item.text, taken, people), speaks,
    )  # fmt: skip


def _parted(text: str, span: Span) -> Iterator[Span]:
    """What was taken for one number, each by itself: ``+44 … / +44 …``."""
    start = span.start
    for between in BETWEEN.finditer(text, span.start, span.end):
        yield Span(start, between.start())
        start = between.end()
    yield Span(start, span.end)


async def known_others(means: Means, aim: Aim, found: Found) -> Needles | None:
    """By what the people are recognised whom, as the ledger knows, a memory names as well."""
    if found.row is None:
        return None
    row_id, tenant = found.row.id, aim.tenant_id

    async def load(tx: Tx) -> list[str]:
        listed = (await reach.entities(tx, [row_id])).get(row_id, [])
        rows = await entities.by_id(tx, tenant, sorted({*listed} - {*aim.entity_ids}))
        return [each.id for each in rows.values() if each.entity_type in PERSON_TYPES]

    ids = await means.ledger.read(load)
    forms = await means.vault.surface_forms(tenant, ids) if ids else []
    return Needles.build(forms, entity_type="PERSON") if forms else None


def _pieces(text: str, taken: Sequence[Piece], spans: Iterable[Span]) -> tuple[str, ...]:
    """Spans of what a reader sees as the stored text has them."""
    pairs = (pair for span in spans for pair in stored(taken, [span]))
    return tuple(dict.fromkeys(text[start:end] for start, end in pairs))


def _addresses(
    text: str, detections: Sequence[Detection], people: Sequence[Span]
) -> Iterator[Span]:
    """Street, place and postcode that follow each other, as one; also what they were reduced to."""
    names = places() | place_names() | towns()
    opening = [Span(e.start, e.end) for e in detections if e.entity_type in ADDRESS]
    opening += [Span(*match.span()) for match in MARK.finditer(text)]
    found = [Span(e.start, e.end) for e in detections if e.entity_type == "LOCATION"]
    found += [Span(*match.span()) for match in COARSE.finditer(text)]
    found += [Span(*match.span()) for match in WORD.finditer(text) if fold(match[0]) in names]
    found = [each for each in found if not any(meet(each, other) for other in [*people, *opening])]
    whole: Span | None = None
    for span in sorted([*opening, *found], key=lambda each: (each.start, -each.end)):
        if whole and WITHIN_AN_ADDRESS.fullmatch(text, whole.end, span.start):
            whole = Span(whole.start, span.end)
        elif span in opening:
            yield from [whole] if whole else []
            whole = span
    yield from [whole] if whole else []
