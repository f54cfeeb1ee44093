"""One of several stores cannot be read: what reads whole stores tells the others, and names it."""

from typing import Any

import pytest

from proxy.erasure.adopt import adopt
from proxy.erasure.reconcile import reconcile
from proxy.erasure.scan import scan
from proxy.problems import Problem
from tests.support.erasing import OPERATOR
from tests.support.two_stores import AWAY, HERS, PERSON, Two


async def came_back(two: Two) -> str:
    """The reference of an erasure of which each store has a memory again."""
    await two.bench.remember("u-1", "Alva Brenn likes jasmine tea", mentions=HERS)
    await two.plant("u-1", "Alva Brenn moved to Turku")
    before = dict(two.one.rows), dict(two.two.rows)
    done = await two.confirm(await two.planned(PERSON))
    assert done.state == "complete"
    two.one.rows.update(before[0])
    two.two.rows.update(before[1])
    return done.reference


async def read_all(two: Two, command: str, reference: str) -> dict[str, Any]:
    """What one of the commands that read every store says."""
    means, tenant_id = two.bench.means, two.bench.tenant_id
    match command:
        case "scan":
            return (await scan(means, tenant_id)).body()
        case "adopt":
            return (await adopt(means, tenant_id)).body()
        case "recheck":
            return (await two.bench.service.recheck(tenant_id, reference, actor=OPERATOR)).body()
        case _:
            return (
                await reconcile(
                    means, two.bench.service, tenant_id, actor=OPERATOR,
                    dry_run=command == "preview",
                )
            ).body()  # fmt: skip


COUNTED = {"scan": "memories", "adopt": "seen", "recheck": "looked_at", "preview": "looked_at",
           "reconcile": "looked_at"}  # fmt: skip


@pytest.mark.parametrize("verbs", AWAY)
@pytest.mark.parametrize("command", COUNTED)
async def test_one_store_is_told_though_another_does_not_answer(
    two: Two, command: str, verbs: tuple[str, ...]
) -> None:
    """It is named, nothing is called complete or absent, and both are told once it is back."""
    reference = await came_back(two)
    two.away(*verbs)
    part = await read_all(two, command, reference)
    assert part["unreachable"] == ["second"]
    assert part[COUNTED[command]] == 1
    assert not part.get("complete")
    assert not part.get("still_absent")
    if command in {"scan", "recheck"}:
        assert "second/memory" in part["not_looked_at"]
    assert (len(two.one.rows) == 0) is (command == "reconcile")
    two.back()
    whole = await read_all(two, command, reference)
    assert whole["unreachable"] == []
    assert whole[COUNTED[command]] == (1 if command == "reconcile" else 2)
    assert (len(two.two.rows) == 0) is (command == "reconcile")
    if command == "reconcile":
        assert whole["complete"]


async def test_a_store_that_does_not_answer_is_never_still_clean(two: Two) -> None:
    """Nothing is back where one can look: that is said, and not more."""
    await two.bench.remember("u-1", "Alva Brenn likes jasmine tea", mentions=HERS)
    done = await two.confirm(await two.planned(PERSON))
    two.away()
    seen = await read_all(two, "recheck", done.reference)
    assert (seen["returned"], seen["still_absent"]) == (0, False)
    two.back()
    assert (await read_all(two, "recheck", done.reference))["still_absent"]


@pytest.mark.parametrize("command", COUNTED)
async def test_without_any_store_nothing_is_told(two: Two, command: str) -> None:
    """The problem names them."""
    reference = await came_back(two)
    two.away()
    two.one.fault = two.two.fault
    with pytest.raises(Problem) as raised:
        await read_all(two, command, reference)
    assert raised.value.slug == "upstream-unreachable"
    assert "first, second" in raised.value.detail
