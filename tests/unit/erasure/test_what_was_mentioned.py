"""What only erased memories mentioned: no key of ours opens it once they are gone."""

import base64
import json

import pytest

from proxy.erasure.search.target import Target
from proxy.tokens.vault import Mention
from tests.support.erasing import Erasing

SON, ADDRESS = Mention("PERSON", "Quirin Lode"), Mention("EMAIL_ADDRESS", "sten.lode@example.org")
TEXT = "Quirin Lode writes to sten.lode@example.org"


def owner(**more: str) -> Target:
    """All of one owner."""
    return Target(kind="owner", values=("u-1",), **more)


TARGETS = {
    "owner": owner(),
    "subject": Target(kind="subject", values=("Sten Lode",), owner="u-1", entity_type="PERSON"),
    "tenant": Target(kind="tenant"),
    "entity": Target(kind="entity", values=("Quirin Lode",), entity_type="PERSON"),
}


async def opens(bench: Erasing, mention: Mention) -> bool:
    """Whether the vault still knows a value."""
    found = await bench.means.vault.resolve(
        bench.tenant_id, mention.text, entity_type=mention.entity_type
    )
    forms = await bench.means.vault.surface_forms(bench.tenant_id, found.certain)
    return bool(found.certain or forms)


async def keys_of(bench: Erasing, erasure_id: str) -> dict[str, object]:
    """What an erasure's certificate says of keys."""
    bundle = await bench.service.certificate(bench.tenant_id, erasure_id)
    payload = base64.b64decode(json.loads(bundle.dsse)["payload"])
    keys: dict[str, object] = json.loads(payload)["predicate"]["keys"]
    return keys


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
async def test_it_ends_with_the_memories(bench: Erasing, target: Target) -> None:
    """Names, addresses and numbers beside whom an erasure is about."""
    await bench.remember("u-1", TEXT, mentions=[SON, ADDRESS])
    assert await opens(bench, SON)
    assert await opens(bench, ADDRESS)
    view = await bench.forget(target)
    assert (view.state, view.outcome) == ("complete", "erased"), view.body()
    assert not await opens(bench, SON)
    assert not await opens(bench, ADDRESS)
    keys = await keys_of(bench, view.id)
    assert keys["state"] == "row_deleted"
    assert keys["of_mentions"] == (1 if target.kind == "entity" else 2)


async def test_a_memory_deleted_by_its_client_takes_them_along(bench: Erasing) -> None:
    """The short way of a client's delete does the same, and its certificate says so."""
    memory_id = await bench.remember("u-1", TEXT, mentions=[SON, ADDRESS])
    target = Target(kind="memory", values=(memory_id,), upstream=bench.store.name)
    view = await bench.forget(target, origin="client")
    assert (view.state, view.outcome) == ("complete", "erased"), view.body()
    assert not await opens(bench, SON)
    keys = await keys_of(bench, view.id)
    assert (keys["of_mentions"], keys["state"]) == (2, "row_deleted")


async def test_what_others_say_stays_legible(bench: Erasing) -> None:
    """Who is mentioned by a memory that stays keeps the key, under the same owner or another."""
    first = await bench.remember("u-1", TEXT, mentions=[SON, ADDRESS])
    await bench.remember("u-2", "Met Quirin Lode", mentions=[SON])
    target = Target(kind="memory", values=(first,), upstream=bench.store.name)
    await bench.forget(target, origin="client")
    assert await opens(bench, SON)
    assert not await opens(bench, ADDRESS)
    await bench.forget(Target(kind="owner", values=("u-2",)))
    assert not await opens(bench, SON)


async def test_it_can_be_mentioned_again(bench: Erasing) -> None:
    """It is known anew then, under a token and a key of its own."""
    await bench.remember("u-1", TEXT, mentions=[SON])
    await bench.forget(owner())
    await bench.remember("u-2", "Met Quirin Lode", mentions=[SON])
    assert await opens(bench, SON)
