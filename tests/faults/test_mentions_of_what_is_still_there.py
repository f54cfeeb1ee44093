"""Who is named only by what a store says it deleted and still shows: their key lives until then."""

from datetime import timedelta
from typing import Any

import pytest

from proxy.clock import FrozenClock
from proxy.erasure import worker
from proxy.erasure.saga import deletion, steps
from proxy.erasure.search.target import Target
from proxy.keys.errors import SealBroken
from proxy.ledger import entities
from proxy.tokens.vault import Mention
from tests.faults.test_acknowledged_and_not_done import given_up, lie
from tests.faults.test_store_faults import settle
from tests.support.erasing import OPERATOR, Erasing
from tests.support.small_store import reply
from tests.unit.erasure.test_what_was_mentioned import keys_of, opens

ALVA, RUTH = Mention("PERSON", "Alva Brenn"), Mention("PERSON", "Ruth Odell")
MAIL = Mention("EMAIL_ADDRESS", "ruth.odell@example.org")
TARGETS = {
    "owner": (Target(kind="owner", values=("u-1",)), 3),
    "entity": (Target(kind="entity", values=("Alva Brenn",), entity_type="PERSON"), 2),
    "category": (Target(kind="category", values=("health",), owner="u-1"), 3),
    "tenant": (Target(kind="tenant"), 3),
}
each_target = pytest.mark.parametrize(("target", "number"), TARGETS.values(), ids=TARGETS)


@pytest.fixture(autouse=True)
def _without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """The store answers at once."""
    monkeypatch.setattr(deletion, "PAUSE_S", 0.0)


async def written(bench: Erasing, *others: Mention) -> tuple[str, str]:
    """A memory with the tokens of Alva and of others, and the token of the last of them."""
    mentions = [ALVA, *others]
    minted = await bench.ledger.write(
        lambda tx: bench.means.vault.tokenise(tx, bench.tenant_id, mentions)
    )
    tokens = [each.token for each in minted]
    memory_id = await bench.remember(
        "u-1", f"{' and '.join(tokens)} sang of basalt", mentions=mentions, categories=["health"]
    )
    return memory_id, tokens[-1]


async def reads(bench: Erasing, token: str) -> str:
    """What a token reads as."""
    return (await bench.means.vault.restore_many(bench.tenant_id, [token]))[0].text


async def of_mentions(bench: Erasing, erasure_id: str) -> Any:
    """How many the certificate says have ended so."""
    return (await keys_of(bench, erasure_id))["of_mentions"]


@each_target
async def test_they_stay_legible_until_it_is_gone(
    bench: Erasing, clock: FrozenClock, target: Target, number: int
) -> None:
    """While it is tried, when it rests, and days later; a retry that deletes ends them."""
    _, token = await written(bench, RUTH, MAIL)
    lie(bench)
    first = await bench.forget(target)
    assert await opens(bench, RUTH)
    view = await given_up(bench, clock, first)
    assert (view.state, await of_mentions(bench, view.id)) == ("incomplete", 0)
    assert (await opens(bench, RUTH), await reads(bench, token)) == (True, MAIL.text)
    unmentioned = await bench.ledger.read(
        lambda tx: entities.unmentioned(tx, bench.tenant_id, clock.now() + timedelta(days=9))
    )
    known = await bench.means.vault.resolve(bench.tenant_id, RUTH.text, entity_type="PERSON")
    assert {*known.certain}.isdisjoint(unmentioned)
    lie(bench, lying=False)
    done = await bench.service.retry(bench.tenant_id, view.id, actor=OPERATOR)
    assert (done.state, await of_mentions(bench, done.id)) == ("complete", number)
    assert (await opens(bench, RUTH), await reads(bench, token)) == (False, "[erased]")


async def test_whom_it_is_about_ends_with_it_all_the_same(
    bench: Erasing, clock: FrozenClock
) -> None:
    """The key of the one who is forgotten goes where it always goes."""
    await written(bench, RUTH)
    lie(bench)
    await given_up(bench, clock, await bench.forget(TARGETS["entity"][0]))
    assert (await opens(bench, ALVA), await opens(bench, RUTH)) == (False, True)


async def test_of_two_the_one_that_is_gone_takes_its_own_along(
    bench: Erasing, clock: FrozenClock
) -> None:
    """Whom both name is legible in the one that is left."""
    left, _ = await written(bench, RUTH)
    await written(bench, RUTH, MAIL)
    done = reply({"message": "Memory deleted successfully!"})
    bench.small.fault = lambda verb, key: done if (verb, key) == ("delete", left) else None
    view = await given_up(bench, clock, await bench.forget(TARGETS["owner"][0]))
    assert (view.state, [*bench.small.rows]) == ("incomplete", [left])
    assert (await opens(bench, RUTH), await opens(bench, MAIL)) == (True, False)
    assert await of_mentions(bench, view.id) == 1


@each_target
async def test_the_same_anew_ends_them(
    bench: Erasing, clock: FrozenClock, target: Target, number: int
) -> None:
    """The one that deletes it counts them; the first one has none left to end."""
    await written(bench, RUTH, MAIL)
    lie(bench)
    first = await given_up(bench, clock, await bench.forget(target))
    lie(bench, lying=False)
    anew = await bench.forget(target)
    assert (anew.state, await of_mentions(bench, anew.id)) == ("complete", number)
    assert not await opens(bench, RUTH)
    retried = await bench.service.retry(bench.tenant_id, first.id, actor=OPERATOR)
    assert (retried.state, await of_mentions(bench, retried.id)) == ("complete", 0)


async def test_a_client_that_deletes_its_own(bench: Erasing, clock: FrozenClock) -> None:
    """The short way looks too before it ends anything."""
    memory_id, token = await written(bench, RUTH)
    lie(bench)
    target = Target(kind="memory", values=(memory_id,), upstream=bench.store.name)
    first = await bench.forget(target, origin="client")
    assert first.state != "complete"
    view = await given_up(bench, clock, first)
    assert (view.state, await reads(bench, token)) == ("incomplete", RUTH.text)
    lie(bench, lying=False)
    done = await bench.service.retry(bench.tenant_id, view.id, actor=OPERATOR)
    assert (done.state, await of_mentions(bench, done.id)) == ("complete", 2)
    assert await reads(bench, token) == "[erased]"


async def test_a_store_that_does_not_answer_when_it_is_asked(
    bench: Erasing, clock: FrozenClock
) -> None:
    """Nobody knows whether it is gone, so nothing ends before it says so."""
    _, token = await written(bench, RUTH)
    down: list[str] = []

    def fault(verb: str, _: str) -> Any:
        if verb == "delete":
            down.append(verb)
            return None
        return reply({"detail": "away"}, status=503) if down else None

    bench.small.fault = fault
    view = await bench.forget(TARGETS["owner"][0])
    assert (bench.small.rows, await reads(bench, token)) == ({}, RUTH.text)
    bench.small.fault = lambda verb, _: None
    await settle(bench, clock)
    done = await bench.service.get(bench.tenant_id, view.id)
    assert (done.state, await of_mentions(bench, done.id)) == ("complete", 2)
    assert await reads(bench, token) == "[erased]"


async def test_what_another_still_names_is_not_held_back(
    bench: Erasing, clock: FrozenClock
) -> None:
    """What stays of a rewritten memory goes on being named by what replaced it."""
    await bench.remember("u-1", "Alva Brenn and Ruth Odell sing.", mentions=[ALVA, RUTH])
    lie(bench)
    await bench.forget(TARGETS["entity"][0], choices={"mixed": "redact"})
    assert await opens(bench, RUTH)
    lie(bench, lying=False)
    await settle(bench, clock)
    assert await bench.texts("u-1") == ["A person and Ruth Odell sing."]
    assert await opens(bench, RUTH)
    assert (await bench.forget(Target(kind="owner", values=("u-1",)))).state == "complete"
    assert not await opens(bench, RUTH)


@pytest.mark.parametrize(
    "target", [TARGETS["owner"][0], TARGETS["entity"][0]], ids=["owner", "entity"]
)
async def test_one_that_is_given_up_leaves_them_to_the_sweeper(
    bench: Erasing, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch, target: Target
) -> None:
    """No store is asked any more when it is closed; who is then forgotten by name ends at once."""
    await written(bench, RUTH, MAIL)
    known = await bench.means.vault.resolve(bench.tenant_id, RUTH.text, entity_type="PERSON")

    async def broken(_: object) -> None:
        raise SealBroken

    async def unmentioned() -> list[str]:
        late = clock.now() + timedelta(days=2)
        return await bench.ledger.read(lambda tx: entities.unmentioned(tx, bench.tenant_id, late))

    monkeypatch.setattr(steps, "examine", broken)
    view = await bench.forget(target)
    for _ in range(worker.MAX_ATTEMPTS):
        clock.advance(timedelta(seconds=worker.LONGEST_PAUSE_S))
        await bench.service.run_due()
    assert (await opens(bench, RUTH), await unmentioned()) == (True, [])
    await bench.service.cancel(bench.tenant_id, view.id, actor=OPERATOR)
    assert {*known.certain} <= {*await unmentioned()}
    assert await opens(bench, RUTH)


async def test_a_name_goes_whatever_an_erasure_that_broke_has_linked_with_it(
    bench: Erasing, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a store was not asked about keeps nobody's key who is forgotten by name."""
    _, token = await written(bench, RUTH)
    looked = steps.examine

    async def broken(_: object) -> None:
        raise SealBroken

    monkeypatch.setattr(steps, "examine", broken)
    await bench.forget(TARGETS["owner"][0])
    monkeypatch.setattr(steps, "examine", looked)
    assert await reads(bench, token) == RUTH.text
    by_name = Target(kind="entity", values=(RUTH.text,), entity_type="PERSON")
    assert (await bench.forget(by_name)).state == "complete"
    assert await reads(bench, token) == "[erased]"
