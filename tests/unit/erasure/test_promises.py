"""Promises that cut across: who is touched, who is not, and what is said the second time."""

import itertools
from pathlib import Path

import pytest

import policies
from proxy.clock import FrozenClock
from proxy.erasure.search.target import Target
from proxy.keys.ring import KeyRing
from proxy.ledger import notifications, owners
from proxy.ledger.engine import Ledger
from proxy.problems import Problem
from proxy.retention.sweeper import Sweeper
from proxy.tokens.vault import Mention
from tests.support.erasing import OPERATOR, Erasing, erasing, small_binding

ALVA = [Mention("PERSON", "Alva Brenn")]


async def test_an_owner_scoped_plan_reads_no_other_owner(bench: Erasing) -> None:
    """However many others there are, the calls are the same."""
    counts = []
    for others in (0, 30):
        for n in range(others):
            await bench.remember(f"other-{n}", "Met Alva Brenn", known=False)
        owner = f"mine-{others}"
        await bench.remember(owner, "Alva Brenn moved to Turku", mentions=ALVA)
        bench.small.calls.clear()
        target = Target(kind="entity", values=("Alva Brenn",), entity_type="PERSON", owner=owner)
        await bench.service.request(bench.tenant_id, target, actor=OPERATOR, dry_run=True)
        counts.append(len(bench.small.calls))
    assert counts[0] == counts[1]


async def test_a_plan_reads_each_page_once(bench: Erasing) -> None:
    """Pages grow with what is stored, and nothing else does."""
    calls = {}
    for total in (100, 300):
        while len(bench.small.rows) < total:
            await bench.remember("u-1", "Lighthouse note", known=False)
        bench.small.calls.clear()
        target = Target(kind="entity", values=("Nobody Known",), entity_type="PERSON")
        await bench.service.request(bench.tenant_id, target, actor=OPERATOR, dry_run=True)
        calls[total] = sum(verb == "list" for verb, _ in bench.small.calls)
    assert calls == {100: 1, 300: 3}


async def test_forgetting_twice_refers_to_the_first(bench: Erasing) -> None:
    """The second time nothing is left, and the answer says which erasure did it."""
    await bench.remember("u-1", "Likes jasmine tea", mentions=[])
    target = Target(kind="owner", values=("u-1",))
    first = await bench.forget(target)
    again = await bench.forget(target)
    assert (again.state, again.outcome) == ("complete", "nothing_found")
    assert (first.earlier, again.earlier) == (None, first.reference)


async def test_names_are_not_identity(bench: Erasing) -> None:
    """Two people of one name under two ids: erasing one id leaves the other complete."""
    for owner in ("u-5", "u-6"):
        await bench.remember(
            owner, "Anne Holt likes the sea", mentions=[Mention("PERSON", "Anne Holt")]
        )
    await bench.forget(Target(kind="owner", values=("u-5",)))
    assert await bench.texts("u-6") == ["Anne Holt likes the sea"]


async def test_another_tenants_erasure_does_not_exist(
    bench: Erasing, keyring: KeyRing, ledger: Ledger
) -> None:
    """Neither its state nor its certificate, and its subjects cannot be erased from here."""
    await bench.remember("u-1", "Likes jasmine tea", mentions=[])
    view = await bench.forget(Target(kind="owner", values=("u-1",)))
    await bench.remember("u-2", "Plays the cello", mentions=[])
    other = await ledger.write(lambda tx: keyring.create_tenant(tx, "other"))
    for call in (bench.service.get, bench.service.certificate):
        with pytest.raises(Problem) as caught:
            await call(other, view.id)
        assert caught.value.slug == "not-found"
    theirs = await bench.service.forget(
        other, Target(kind="owner", values=("u-2",)), actor=OPERATOR, origin="control"
    )
    assert (theirs.outcome, bench.small.texts()) == ("nothing_found", ["Plays the cello"])


async def test_a_foreign_memory_id_is_not_deleted(
    bench: Erasing, keyring: KeyRing, ledger: Ledger
) -> None:
    """An id of another tenant's memory is nothing here."""
    memory_id = await bench.remember("u-1", "Likes jasmine tea", mentions=[])
    other = await ledger.write(lambda tx: keyring.create_tenant(tx, "other"))
    view = await bench.service.forget(
        other, Target(kind="memory", values=(memory_id,)), actor=OPERATOR, origin="client"
    )
    assert (view.outcome, len(bench.small.rows)) == ("nothing_found", 1)


async def test_other_owners_hear_that_not_what(bench: Erasing) -> None:
    """Whoever shared a context is told of it, with the reference only."""
    await bench.remember("u-1", "Alva Brenn told me about her knee", mentions=ALVA)
    view = await bench.forget(Target(kind="entity", values=("Alva Brenn",), entity_type="PERSON"))
    (notice,) = await bench.ledger.read(
        lambda tx: notifications.of_erasure(tx, bench.tenant_id, view.id)
    )
    assert (notice.kind, notice.state) == ("shared_context", "pending")


async def test_a_clients_delete_all_blocks_nobody(bench: Erasing) -> None:
    """The store's own delete-all followed by an add must work as it always did."""
    await bench.remember("u-1", "Likes jasmine tea", mentions=[])
    await bench.forget(Target(kind="owner", values=("u-1",)), origin="client")
    assert not await bench.means.blocklist.owner_blocked(bench.tenant_id, "user", "u-1")
    (row,) = await bench.ledger.read(lambda tx: owners.of_tenant(tx, bench.tenant_id))
    assert row.state == "active"
    assert await bench.remember("u-1", "Likes green tea", mentions=[])


async def test_an_operators_erasure_blocks_owner_and_name(bench: Erasing) -> None:
    """Under the same id, and by the name, nothing comes back."""
    await bench.remember("u-1", "Alva Brenn likes tea", mentions=ALVA)
    target = Target(kind="subject", values=("Alva Brenn",), owner="u-1", entity_type="PERSON")
    view = await bench.forget(target)
    assert view.state == "complete", view.body()
    assert await bench.means.blocklist.owner_blocked(bench.tenant_id, "user", "u-1")
    (found,) = await bench.means.blocklist.blocked_mentions(
        bench.tenant_id, ["BRENN, ALVA was here"]
    )
    assert found


async def test_never_forget_deletes_only_on_request(
    ledger: Ledger, keyring: KeyRing, tenant_id: str, clock: FrozenClock, tmp_path: Path
) -> None:
    """The sweeper is inert; a data subject's erasure works."""
    store, small = small_binding()
    policy = policies.load("builtin/never-forget")
    bench = await erasing(ledger, keyring, tenant_id, clock, tmp_path, [store], policy, small)
    await bench.remember("u-1", "Likes jasmine tea", mentions=[])
    assert (await Sweeper(bench.means, bench.service).run_once()).erased == 0
    assert (await bench.forget(Target(kind="owner", values=("u-1",)))).deleted == 1
    assert small.rows == {}


async def test_ten_thousand_aliases_are_looked_for_at_once(bench: Erasing) -> None:
    """As many names as the limit allows, in one pass."""
    await bench.remember("u-1", "Met Tilda Brzq by the pier", known=False)
    await bench.remember("u-1", "Met nobody", known=False)
    letters = itertools.product("bdfhjlnprtvz", repeat=4)
    names = ("Tilda Brzq", *(f"Tilda {''.join(each)}" for each in itertools.islice(letters, 9_999)))
    target = Target(kind="entity", values=names, owner="u-1")
    view = await bench.service.request(bench.tenant_id, target, actor=OPERATOR, dry_run=True)
    assert view.counts["found"] == 1
