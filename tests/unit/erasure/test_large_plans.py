"""Plans larger than memory: decided lot by lot, kept in the ledger, the same as if made at once."""

from pathlib import Path
from typing import Any

import pytest

from proxy import ids
from proxy.erasure.plans import stage
from proxy.erasure.search import crawl, find, layers
from proxy.erasure.search.target import Target
from proxy.ledger import erasures, memories
from proxy.ledger.engine import Tx
from proxy.ledger.erasures import PlanItem
from proxy.ledger.schema import memory_owners, plan_items
from proxy.problems import Problem
from proxy.tokens.vault import Mention
from proxy.upstreams.errors import StoreUnavailable
from tests.support.erasing import OPERATOR, Erasing

NAME = "Alva Brenn"
HERS = [Mention("PERSON", NAME)]
PERSON = Target(kind="entity", values=(NAME,), entity_type="PERSON")
OWNER = Target(kind="owner", values=("u-1",))
TARGETS = [
    pytest.param(PERSON, id="a person"),
    pytest.param(Target(kind="entity", values=(NAME,), entity_type="PERSON", owner="u-2"),
                 id="a person within an owner"),
    pytest.param(OWNER, id="an owner"),
    pytest.param(Target(kind="subject", values=(NAME,), entity_type="PERSON"), id="a subject"),
    pytest.param(Target(kind="category", values=("health",)), id="a category"),
    pytest.param(Target(kind="tenant"), id="all"),
]  # fmt: skip


@pytest.fixture
async def bench(bench: Erasing) -> Erasing:
    """Three owners with mentions, chains of summaries, strange memories and repetitions."""
    for owner in ("u-1", "u-2", "u-3"):
        for n in range(4):
            await bench.remember(owner, f"Note {n} on the lighthouse", mentions=[])
        await bench.remember(
            owner, f"{NAME} rows to the harbour every Sunday", name=f"{owner}-a", mentions=HERS
        )
        await bench.remember(owner, "Alva sings in the choir", mentions=HERS, categories=["health"])
        await bench.remember(owner, "Tilda Brenn mends nets", name=f"{owner}-b")
        await bench.remember(
            owner, "Sundays are for the harbour", mentions=[], name=f"{owner}-day",
            derived_from=[f"{owner}-a", f"{owner}-b"],
        )  # fmt: skip
        await bench.remember(
            owner, "A week by the water", mentions=[], derived_from=[f"{owner}-day"]
        )
        await bench.remember(owner, f"Lent {NAME} the blue oar", known=False)
    return bench


async def staged(bench: Erasing) -> list[str]:
    """Whose items are in the ledger."""

    async def unit(tx: Tx) -> list[str]:
        return sorted(set((await tx.execute(plan_items.select())).scalars()))

    return await bench.ledger.read(unit)


def ledger_bytes(folder: Path) -> list[bytes]:
    """What the ledger has written, file by file."""
    return [each.read_bytes() for each in folder.rglob("*.db*")]


async def preview(bench: Erasing, target: Target) -> Any:
    """A plan that is only shown."""
    return await bench.service.request(bench.tenant_id, target, actor=OPERATOR, dry_run=True)


@pytest.mark.parametrize("lot", [1, 2])
@pytest.mark.parametrize("target", TARGETS)
async def test_a_plan_made_in_lots_is_the_same_plan(
    bench: Erasing, target: Target, lot: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Digest, counts, layers and examples are those of a plan made at once; nothing stays."""
    whole = await preview(bench, target)
    puts: list[int] = []
    put = stage.Stage.put

    async def counted(self: stage.Stage, drafts: Any) -> None:
        puts.append(len(drafts))
        await put(self, drafts)

    monkeypatch.setattr(stage.Stage, "put", counted)
    monkeypatch.setattr(crawl, "LOT", lot)
    parted = await preview(bench, target)
    assert len(puts) > 1
    assert sum(puts) == whole.counts["found"] + whole.counts.get("kept", 0)
    assert (parted.plan_digest, parted.counts) == (whole.plan_digest, whole.counts)
    assert (parted.layers, parted.questions) == (whole.layers, whole.questions)
    assert await staged(bench) == []


@pytest.mark.parametrize("target", TARGETS)
async def test_it_is_carried_out_to_the_end(
    bench: Erasing, target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Confirmed by its token, found again when confirmed, deleted, certified by its digest."""
    monkeypatch.setattr(crawl, "LOT", 2)
    view = await bench.service.request(bench.tenant_id, target, actor=OPERATOR)
    assert await staged(bench) == [view.id]
    await bench.service.confirm(
        bench.tenant_id, view.id, word="confirmed", token=view.token, actor=OPERATOR
    )
    assert await staged(bench) == [view.id]
    done = await bench.service.run(bench.tenant_id, view.id)
    assert (done.state, done.deleted + done.cascaded) == ("complete", view.counts["to_delete"])
    left = await preview(bench, target)
    assert left.counts["found"] == 0


@pytest.mark.parametrize("lot", [1_000, 2])
async def test_a_store_without_connectors_is_counted_as_well(
    bench: Erasing, lot: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No layer is asked with ids, so none are kept; memories are planned and go all the same."""
    connected = await preview(bench, OWNER)
    monkeypatch.setattr(crawl, "LOT", lot)
    monkeypatch.setattr(layers, "connector", lambda store, name: None)
    monkeypatch.setattr(stage.Stage, "memory_ids", None)
    alone = await preview(bench, OWNER)
    assert (alone.plan_digest, alone.counts) == (connected.plan_digest, connected.counts)
    assert alone.layers[0] == connected.layers[0]
    done = await bench.forget(OWNER)
    assert (done.deleted + done.cascaded, done.state) == (alone.counts["to_delete"], "incomplete")
    unseen = {each.layer for each in done.layers if each.residual is None}
    assert unseen == {"messages", "entities"}


HIDDEN = [
    pytest.param(OWNER, "u-1", id="of the owner asked for"),
    pytest.param(Target(kind="subject", values=(NAME,), entity_type="PERSON", owner="u-1"),
                 "u-1", id="of a subject's own id"),
    pytest.param(PERSON, "alva-brenn", id="of an id that is the name"),
]  # fmt: skip


@pytest.mark.parametrize("lot", [1_000, 1])
@pytest.mark.parametrize(("target", "owner"), HIDDEN)
async def test_what_no_list_shows_is_planned_from_the_ledger(
    bench: Erasing, target: Target, owner: str, lot: int, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Memories of whole owners that the list leaves out, and none of the others twice."""
    made = [await bench.remember(owner, f"Log {n} of the ferry", mentions=[]) for n in range(5)]
    whole = await preview(bench, target)
    listed = type(bench.small)._scoped
    monkeypatch.setattr(
        bench.small, "_scoped",
        lambda body: [row for row in listed(bench.small, body) if row["id"] not in made[1:4]],
    )  # fmt: skip
    monkeypatch.setattr(crawl, "LOT", lot)
    found = await preview(bench, target)
    assert (found.plan_digest, found.counts) == (whole.plan_digest, whole.counts)
    assert found.counts["found"] >= len(made)


@pytest.mark.parametrize(("shared", "more"), [(True, 1), (False, 0)], ids=["shared", "another's"])
async def test_a_memory_of_two_owners_is_met_wherever_it_is_shown(
    bench: Erasing, shared: bool, more: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the ledger keeps under the owner too goes, though only another's list shows it."""
    before = await preview(bench, OWNER)
    row = await bench.ledger.read(lambda tx: row_of(tx, bench))
    if shared:
        hers = await bench.ledger.write(lambda tx: bench.owner(tx, "u-1"))
        link = memory_owners.insert().values(memory_id=row, owner_id=hers.id)
        await bench.ledger.write(lambda tx: tx.execute(link))
    monkeypatch.setattr(crawl, "LOT", 1)
    after = await preview(bench, OWNER)
    assert after.counts["found"] == before.counts["found"] + more


async def row_of(tx: Tx, bench: Erasing) -> str:
    """The row of a memory of the second owner that nothing else leads to."""
    names = await bench.means.keyring.tenant(bench.tenant_id)
    text = memories.content_ref(names, "Note 3 on the lighthouse")
    rows = await memories.of_tenant(tx, bench.tenant_id)
    return sorted(each.id for each in rows if each.content_ref == text)[1]


async def test_what_came_since_changes_the_plan(
    bench: Erasing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A memory more in some lot is refused at the confirmation, and nothing of it stays."""
    monkeypatch.setattr(crawl, "LOT", 2)
    view = await bench.service.request(bench.tenant_id, OWNER, actor=OPERATOR)
    await bench.remember("u-1", "One more note", mentions=[])
    with pytest.raises(Problem, match="plan-changed"):
        await bench.service.confirm(
            bench.tenant_id, view.id, word="confirmed", token=view.token, actor=OPERATOR
        )
    assert await staged(bench) == [view.id]


async def test_a_store_that_goes_away_leaves_nothing_staged(
    bench: Erasing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lots that were read before are taken out again; the request waits without a plan."""
    monkeypatch.setattr(crawl, "LOT", 2)
    waiting: list[str] = []

    async def away(*_: Any) -> None:
        waiting.extend(await staged(bench))
        raise StoreUnavailable

    monkeypatch.setattr(find, "_fetch_missing", away)
    with pytest.raises(Problem, match="upstream-unreachable"):
        await bench.service.request(bench.tenant_id, OWNER, actor=OPERATOR)
    assert len(waiting) == 1
    assert await staged(bench) == []


async def test_what_a_killed_process_staged_goes_with_the_next_large_plan(
    bench: Erasing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a day; what was staged just now may be somebody's who is still at it."""
    old, new = ids.aged("stg", 2 * stage.STALE_MS), ids.new("stg")
    rows = [
        PlanItem(each, 0, "mem0", b"r" * 16, b"sealed", None, "direct", "delete", "planned")
        for each in (old, new)
    ]
    await bench.ledger.write(lambda tx: erasures.put_items(tx, rows))
    await preview(bench, OWNER)
    assert await staged(bench) == [old, new]
    monkeypatch.setattr(crawl, "LOT", 2)
    await preview(bench, OWNER)
    assert await staged(bench) == [new]


async def test_what_waits_in_the_ledger_is_sealed(
    bench: Erasing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No text of a staged item is in any byte of the ledger's files."""
    monkeypatch.setattr(crawl, "LOT", 2)
    seen: list[bytes] = []
    put = stage.Stage.put

    async def read_back(self: stage.Stage, drafts: Any) -> None:
        await put(self, drafts)
        items = await bench.ledger.read(lambda tx: erasures.items(tx, self.id))
        seen.extend(each.sealed or b"" for each in items)
        seen.extend(ledger_bytes(tmp_path))

    monkeypatch.setattr(stage.Stage, "put", read_back)
    await preview(bench, OWNER)
    assert seen
    assert all(seen)
    assert not any(b"lighthouse" in each or b"Alva" in each for each in seen)
