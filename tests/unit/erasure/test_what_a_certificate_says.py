"""What a certificate says of routes, of what a search still shows, and of keys that are kept."""

import base64
import json
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from proxy.clock import FrozenClock
from proxy.erasure.proof.certificate import PASSING
from proxy.erasure.search.target import Scope, Target
from proxy.rights.holds import Holds, Keeping
from proxy.tokens.vault import Mention
from proxy.upstreams.layers.base import Entry, LayerScope
from tests.support.erasing import OPERATOR, Erasing
from tests.support.small_store import SmallLayer, SmallStore, reply
from tests.unit.erasure.conftest import Build

HERS = [Mention("PERSON", "Alva Brenn")]
PERSON = Target(kind="entity", values=("Alva Brenn",), entity_type="PERSON")
OWNER = Target(kind="owner", values=("u-1",))


async def signed(bench: Erasing, erasure_id: str) -> dict[str, Any]:
    """What the certificate says."""
    bundle = await bench.service.certificate(bench.tenant_id, erasure_id)
    said = json.loads(base64.b64decode(json.loads(bundle.dsse)["payload"]))["predicate"]
    assert isinstance(said, dict)
    return said


def memories(said: dict[str, Any]) -> dict[str, Any]:
    """The memory layer."""
    (found,) = [each for each in said["layers"] if each["layer"] == "memory"]
    return dict(found)


@pytest.mark.parametrize("shows", [True, False], ids=["shown", "not shown"])
async def test_what_a_search_still_shows_is_not_called_absent(
    bench: Erasing, clock: FrozenClock, shows: bool
) -> None:
    """The store deleted it and its search shows it all the same, time and again."""
    memory_id = await bench.remember("u-1", "Alva Brenn likes jasmine tea", mentions=HERS)
    assert bench.small is not None
    row = bench.small.rows[memory_id]
    bench.small.fault = lambda verb, _: (
        reply({"results": [row]}) if shows and verb == "search" else None
    )
    view = await bench.forget(PERSON)
    for _ in range(12):
        clock.advance(timedelta(hours=3))
        await bench.service.run_due()
    view = await bench.service.get(bench.tenant_id, view.id)
    said = await signed(bench, view.id)
    found = memories(said)
    if not shows:
        assert (view.state, found["residual"]) == ("complete", 0)
        assert "mem0/memory" in said["claim"]["absent_from"]
        return
    assert (view.state, found["status"], found["residual"]) == ("incomplete", "residual", 1)
    assert (found["reason"], found["erased"]) == ("still_found", 0)
    assert "mem0/memory" not in said["claim"]["absent_from"]
    assert said["verification"]["hits"]["searches"] == 1


ROUTES = [
    pytest.param(PERSON, "control", "by id, list, search", id="a name"),
    pytest.param(PERSON, "client", "by id, list, search", id="a name, by a client"),
    pytest.param(OWNER, "control", "by id, list, search", id="an owner"),
    pytest.param(OWNER, "client", "by id, list, search", id="an owner, by a client"),
    pytest.param(None, "control", "by id, list, search", id="a memory by its id"),
    pytest.param(None, "client", "by id, search", id="a memory by its id, by a client"),
]


@pytest.mark.parametrize(("target", "origin", "routes"), ROUTES)
async def test_only_routes_that_were_taken_are_named(
    bench: Erasing, target: Target | None, origin: str, routes: str
) -> None:
    """Of a memory that a client deletes by its id no list is read."""
    memory_id = await bench.remember("u-1", "Alva Brenn likes jasmine tea", mentions=HERS)
    wanted = target or Target(kind="memory", values=(memory_id,))
    view = await bench.forget(wanted, origin=origin)
    assert memories(await signed(bench, view.id))["method"] == routes


@pytest.mark.parametrize("held", [True, False], ids=["held", "not held"])
@pytest.mark.parametrize("target", [PERSON, OWNER], ids=["a name", "an owner"])
async def test_keys_that_a_hold_keeps_are_not_passed_over(
    bench: Erasing, target: Target, held: bool
) -> None:
    """What is held is still readable, so it is not said that nothing was encrypted."""
    memory_id = await bench.remember("u-1", "Alva Brenn likes jasmine tea", mentions=HERS)
    await bench.remember("u-1", "Alva Brenn moved to Turku", mentions=HERS)
    holds = Holds(bench.means, bench.service)
    if held:
        placed = await holds.hold(
            bench.tenant_id, actor=OPERATOR, keeping=Keeping("legal_claims"), memory_id=memory_id
        )
    view = await bench.forget(target)
    keys = (await signed(bench, view.id))["keys"]
    if held:
        assert (view.state, keys["state"], keys["destroyed"]) == ("held", "not_destroyed", [])
        assert keys["wording"].startswith("kept for what stays")
        await holds.lift(bench.tenant_id, placed, actor=OPERATOR)
        keys = (await signed(bench, view.id))["keys"]
    mentioned = 1 if target is OWNER else 0  # of an owner the name beside it ends as well
    assert keys["of_mentions"] == mentioned
    assert (keys["state"], len(keys["destroyed"])) == ("row_deleted", 1 + mentioned)


async def test_where_nothing_was_encrypted_no_key_is_spoken_of(bench: Erasing) -> None:
    """A name that only the store knows has no key."""
    await bench.remember("u-1", "Alva Brenn likes jasmine tea", known=False)
    view = await bench.forget(PERSON)
    keys = (await signed(bench, view.id))["keys"]
    assert (keys["state"], keys["wording"]) == (None, "no ciphertext of ours was concerned")


CAME_TO = {
    "a person, all gone before": (PERSON, True, "keys_destroyed"),
    "an owner, all gone before": (OWNER, True, "keys_destroyed"),
    "twin: a person": (PERSON, False, "erased"),
    "twin: an owner": (OWNER, False, "erased"),
}


@pytest.mark.parametrize(("target", "gone", "outcome"), CAME_TO.values(), ids=CAME_TO)
async def test_what_was_gone_before_is_not_called_erased(
    bench: Erasing, target: Target, gone: bool, outcome: str
) -> None:
    """The store had lost the only memory: keys were destroyed, and that is all that is said."""
    memory_id = await bench.remember("u-1", "Alva Brenn likes jasmine tea", mentions=HERS)
    assert bench.small is not None
    if gone:
        del bench.small.rows[memory_id]
    view = await bench.forget(target)
    said = await signed(bench, view.id)
    assert (view.state, view.outcome, said["outcome"]) == ("complete", outcome, outcome)
    counts = said["counts"]
    assert (counts["deleted"], counts["already_gone"]) == ((0, 1) if gone else (1, 0))
    assert memories(said)["status"] == ("absent" if gone else "erased")
    assert said["keys"]["destroyed"]


@pytest.mark.parametrize("shown", [True, False], ids=["still shown", "twin: gone"])
@pytest.mark.parametrize("how", ["by a person", "by id"])
async def test_the_stores_own_history_counts_beside_a_connector(
    bench: Erasing, how: str, shown: bool
) -> None:
    """The connector reads another file than the store: the store's own route tells."""
    assert bench.small is not None
    bench.small.keeps_history = shown
    memory_id = await bench.remember("u-1", "Alva Brenn likes jasmine tea", mentions=HERS)
    if how == "by id":
        target, origin = Target(kind="memory", values=(memory_id,)), "client"
    else:
        target, origin = PERSON, "control"
    view = await bench.forget(target, origin=origin)
    said = await signed(bench, view.id)
    (history,) = [each for each in said["layers"] if each["layer"] == "history"]
    assert said["verification"]["tries"]["histories"] == 1
    if shown:
        assert (view.state, history["status"], history["residual"]) == ("incomplete", "residual", 1)
    else:
        assert (view.state, history["status"]) == ("complete", "absent")


class Vectors(SmallLayer):
    """A connector to the memories' own rows, as one to the store's database is."""

    small: SmallStore

    async def entries(self, after: int, limit: int) -> Sequence[Entry]:
        """Each memory has one."""
        rows = [Entry(n, each, "data", {}, each) for n, each in enumerate(self.small.rows, 1)]
        return [row for row in rows if row.position > after][:limit]

    async def delete(self, scope: LayerScope) -> int:
        """Delete the rows of these memories."""
        there = [each for each in scope.memory_ids if each in self.small.rows]
        for each in there:
            del self.small.rows[each]
        return len(there)


@pytest.mark.parametrize(
    ("how", "away"),
    [("by a person", True), ("by a person", False), ("by id", False)],
    ids=["deletes fail", "twin: all answer", "twin: by id, all answer"],
)
async def test_what_a_connector_deletes_was_not_gone_before(
    build: Build, clock: FrozenClock, away: bool, how: str
) -> None:
    """Of three one was gone before; a connector deletes the others while the store does not."""
    vectors = Vectors("vectors")
    bench = await build({"vectors": vectors})
    assert bench.small is not None
    vectors.small = bench.small
    made = [await bench.remember("u-1", f"Note {n} on Alva Brenn", mentions=HERS) for n in range(3)]
    del bench.small.rows[made[0]]
    bench.small.fault = lambda verb, _: reply({}, 503) if away and verb == "delete" else None
    asked = PERSON if how == "by a person" else Target(kind="memory", values=tuple(made))
    view = await bench.forget(asked, origin="control" if how == "by a person" else "client")
    bench.small.fault = lambda verb, _: None
    clock.advance(timedelta(hours=3))
    await bench.service.run_due()
    view = await bench.service.get(bench.tenant_id, view.id)
    assert (view.deleted, view.counts["already_gone"]) == (2, 1), view.body()
    assert bench.small.rows == {}


@pytest.mark.parametrize("destroyed", [True, False], ids=["epoch destroyed", "twin: not"])
@pytest.mark.parametrize("target", [PERSON, OWNER], ids=["a name", "an owner"])
async def test_a_recheck_tells_what_became_of_the_keys(
    bench: Erasing, clock: FrozenClock, target: Target, destroyed: bool
) -> None:
    """The certificate was signed before the epoch was destroyed, and goes on saying so."""
    await bench.remember("u-1", "Alva Brenn likes jasmine tea", mentions=HERS)
    view = await bench.forget(target)
    clock.advance(timedelta(days=1))
    if destroyed:
        await bench.means.keyring.destroy_epoch()
    seen = (await bench.service.recheck(bench.tenant_id, view.id, actor=OPERATOR)).body()["keys"]
    said = (await signed(bench, view.id))["keys"]
    assert said["state"] == "row_deleted"
    assert [each["fingerprint"] for each in seen["destroyed"]] == [
        each["fingerprint"] for each in said["destroyed"]
    ]
    assert seen["state"] == ("key_epoch_destroyed" if destroyed else "row_deleted")
    assert {each["assurance"] for each in seen["destroyed"]} == {"local-kek" if destroyed else None}
    assert ("crypto-erased" in seen["wording"]) is destroyed


async def test_a_recheck_of_no_keys_tells_of_none(bench: Erasing) -> None:
    """Nothing of ours was encrypted."""
    await bench.remember("u-1", "Alva Brenn likes jasmine tea", known=False)
    view = await bench.forget(PERSON)
    await bench.means.keyring.destroy_epoch()
    found = await bench.service.recheck(bench.tenant_id, view.id, actor=OPERATOR)
    assert found.body()["keys"] is None


@pytest.mark.parametrize("destroyed", [True, False], ids=["epoch destroyed", "twin: not"])
async def test_a_certificate_of_a_retry_says_that_the_epoch_is_destroyed(
    bench: Erasing, clock: FrozenClock, destroyed: bool
) -> None:
    """A layer kept rows, so that it was incomplete; the epoch went before it was signed anew."""
    layer = bench.store.layers["history"]
    layer.stubborn = True
    memory_id = await bench.remember("u-1", "Alva Brenn likes jasmine tea", mentions=HERS)
    layer.rows[memory_id] = "Alva Brenn likes jasmine tea"
    view = await bench.forget(PERSON)
    keys = (await signed(bench, view.id))["keys"]
    assert (view.state, keys["state"]) == ("incomplete", "row_deleted")
    clock.advance(timedelta(days=1))
    if destroyed:
        await bench.means.keyring.destroy_epoch()
    layer.stubborn = False
    view = await bench.service.retry(bench.tenant_id, view.id, actor=OPERATOR)
    keys = (await signed(bench, view.id))["keys"]
    assert (view.state, keys["state"]) == (
        "complete", "key_epoch_destroyed" if destroyed else "row_deleted",
    )  # fmt: skip
    assert ("crypto-erased" in keys["wording"]) is destroyed


@pytest.mark.parametrize(
    ("scope", "left", "blocked"), [("primary", 1, "off"), ("any_mention", 0, "on")]
)
async def test_a_certificate_says_whether_the_name_may_come_back(
    bench: Erasing, scope: Scope, left: int, blocked: str
) -> None:
    """Where passing mentions stay, nothing is blocked, and nobody is told otherwise."""
    await bench.remember("u-1", "Alva Brenn likes tea", mentions=HERS)
    await bench.remember("u-1", "Otto Falk moved to Turku with Alva Brenn", mentions=HERS)
    target = Target(kind="entity", values=("Alva Brenn",), entity_type="PERSON", scope=scope)
    view = await bench.forget(target)
    assert (view.state, len(bench.small.rows)) == ("complete", left), view.body()
    said = await signed(bench, view.id)
    assert (said["scope"], said["blocklist"]) == (scope, blocked)
    assert (PASSING in said["claim"]["not_covered"]) is (scope == "primary")
    (found,) = await bench.means.blocklist.blocked_mentions(bench.tenant_id, ["Alva Brenn"])
    assert bool(found) is (blocked == "on")


async def test_a_son_is_blocked_by_his_whole_name_alone(bench: Erasing) -> None:
    """The father keeps his own, which is the son's but for the generation."""
    for name in ("Hugo Falk", "Hugo Falk Jr."):
        await bench.remember("u-1", f"{name} sings", mentions=[Mention("PERSON", name)])
    asked = Target(kind="entity", values=("Hugo Falk Jr.",), entity_type="PERSON")
    view = await bench.service.request(bench.tenant_id, asked, actor=OPERATOR)
    (son,) = [each.id for each in view.candidates if each.hint == "Hugo Falk Jr."]
    done = await bench.forget(asked.choose((son,)))
    assert (done.state, done.deleted) == ("complete", 1), done.body()
    assert (await signed(bench, done.id))["blocklist"] == "on"
    found = await bench.means.blocklist.blocked_mentions(
        bench.tenant_id, ["Hugo Falk called", "Hugo Falk Jr. called"]
    )
    assert [len(hits) for hits in found] == [0, 1]


@pytest.mark.parametrize("ground", ["gdpr.17.1.b", None])
async def test_the_ground_is_the_one_that_was_given(bench: Erasing, ground: str | None) -> None:
    """Nobody gave one: none is made up."""
    await bench.remember("u-1", "Alva Brenn likes jasmine tea", mentions=HERS)
    view = await bench.forget(PERSON, reason=ground)
    assert (view.state, (await signed(bench, view.id))["ground"]) == ("complete", ground)
