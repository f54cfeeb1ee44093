"""What says the same as a memory named by its id: extracted twice, quoted, or put in other words.

Equal words go with it. What quotes it beside more, or only means the same, stays in doubt until
whoever asks says otherwise.
"""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from proxy.erasure.search.bare import takes_doubtful
from proxy.erasure.search.found import Found, Hunt
from proxy.erasure.search.meaning import same_meaning
from proxy.erasure.search.means import Means
from proxy.erasure.search.near import near_duplicates, quoting
from proxy.erasure.search.resolve import Aim
from proxy.upstreams.store import Item, Store

BATCH = 500

Look = Callable[[Sequence[Item]], Awaitable[Sequence[Found]]]


def wanted(aim: Aim) -> bool:
    """Whether somebody asks to forget what a memory says, not only for that one to be deleted.

    A store's own client, retention and internal work mean exactly the memories they name.
    """
    choices = aim.asked.choices or {}
    named = aim.target.kind == "memory" and aim.target.upstream is None
    return named and aim.person and choices.get("include") != "direct"


async def twins(means: Means, aim: Aim, store: Store, result: Hunt, look: Look) -> list[Found]:
    """Memories of the same owners in one store that say nothing beyond one that goes.

    What is left in doubt is noted in the result.

    Raises:
        StoreUnavailable, StoreUnknown: the store cannot be read to the end.
    """
    found: list[Found] = []
    for erased in _by_place(result, store.name):
        batch: list[Item] = []
        async for item in store.crawl(_scope(erased[0])):
            batch.append(item)
            if len(batch) == BATCH:
                found += await _same(means, aim, erased, await look(batch))
                batch = []
        found += await _same(means, aim, erased, await look(batch))
    fresh = {one.key: one for one in found if one.key not in result.found}
    if not takes_doubtful(aim):
        result.doubtful |= {key for key, one in fresh.items() if one.alike}
    return [one for key, one in fresh.items() if key not in result.doubtful]


async def _same(
    means: Means, aim: Aim, erased: Sequence[Found], others: Sequence[Found]
) -> list[Found]:
    known = {one.key: one for one in erased}
    lot = Hunt(known, texts={one.key: one for one in others if one.key not in known})
    near = await asyncio.to_thread(lambda: list(near_duplicates(lot)))
    for one in near:
        lot.texts.pop(one.key)
    quoted = await asyncio.to_thread(lambda: list(quoting(lot)))
    alike = [*quoted, *await same_meaning(means.encode, aim, lot)]
    for one in alike:
        one.alike = True
    return [*near, *alike]


def _scope(one: Found) -> dict[str, str]:
    """One of its owners, a user if there is one: all of its twins are kept there too."""
    owners = sorted(one.item.owners.items(), reverse=True) if one.item else []
    return dict(owners[:1])


def _by_place(result: Hunt, upstream: str) -> list[list[Found]]:
    """What goes for itself, by its owners."""
    places: dict[tuple[Any, ...], list[Found]] = defaultdict(list)
    for one in result.found.values():
        if one.direct and one.upstream == upstream and one.item and one.item.owners:
            places[one.place].append(one)
    return list(places.values())
