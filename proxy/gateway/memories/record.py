"""The ledger's part of a request: the intent before, tokens and entities, what came of it after."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import chain, count
from typing import Any

from proxy import ids
from proxy.gateway import owners
from proxy.gateway.exchange import Exchange, Text
from proxy.gateway.request import decide
from proxy.gateway.request.batches import groups_of
from proxy.gateway.request.refused import refusal
from proxy.gateway.services import GatewayServices, committed
from proxy.gateway.wire.document import rename
from proxy.ledger import entities, memories, writes
from proxy.ledger.engine import Tx
from proxy.ledger.owners import Owner
from proxy.problems import Problem
from proxy.tokens.owners import ensure
from proxy.tokens.vault import Mention
from proxy.upstreams.selectors import Slot, slots

NO_ENTITY = frozenset(
    {"API_KEY", "PASSWORD", "PRIVATE_KEY", "CREDIT_CARD", "IBAN_CODE", "BANK_ACCOUNT", "CRYPTO",
     "DATE_TIME", "MONEY", "AGE", "COORDINATES", "POSTCODE", "US_SSN", "US_ITIN", "PASSPORT",
     "DRIVER_LICENSE", "NATIONAL_ID", "TAX_ID", "MEDICAL_LICENSE", "IP_ADDRESS", "MAC_ADDRESS"}
)  # fmt: skip


TOKEN = ""  # stands for the type where the code of a token stands for the words


async def intend(exchange: Exchange, services: GatewayServices) -> None:
    """Commit the intent, then put the edited strings into the request.

    Raises:
        Problem: ``write-rejected`` for an erased owner, ``subject-locked`` during its erasure,
            ``ledger-unavailable``.
    """
    for owner in exchange.owners:
        if await services.blocklist.owner_blocked(exchange.tenant_id, owner.kind, owner.client_id):
            raise refusal()
    write_id = ids.new("wrt")
    _stamp(exchange, write_id)
    _draw_nothing(exchange)
    exchange.write, exchange.tokens = await committed(
        services.ledger, lambda tx: _intend(tx, exchange, services, write_id)
    )
    exchange.write_id, exchange.intended_at = write_id, services.ledger.recall.present()
    apply(exchange)


async def _intend(
    tx: Tx, exchange: Exchange, services: GatewayServices, write_id: str
) -> tuple[writes.Write, dict[tuple[str, str], str]]:
    rows = await _owner_rows(tx, exchange, services)
    owner_ids = [row.id for row in rows]
    named = await _mint(tx, exchange, services, owner_ids) | await _standing(tx, exchange)
    write = writes.Write(
        id=write_id,
        tenant_id=exchange.tenant_id,
        upstream=exchange.binding.name,
        state="intended",
        plan=_plan(exchange, named),
        policy_digest=exchange.policy.digest,
        created_at=exchange.now,
        owner_ids=tuple(owner_ids),
        entity_ids=tuple(dict.fromkeys(named.values())),
    )
    await writes.intend(tx, write, epochs={row.id: row.epoch for row in rows})
    return write, dict(exchange.tokens)


async def _owner_rows(tx: Tx, exchange: Exchange, services: GatewayServices) -> list[Owner]:
    if exchange.owner_rows:
        if any(row.state != "active" for row in exchange.owner_rows):
            raise Problem("subject-locked", "An erasure of this owner is running.")
        return exchange.owner_rows
    pairs = {owner.kind: owner for owner in exchange.owners}
    return [
        await owner_row(tx, exchange, services, pair, pairs[pair[0]].upstream_id)
        for pair in owners.by_precedence({k: o.client_id for k, o in pairs.items()})
    ]


async def owner_row(
    tx: Tx, exchange: Exchange, services: GatewayServices, pair: tuple[str, str], upstream_id: str
) -> Owner:
    """The row of an owner of the tenant; see ``proxy.tokens.owners.ensure``."""
    return await ensure(
        tx, services.keyring, services.clock, exchange.names, exchange.tenant_id, pair, upstream_id
    )


async def _mint(
    tx: Tx, exchange: Exchange, services: GatewayServices, owner_ids: Sequence[str]
) -> dict[tuple[str, str], str]:
    """Tokens for what becomes one, index entries for the rest; (type, text) → entity."""
    owners_ = tuple(owner_ids)
    hidden = decide.to_tokenise(exchange.texts)
    minted = await services.vault.tokenise(
        tx, exchange.tenant_id, [Mention(*pair, owners_, key) for pair, key in hidden.items()]
    )
    tokens = zip(hidden, minted, strict=True)
    exchange.tokens = {pair: each.token for pair, each in tokens}
    named = {pair: each.entity_id for pair, each in zip(hidden, minted, strict=True)}
    staying = [text for each in exchange.staying.values() for text in each.texts]
    clear = [pair for pair in _mentions([*exchange.texts, *staying]) if pair not in named]
    indexed = await services.vault.index(
        tx, exchange.tenant_id, [Mention(kind, text, owners_) for kind, text in clear]
    )
    return named | dict(zip(clear, indexed, strict=True))


async def _standing(tx: Tx, exchange: Exchange) -> dict[tuple[str, str], str]:
    """The entities whose tokens stand beside texts that are replaced; (TOKEN, code) → entity."""
    codes = sorted({code for each in exchange.staying.values() for code in each.codes})
    found = await entities.by_code(tx, exchange.tenant_id, codes) if codes else {}
    return {(TOKEN, code): each.id for code, each in found.items() if each.state != "erased"}


def _mentions(texts: Iterable[Text]) -> list[tuple[str, str]]:
    found = {
        (each.entity_type, text.text[each.start : each.end]): None
        for text in texts
        for each in text.detections
        if each.entity_type not in NO_ENTITY and text.text[each.start : each.end].strip()
    }
    return list(found)


async def mint(exchange: Exchange, services: GatewayServices) -> None:
    """For requests that store nothing: hide the same words in the same way."""
    if decide.to_tokenise(exchange.texts):
        exchange.tokens = await committed(
            services.ledger, lambda tx: _mint_only(tx, exchange, services)
        )
    apply(exchange)


async def _mint_only(
    tx: Tx, exchange: Exchange, services: GatewayServices
) -> dict[tuple[str, str], str]:
    hidden = decide.to_tokenise(exchange.texts)
    minted = await services.vault.tokenise(
        tx, exchange.tenant_id, [Mention(*pair, (), key) for pair, key in hidden.items()]
    )
    return {pair: each.token for pair, each in zip(hidden, minted, strict=True)}


def apply(exchange: Exchange) -> None:
    """Put every edited string where the original stood.

    Raises:
        Problem: ``write-rejected`` where a filter's key cannot be changed without changing its
            meaning.
    """
    keys_last = sorted(exchange.texts, key=lambda text: text.role == "key")
    for text in keys_last:
        new = decide.edited(exchange, text)
        if new != text.text:
            exchange.changed = True
            _replace(exchange, text, new)


def _replace(exchange: Exchange, text: Text, new: str) -> None:
    container = text.slot.container
    if text.role != "key":
        text.slot.value = new
    elif exchange.operation != "search":
        rename(container, text.text, _free(container, new))
    elif not rename(container, text.text, new):
        raise Problem("write-rejected", "Two keys of the body become the same.")


def _free(container: Mapping[str, Any], name: str) -> str:
    """The name, numbered if it is taken: what stands under another key is not lost."""
    numbered = (f"{name} {number}" for number in count(2))
    return next(each for each in chain([name], numbered) if each not in container)


def _stamp(exchange: Exchange, write_id: str) -> None:
    """Mark what the store will keep, so that it is recognised whatever happens to the answer."""
    selector = exchange.route.inward.meta
    if selector is None or exchange.route.op == "batch_update":
        return
    body = exchange.body[0]
    if not isinstance(body, dict):
        raise Problem("invalid-request", "The body is a JSON object.")
    if body.get(selector.name) is None and exchange.route.op == "write":
        body[selector.name] = {}
    for slot in slots(selector, exchange.body, 0):
        if isinstance(slot.value, dict):
            slot.value[exchange.profile.stamp] = write_id
            exchange.skipped.add(Slot(slot.value, exchange.profile.stamp).place)
            exchange.changed = True


def _draw_nothing(exchange: Exchange) -> None:
    """The store keeps what is held for review as it stands: no model of its own reads it before."""
    selector, body = exchange.route.inward.infer, exchange.body[0]
    held = any(text.decision and text.decision.held_by for text in exchange.texts)
    if held and exchange.infers and selector is not None and isinstance(body, dict):
        body[selector.name] = False
        exchange.changed = True


def _plan(exchange: Exchange, named: Mapping[tuple[str, str], str]) -> dict[str, Any]:
    content = [text for text in exchange.texts if text.role == "content"]
    beside = [text for text in exchange.texts if text.role not in ("content", "header")]
    if exchange.operation == "update":
        parts = _by_memory(exchange, content, beside, named)
    else:
        parts = [_part(exchange, _ref(exchange, text), [text], beside, named) for text in content]
    return {
        "op": exchange.route.op,
        "entities": _entities(exchange.texts, named),
        **kept(decide.combine(content, exchange, beside)),
        "parts": parts,
        "refs": [ref.hex() for ref in dict.fromkeys(exchange.sources.names)],
        "edges": [[ref.hex(), how] for ref, how in exchange.sources.edges],
    }


def _part(
    exchange: Exchange,
    content_ref: bytes | None,
    content: Sequence[Text],
    beside: Sequence[Text],
    named: Mapping[tuple[str, str], str],
) -> dict[str, Any]:
    return {
        "content": (content_ref or b"").hex(),
        "entities": _entities([*content, *beside], named),
        **kept(decide.combine(content, exchange, beside)),
    }


def _ref(exchange: Exchange, text: Text) -> bytes:
    return memories.content_ref(exchange.names, decide.edited(exchange, text))


def _by_memory(
    exchange: Exchange,
    content: Sequence[Text],
    beside: Sequence[Text],
    named: Mapping[tuple[str, str], str],
) -> list[dict[str, Any]]:
    """What each memory says after an update, of what the request and the store say of it."""
    parts = []
    for memory_id, groups in groups_of(exchange).items():
        memory, stays = exchange.rows[memory_id], exchange.staying.get(memory_id)
        own = [text for text in content if text.group in groups]
        near = [text for text in beside if text.group in (*groups, -1)]
        said = _ref(exchange, own[-1]) if own else memory.content_ref
        part = _part(exchange, said, own, [*near, *(stays.texts if stays else ())], named)
        part["memory"] = memory.ref.hex()
        if stays is not None:
            tokens = [named[TOKEN, each] for each in stays.codes if (TOKEN, each) in named]
            part["entities"] = list(dict.fromkeys([*part["entities"], *tokens]))
            part["after"] = stays.after
        parts.append(part)
    return parts


def _entities(texts: Iterable[Text], named: Mapping[tuple[str, str], str]) -> list[str]:
    pairs = [*decide.to_tokenise(texts), *_mentions(texts)]
    return list(dict.fromkeys(named[pair] for pair in pairs if pair in named))


def kept(value: decide.Kept) -> dict[str, Any]:
    """Retention as a plan holds it."""
    return {
        "tier": value.tier,
        "expires_at": _iso(value.expires_at),
        "prompt_at": _iso(value.prompt_at),
        "categories": list(value.categories),
        "tags": list(value.tags),
        "quarantined": value.quarantined,
        "bounds": {name: _iso(at) for name, at in value.bounds._asdict().items()},
    }


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
