"""Stores that do not answer: everything else goes on without them, and they are named."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import replace
from typing import TypeVar

from proxy.erasure.search import layers
from proxy.erasure.search.crawl import stores_of
from proxy.erasure.search.means import Means
from proxy.erasure.search.order import MEMORY
from proxy.erasure.search.resolve import Aim
from proxy.erasure.view import LayerView
from proxy.ledger.erasures import Erasure
from proxy.upstreams.errors import StoreError, StoreUnavailable
from proxy.upstreams.store import Store

AWAY, NOT_READ = "unreachable", "not read"
REASON, ASKED = "store_unavailable", "asked"
LATER = "It is searched, and erased there, when the store answers."
ANSWER = "A question is open: 'expunge erasure show' says how to answer it."
CONFIGURE = "Configure the store again: it could not be read when this was planned."

T = TypeVar("T")


async def despite(means: Means, aim: Aim, work: Callable[[Aim], Awaitable[T]]) -> T:
    """Do what reads stores with those of them that answer.

    Args:
        work: is done again without a store that fails in the midst of it.

    Raises:
        StoreUnavailable, StoreUnknown: none of them answers.
    """
    aim = replace(aim, away=aim.away | await silent(stores_of(means, aim)))
    while True:
        reached = {each.name for each in stores_of(means, aim)}
        if not reached:
            raise StoreUnavailable
        try:
            return await work(aim)
        except StoreError as failure:
            if failure.upstream not in reached or len(reached) == 1:
                raise
            aim = replace(aim, away=aim.away | {failure.upstream})


async def silent(stores: Sequence[Store]) -> frozenset[str]:
    """Which of several stores do not answer; where there is one it is not asked beforehand."""
    if len(stores) < 2:
        return frozenset()
    found = await asyncio.gather(*map(answers, stores))
    return frozenset(s.name for s, answered in zip(stores, found, strict=True) if not answered)


async def answers(store: Store) -> bool:
    """Whether a store says whose memories it holds."""
    try:
        await store.list_owners()
    except StoreError:
        return False
    return True


def unread(erasure: Erasure) -> frozenset[str]:
    """Stores that could not be read when an erasure was planned."""
    return frozenset(erasure.details.get("away", ()))


def views(store: Store, *, asked: bool = False) -> list[LayerView]:
    """The layers of a store that is not read yet: nobody knows what they hold.

    Args:
        asked: it answers, but first somebody has to say whose its memories are.
    """
    listed = [_unread(store, MEMORY, asked=asked)]
    for name in [*layers.names(store), layers.EVIDENCE]:
        if name == MEMORY or (name == layers.EVIDENCE and not layers.connector(store, name)):
            continue
        known = layers.connector(store, name) or store.profile.layers.get(name, {}).get("parent")
        listed.append(
            _unread(store, name, asked=asked) if known else layers.unconnected(store.name, name)
        )
    return listed


def _unread(store: Store, name: str, *, asked: bool) -> LayerView:
    why = ("residual", NOT_READ, ASKED, ANSWER) if asked else (AWAY, NOT_READ, REASON, LATER)
    return LayerView(store.name, name, None, None, None, *why)


def unconfigured(names: Collection[str]) -> list[LayerView]:
    """The same of stores that are no longer configured."""
    return [
        LayerView(name, MEMORY, None, None, None, AWAY, NOT_READ, "not_configured", CONFIGURE)
        for name in sorted(names)
    ]
