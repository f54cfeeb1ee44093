"""Who deleted what, when and why: counted by the log, without content, names or raw ids."""

import json
from datetime import timedelta
from typing import Any

from sqlalchemy import select, update

from proxy.erasure.reconcile import reconcile
from proxy.erasure.report import report, who_deleted
from proxy.erasure.search.target import Actor, Target
from proxy.ledger.engine import Tx
from proxy.ledger.schema import audit_entries
from proxy.retention.sweeper import SWEEPER
from tests.support.erasing import OPERATOR, Erasing, sequencer
from tests.support.prompting import DAY, ending, sweep

NAME = "Orla Quist"
CLIENT = Actor("app", "key_client")
ZERO = {"user_request": 0, "retention": 0, "cascade": 0, "reconcile": 0, "policy": 0, "admin": 0}


async def told(bench: Erasing, since: Any = None, until: Any = None) -> dict[str, Any]:
    """The report over everything that is in the log by now."""
    await sequencer(bench).run_once()
    return (await report(bench.means, bench.tenant_id, since, until)).body()


async def shown(bench: Erasing, actor: Actor) -> str:
    """The pseudonym of an actor."""
    return actor.ref(await bench.means.keyring.tenant(bench.tenant_id)).hex()


async def scene(bench: Erasing) -> None:
    """One memory of each way to go: asked for, derived, rewritten; by a client; at its end."""
    await bench.remember("u-1", f"{NAME} repairs clocks.", name="told")
    await bench.remember("u-1", "Somebody repairs clocks.", derived_from=["told"], mentions=[])
    await bench.forget(Target(kind="entity", values=(NAME,), entity_type="PERSON"))
    bench.means.clock.advance(DAY)
    mine = await bench.remember("u-2", "Likes jasmine tea", mentions=[])
    await bench.service.forget(
        bench.tenant_id, Target(kind="memory", values=(mine,)), actor=CLIENT, origin="client"
    )
    await ending(bench, owner="u-3", days=1, prompt_at=None, tier="short_term")
    bench.means.clock.advance(8 * DAY)
    assert (await sweep(bench)).erased == 1


async def test_a_report_counts_by_type_actor_day_and_outcome(bench: Erasing) -> None:
    """The numbers are those of the fixture, and nothing in it is content or an id."""
    start = bench.means.clock.now()
    await scene(bench)
    found = await told(bench)
    assert found["types"] == ZERO | {"user_request": 2, "cascade": 1, "retention": 1}
    assert (found["memories"], found["erasures"], found["already_gone"]) == (4, 3, 0)
    assert found["outcomes"] == {"erased": 3}
    assert found["days"] == {"2026-01-05": 2, "2026-01-06": 1, "2026-01-14": 1}
    assert found["actors"] == [
        {"actor": await shown(bench, OPERATOR), "role": "operator", "origin": "control",
         "memories": 2, "erasures": 1},
        {"actor": await shown(bench, CLIENT), "role": "app", "origin": "client", "memories": 1,
         "erasures": 1},
        {"actor": await shown(bench, SWEEPER), "role": "sweeper", "origin": "sweeper",
         "memories": 1, "erasures": 1},
    ]  # fmt: skip
    second = await told(bench, start + timedelta(hours=1), start + 2 * DAY)
    assert second["types"] == ZERO | {"user_request": 1}
    assert list(second["days"]) == ["2026-01-06"]
    for said in (NAME, "clock", "u-1", "key_client", "op-1"):
        assert said not in json.dumps(found)


async def test_what_comes_back_and_whole_tenants_have_types_of_their_own(bench: Erasing) -> None:
    """An erasure of what a backup brought back; one of the whole tenant."""
    assert bench.small is not None
    text = f"{NAME} repairs clocks."
    place = await bench.upstream_id("u-1")
    await bench.remember("u-1", text)
    await bench.forget(Target(kind="entity", values=(NAME,), entity_type="PERSON"))
    bench.small.plant(text, user_id=place)
    await reconcile(bench.means, bench.service, bench.tenant_id, actor=OPERATOR)
    await bench.remember("u-2", "Likes jasmine tea", mentions=[])
    await bench.forget(Target(kind="tenant", values=()))
    found = await told(bench)
    assert found["types"] == ZERO | {"user_request": 1, "reconcile": 1, "admin": 1}


async def test_entries_of_the_release_before_count_as_well(bench: Erasing) -> None:
    """They name neither type nor actor: their erasure does."""
    await scene(bench)
    before = await told(bench)

    async def age(tx: Tx) -> None:
        table = audit_entries.c
        rows = await tx.execute(
            select(table.id, table.leaf).where(table.event == "memories.deleted")
        )
        for row_id, leaf in rows.all():
            document = json.loads(leaf)
            for name in ("types", "rewritten", "memories", "actor", "origin"):
                del document["fields"][name]
            old = {"leaf": json.dumps(document).encode(), "event": "", "actor": None}
            await tx.execute(update(audit_entries).where(table.id == row_id).values(**old))

    await bench.ledger.write(age)
    assert await told(bench) == before


async def test_who_deleted_one_memory(bench: Erasing) -> None:
    """By its id: by whom, when, why, and the entry that says so; nothing of one that is there."""
    kept = await bench.remember("u-1", "The ferry leaves at nine.", mentions=[])
    gone = await bench.remember("u-1", f"{NAME} repairs clocks.", name="told")
    also = await bench.remember("u-1", "Somebody does.", derived_from=["told"], mentions=[])
    view = await bench.forget(Target(kind="entity", values=(NAME,), entity_type="PERSON"))
    await sequencer(bench).run_once()
    (found,) = await who_deleted(bench.means, bench.tenant_id, gone)
    entry = found.pop("entry")
    assert found == {
        "upstream": "mem0", "deleted_at": "2026-01-05T09:30:00.123456Z", "type": "user_request",
        "actor": await shown(bench, OPERATOR), "role": "operator", "origin": "control",
        "erasure": view.id, "reference": view.reference,
    }  # fmt: skip
    (other,) = await who_deleted(bench.means, bench.tenant_id, also)
    assert (other["type"], other["entry"]) == ("cascade", entry)
    assert await who_deleted(bench.means, bench.tenant_id, kept) == []
    assert await who_deleted(bench.means, bench.tenant_id, gone, "elsewhere") == []

    async def leaf(tx: Tx) -> dict[str, Any]:
        row = await tx.execute(select(audit_entries.c.leaf).where(audit_entries.c.id == entry))
        return dict(json.loads(row.scalar_one()))

    logged = await bench.ledger.read(leaf)
    assert logged["event"] == "memories.deleted"
    assert logged["fields"]["actor"] == found["actor"]
    assert len(set(logged["fields"]["memories"])) == 2
    assert gone not in json.dumps(logged)


async def test_who_confirms_or_cancels_is_on_record_and_not_only_who_asked(bench: Erasing) -> None:
    """Each entry names who acted then."""
    await bench.remember("u-1", "Likes jasmine tea", mentions=[])
    target = Target(kind="owner", values=("u-1",))
    other = Actor("privacy", "key_other")
    for end in ("confirm", "cancel"):
        view = await bench.service.request(bench.tenant_id, target, actor=OPERATOR)
        if end == "confirm":
            await bench.service.confirm(
                bench.tenant_id, view.id, word="confirmed", token=view.token, actor=other
            )
            await bench.service.cancel(bench.tenant_id, view.id, actor=OPERATOR)
        else:
            await bench.service.cancel(bench.tenant_id, view.id, actor=other)

    async def load(tx: Tx) -> list[tuple[str, str]]:
        table = audit_entries.c
        return [tuple(row) for row in await tx.execute(select(table.event, table.actor))]

    found = await bench.ledger.read(load)
    theirs = await shown(bench, other)
    assert [event for event, actor in found if actor == theirs] == [
        "erasure.confirmed", "erasure.cancelled",
    ]  # fmt: skip
