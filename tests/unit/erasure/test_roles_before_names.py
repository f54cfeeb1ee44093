"""``Uncle Ben`` is Ben: what somebody is to others is not their name, and others are it, too."""

import pytest

from proxy.erasure.search.target import Target, load
from proxy.erasure.texts.addressed import without_role
from proxy.tokens.vault import Mention

SAID = {
    "Uncle Ben Ebert": ("Uncle Ben Ebert gave me a watch.", "My uncle is a pilot."),
    "Coach Dan Tellwig": ("Coach Dan Tellwig runs practice.", "My coach is strict."),
    "boss Nelli Dornach": ("My boss Nelli Dornach was late.", "The boss is on holiday."),
    "my sister Annika Brandal": ("Annika Brandal has two kids.", "My sister plays chess."),
    "Frau Sabine Harkort": ("Frau Sabine Harkort rief an.", "Meine Frau heißt Julia."),
    "Oma Gertrud Velten": ("Oma Gertrud Velten backt gern.", "Meine Oma wohnt in Ulm."),
    "Chef Ralf Kranz": ("Chef Ralf Kranz war streng.", "Mein Chef ist im Urlaub."),
    "mon frère Luc Dorrit": ("Luc Dorrit joue aux échecs.", "Mon frère habite à Lyon."),
}
RELATED = ("uncle", "coach", "boss", "sister", "Frau", "Oma", "Chef", "frère")


@pytest.mark.parametrize("name", SAID)
async def test_whoever_is_the_same_to_others_stays(build, name: str) -> None:
    """The named one goes; nothing else is found, hidden or blocked."""
    theirs, others = SAID[name]
    bench = await build()
    await bench.remember("u-1", theirs)
    for word in (word for word in RELATED if f" {word} " in others):
        await bench.remember("u-1", others, mentions=[Mention("RELATIONSHIP", word)])
    view = await bench.forget(load({"kind": "entity", "value": name}))
    assert (view.state, view.counts["found"]) == ("complete", 1)
    assert await bench.texts("u-1") == [others]
    again = await bench.means.blocklist.blocked_mentions(bench.tenant_id, [theirs, others])
    assert [bool(each) for each in again] == [True, False]


async def test_of_whom_nothing_is_known_nobody_else_is_blocked(build) -> None:
    """A request that finds nothing hides nobody's boss."""
    bench = await build()
    said = "The boss is on holiday."
    await bench.remember("u-1", said, mentions=[Mention("RELATIONSHIP", "boss")])
    asked = load({"kind": "entity", "value": "boss Nelli Dornach", "owner": "u-1"})
    assert (await bench.forget(asked)).outcome == "nothing_found"
    assert not any(await bench.means.blocklist.blocked_mentions(bench.tenant_id, [said]))


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("my ex-husband Rupert Lang", "Rupert Lang"),
        ("ex wife Dana", "Dana"),
        ("Nachbar Otto Velten", "Otto Velten"),
        ("meine Schwester Julia", "Julia"),
        ("il mio amico Marco Bellini", "Marco Bellini"),
        ("l'ami Paul", "Paul"),
        ("my Rupert Lang", "Rupert Lang"),
        ("Boss Tilly Marwick", "Tilly Marwick"),
        ("Nonna Chiara Bellini", "Chiara Bellini"),
        ("my boss", "boss"),
        ("my llama", "my llama"),
        ("Ward Lorant", "Ward Lorant"),
        ("Buddy Velten", "Buddy Velten"),
        ("Koch Ottilie", "Koch Ottilie"),
        ("Freund Theophil", "Freund Theophil"),
        ("Nurse Clementine", "Nurse Clementine"),
        ("Mother Jones", "Mother Jones"),
        ("Mann Wendelin", "Mann Wendelin"),
        ("Cook Islands", "Cook Islands"),
        ("Coach Outlet", "Coach Outlet"),
        ("Ma Teresa Cruz", "Ma Teresa Cruz"),
        ("Mia Son", "Mia Son"),
    ],
)
def test_the_name_without_the_role(asked: str, name: str) -> None:
    """What is part of a name, or names nobody, stays as it is."""
    assert without_role(asked, within=True) == name
    target = load({"kind": "entity", "value": asked, "owner": "u-1"})
    assert target.values == (name,)


@pytest.mark.parametrize("asked", ["my sister Ada", "ex wife Dana", "nachbar Otto", "l'ami Paul"])
def test_nobodys_sister_is_everybody_of_the_name(asked: str) -> None:
    """Without an owner, a given name alone would be many people's."""
    for kind in ("entity", "subject"):
        assert load({"kind": kind, "value": asked}).values == (asked,)


def test_of_a_firm_every_word_is_its_name() -> None:
    """Whose type is said is read as that."""
    target = load({"kind": "entity", "value": "Chef Paul", "type": "organization"})
    assert target == Target(kind="entity", values=("Chef Paul",), entity_type="ORGANIZATION")
