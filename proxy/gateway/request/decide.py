"""Decisions: the policy on every string of a request, and what they add up to."""

import asyncio
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime

from detectors.detection import Detection
from detectors.suspicion import suspicion
from policies import Context, Decision, Edit, apply_edits
from policies import decide as ask
from policies.durations import SESSION
from policies.prompts import Bounds, bounds, ruled
from proxy.gateway.exchange import Exchange, Text
from proxy.gateway.request.refused import DENIED, note, refusal, refuse_closed
from proxy.gateway.services import GatewayServices
from proxy.ledger import held
from proxy.problems import Problem
from proxy.telemetry import metrics
from proxy.tokens.places import REVERSIBLE, placed

BLOCKLIST = "blocklist"
TOO_LONG = "write.max_characters"
AT_A_TIME = 64  # strings
CODE = 8  # letters that tell redacted keys apart
_LETTERS = str.maketrans(
    "0123456789abcdef", "bcdfghjklmnpqrst"
)  # no digits: no number is seen in it
_OF_WORDS = frozenset({"blocked", "consent-missing", "preference", "rule", DENIED})
_SLUGS = {"too-large": "too-large", DENIED: DENIED}


@dataclass(frozen=True, slots=True)
class Kept:
    """How long and as what a memory is kept."""

    tier: str
    expires_at: datetime | None
    prompt_at: datetime | None
    categories: tuple[str, ...]
    tags: tuple[str, ...]
    quarantined: bool
    bounds: Bounds  # of what its subject may want of it, or has wanted of an earlier text


async def decide(exchange: Exchange, services: GatewayServices) -> None:
    """Ask the policy about every string; a header that it minds is left out.

    Raises:
        Problem: ``write-rejected``, ``too-large`` or ``purpose-denied``; nothing is sent.
    """
    await refuse_closed(exchange, services, exchange.concerned.preferences)
    await recognise(exchange, services)
    for number, text in enumerate(exchange.texts, 1):
        if number % AT_A_TIME == 0:
            await asyncio.sleep(0)  # others get their turn
        text.decision = judge(exchange, text)
        _count(text)
        if text.role == "header" and _is_personal(text.decision):
            exchange.dropped_headers.add((text.slot.container[1], text.slot.container[2]))
        elif text.decision.outcome == "reject":
            found = text.decision
            await note(exchange, services, found.reason, found.rules)
            raise _rejected(text.decision)
    exchange.texts = [text for text in exchange.texts if not _is_left_out(exchange, text)]


def _is_personal(decision: Decision) -> bool:
    """Whether a policy minds what a text says, not only what the request is for."""
    return bool(decision.edits) or decision.reason in _OF_WORDS


def _is_left_out(exchange: Exchange, text: Text) -> bool:
    return text.role == "header" and tuple(text.slot.container[1:]) in exchange.dropped_headers


def judge(exchange: Exchange, text: Text) -> Decision:
    """The decision about one string; in a search a blocked name is taken out, not refused."""
    analysis = text.analysis
    context = _context(exchange, text)
    categories = () if analysis is None else analysis.categories
    if exchange.operation != "search":
        decision = ask(exchange.policy, text.detections, categories, context)
        return replace(decision, edits=placed(text.text, decision.edits))
    blocked = [found for found in text.detections if found.recogniser == BLOCKLIST]
    free = [found for found in text.detections if found.recogniser != BLOCKLIST]
    decision = ask(exchange.policy, free, categories, context)
    edits = placed(text.text, decision.edits)
    return replace(decision, edits=(*edits, *map(_redaction, blocked)))


def _redaction(found: Detection) -> Edit:
    return Edit(found.start, found.end, "redact", found.entity_type, BLOCKLIST)


def _context(exchange: Exchange, text: Text) -> Context:
    raw, sources, concerned = exchange.raw, exchange.sources, exchange.concerned
    return Context(
        operation=exchange.operation,
        at=exchange.now,
        purpose=exchange.purpose,
        region=raw.header("expunge-region") or None,
        source=raw.header("expunge-source") or None,
        owners=concerned.owners,
        consents=concerned.consents,
        preferences=concerned.preferences,
        infer=exchange.infers,
        text_length=len(text.text),
        language=text.analysis.language if text.analysis else "en",
        inherited_categories=sources.categories if text.role == "content" else frozenset(),
        inherited_expiry=sources.expires_at if text.role == "content" else None,
        upstream_region=exchange.binding.region,
        entities=text.about,
        suspicion=suspicion(text.text) if text.role == "content" else {},
    )


async def recognise(exchange: Exchange, services: GatewayServices) -> None:
    """Whom each text is about, where a data subject wants some always to be remembered."""
    if not exchange.concerned.preferences.exceptions:
        return
    said = {
        id(text): [(each.entity_type, text.text[each.start : each.end]) for each in text.detections]
        for text in exchange.texts
    }
    pairs = list(dict.fromkeys(pair for listed in said.values() for pair in listed))
    named = await services.vault.named(exchange.tenant_id, pairs)
    known = dict(zip(pairs, named, strict=True))
    for text in exchange.texts:
        text.about = frozenset().union(*(known[pair] for pair in said[id(text)]))


def _count(text: Text) -> None:
    for edit in text.decision.edits if text.decision else ():
        metrics.ENTITIES.labels(edit.entity_type, edit.action).inc()


async def refuse_long(exchange: Exchange, services: GatewayServices) -> None:
    """Refuse a text that is longer than the policy allows before anything is spent on it.

    Raises:
        Problem: ``too-large``.
    """
    limit = exchange.policy.write.max_characters
    if any(len(text.text) > limit for text in exchange.texts):
        await note(exchange, services, "too-large", (TOO_LONG,))
        raise Problem(
            "too-large", f"The policy lets no text through that has more than {limit} characters.",
            hint=f"Split it, or raise {TOO_LONG} in the policy.", rules=(TOO_LONG,),
        )  # fmt: skip


def _rejected(decision: Decision) -> Problem:
    slug = _SLUGS.get(decision.reason or "", "write-rejected")
    rules = [rule for rule in decision.refused_by if rule != BLOCKLIST]
    return refusal(slug, rules)


def combine(texts: Iterable[Text], exchange: Exchange, others: Iterable[Text] = ()) -> Kept:
    """What the decisions about one memory's strings add up to: the strictest of each.

    Args:
        texts: its content.
        others: its metadata, whose categories count too.
    """
    content = [text.decision for text in texts if text.decision is not None]
    beside = [text.decision for text in others if text.decision is not None]
    timed = content + [decision for decision in beside if decision.categories or not content]
    every = content + beside
    expiries = [decision.expires_at for decision in timed if decision.expires_at is not None]
    expiries += [at for at in (exchange.client_expiry, exchange.sources.expires_at) if at]
    prompts = [decision.prompt_at for decision in timed if decision.prompt_at is not None]
    categories = {name for decision in every for name in decision.categories}
    holding = {rule for decision in every for rule in decision.held_by}
    tier, labels = _tier(timed, exchange), categories | exchange.sources.categories
    return Kept(
        tier=tier,
        expires_at=min(expiries, default=None),
        prompt_at=min(prompts, default=None),
        categories=tuple(sorted(labels)),
        tags=tuple(sorted({t for each in every for t in each.tags} | held.marks(holding))),
        quarantined=any(decision.outcome == "quarantine" for decision in every),
        bounds=_bounds(exchange, tier, labels, timed),
    )


def _bounds(
    exchange: Exchange, tier: str, labels: Set[str], decisions: Sequence[Decision]
) -> Bounds:
    """How long what this says may be kept at most: no longer than the client wants it either."""
    concerned, policy = exchange.concerned, exchange.policy
    context = Context(
        operation=exchange.operation,
        at=exchange.now,
        consents=concerned.consents,
        preferences=concerned.preferences,
        inherited_expiry=exchange.sources.expires_at,
    )
    found = bounds(policy, labels, ruled(policy, tier, labels), context)
    session = (SESSION.text, "consent-missing")
    strict = [d.expires_at for d in decisions if (d.expires_after, d.expiry_from) == session]
    ends = [at for at in (*strict, exchange.client_expiry) if at]
    return Bounds(*(min([*ends, *([at] if at else [])], default=None) for at in found))


def _tier(decisions: Sequence[Decision], exchange: Exchange) -> str:
    """The tier of the decision that ends first."""
    if not decisions:
        return str(exchange.policy.retention.default_tier)
    forever = datetime.max.replace(tzinfo=exchange.now.tzinfo)
    return min(decisions, key=lambda decision: decision.expires_at or forever).tier


def edited(exchange: Exchange, text: Text) -> str:
    """The string as the store may see it; tokens must have been minted."""
    decision = text.decision
    if decision is None or not decision.edits:
        return text.text

    def surrogate(edit: Edit, original: str) -> str:
        return exchange.tokens[(edit.entity_type, original)]

    edits = [_told_apart(exchange, text, each) for each in decision.edits]
    return apply_edits(text.text, edits, surrogate)


def _told_apart(exchange: Exchange, text: Text, edit: Edit) -> Edit:
    """A key is an address: one that is redacted stays another than every other, and the same."""
    if text.role != "key" or edit.action in REVERSIBLE:
        return edit
    original = text.text[edit.start : edit.end]
    mark = apply_edits(original, [replace(edit, start=0, end=len(original))], lambda *_: "")
    code = exchange.names.of("redacted-key", edit.entity_type, original.casefold()).hex()
    new = f"{mark} {code[:CODE].translate(_LETTERS)}".strip()
    return replace(edit, action="replace", params={"replacement": new})


def to_tokenise(texts: Iterable[Text]) -> dict[tuple[str, str], str | None]:
    """(type, original) of everything that becomes a token, and whose category's key seals it.

    One value has one token in a request: what is to be encrypted anywhere is so everywhere.
    """
    found: dict[tuple[str, str], str | None] = {}
    for text in texts:
        for original, edit in _reversible(text):
            pair = (edit.entity_type, original)
            found[pair] = found.get(pair) or edit.sealed_for
    return found


def _reversible(text: Text) -> Iterable[tuple[str, Edit]]:
    def record(edit: Edit, original: str) -> str:
        seen.append((original, edit))
        return original

    seen: list[tuple[str, Edit]] = []
    if text.decision is not None and any(e.action in REVERSIBLE for e in text.decision.edits):
        apply_edits(text.text, text.decision.edits, record)
    return seen
