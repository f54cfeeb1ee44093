"""What else the index knows somebody by: it never hides a mention, nor decides what they are."""

import pytest

from proxy.erasure.search.target import Target
from proxy.erasure.texts.mentions import Needles
from proxy.tokens.index.spelling import Name
from proxy.tokens.vault import Mention
from tests.support.erasing import OPERATOR, Erasing

NAME = "Orla Quist"
BESIDE = {
    "handle": ("orla_quist",),
    "dotted": ("orla.quist",),
    "hyphens": ("orla-quist",),
    "address": ("orla.quist@example.org",),
    "number": ("+49 30 555 0123",),
    "number of a thing": ("TKT-100",),
    "path": ("/home/orla/notes",),
    "all": ("orla_quist", "Orla.Quist", "orla.quist@example.org", "/home/orla", "ORLA QUIST"),
}
SAID = {
    # a mention, and its twin that is somebody or something else
    "plain": ("Met Orla Quist today", "Met Tilda Quist today"),
    "link": ("see https://x.example/in/orla-quist-99", "see https://x.example/in/orla-lund-99"),
    "dotted link": ("see https://x.example/orla.quist-99", "see https://x.example/orla.lund-99"),
    "page": ("see x.example/orla.quist.html", "see x.example/orla.lund.html"),
    "folder": ("open /home/quist_orla/x", "open /home/quist_dane/x"),
    "plus": ("see https://x.example/?q=orla+quist", "see https://x.example/?q=orla+lund"),
    "joined": ("by OrlaQuist.png", "by DaneQuist.png"),
    "handle": ("tag orla_quist now", "tag orla_lund now"),
}


@pytest.mark.parametrize("entity_type", ["PERSON", None])
@pytest.mark.parametrize("beside", BESIDE.values(), ids=BESIDE.keys())
@pytest.mark.parametrize(("said", "other"), SAID.values(), ids=SAID.keys())
def test_another_surface_hides_no_mention(
    said: str, other: str, beside: tuple[str, ...], entity_type: str | None
) -> None:
    """What the name alone finds is found with anything beside it, in any order."""
    for surfaces in ((NAME, *beside), (*beside, NAME)):
        needles = Needles.build(surfaces, entity_type=entity_type)
        assert needles.mentioned(said), surfaces
        assert not needles.mentioned(other), surfaces


@pytest.mark.parametrize("surface", ["orla_quist", "orla.quist", "orla-quist"])
@pytest.mark.parametrize(("said", "other"), SAID.values(), ids=SAID.keys())
def test_a_person_known_by_the_handle_alone(surface: str, said: str, other: str) -> None:
    """A handle of two words of a person is the person's name."""
    needles = Needles.build((surface,), entity_type="PERSON")
    assert needles.mentioned(said)
    assert not needles.mentioned(other)


@pytest.mark.parametrize("entity_type", ["PERSON", None])
@pytest.mark.parametrize(
    ("name", "said", "other"),
    [
        ("Dr. Orla Quist", "Met Orla Quist today", "Met Orla Lund today"),
        ("Dr. Orla Quist", "see Dr. Orla Quist", "see Dr. Dane Lund"),
        ("Mr Orla Brandt Jr", "see /in/orla-brandt-99", "see /in/orla-lund-99"),
        ("Orla T. Brandt", "Met Orla Brandt today", "Met Tilda Brandt today"),
        ("Jörg Brüller", "Joerg Brueller waved", "Joerg Lund waved"),
        ("orla@example.org", "write orla@example.org", "write orla@example.net"),
    ],
)
def test_a_name_nobody_knows_is_found_like_a_known_one(
    name: str, said: str, other: str, entity_type: str | None
) -> None:
    """What the blocklist takes for the person, the plan takes for the person: known or not."""
    needles = Needles.build((name,), entity_type=entity_type)
    assert needles.mentioned(said)
    assert not needles.mentioned(other)


@pytest.mark.parametrize("entity_type", [None, "ORGANIZATION"])
@pytest.mark.parametrize(
    ("thing", "other"),
    [
        ("Dr. Pepper", "the pepper mill"),
        ("Sir Lancelot Inn", "the Lancelot Hotel"),
        ("What Was That", "that was what"),
        ("Institute for Old Things, New Ships and Small Boats", "the Institute for Old Things"),
    ],
)
def test_every_name_finds_itself(thing: str, other: str, entity_type: str | None) -> None:
    """Longer than a name, begun by a title, or a sentence: it is found as it was given."""
    needles = Needles.build((thing,), entity_type=entity_type)
    assert needles.mentioned(f"we saw {thing} today")
    assert needles.mentioned(thing.lower())
    assert not needles.mentioned(other)


@pytest.mark.parametrize(
    ("surfaces", "said", "other"),
    [
        (("brenn.example",), "see brenn.example, now", "see brenn.example.net"),
        (("brenn.example", "lund.example"), "at lund.example, now", "at lund.example-2"),
        (("/etc/app/conf", "Acme Corp"), "in /etc/app/conf now", "in /etc/app/conf.bak"),
        (("order_2024_001", "Acme Corp"), "the order_2024_001", "the order_2024_0010"),
    ],
)
def test_things_keep_their_boundaries(surfaces: tuple[str, ...], said: str, other: str) -> None:
    """What only the beginning of a longer address or number is, is another thing."""
    needles = Needles.build(surfaces)
    assert needles.mentioned(said)
    assert not needles.mentioned(other)


@pytest.mark.parametrize(
    ("said", "other"),
    [
        ("write to orla.q@example.org please", "write to orla.qu@example.org please"),
        ("call +49 30 555 0123 now", "call +49 30 555 0124 now"),
        ("call 0305550123 now", "call 0305550124 now"),
    ],
)
async def test_addresses_among_names(bench: Erasing, said: str, other: str) -> None:
    """A person given by name, address and number goes by each of them."""
    await bench.remember("u-1", f"Met {NAME}", mentions=[Mention("PERSON", NAME)])
    await bench.remember("u-1", said, mentions=[], known=False)
    await bench.remember("u-1", other, mentions=[], known=False)
    given = (NAME, "orla.q@example.org", "+49 30 555 0123")
    view = await bench.forget(Target(kind="entity", values=given))
    assert (view.state, bench.small.texts()) == ("complete", [other])


async def test_a_handle_in_metadata_does_not_hide_a_link(bench: Erasing) -> None:
    """Complete means that a recheck finds nothing either."""
    mentions = [Mention("PERSON", NAME)]
    await bench.remember("u-1", f"I met {NAME} at the harbour", mentions=mentions)
    await bench.remember("u-1", "see https://x.example/in/orla-quist-99", mentions=[])
    await bench.remember(
        "u-1", "third meeting", mentions=[Mention("PERSON", "orla_quist")],
        metadata={"deep": {"l": ["orla_quist"]}},
    )  # fmt: skip
    await bench.remember("u-1", "see https://x.example/in/tilda-lund-99", mentions=[])
    view = await bench.forget(Target(kind="entity", values=(NAME,)))
    assert (view.state, view.counts["to_delete"]) == ("complete", 3)
    assert bench.small.texts() == ["see https://x.example/in/tilda-lund-99"]
    seen = await bench.service.recheck(bench.tenant_id, view.reference, actor=OPERATOR)
    assert seen.still_absent


@pytest.mark.parametrize("slip", ["ORGANIZATION", "LOCATION"])
@pytest.mark.parametrize("first", [True, False], ids=["slip first", "slip last"])
async def test_a_slip_of_detection_makes_no_thing_of_a_person(
    bench: Erasing, slip: str, first: bool
) -> None:
    """Known as a thing too, she is still a person: hers goes, her namesakes' stays."""
    bench.store.owner_form = "keep"
    kinds = [slip, "PERSON"] if first else ["PERSON", slip]
    for kind in kinds:
        await bench.remember("u-1", f"{kind}: {NAME}", mentions=[Mention(kind, NAME)])
    await bench.remember("u-1", "Ah, Quist, she is strict", mentions=[Mention("PERSON", "Quist")])
    await bench.remember("orla.quist", "I like marmalade", mentions=[])
    await bench.remember("Orla_Quist", "I like jam", mentions=[])
    dane = [Mention("PERSON", "Dane Quist")]
    await bench.remember("u-3", "Mr Dane Quist repairs clocks", mentions=dane)
    await bench.remember("u-4", "Quist Street is closed", mentions=[])
    view = await bench.forget(Target(kind="entity", values=(NAME,)))
    assert view.state == "complete"
    assert sorted(bench.small.texts()) == ["Mr Dane Quist repairs clocks", "Quist Street is closed"]


async def test_what_is_known_only_as_a_thing_stays_one(bench: Erasing) -> None:
    """An owner who is called like a firm is nobody who is forgotten with it."""
    bench.store.owner_form = "keep"
    firm = [Mention("ORGANIZATION", "Acme Corp")]
    await bench.remember("u-1", "We met Acme Corp", mentions=firm)
    await bench.remember("acme_corp", "I like jam", mentions=[])
    await bench.forget(Target(kind="entity", values=("Acme Corp",)))
    assert bench.small.texts() == ["I like jam"]


@pytest.mark.parametrize("beside", BESIDE.values(), ids=BESIDE.keys())
async def test_the_blocklist_knows_no_more_than_an_erasure(
    bench: Erasing, beside: tuple[str, ...]
) -> None:
    """What a recheck would take for a return, the plan and its verification find as well."""
    blocklist = bench.means.blocklist
    names = [Name(surface) for surface in (NAME, *beside)]
    await bench.ledger.write(lambda tx: blocklist.add(tx, bench.tenant_id, names))
    texts = [text for pair in SAID.values() for text in pair]
    hits = await blocklist.blocked_mentions(bench.tenant_id, texts)
    needles = Needles.build((NAME, *beside), entity_type="PERSON")
    assert [bool(each) for each in hits] == [needles.mentioned(each) for each in texts]
