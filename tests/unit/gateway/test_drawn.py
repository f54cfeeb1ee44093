"""From which messages a fact may stem, and what a memory drawn from several of them is."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from proxy.gateway.answers.rows import Made, part_for
from proxy.gateway.memories import drawn
from proxy.gateway.unsettled import WRITES, Unsettled
from proxy.ledger import memories, writes
from proxy.ledger.writes import Write
from tests.support.gateway import Plane

AT = datetime(2026, 3, 1, tzinfo=UTC)
CHAT = (
    "I prefer aisle seats on planes.",
    "Thanks, noted that.",
    "Orla Quist joined our team, she is from Bergen.",
    "I come from Bergen too and keep 3 bees.",
    "Ich bin gegen Walnüsse allergisch.",
    "私は大阪に住んでいます。",
)


@pytest.mark.parametrize(
    ("fact", "numbers"),
    [
        ("User prefers aisle seats on planes", [0]),
        ("User likes a seat at the aisle of a plane", [0]),
        ("User's new colleague is from Bergen", [2, 3]),
        ("User has 3 bees", [3]),
        ("User has 4 bees", [3]),
        ("Orla Quist’s home is Bergen", [2, 3]),
        ("User has a walnut allergy", [4]),
        ("大阪に住む", [5]),
        ("User works with somebody whose team sails on Sundays", []),  # one word of four
        ("User likes it", []),  # no word that says anything
        ("Der Nutzer mag Tee", []),
    ],
)
def test_a_fact_may_stem_from_every_message_that_has_a_word_of_it(
    fact: str, numbers: list[int]
) -> None:
    """Whatever its ending, case or letters; unclear is what they have less than half of."""
    assert drawn.sources([fact], CHAT) == [numbers]


@pytest.mark.parametrize(
    ("text", "speaks"),
    [
        ("He moved from Bergen.", True),
        ("Their cat is old.", True),
        ("The new colleague sails.", True),
        ("This client pays late.", True),
        ("Sie wohnt in Bergen.", True),
        ("Elle habite à Bergen.", True),
        ("Она живёт в Бергене.", True),
        ("她住在北京。", True),
        ("I moved from Bergen.", False),
        ("My colleague sails.", False),
        ("It rains in Bergen.", False),
        ("Sherry is a wine.", False),
    ],
)
def test_who_speaks_of_somebody_without_a_name(text: str, speaks: bool) -> None:
    """By a pronoun, or as of one who is known already."""
    assert drawn.speaks_of_somebody(text) is speaks


def part(content: str, *found: str, **more: Any) -> dict[str, Any]:
    """One part of a plan, as ``record`` makes it."""
    return {
        "content": content, "group": -1, "entities": list(found), "tier": "long_term",
        "expires_at": None, "prompt_at": None, "categories": [], "tags": [], "quarantined": False,
        **more,
    }  # fmt: skip


def told(said: Sequence[tuple[str, str]]) -> list[list[str]]:
    """The people of each message; given are their names' ids and what they say."""
    parts = [part("", *ids.split(), "place") for ids, _ in said]
    people = frozenset({"orla", "alva", "everywhere"})
    found = drawn.speaking(parts, [text for _, text in said], people)
    return [[each for each in one["entities"] if each != "place"] for one in found]


def test_a_pronoun_means_any_of_those_named_lately() -> None:
    """As far as nobody knows which: a name beside it may be whom it means or not."""
    said = [("orla", "Orla sails."), ("", "Fine."), ("alva", "Alva rows."), ("", "She won.")]
    assert told(said) == [["orla"], [], ["alva"], ["alva", "orla"]]
    assert told([*said, ("alva", "Alva drove her home.")])[4] == ["alva", "orla"]


@pytest.mark.parametrize(
    "text",
    [
        "Works nights at the shipyard.",
        "And has twins, too.",
        "Who, by the way, snores.",
        "Just got engaged to a pilot.",
        "Recovering from an operation.",
        "A welder, at the shipyard.",
    ],
)
def test_what_leaves_out_whom_it_is_of_goes_on_about_the_last(text: str) -> None:
    """A question names her, and the answer has no subject."""
    assert told([("orla", "What does Orla do for a living?"), ("", text)])[1] == ["orla"]


@pytest.mark.parametrize(
    "text", ["I keep bees.", "The ferry was late.", "I was in the ER on Monday.", "My dog rows."]
)
def test_what_says_of_whom_it_is_does_not_go_on(text: str) -> None:
    """It follows what was said of her, and is about something else."""
    assert told([("orla", "Orla sails."), ("", text)])[1] == []


def test_who_says_their_name_speaks_of_themselves() -> None:
    """In every message of the chat in which they do, also before it."""
    said = [("", "I have gout."), ("orla", "My name is Orla Quist."), ("", "I row."), ("", "Fine.")]
    assert told(said) == [["orla"], ["orla"], ["orla"], []]
    assert told([("orla", "I am with Orla."), ("", "I row.")])[1] == []


def test_a_pronoun_means_who_was_named_last_however_long_ago() -> None:
    """Beyond the last messages nobody else is left whom it could mean."""
    said = [("orla", "Orla sails."), ("alva", "Alva rows."), *[("", "Fine.")] * 8, ("", "He won.")]
    assert told(said) == [["orla"], ["alva"], *[[]] * 8, ["alva"]]


def test_a_name_that_is_told_is_of_whom_was_spoken_of_before() -> None:
    """Not of everybody: of the message and the answer before."""
    said = [("", "I row."), ("", "My friend sails."), ("", "Oh?"), ("orla", "Her name is Orla.")]
    assert told(said) == [[], ["orla"], ["orla"], ["orla"]]


def test_who_is_named_beside_every_message_explains_no_pronoun() -> None:
    """Metadata name the owner, or whoever wrote it; a pronoun still means somebody of the chat."""
    said = [("orla everywhere", "Orla sails."), ("everywhere", "She won.")]
    assert told(said) == [["orla", "everywhere"], ["everywhere", "orla"]]


def write_of(tenant: str, *parts: Mapping[str, Any], found: Sequence[str] = ()) -> Write:
    """A write with such a plan, the whole of which is of the tier ``sensitive``."""
    plan = part("", "whole", tier="sensitive", tags=["whole"]) | {"parts": list(parts)}
    return Write("wrt_1", tenant, "mem0", "intended", plan, "sha256:x", AT, entity_ids=tuple(found))


async def test_what_is_drawn_from_several_is_the_strictest_of_each(plane: Plane) -> None:
    """Entities, categories and tags of all of them; the period that ends first."""
    said = ("I sail in Bergen.", "Bergen is wet.", "I keep bees.")
    write = write_of(
        plane.tenants["acme"],
        part("0", "a", categories=["location"], tags=["t"], expires_at="2027-03-01T00:00:00+00:00"),
        part(
            "1", "b", "a", tier="short_term", expires_at="2027-03-01T00:00:00+01:00",
            prompt_at="2026-04-01T00:00:00+00:00", categories=["health"],
        ),
        part("2", "c", quarantined=True, tags=["c"], prompt_at="2026-03-02T00:00:00+00:00"),
    )  # fmt: skip
    texts = ["User sails in Bergen", "User has bees", "User reads at night", "I keep bees."]
    made = [Made(str(number), text) for number, text in enumerate(texts)]
    found = await drawn.attributed(plane.services, write, made, said)
    names = await plane.services.keyring.tenant(write.tenant_id)
    parts = [part_for(found.plan, memories.content_ref(names, text)) for text in texts]
    assert [
        (each["entities"], each["tier"], each["categories"], each["tags"], each["quarantined"])
        for each in parts
    ] == [
        (["a", "b"], "short_term", ["health", "location"], ["t"], False),
        (["c"], "long_term", [], ["c"], True),
        (["a", "b", "c", "whole"], "short_term", ["health", "location"], ["c", "t", "whole"], True),
        (["c"], "long_term", [], ["c"], True),
    ]
    assert [(each["expires_at"], each["prompt_at"]) for each in parts] == [
        ("2027-03-01T00:00:00+01:00", "2026-04-01T00:00:00+00:00"),
        (None, "2026-03-02T00:00:00+00:00"),
        ("2027-03-01T00:00:00+01:00", "2026-03-02T00:00:00+00:00"),
        (None, "2026-03-02T00:00:00+00:00"),
    ]
    assert write.plan["parts"] == found.plan["parts"][len(made) :]


@pytest.mark.parametrize("said", [(), ("I sail.",), ("I sail.", "I row.", "I keep bees.")])
async def test_texts_that_are_not_those_of_the_plan_tell_nothing(
    plane: Plane, said: tuple[str, ...]
) -> None:
    """Each fact keeps the whole of its write."""
    write = write_of(plane.tenants["acme"], part("0", "a"), part("1", "b"))
    assert await drawn.attributed(plane.services, write, [Made("1", "User sails")], said) is write


def test_texts_are_held_within_bounds_and_let_go() -> None:
    """The oldest go first, and one that is too long is not held at all."""
    held = Unsettled(most=10)
    held.hold("a", ["12345"])
    held.hold("b", ["123", "45"])
    assert (held.of("a"), held.of("b"), held.of("c")) == (("12345",), ("123", "45"), ())
    held.hold("c", ["1"])
    assert held.writes == ["b", "c"]
    held.hold("b", ["1"])
    held.hold("d", ["12345678"])
    assert held.writes == ["c", "b", "d"]
    held.drop(["c", "x"])
    held.hold("e", ["12345678901"])
    assert held.writes == []
    for number in range(WRITES + 1):
        held.hold(str(number), [""])
    assert len(held.writes) == WRITES


async def test_open_writes_among_some(plane: Plane) -> None:
    """Those that are settled, failed or unknown to the ledger are not among them."""
    ledger = plane.services.ledger
    for state in ("intended", "pending", "unknown", "settled", "failed"):
        write = replace(write_of(plane.tenants["acme"]), id=f"wrt_{state}", state=state)
        await ledger.write(lambda tx, w=write: writes.intend(tx, w, epochs={}))  # type: ignore[misc]
    ids = [f"wrt_{each}" for each in ("intended", "pending", "unknown", "settled", "failed", "x")]
    assert await ledger.read(lambda tx: writes.open_among(tx, ids)) == set(ids[:3])
    for each in ids[:3]:
        await ledger.write(lambda tx, e=each: writes.conclude(tx, e, "failed"))  # type: ignore[misc]
