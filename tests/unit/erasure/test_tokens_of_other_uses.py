"""A token says what detection took a word for; what the words around it say has the last word."""

import pytest

from proxy.erasure.search.target import Target
from proxy.tokens.vault import Mention
from tests.support.erasing import Erasing


async def hidden(bench: Erasing, owner: str, name: str, text: str) -> str:
    """A memory as the gateway stores it: with the token of a name, whatever the name means."""
    mention = Mention("PERSON", name)
    (made,) = await bench.ledger.write(
        lambda tx: bench.means.vault.tokenise(tx, bench.tenant_id, [mention])
    )
    stored = text.replace(name, made.token)
    await bench.remember(owner, stored, mentions=[mention])
    return stored


async def shown(bench: Erasing, owner: str) -> list[str]:
    """What an owner reads."""
    texts = await bench.texts(owner)
    found = await bench.means.vault.restore_many(bench.tenant_id, texts)
    return sorted(each.text for each in found)


USES = {
    # id: name, what is said of somebody, what others say of something else
    "a country": ("Jordan", ["Jordan called"], ["Jordan borders Israel", "We flew to Jordan"]),
    "a brand": ("Jordan", ["Jordan called"], ["Air Jordan shoes are red", "My Air Jordan cap"]),
    "a city": ("Paris", ["Had lunch with Paris"], ["Paris is the capital of France"]),
    "a bridge": ("Brandt", ["Brandt bakes bread"],
                 ["We drove over the Brandt bridge", "The old Brandt theatre reopened"]),
    "a lake": ("Victoria", ["Victoria bakes bread"], ["We sailed on Lake Victoria"]),
    "a storm": ("Katrina", ["Met Katrina"], ["Hurricane Katrina hit the coast"]),
    "a saint": ("Paul", ["Paul called"], ["St. Paul is a cold city", "Mass is at Saint Paul"]),
    "a shop": ("Joe", ["Joe called"], ["Shops at Trader Joe's", "Ate at Joe's Diner"]),
    "a month": ("April", ["April called"], ["The fair is in April"]),
    "twin: nothing but somebody": ("Orla", ["Orla called", "Met Orla at the lake"], []),
}  # fmt: skip


@pytest.mark.parametrize(("name", "goes", "stays"), USES.values(), ids=USES)
async def test_a_token_does_not_make_a_place_somebody(
    bench: Erasing, name: str, goes: list[str], stays: list[str]
) -> None:
    """Others keep what is said of a place or a brand, and can read it; the person goes."""
    for text in goes:
        await hidden(bench, "u-1", name, text)
    for text in stays:
        await hidden(bench, "u-2", name, text)
    view = await bench.forget(Target(kind="entity", values=(name,), entity_type="PERSON"))
    assert (view.state, view.deleted) == ("complete", len(goes)), view.body()
    assert await bench.texts("u-1") == []
    assert await shown(bench, "u-2") == sorted(stays)


async def test_a_token_without_its_name_is_a_mention(bench: Erasing) -> None:
    """Where nothing of what it stands for can be read, the token itself tells whom it means."""
    await hidden(bench, "u-1", "Orla", "Orla called")
    (token,) = [text.split()[0] for text in await bench.texts("u-1")]
    await bench.remember("u-2", f"see {token}", known=False)
    view = await bench.forget(Target(kind="entity", values=("Orla",), entity_type="PERSON"))
    assert (view.state, view.deleted) == ("complete", 2), view.body()
