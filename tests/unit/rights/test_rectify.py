"""Correcting a memory: the old text is gone everywhere, lineage and owner stay."""

import pytest

from proxy.ledger import memories, reach
from proxy.problems import Problem
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
