"""Correcting a memory: the old text is gone everywhere, lineage and owner stay."""

from dataclasses import replace
from typing import Any

import pytest

import policies
from proxy.erasure.service import ErasureService
from proxy.ledger import memories, reach
from proxy.problems import Problem
from proxy.rights.holds import Holds, Keeping
from proxy.rights.rectify import Rectification
from proxy.rights.wishes import Wishes
from proxy.tokens.index.spelling import Name
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


DIAGNOSED = "Was diagnosed with mild asthma."


@pytest.mark.parametrize("known", [True, False], ids=["known", "only the store knows it"])
async def test_a_consent_lets_a_correction_through(bench: Erasing, known: bool) -> None:
    """As it lets a write through; without it, or once it is withdrawn, the text is refused."""
    strict = policies.load("builtin/health-strict")
    means = replace(bench.means, policies=lambda _: strict)
    await bench.remember("u-1", "Plays the cello", mentions=[])
    old = await bench.remember("u-1", "Was diagnosed with asthma.", mentions=[], known=known)
    rights, wishes = Rectification(means, ErasureService(means)), Wishes(means)
    with pytest.raises(Problem) as caught:
        await rights.rectify(bench.tenant_id, old, DIAGNOSED, actor=OPERATOR)
    assert caught.value.slug == "write-rejected"
    given = await wishes.consent(bench.tenant_id, ("user", "u-1"), "health", actor=OPERATOR)
    done = await rights.rectify(bench.tenant_id, old, DIAGNOSED, actor=OPERATOR)
    assert done.erasure.state == "complete"
    (stored,) = set(await bench.texts("u-1")) - {"Plays the cello"}
    assert (await means.vault.restore(bench.tenant_id, stored)).text == DIAGNOSED != stored
    assert bench.small is not None
    (new,) = [key for key, row in bench.small.rows.items() if row["memory"] == stored]
    await wishes.withdraw(bench.tenant_id, given, actor=OPERATOR)
    with pytest.raises(Problem) as caught:
        await rights.rectify(bench.tenant_id, new, DIAGNOSED, actor=OPERATOR)
    assert caught.value.slug == "write-rejected"
    assert stored in await bench.texts("u-1")


@pytest.mark.parametrize("known", [True, False], ids=["known", "only the store knows it"])
async def test_what_its_owner_refused_is_not_written_by_a_correction(
    bench: Erasing, known: bool
) -> None:
    """A refused category is rejected, a refused type redacted; another owner's text is not."""
    rights, wishes = Rectification(bench.means, bench.service), Wishes(bench.means)
    old = {}
    for owner in ("u-1", "u-2"):
        await bench.remember(owner, "Plays the cello", mentions=[])
        old[owner] = await bench.remember(owner, "Lives in Porto", mentions=[], known=known)
    asked = {"refused_categories": ["health"], "refused_types": ["PERSON"]}
    await wishes.prefer(bench.tenant_id, ("user", "u-1"), asked, actor=OPERATOR)
    with pytest.raises(Problem) as caught:
        await rights.rectify(bench.tenant_id, old["u-1"], DIAGNOSED, actor=OPERATOR)
    assert caught.value.slug == "write-rejected"
    assert "preference.refused_categories" in caught.value.rules
    for owner in old:
        await rights.rectify(bench.tenant_id, old[owner], "Met Orla Quist.", actor=OPERATOR)
    assert sorted(await bench.texts("u-1")) == ["Met [person].", "Plays the cello"]
    other = min(await bench.texts("u-2"))
    assert (await bench.means.vault.restore(bench.tenant_id, other)).text == "Met Orla Quist."


async def test_who_is_blocked_for_an_owner_is_not_named_by_a_correction(bench: Erasing) -> None:
    """Also where the block is that owner's only; a known name is hidden wherever it stands."""
    old = {owner: await bench.remember(owner, "Plays the cello") for owner in ("u-1", "u-2")}
    await bench.remember("u-2", "Met Orla Quist.")
    row = await bench.ledger.write(lambda tx: bench.owner(tx, "u-1"))
    blocked = [Name("Orla Quist")]
    await bench.ledger.write(
        lambda tx: bench.means.blocklist.add(tx, bench.tenant_id, blocked, owner_id=row.id)
    )
    rights = Rectification(bench.means, bench.service)
    with pytest.raises(Problem) as caught:
        await rights.rectify(bench.tenant_id, old["u-1"], "Met Orla Quist.", actor=OPERATOR)
    assert caught.value.slug == "write-rejected"
    done = await rights.rectify(bench.tenant_id, old["u-2"], "Met Orla Quist.", actor=OPERATOR)
    assert done.erasure.state == "complete"


async def test_whom_the_corrected_text_names_is_mentioned(bench: Erasing) -> None:
    """Else their key would end, as of what no memory mentions, and the text read ``[erased]``.

    Whose memory it is reads the word again.
    """
    old = await bench.remember("u-1", "Likes black tea", mentions=[])
    done = await Rectification(bench.means, bench.service).rectify(
        bench.tenant_id, old, "Write to orla.quist@example.org", actor=OPERATOR
    )
    names = await bench.means.keyring.tenant(bench.tenant_id)
    ref = memories.ref(names, "mem0", done.memory_id or "")
    rows = await bench.ledger.read(lambda tx: reach.recorded(tx, bench.tenant_id, "mem0", [ref]))
    linked = await bench.ledger.read(lambda tx: memories.entities_of(tx, [rows[ref].id]))
    vault = bench.means.vault
    forms = await vault.surface_forms(bench.tenant_id, linked.get(rows[ref].id, []))
    assert forms == ["orla.quist@example.org"]
    (text,) = await bench.texts("u-1")
    assert "orla.quist" not in text
    owned = await bench.ledger.read(lambda tx: memories.owners_of(tx, [rows[ref].id]))
    read = await vault.restore_many(bench.tenant_id, [text], owners=owned[rows[ref].id])
    assert read[0].text == "Write to orla.quist@example.org"
