"""Detection: one batch for every string of a request, with what the tenant knows and blocks."""

import time
from collections.abc import Collection, Sequence

from detectors.detection import Analysis, Detection
from detectors.errors import DetectionError, DetectionOverloaded, DetectionTimeout
from proxy.gateway import texts
from proxy.gateway.exchange import Exchange, Text
from proxy.gateway.services import GatewayServices
from proxy.problems import Problem
from proxy.telemetry import metrics

MOST_TEXTS = 5000
MODEL_TYPES = frozenset(
    {"PERSON", "LOCATION", "ORGANIZATION", "NRP", "DATE_TIME", "MEDICATION", "MEDICAL_CONDITION",
     "RELATIONSHIP", "MONEY", "AGE"}
)  # fmt: skip


async def detect(exchange: Exchange, services: GatewayServices) -> None:
    """Scan the request.

    Raises:
        Problem: ``detection-unavailable`` or ``overloaded`` if any string could not be scanned;
            ``too-large`` for too many strings.
    """
    texts.collect(exchange, services.clean_headers)
    if len(exchange.texts) > MOST_TEXTS:
        raise Problem("too-large", "The request holds too many strings.")
    strings = [text.text for text in exchange.texts]
    rows = await _owner_rows(exchange, services)
    found = await scan(services, exchange.tenant_id, strings, rows, initials=True)
    for text, (analysis, known) in zip(exchange.texts, found, strict=True):
        text.analysis = analysis
        text.detections = (*_own(text, analysis), *known)
        if text.role == "header" and not text.detections:
            name = text.slot.container[1]
            services.clean_headers.learn((exchange.tenant_id, name, text.text), exchange.now)


async def scan(
    services: GatewayServices,
    tenant_id: str,
    strings: Sequence[str],
    owner_rows: Collection[str] = (),
    *,
    initials: bool = False,
) -> list[tuple[Analysis, tuple[Detection, ...]]]:
    """For each string its analysis, and the mentions of known and of blocked entities.

    Args:
        owner_rows: row ids of the owners, for what is blocked under them only.
        initials: whether initials with a blocked family name count: for what is to be written.

    Raises:
        Problem: as ``detect``.
    """
    if not strings:
        return []
    analyses = await _analyse(services, tenant_id, strings)
    known = await services.vault.known_mentions(tenant_id, strings)
    blocked = await services.blocklist.blocked_mentions(
        tenant_id, strings, owner_rows, initials=initials
    )
    return [
        (analysis, (*mine, *theirs))
        for analysis, mine, theirs in zip(analyses, known, blocked, strict=True)
    ]


async def _owner_rows(exchange: Exchange, services: GatewayServices) -> set[str]:
    if exchange.owner_rows:
        return {row.id for row in exchange.owner_rows}
    pairs = [(owner.kind, owner.upstream_id) for owner in exchange.owners]
    return await services.owners.row_ids(services.ledger, exchange.names, exchange.tenant_id, pairs)


async def _analyse(
    services: GatewayServices, tenant_id: str, strings: Sequence[str]
) -> list[Analysis]:
    start = time.perf_counter()
    try:
        found = await services.detectors.analyse(strings, scope=tenant_id)
    except DetectionError as error:
        metrics.DETECTION_FAILURES.labels(type(error).__name__).inc()
        raise _problem(error) from None
    metrics.DETECTION.observe(time.perf_counter() - start)
    if len(found) != len(strings):
        raise Problem("detection-unavailable", "Detection did not answer for every string.")
    return found


def _problem(error: DetectionError) -> Problem:
    if isinstance(error, DetectionOverloaded):
        return Problem("overloaded", "Too many texts are waiting for detection.", retry_after=1)
    if isinstance(error, DetectionTimeout):
        return Problem("detection-unavailable", "Detection did not finish in time.", retry_after=1)
    return Problem("detection-unavailable", "Detection is not running.", retry_after=5)


def _own(text: Text, analysis: Analysis) -> tuple[Detection, ...]:
    """What detection found; a program's own word is not a person because a model thinks so."""
    if texts.is_technical(text):
        return tuple(d for d in analysis.detections if d.entity_type not in MODEL_TYPES)
    return analysis.detections
