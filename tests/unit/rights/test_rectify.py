"""Correcting a memory: the old text is gone everywhere, lineage and owner stay."""

from typing import Any

import pytest

from proxy.ledger import memories, reach
from proxy.problems import Problem
from proxy.rights.holds import Holds, Keeping
from proxy.rights.rectify import Rectification
from tests.support.erasing import OPERATOR, Erasing


async def test_the_corrected_text_takes_the_old_ones_place(bench: Erasing) -> None:
    """A new id, the same owner, the categories of the new text, a complete certificate."""
    old = await bench.remember("u-1", "Lives in Porto", name="home", categories=["location"])
    await bench.remember("u-1", "Enjoys the sea", derived_from=["home"], mentions=[])
    done = await Rectification(bench.means, bench.service).rectify(
        bench.tenant_id, old, "Likes green tea", actor=OPERATOR
    )
    assert (done.erasure.state, done.erasure.regenerated) == ("complete", 1)
    assert sorted(await bench.texts("u-1")) == ["Enjoys the sea", "Likes green tea"]
    assert done.memory_id not in (None, old)
    names = await bench.means.keyring.tenant(bench.tenant_id)
    ref = memories.ref(names, "mem0", done.memory_id or "")
    rows = await bench.ledger.read(lambda tx: reach.recorded(tx, bench.tenant_id, "mem0", [ref]))
    assert rows[ref].categories == ("preferences",)


async def test_an_unknown_memory_is_not_found(bench: Erasing) -> None:
    """And an empty text is refused."""
    rights = Rectification(bench.means, bench.service)
    with pytest.raises(Problem) as caught:
        await rights.rectify(bench.tenant_id, "nobody's", "Likes tea", actor=OPERATOR)
    assert caught.value.slug == "not-found"
    with pytest.raises(Problem) as caught:
        await rights.rectify(bench.tenant_id, "nobody's", "  ", actor=OPERATOR)
    assert caught.value.slug == "invalid-request"


HELD: dict[str, dict[str, Any]] = {"memory": {}, "owner": {"owner": ("user", "u-1")}}


@pytest.mark.parametrize(
    ("what", "known"), [("memory", True), ("owner", True), ("owner", False)],
    ids=["memory", "owner", "owner, only the store knows it"],
)  # fmt: skip
async def test_what_a_hold_keeps_is_not_corrected(bench: Erasing, what: str, known: bool) -> None:
    """Refused before anything is recorded; once the hold is lifted it is corrected."""
    await bench.remember("u-1", "Plays the cello", mentions=[])
    old = await bench.remember("u-1", "Lives in Porto", mentions=[], known=known)
    rights, holds = Rectification(bench.means, bench.service), Holds(bench.means, bench.service)
    place = HELD[what] or {"memory_id": old}
    hold_id = await holds.hold(
        bench.tenant_id, actor=OPERATOR, keeping=Keeping("legal_claims"), **place
    )
    with pytest.raises(Problem) as caught:
        await rights.rectify(bench.tenant_id, old, "Likes green tea", actor=OPERATOR)
    assert caught.value.slug == "held"
    assert "Lives in Porto" in await bench.texts("u-1")
    assert (await bench.service.list(bench.tenant_id))[0] == []
    await holds.lift(bench.tenant_id, hold_id, actor=OPERATOR)
    done = await rights.rectify(bench.tenant_id, old, "Likes green tea", actor=OPERATOR)
    assert done.erasure.state == "complete"
    assert sorted(await bench.texts("u-1")) == ["Likes green tea", "Plays the cello"]
