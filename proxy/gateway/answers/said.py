"""All that an answer says: every string of an item, and what stands beside the items."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from policies import Context
from policies import decide as ask
from proxy.erasure.search.find import searchable, strings
from proxy.gateway.answers.restore import OPAQUE_ID
from proxy.gateway.exchange import Exchange
from proxy.gateway.request.detect import Scanned, scan_answer, tier_of
from proxy.gateway.services import Concerned, GatewayServices
from proxy.gateway.wire.aside import run_aside
from proxy.ledger import owners
from proxy.upstreams.profile import Outward
from proxy.upstreams.selectors import first
from proxy.upstreams.store import Item, item_of

Name = TypeVar("Name")  # of what is judged

# What nobody's words look like: a digest, a UUID, a date.
_PLAIN = re.compile(
    r"[0-9a-f]{32,64}|[0-9a-f-]{36}|\d{4}-\d\d-\d\d(?:[T ][\d:.]{5,15}(?:Z|[+-]\d\d:\d\d)?)?"
)
_WORD = re.compile(r"[A-Za-z]+(?:[_.][A-Za-z]+)*|\[[A-Z]+\]")
_NAME = re.compile(r"[a-zA-Z]+(?:_[a-zA-Z]+)*|[a-z0-9_]+")  # of a member, as programs write it
_SIGNS = frozenset({"type", "status", "event", "object", "event_id", "id"})  # of an answer itself
_OF_STORE = frozenset({"hash", "updated_at", "created_at"})


def said(outward: Outward, raw: Mapping[str, Any], item: Item) -> str:
    """Every string of an item, each on its own line: text and metadata, then whatever else.

    A store may show a memory's words in members that its profile does not name.
    """
    return "\n".join([searchable(item), *_unnamed(outward, raw, item)])


async def all_said(
    exchange: Exchange, found: Sequence[tuple[Mapping[str, Any], Item]]
) -> list[str]:
    """``said`` of each item, beside the event loop if the answer is large."""
    outward = exchange.route.outward
    return await run_aside(exchange.heavy, lambda: [said(outward, *each) for each in found])


def _unnamed(outward: Outward, raw: Mapping[str, Any], item: Item) -> list[str]:
    """Words of an item beside its text and its metadata."""
    skipped = _OF_STORE | {name for name in _single(outward) if name}
    rest = [value for name, value in raw.items()
            if name not in skipped and value is not item.metadata]  # fmt: skip
    return list(dict.fromkeys(text for text in _words(rest) if text != item.text))


async def unreadable(
    exchange: Exchange,
    services: GatewayServices,
    found: Sequence[tuple[Mapping[str, Any], Item, Concerned]],
) -> set[int]:
    """Indexes of items that say in members beside text and metadata what may not be read.

    Text and metadata were judged when they were written; of the rest only the store knows.

    Raises:
        Problem: ``detection-unavailable`` or ``overloaded``.
    """
    outward = exchange.route.outward
    listed = await run_aside(exchange.heavy, _beside_text, outward, found)
    return set(await _unreadable(exchange, services, listed))


def _beside_text(
    outward: Outward, found: Sequence[tuple[Mapping[str, Any], Item, Concerned]]
) -> list[tuple[int, str, Concerned]]:
    listed = [
        (at, _unnamed(outward, raw, item), whose) for at, (raw, item, whose) in enumerate(found)
    ]
    return [(at, "\n".join(words), whose) for at, words, whose in listed if words]


def _single(outward: Outward) -> Iterator[str]:
    """Members that hold ids, owners and dates."""
    places = [*outward.id, *outward.created, *outward.expiry]
    for selector in (*places, *(each for _, found in outward.owner for each in found)):
        yield selector.members[0] if len(selector.members) == 1 else ""


def _words(value: Any) -> list[str]:
    """Strings that may be somebody's words; long lists of numbers are left out at once."""
    if isinstance(value, list) and value and isinstance(value[0], int | float):
        return []
    return [text for text in strings(value) if text.strip() and not _PLAIN.fullmatch(text)]


async def judge_beside(
    exchange: Exchange,
    services: GatewayServices,
    concerned: Concerned,
    *,
    thinned: bool,
    bare: bool,
) -> None:
    """Leave out members beside the items that say what may not be read, or hold items themselves.

    Args:
        concerned: those whose the items are: nobody knows to which of them such a member belongs.
        thinned: items were taken out, of which it may tell.
        bare: no item is shown; whoever lists or searches has nothing to which it could belong.

    Raises:
        Problem: ``detection-unavailable`` or ``overloaded``.
    """
    root, outward = exchange.answer[0], exchange.route.outward
    found = await run_aside(exchange.heavy, beside, outward, root)
    if not found:
        return
    lists = exchange.route.op in ("list", "search") and not exchange.route.streams
    lost = thinned or (bare and lists)
    gone = [
        name
        for name, words in found
        if (lost and (lists or isinstance(root[name], dict | list)))
        or _names_others(exchange, words)
        or holds_items(exchange, root[name])
    ]
    rest = [(name, words, concerned) for name, words in found if name not in gone]
    gone += await _unreadable(exchange, services, rest)
    for name in gone:
        del root[name]
    exchange.rewritten = exchange.rewritten or bool(gone)


def beside(outward: Outward, root: Any) -> list[tuple[str, str]]:
    """Members of an answer that the profile does not name, and their words."""
    if outward.items is None or not outward.items.steps or not isinstance(root, dict):
        return []
    named = named_beside(outward)
    listed = [
        (name, _words([part, "" if _NAME.fullmatch(name) else name]))
        for name, part in root.items()
        if name not in named and not (name in _SIGNS and _is_word(part))
    ]
    return [(name, "\n".join(words)) for name, words in listed if words]


def named_beside(outward: Outward) -> frozenset[Any]:
    """Members of an answer that the profile names: the items, links and texts."""
    items = () if outward.items is None else (outward.items,)
    places = (*items, *outward.text, *outward.links)
    return frozenset(each.steps[0] for each in places if each.steps)


def take_nested(exchange: Exchange, raw: dict[str, Any]) -> None:
    """Take members out of an item that hold other items; its metadata is its writer's."""
    outward = exchange.route.outward
    parts = [name for name, part in raw.items() if isinstance(part, dict | list)]
    named = {each.members[0] for each in (*outward.meta, *outward.content) if each.members}
    for name in parts:
        if name not in named and holds_items(exchange, raw[name]):
            del raw[name]
            exchange.rewritten = True


def holds_items(exchange: Exchange, part: Any) -> bool:
    """Whether memories stand where the profile knows of none, or something of a foreign owner."""
    outward, stack = exchange.route.outward, [part]
    while stack:
        value = stack.pop()
        if isinstance(value, list):
            stack += value
        elif isinstance(value, dict):
            item = item_of(outward, value)
            if (item is not None and (item.text or item.owners)) or _is_foreign(exchange, value):
                return True
            stack += value.values()
    return False


def _is_foreign(exchange: Exchange, value: Mapping[str, Any]) -> bool:
    pairs = ((kind, first(places, value)) for kind, places in exchange.route.outward.owner)
    named = [(kind, str(owner)) for kind, owner in pairs if owner not in (None, "")]
    return any(pair not in exchange.known for pair in named)


def _names_others(exchange: Exchange, words: str) -> bool:
    """Whether the words hold the id that somebody of another tenant has at the store."""
    mine = f"{owners.prefix(exchange.names)}-"
    return any(not each[0].startswith(mine) for each in OPAQUE_ID.finditer(words))


def _is_word(part: Any) -> bool:
    return isinstance(part, str) and _WORD.fullmatch(part) is not None


async def _unreadable(
    exchange: Exchange, services: GatewayServices, found: Sequence[tuple[Name, str, Concerned]]
) -> list[Name]:
    if not found:
        return []
    read = await services.vault.restore_many(exchange.tenant_id, [words for _, words, _ in found])
    texts = [each.text for each in read]
    pairs = {(owner.kind, owner.upstream_id) for owner in exchange.owners}
    rows = await services.owners.row_ids(services.ledger, exchange.names, exchange.tenant_id, pairs)
    blocked = await services.blocklist.blocked_mentions(exchange.tenant_id, texts, rows)
    analyses = await scan_answer(services, exchange.tenant_id, texts, rows, tier=tier_of(exchange))
    return [
        name
        for (name, _, whose), hits, scanned in zip(found, blocked, analyses, strict=True)
        if hits or scanned is None or not _allowed(exchange, scanned, whose)
    ]


def _allowed(exchange: Exchange, scanned: Scanned, concerned: Concerned) -> bool:
    analysis, known = scanned
    context = Context(
        operation="read", at=exchange.now, purpose=exchange.purpose, owners=concerned.owners,
        consents=concerned.consents, preferences=concerned.preferences,
    )  # fmt: skip
    said = (*analysis.detections, *known)
    return ask(exchange.policy, said, analysis.categories, context).outcome == "allow"
