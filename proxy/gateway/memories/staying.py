"""What stays of a memory whose text a request replaces: a store keeps, or merges, its metadata.

That is judged as it was when it was written, for the record alone: whom the memory mentions, its
categories, tags and end. It is neither edited nor sent nor a reason to refuse or to hold anything,
and an update does not make it last longer than it would have.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import orjson

from policies import Decision
from proxy.erasure.search.find import strings
from proxy.gateway.answers.answers import at_once
from proxy.gateway.exchange import Exchange, Staying, Text
from proxy.gateway.request.batches import groups_of
from proxy.gateway.request.decide import BLOCKLIST, judge, recognise
from proxy.gateway.request.detect import MOST_TEXTS, find
from proxy.gateway.request.texts import beneath
from proxy.gateway.services import GatewayServices
from proxy.gateway.wire.aside import run_aside
from proxy.ledger.memories import Memory
from proxy.problems import Problem
from proxy.tokens import surrogate
from proxy.upstreams.errors import StoreError
from proxy.upstreams.plain_json import Number
from proxy.upstreams.profile import Outward
from proxy.upstreams.selectors import first
from proxy.upstreams.store import given

Raw = Mapping[str, Any]
META = "metadata"  # the name of what stands above its members, as in a request


async def stay(exchange: Exchange, services: GatewayServices) -> None:
    """Read and judge what stays beside every text that the request replaces.

    What is too much to be scanned at once is left out: the ledger keeps all that it knows of it.

    Raises:
        Problem: ``upstream-unreachable`` if the store does not show it, ``detection-unavailable``
            or ``overloaded``; nothing was sent.
    """
    shown = await _shown(exchange)
    outward = exchange.binding.store.profile.use["get"].outward
    stored = {name: _metadata(outward, raw) for name, raw in shown.items()}
    clear = await _in_clear(exchange, services, stored)
    texts = await run_aside(exchange.heavy, _texts, exchange, clear)
    every = [text for said in texts.values() for text in said]
    if _is_too_much(services, every):
        return
    if every:
        await _judge(replace(exchange, texts=every, body=[[*clear.values()]]), services, texts)
    for name, raw in shown.items():
        exchange.staying[name] = Staying(
            exchange.rows[name].write_id, tuple(texts[name]), frozenset(_codes(outward, raw))
        )


async def _shown(exchange: Exchange) -> dict[str, Raw]:
    """What the store shows of each memory whose text is replaced; nothing of one that is gone."""
    replaced = {text.group for text in exchange.texts if text.role == "content"}
    named = [name for name, groups in groups_of(exchange).items() if replaced.intersection(groups)]
    try:
        said = await at_once(exchange.binding.store.raw, named)
    except StoreError:
        raise Problem(
            "upstream-unreachable", "The store does not show what it keeps of the memory."
        ) from None
    return {name: raw or {} for name, raw in said.items()}


def _codes(outward: Outward, raw: Raw) -> Iterator[str]:
    """Of the tokens in all that is shown beside the text: whoever said it may stand there, too."""
    text = {each.name for each in (*outward.content, *outward.meta)}
    rest = [part for name, part in raw.items() if name not in text]
    for said in strings([_metadata(outward, raw), rest]):
        yield from (token.code for token in surrogate.find(said))


def _metadata(outward: Outward, raw: Raw) -> dict[str, Any]:
    return given(outward, first(outward.meta, raw))


# -- judging ---------------------------------------------------------------------------------------


async def _in_clear(
    exchange: Exchange, services: GatewayServices, stored: Mapping[str, Raw]
) -> dict[str, dict[str, Any]]:
    """The metadata of each memory as a request would say it."""
    texts = list(dict.fromkeys(strings(list(stored.values()))))
    restored = await services.vault.restore_many(exchange.tenant_id, texts)
    words = {text: each.text for text, each in zip(texts, restored, strict=True) if each.changed}
    return {name: {META: _clear(metadata, words)} for name, metadata in stored.items()}


def _clear(value: Any, words: Mapping[str, str]) -> Any:
    """A copy of a JSON value with words for tokens, and numbers as a request has them."""
    if isinstance(value, str):
        return words.get(value, value)
    if isinstance(value, dict):
        return {words.get(name, name): _clear(part, words) for name, part in value.items()}
    if isinstance(value, list):
        return [_clear(part, words) for part in value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return Number(orjson.dumps(value).decode())
    return value


def _texts(exchange: Exchange, clear: Mapping[str, dict[str, Any]]) -> dict[str, list[Text]]:
    return {name: list(beneath(exchange, holder, META)) for name, holder in clear.items()}


def _is_too_much(services: GatewayServices, texts: Sequence[Text]) -> bool:
    length = sum(len(text.text) for text in texts)
    return len(texts) > MOST_TEXTS or length > services.limits.text


async def _judge(
    aside: Exchange, services: GatewayServices, texts: Mapping[str, Sequence[Text]]
) -> None:
    """Decide on the texts of each memory; ``aside``: the request as if it said nothing but them."""
    await find(aside, services)
    for text in aside.texts:
        text.detections = tuple(d for d in text.detections if d.recogniser != BLOCKLIST)
    await recognise(aside, services)
    for name, said in texts.items():
        memory = aside.rows[name]
        then = aside if memory.expires_at is None else replace(aside, now=memory.created_at)
        for text in said:
            text.decision = _for_record(judge(then, text), memory)


def _for_record(made: Decision, memory: Memory) -> Decision:
    """What counts of a decision; it ends as if written with the memory, or with it if later."""
    ends = memory.expires_at
    if ends is not None and made.expires_at is not None and made.expires_at < ends:
        made = replace(made, expires_at=ends, prompt_at=memory.prompt_at)
    return replace(made, outcome="allow", edits=(), held_by=())
