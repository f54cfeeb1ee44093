"""What is in a language in which a category is not told is counted, and never called erased."""

import base64
import json
from typing import Any

import pytest

from proxy.erasure.proof.certificate import MISSED, UNREAD
from proxy.erasure.search.target import Target
from tests.support.erasing import OPERATOR, Erasing

HEALTH = Target(kind="category", values=("health",), owner="u-1")
ELSEWHERE = (
    "我有哮喘，每天用药。",
    "喘息があります。",
    "أعاني من الربو منذ سنوات.",
    "У меня болит голова.",
    "मुझे सिरदर्द है।",
    "Jag har ont i huvudet idag.",
)


async def signed(bench: Erasing, reference: str) -> dict[str, Any]:
    """What the certificate of an erasure says."""
    bundle = await bench.service.certificate(bench.tenant_id, reference)
    said: dict[str, Any] = json.loads(base64.b64decode(json.loads(bundle.dsse)["payload"]))
    return said["predicate"]


async def remember_all(bench: Erasing) -> None:
    """One memory that is told, one that is another thing, and those that nobody can read."""
    await bench.remember("u-1", "I have asthma.", categories=["health"], mentions=[])
    await bench.remember("u-1", "Likes tea", categories=["preferences"], mentions=[])
    for text in ELSEWHERE:
        await bench.remember("u-1", text, mentions=[])


async def test_the_plan_and_the_certificate_count_them(bench: Erasing) -> None:
    """They stay, the plan has their number, and the certificate says so."""
    await remember_all(bench)
    view = await bench.forget(HEALTH)
    assert (view.state, view.outcome, view.deleted) == ("complete", "erased", 1)
    number = len(ELSEWHERE)
    assert (view.counts["doubtful"], view.counts["other_languages"]) == (number, number)
    assert sorted(await bench.texts("u-1")) == sorted(["Likes tea", *ELSEWHERE])
    said = await signed(bench, view.reference)
    assert said["doubtful_mentions"] == number
    assert {*MISSED["category"], UNREAD} <= {*said["claim"]["not_covered"]}


async def test_nothing_is_not_said_where_nothing_can_be_read(bench: Erasing) -> None:
    """A plan without anything to delete is no ``nothing_found`` while such memories are there."""
    await bench.remember("u-1", ELSEWHERE[0], mentions=[])
    plan = await bench.service.request(bench.tenant_id, HEALTH, actor=OPERATOR)
    assert (plan.state, plan.outcome) == ("planned", None)
    assert (plan.counts["found"], plan.counts["doubtful"]) == (0, 1)
    wider = await bench.service.clarify(
        bench.tenant_id, plan.id, actor=OPERATOR, choices={"doubtful": "delete"}
    )
    assert (wider.counts["found"], wider.counts.get("doubtful", 0)) == (1, 0)


async def test_nobody_confirms_in_silence(bench: Erasing) -> None:
    """In one call, too, the outcome of an erasure without findings has their number beside it."""
    await bench.remember("u-1", ELSEWHERE[0], mentions=[])
    view = await bench.forget(HEALTH)
    assert (view.state, view.counts["other_languages"]) == ("complete", 1)
    assert UNREAD in (await signed(bench, view.reference))["claim"]["not_covered"]


async def test_another_owners_are_not_counted(bench: Erasing) -> None:
    """Within one owner only that one's memories are in doubt."""
    await bench.remember("u-2", ELSEWHERE[0], mentions=[])
    await bench.remember("u-1", "Likes tea", categories=["preferences"], mentions=[])
    view = await bench.forget(HEALTH)
    assert (view.outcome, view.counts.get("doubtful", 0)) == ("nothing_found", 0)


async def test_an_attribute_is_not_told_there_either(bench: Erasing) -> None:
    """A salary told in Chinese stays in doubt, one told in English goes."""
    await bench.remember("u-1", "My salary is 52,000 euros.", mentions=[])
    await bench.remember("u-1", "我的工资是五万二。", mentions=[])
    view = await bench.forget(Target(kind="attribute", values=("salary",), owner="u-1"))
    assert (view.deleted, view.counts["other_languages"]) == (1, 1)
    said = (await signed(bench, view.reference))["claim"]["not_covered"]
    assert {*MISSED["attribute"], UNREAD} <= {*said}


@pytest.mark.parametrize("text", ["Ok.", "Nina likes jazz", "Die Sitzung ist um drei.", "42"])
async def test_short_texts_in_known_languages_are_in_no_doubt(bench: Erasing, text: str) -> None:
    """Only what surely is in another language counts."""
    await bench.remember("u-1", text, mentions=[])
    view = await bench.forget(HEALTH)
    assert (view.outcome, view.counts.get("doubtful", 0)) == ("nothing_found", 0)
