"""A word that opens its sentence has a capital whoever is meant: where nothing tells, it stays."""

import pytest

from proxy.erasure.search.target import Target
from proxy.tokens.index.spelling import Name
from proxy.tokens.vault import Mention
from tests.support.erasing import OPERATOR, Erasing

# name, its type, what is about who or what is called so, what may be about anything
ROWS = {
    "a family name": (
        "Uwe Klein", "PERSON", ["Uwe Klein called.", "Klein wants tea."], ["Klein ist das Haus."],
    ),
    "a firm": (
        "Bell", "ORGANIZATION", ["Bell hired me.", "Works for Bell since May."],
        ["Bell peppers are red.", "Bell towers need repair."],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("name", "kind", "told", "untold"), ROWS.values(), ids=ROWS)
async def test_what_only_opens_a_sentence_is_doubtful(
    bench: Erasing, name: str, kind: str, told: list[str], untold: list[str]
) -> None:
    """Detection takes it for a name, but only because of its capital."""
    for text in (*told, *untold):
        await bench.remember("u-1", text, mentions=[Mention(kind, name)] if name in text else ())
    target = Target(kind="entity", values=(name,), entity_type=kind)
    plan = await bench.service.request(bench.tenant_id, target, actor=OPERATOR)
    assert plan.counts["doubtful"] == len(untold)
    await bench.service.confirm(
        bench.tenant_id, plan.id, word="confirmed", token=plan.token, actor=OPERATOR
    )
    await bench.service.run(bench.tenant_id, plan.id)
    assert sorted(await bench.texts("u-1")) == sorted(untold)


async def test_what_only_opens_a_sentence_is_not_refused(bench: Erasing) -> None:
    """The blocklist judges as the erasure did."""
    blocklist = bench.means.blocklist
    listed = [Name("Bell", "ORGANIZATION")]
    owner = await bench.ledger.write(lambda tx: bench.owner(tx, "u-1"))
    await bench.ledger.write(
        lambda tx: blocklist.add(tx, bench.tenant_id, listed, owner_id=owner.id)
    )
    texts = ["Bell hired me.", "Bell peppers are red."]
    found = await blocklist.blocked_mentions(bench.tenant_id, texts, [owner.id])
    assert [bool(each) for each in found] == [True, False]


async def test_a_code_in_a_name_is_nobodys_short_name(bench: Erasing) -> None:
    """``A-12`` is a room, too."""
    name = "X Æ A-12"
    await bench.remember("u-1", f"{name} called", mentions=[Mention("PERSON", name)])
    await bench.remember("u-1", "Room A-12 is cold.", mentions=())
    await bench.forget(Target(kind="entity", values=(name,), entity_type="PERSON"))
    assert await bench.texts("u-1") == ["Room A-12 is cold."]
