"""Detection: one batch for every string of a request, with what the tenant knows and blocks."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from functools import partial
from typing import TypeVar

from detectors.detection import Analysis, Detection
from detectors.errors import (
    ClassifierTimeout,
    ClassifierUnavailable,
    DetectionError,
    DetectionOverloaded,
    DetectionTimeout,
    DetectionUnavailable,
    sentence,
)
from detectors.settings import Tier
from detectors.workers.pool import seconds_for
from policies.access import detection_tier
from proxy.gateway.exchange import Exchange, Text
from proxy.gateway.request import texts
from proxy.gateway.request.across import find_across
from proxy.gateway.request.concerned import of_request
from proxy.gateway.request.decide import refuse_long
from proxy.gateway.request.key_lines import find_key_lines
from proxy.gateway.request.labels import MODEL_TYPES, find_joined, find_labelled
from proxy.gateway.request.pieces import find_in_pieces
from proxy.gateway.services import GatewayServices
from proxy.gateway.wire import request_headers
from proxy.gateway.wire.aside import run_aside
from proxy.ledger.patience import patience
from proxy.problems import Problem
from proxy.telemetry import metrics
from proxy.tokens import surrogate
from proxy.tokens.turns import portions

MOST_TEXTS = 5000
MEMORY = frozenset({"content", "query", "value"})  # roles of what is remembered or asked for
HEALTH = frozenset({"MEDICAL_CONDITION", "MEDICATION"})
READS = frozenset({"search", "list", "get", "history"})
HEAD_START = 0.001  # seconds in which detection's threads take over what they were given
Found = TypeVar("Found")
Scanned = tuple[Analysis, tuple[Detection, ...]]  # of a text, with who is known and who is blocked


async def may_judge(exchange: Exchange, services: GatewayServices) -> None:
    """Stop a read of memories before the store hears of it, if nobody could judge the answer.

    Raises:
        Problem: ``detection-unavailable``.
    """
    if exchange.route.op in READS and not services.detectors.ready:
        raise _problem(DetectionUnavailable("no detection worker is ready"))


async def detect(exchange: Exchange, services: GatewayServices) -> None:
    """Scan the request, and learn what its data subject agreed to.

    Raises:
        Problem: ``detection-unavailable`` or ``overloaded`` if any string could not be scanned;
            ``too-large`` for too many strings, one that is too long, or too much text.
    """
    await run_aside(exchange.heavy, texts.collect, exchange, services.clean_headers)
    if len(exchange.texts) > MOST_TEXTS:
        raise Problem("too-large", "The request holds too many strings.")
    await refuse_long(exchange, services)
    _check_length([text.text for text in exchange.texts], services.limits.text)
    await find(exchange, services, meanwhile=partial(of_request, exchange, services))
    for text in exchange.texts:
        clean = text.analysis and not (text.detections or text.analysis.categories)
        if text.role == "header" and clean and tier_of(exchange) in (None, "full"):
            name = text.slot.container[1]
            services.clean_headers.learn((exchange.tenant_id, name, text.text), exchange.now)


async def find(
    exchange: Exchange,
    services: GatewayServices,
    *,
    meanwhile: Callable[[], Awaitable[None]] | None = None,
) -> None:
    """Scan ``exchange.texts`` as they stand in its body; arguments and errors as of ``scan``."""
    strings = [text.text for text in exchange.texts]
    rows = await _owner_rows(exchange, services)
    aside = [index for index, text in enumerate(exchange.texts) if text.role not in MEMORY]
    found = await scan(
        services, exchange.tenant_id, strings, rows, initials=True, tier=tier_of(exchange),
        aside=aside, meanwhile=meanwhile,
    )  # fmt: skip
    for text, (analysis, known) in zip(exchange.texts, found, strict=True):
        text.analysis = analysis
        text.detections = (*_own(text, analysis), *known)
    await find_labelled(exchange, partial(_analyse_aside, exchange, services))
    await find_joined(exchange, services, rows)
    await find_across(exchange, services, rows)
    find_key_lines(exchange.texts)
    find_in_pieces(exchange.texts)


def _check_length(strings: Sequence[str], most: int) -> None:
    """Refuse at once what could not be scanned in time: who tries it again fares no better."""
    length = sum(map(len, strings))
    if length > most:
        raise Problem(
            "too-large",
            f"The request has {length} characters of text; {most} are allowed.",
            hint="Split it. Whoever raises limits.text also gives detection.deadline more time.",
        )


async def scan_answer(
    services: GatewayServices,
    tenant_id: str,
    strings: Sequence[str],
    owner_rows: Collection[str] = (),
    *,
    tier: Tier | None,
) -> list[Scanned | None]:
    """As ``scan``, for texts of a store, however many: in portions with a deadline each.

    None stands for a text that is too long to be scanned.
    """
    most = services.limits.text
    found: list[Scanned] = []
    for portion in portions([text for text in strings if len(text) <= most], most):
        found += await scan(services, tenant_id, portion, owner_rows, tier=tier)
    scanned = iter(found)
    return [next(scanned) if len(text) <= most else None for text in strings]


async def scan(
    services: GatewayServices,
    tenant_id: str,
    strings: Sequence[str],
    owner_rows: Collection[str] = (),
    *,
    initials: bool = False,
    tier: Tier | None = None,
    aside: Sequence[int] = (),
    meanwhile: Callable[[], Awaitable[None]] | None = None,
) -> list[Scanned]:
    """For each string its analysis, and the mentions of known and of blocked entities.

    Args:
        owner_rows: row ids of the owners, for what is blocked under them only.
        initials: whether initials with a blocked family name count: for what is to be written.
        tier: how much is done; without it, what the installation loads.
        aside: indexes of strings that are no part of a memory: only the packaged detectors see
            them.
        meanwhile: what else is to be learnt before this returns.

    What the tenant knows is looked up while detection runs; who is blocked is asked afterwards, for
    an erasure may end in between.

    Raises:
        Problem: as ``detect``.
    """
    if not strings:
        if meanwhile is not None:
            await meanwhile()
        return []
    analysing = asyncio.ensure_future(_analyse(services, tenant_id, strings, tier, aside))
    try:
        await asyncio.wait({analysing}, timeout=HEAD_START)
        known = await _in_time(services, strings, services.vault.known_mentions(tenant_id, strings))
        if meanwhile is not None:
            await meanwhile()
        analyses = await analysing
    finally:
        analysing.cancel()
    looked = services.blocklist.blocked_mentions(tenant_id, strings, owner_rows, initials=initials)
    blocked = await _in_time(services, strings, looked)
    return [
        (analysis, (*mine, *theirs))
        for analysis, mine, theirs in zip(analyses, known, blocked, strict=True)
    ]


async def _in_time(
    services: GatewayServices, strings: Sequence[str], looked: Awaitable[Found]
) -> Found:
    """What was looked up, in the time that detection would have for these strings.

    Raises:
        Problem: ``ledger-unavailable`` if the ledger took the time, else ``detection-unavailable``.
    """
    with patience() as mine:
        try:
            async with asyncio.timeout(seconds_for(services.deadline, strings)):
                return await looked
        except TimeoutError:
            if mine.on_ledger:
                raise Problem("ledger-unavailable", "It did not answer in time.") from None
            raise _problem(DetectionTimeout("known names were not looked up")) from None


async def _owner_rows(exchange: Exchange, services: GatewayServices) -> set[str]:
    if exchange.owner_rows:
        return {row.id for row in exchange.owner_rows}
    pairs = [(owner.kind, owner.upstream_id) for owner in exchange.owners]
    return await services.owners.row_ids(services.ledger, exchange.names, exchange.tenant_id, pairs)


def tier_of(exchange: Exchange) -> Tier | None:
    """How much the policy wants to be done for this route of this store."""
    return detection_tier(exchange.policy, exchange.binding.name, exchange.route.op)


async def _analyse(
    services: GatewayServices, tenant_id: str, strings: Sequence[str], tier: Tier | None,
    aside: Sequence[int],
) -> list[Analysis]:  # fmt: skip
    start = time.perf_counter()
    try:
        found = await _ask(services, tenant_id, strings, tier, aside)
    except DetectionError as error:
        metrics.DETECTION_FAILURES.labels(type(error).__name__).inc()
        raise _problem(error) from None
    metrics.DETECTION.observe(time.perf_counter() - start)
    if len(found) != len(strings):
        raise Problem("detection-unavailable", "Detection did not answer for every string.")
    return found


async def _ask(
    services: GatewayServices, tenant_id: str, strings: Sequence[str], tier: Tier | None,
    aside: Sequence[int],
) -> list[Analysis]:  # fmt: skip
    if services.packaged is None or not aside:
        return await services.detectors.analyse(strings, scope=tenant_id, tier=tier)
    apart = set(aside)
    shown = [index for index in range(len(strings)) if index not in apart]
    found: dict[int, Analysis] = {}
    for detectors, chosen in ((services.packaged, aside), (services.detectors, shown)):
        words = [strings[index] for index in chosen]
        said = await detectors.analyse(words, scope=tenant_id, tier=tier) if words else []
        found.update(zip(chosen, said, strict=False))  # what is missing is noticed by its number
    return [found[index] for index in sorted(found)]


async def _analyse_aside(
    exchange: Exchange, services: GatewayServices, labels: Sequence[str]
) -> list[Analysis]:
    tier, all_of = tier_of(exchange), range(len(labels))
    return await _analyse(services, exchange.tenant_id, labels, tier, all_of)


def _problem(error: DetectionError) -> Problem:
    if isinstance(error, DetectionOverloaded):
        return Problem(
            "overloaded", "Too many texts are waiting for detection.", retry_after=1,
            hint="Send fewer at once, or raise detection.queue or detection.workers.",
        )  # fmt: skip
    late = isinstance(error, DetectionTimeout)
    return Problem(
        "detection-unavailable", sentence(error), hint=_hint(error), retry_after=1 if late else 5
    )


def _hint(error: DetectionError) -> str:
    """What helps against it; empty: to retry."""
    match error:
        case ClassifierTimeout():
            return "Look at its endpoint, or raise detection.classifier.deadline."
        case ClassifierUnavailable():
            return "Look at its endpoint; see url, model and key of detection.classifier."
        case DetectionTimeout():
            return "Split long texts, or raise detection.deadline or detection.workers."
        case _:
            return ""


def _own(text: Text, analysis: Analysis) -> tuple[Detection, ...]:
    """What detection found; a program's own word is not a person because a model thinks so.

    A condition or a medicine is found by a list, and a header is no place for either, but for the
    name of a program. A token that a client writes back is nobody's name: ``my friend
    Person_06a379`` stays what it stands for.
    """
    tokens = [(token.start, token.end) for token in surrogate.find(text.text)]
    found = tuple(
        each for each in analysis.detections
        if not any(start <= each.start and each.end <= end for start, end in tokens)
    )  # fmt: skip
    if not texts.is_technical(text):
        return found
    telling = text.role == "header" and text.slot.container[1].lower() != request_headers.AGENT
    doubtful = MODEL_TYPES - HEALTH if telling else MODEL_TYPES
    return tuple(d for d in found if d.entity_type not in doubtful)
