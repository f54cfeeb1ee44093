"""Owners whose id is the name itself: theirs goes with them, and the id does not come back."""

import pytest

from proxy.erasure.search.target import Target
from proxy.erasure.texts.mentions import Needles
from proxy.ledger import owners
from proxy.tokens.vault import Mention
from tests.support.erasing import Erasing

STEN = Target(kind="entity", values=("Sten Lode",), entity_type="PERSON")
IDS = {
    # id: whether it is Sten Lode
    "Sten Lode": True,
    "sten-lode": True,
    "sten.lode": True,
    "STEN_LODE": True,
    "stenlode": True,
    "lode.sten": True,
    "sten%20lode": True,
    "sten": False,
    "lode": False,
    "sten-lodestar": False,
    "sten-lode-and-mira": False,
    "mira-lode": False,
    "u-1": False,
}


@pytest.mark.parametrize(("identifier", "his"), IDS.items(), ids=IDS.keys())
def test_which_ids_are_the_person(identifier: str, his: bool) -> None:
    """The whole name in any spelling and nothing else; one word of it may be anybody."""
    own = Needles.build(("Sten Lode", "Sten"), entity_type="PERSON").of_ids()
    assert own is not None
    assert own.is_id(identifier) is his


def test_which_needles_are_no_ids() -> None:
    """Single words and things are nobody's owner id."""
    assert Needles.build(("Sten",), entity_type="PERSON").of_ids() is None
    assert Needles.build(("Acme Corp",), entity_type="ORGANIZATION").of_ids() is None
    address = Needles.build(("sten@example.org",), entity_type="EMAIL_ADDRESS").of_ids()
    assert address is not None
    assert address.is_id("STEN@example.org")
    assert not address.is_id("a.sten@example.org")


@pytest.mark.parametrize("known", [True, False], ids=["in the ledger", "strange to the ledger"])
@pytest.mark.parametrize("owner", ["Sten Lode", "sten-lode"])
async def test_the_persons_own_owner_goes(bench: Erasing, owner: str, known: bool) -> None:
    """All that is kept under the name goes, mentions elsewhere too; a namesake's owner stays."""
    bench.store.owner_form = "keep"
    await bench.remember(owner, "I like herring", mentions=[], known=known)
    await bench.remember("u-2", "Met Sten Lode", mentions=[Mention("PERSON", "Sten Lode")])
    await bench.remember("sten-lund", "I like bread", mentions=[])
    view = await bench.forget(STEN)
    assert view.state == "complete", view.body()
    assert sorted(bench.small.texts()) == ["I like bread"]
    if known:
        assert view.counts["to_delete"] == 2
        names = await bench.means.keyring.tenant(bench.tenant_id)
        ref = owners.ref(names, "user", owner)
        row = await bench.ledger.read(lambda tx: owners.find(tx, bench.tenant_id, "user", ref))
        assert row is None or row.state == "erased"
    blocked = bench.means.blocklist.owner_blocked
    for identifier, his in IDS.items():
        assert await blocked(bench.tenant_id, "user", identifier) is (
            his or identifier == "sten-lode-and-mira"
        ), identifier


async def test_within_one_owner_no_other_owner_goes(bench: Erasing) -> None:
    """Whoever forgets him under one owner says nothing about an owner of that name."""
    await bench.remember("sten-lode", "I like herring", mentions=[])
    await bench.remember("u-2", "Met Sten Lode", mentions=[Mention("PERSON", "Sten Lode")])
    view = await bench.forget(
        Target(kind="entity", values=("Sten Lode",), entity_type="PERSON", owner="u-2")
    )
    assert view.state == "complete", view.body()
    assert bench.small.texts() == ["I like herring"]
