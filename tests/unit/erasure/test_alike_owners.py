"""Owners whose id holds the name and more: they are asked about, and go only if chosen."""

import base64
import json
from typing import Any

import pytest

from proxy.erasure.reconcile import reconcile
from proxy.erasure.search.alike import _hints, _may_resemble, _words, resemblance
from proxy.erasure.search.target import Target
from proxy.erasure.texts.mentions import Needles
from proxy.ledger import erasures
from proxy.problems import Problem
from proxy.tokens.vault import Mention
from tests.support.erasing import OPERATOR, Erasing

STEN = Target(kind="entity", values=("Sten Lode",), entity_type="PERSON")
SURE, HOLDS, GIVEN = "is_the_name", "holds_the_name", "given_name_only"
IDS = {
    "sten-lode": SURE,
    "lode_sten": SURE,
    "user:sten_lode": HOLDS,
    "sten-lode-42": HOLDS,
    "sten.lode@corp.example": HOLDS,
    "StenLode7": HOLDS,
    "stenlode_2": HOLDS,
    "lodeSten2": HOLDS,
    "auth0|sten.lode": HOLDS,
    "sten_m_lode_1": HOLDS,
    "lode-with-sten": HOLDS,
    "user%3Asten%20lode": HOLDS,
    "sten": GIVEN,
    "user:Sten": GIVEN,
    "sten-7": GIVEN,
    "lode": None,
    "rosten": None,
    "lodestar": None,
    "sten-lodestar": None,
    "sten-rosten": None,
    "rostenlode": None,
    "mira-lode": None,
    "sten-lund": None,
    "u-1": None,
    "42": None,
}


@pytest.mark.parametrize(("identifier", "expected"), IDS.items(), ids=IDS.keys())
def test_how_an_id_resembles_the_name(identifier: str, expected: str | None) -> None:
    """All words of the name, apart or joined, with anything around them; never parts of words."""
    own = Needles.build(("Sten Lode", "Sten"), entity_type="PERSON").of_ids()
    assert own is not None
    assert resemblance(own, [["sten", "lode"]], identifier) == expected


@pytest.mark.parametrize("name", ["Sten Lode", "Jörg Müller", "sten@example.org", "田中 太郎"])
def test_no_id_is_ruled_out_too_early(name: str) -> None:
    """What reads as the name in any way is looked at; most ids are not."""
    kind = "EMAIL_ADDRESS" if "@" in name else "PERSON"
    own = Needles.build((name,), entity_type=kind).of_ids()
    assert own is not None
    spelled = {
        "Sten Lode": [
            *IDS,
            "s-t-e-n-l-o-d-e",
            "5ten_l0de",
            "stenlode",
            "c3Rlbi1sb2Rl",
            "ѕten-lode",
            "LODE%20STEN",
        ],
        "Jörg Müller": ["joerg-mueller-2", "jorg.muller", "JÖRG_MÜLLER", "j%C3%B6rg-m%C3%BCller-1"],
        "sten@example.org": [*ADDRESSES, "sten%40example.org"],
        "田中 太郎": ["田中太郎", "user:田中 太郎"],
    }[name]
    names = [words for each in own.surfaces if (words := _words(each, kind))]
    for each in spelled:
        if resemblance(own, names, each) is not None:
            assert _may_resemble(each, _hints(own)), each
    assert any(resemblance(own, names, each) for each in spelled)
    assert not _may_resemble("customer-001234-x7", _hints(own))
    assert not _may_resemble("anna.berg@corp.example", _hints(own)) or "@" in name


ADDRESSES = {
    "user:sten@example.org": HOLDS,
    "STEN@example.org": SURE,
    "a.sten@example.org": None,
    "sten@example.org.example": None,
    "sten": None,
}


@pytest.mark.parametrize(("identifier", "expected"), ADDRESSES.items(), ids=ADDRESSES.keys())
def test_how_an_id_resembles_an_address(identifier: str, expected: str | None) -> None:
    """The whole address with something around it, not a longer one."""
    own = Needles.build(("sten@example.org",), entity_type="EMAIL_ADDRESS").of_ids()
    assert own is not None
    assert resemblance(own, [], identifier) == expected


async def plan(bench: Erasing, target: Target = STEN, **request: Any) -> Any:
    """Ask for an erasure as an operator."""
    return await bench.service.request(bench.tenant_id, target, actor=OPERATOR, **request)


async def carry_out(bench: Erasing, view: Any) -> Any:
    """Confirm a plan and carry it out."""
    assert view.state == "planned", view.body()
    await bench.service.confirm(
        bench.tenant_id, view.id, word="confirmed", token=view.token, actor=OPERATOR
    )
    return await bench.service.run(bench.tenant_id, view.id)


async def two_stens(bench: Erasing, *, known: bool, keep: bool = True) -> None:
    """Two owners whose ids hold the name, one whose does not, and a mention elsewhere."""
    if keep:
        bench.store.owner_form = "keep"
    await bench.remember("sten-lode-1", "I like herring", mentions=[], known=known)
    await bench.remember("sten-lode-1", "I sleep late", mentions=[], known=known)
    await bench.remember("sten-lode-2", "I like bread", mentions=[], known=known)
    await bench.remember("lodestar", "The north star", mentions=[])
    await bench.remember("u-2", "Met Sten Lode", mentions=[Mention("PERSON", "Sten Lode")])


CHOICES = {
    "one": (("sten-lode-1",), ["I like bread", "The north star"]),
    "all": (("all",), ["The north star"]),
    "none": (("none",), ["I like bread", "I like herring", "I sleep late", "The north star"]),
}


@pytest.mark.parametrize("known", [True, False], ids=["in the ledger", "strange to the ledger"])
@pytest.mark.parametrize(("owners", "left"), CHOICES.values(), ids=CHOICES.keys())
async def test_asked_and_answered(
    bench: Erasing, owners: tuple[str, ...], left: list[str], known: bool
) -> None:
    """The chosen owners go as a whole and stay blocked; who is not chosen may go on writing."""
    assert bench.small is not None
    await two_stens(bench, known=known)
    asked = await plan(bench)
    assert asked.state == "needs_clarification"
    assert [(c.entity_type, c.hint, c.memories, c.why) for c in asked.candidates] == [
        ("OWNER_ID", "sten-lode-1", 2, HOLDS), ("OWNER_ID", "sten-lode-2", 1, HOLDS),
    ]  # fmt: skip
    view = await bench.service.clarify(bench.tenant_id, asked.id, owners=owners, actor=OPERATOR)
    done = await carry_out(bench, view)
    assert done.state == "complete", done.body()
    assert sorted(bench.small.texts()) == left
    for owner, text in (("sten-lode-1", "I like herring"), ("sten-lode-2", "I like bread")):
        blocked = await bench.means.blocklist.owner_blocked(bench.tenant_id, "user", owner)
        assert blocked is (text not in left), owner
    assert await bench.means.blocklist.owner_blocked(bench.tenant_id, "user", "sten-lode-3")


@pytest.mark.parametrize("given", ["ids", "all", "none"])
async def test_candidates_are_an_answer_too(bench: Erasing, given: str) -> None:
    """Whoever answers as for ambiguous names is understood; another's candidate is refused."""
    assert bench.small is not None
    await two_stens(bench, known=True, keep=False)
    asked = await plan(bench)
    entity_ids = [asked.candidates[0].id] if given == "ids" else [given]
    with pytest.raises(Problem, match="invalid-request"):
        await bench.service.clarify(bench.tenant_id, asked.id, entity_ids=["own_0"], actor=OPERATOR)
    view = await bench.service.clarify(
        bench.tenant_id, asked.id, entity_ids=entity_ids, actor=OPERATOR
    )
    assert view.counts["to_delete"] == {"ids": 3, "all": 4, "none": 1}[given]


async def test_answered_beforehand(bench: Erasing) -> None:
    """Scripts answer with the request, in a preview too; nobody's id is refused, not ignored."""
    await two_stens(bench, known=True)
    assert (await plan(bench, dry_run=True)).state == "needs_clarification"
    for owners, count in ((("none",), 1), (("all",), 4), (("sten-lode-2",), 2)):
        target = Target(kind="entity", values=("Sten Lode",), entity_type="PERSON", owners=owners)
        assert (await plan(bench, target, dry_run=True)).counts["to_delete"] == count
        assert (await plan(bench, target)).state == "planned"
    other = Target(kind="entity", values=("Sten Lode",), entity_type="PERSON", owners=("u-2",))
    assert (await plan(bench, other)).state == "needs_clarification"
    mira = Target(kind="entity", values=("Mira Quell",), entity_type="PERSON", owners=("u-2",))
    with pytest.raises(Problem, match="invalid-request"):
        await plan(bench, mira)
    mixed = Target(kind="entity", values=("Sten Lode",), owners=("all", "u-2"))
    with pytest.raises(Problem, match="invalid-request"):
        await plan(bench, mixed)


async def test_what_the_ledger_keeps_of_the_question(bench: Erasing) -> None:
    """Counts, a code and a keyed pseudonym: neither the owner's id nor the name."""
    await two_stens(bench, known=True)
    asked = await plan(bench)
    row = await bench.ledger.read(lambda tx: erasures.get(tx, bench.tenant_id, asked.id))
    assert row is not None
    assert [each["hint"] for each in row.candidates] == ["", ""]
    assert "sten" not in str(row.candidates)
    shown = await bench.service.get(bench.tenant_id, asked.id)
    assert [each.why for each in shown.candidates] == [HOLDS, HOLDS]


GIVEN_NAMES = {
    "nobody else is called so": ([], "I like herring", [], True),
    "somebody else is": (["Sten Oram"], "I like herring", [], False),
    "somebody else is, and the full name is among the memories": (
        ["Sten Oram"], "My name is Sten Lode", [Mention("PERSON", "Sten Lode")], True,
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("others", "text", "mentions", "asked"), GIVEN_NAMES.values(), ids=GIVEN_NAMES.keys()
)
async def test_a_given_name_alone(
    bench: Erasing, others: list[str], text: str, mentions: list[Mention], asked: bool
) -> None:
    """It is asked about only where it can hardly be anybody else's."""
    await bench.remember("u-2", "Met Sten Lode", mentions=[Mention("PERSON", "Sten Lode")])
    for other in others:
        await bench.remember("u-3", f"Met {other}", mentions=[Mention("PERSON", other)])
    await bench.remember("sten", text, mentions=mentions)
    await bench.remember("lode", "I like bread", mentions=[])
    view = await plan(bench)
    assert [each.why for each in view.candidates] == ([GIVEN] if asked else [])


QUIET = {
    "within one owner": Target(kind="entity", values=("Sten Lode",), owner="u-2"),
    "mainly about": Target(kind="entity", values=("Sten Lode",), scope="primary"),
    "an owner": Target(kind="owner", values=("u-2",)),
    "one word": Target(kind="entity", values=("Lodestar",), entity_type="PERSON"),
    "a thing": Target(kind="entity", values=("sten lode",), entity_type="MEDICAL_CONDITION"),
}


@pytest.mark.parametrize("target", QUIET.values(), ids=QUIET.keys())
async def test_where_nothing_is_asked(bench: Erasing, target: Target) -> None:
    """Only who forgets somebody everywhere is asked whose owners are."""
    await two_stens(bench, known=True)
    assert (await plan(bench, target)).candidates == ()


async def test_the_name_is_asked_about_first(bench: Erasing) -> None:
    """Who is meant comes before whose owners are; the first answer outlives the second question."""
    for name in ("Sten Lode", "Sten Oram"):
        for n in range(2):
            await bench.remember(f"u-{n}", f"Met {name}", mentions=[Mention("PERSON", name)])
    await bench.remember("sten-lode-1", "I like herring", mentions=[])
    view = await plan(bench, Target(kind="entity", values=("Sten",), entity_type="PERSON"))
    assert {each.entity_type for each in view.candidates} == {"PERSON"}
    lode = next(each for each in view.candidates if each.hint == "Sten Lode")
    view = await bench.service.clarify(
        bench.tenant_id, view.id, entity_ids=[lode.id], actor=OPERATOR
    )
    assert [each.hint for each in view.candidates] == ["sten-lode-1"]
    view = await bench.service.clarify(bench.tenant_id, view.id, owners=["all"], actor=OPERATOR)
    assert view.counts["to_delete"] == 3


@pytest.mark.parametrize("keep", [True, False], ids=["ids as they are", "opaque ids"])
async def test_what_comes_back_under_a_chosen_owner(bench: Erasing, keep: bool) -> None:
    """A memory planted under its id is seen by recheck, scan and reconcile; the others' are not."""
    assert bench.small is not None
    await two_stens(bench, known=True, keep=keep)
    asked = await plan(bench)
    view = await bench.service.clarify(
        bench.tenant_id, asked.id, owners=["sten-lode-1"], actor=OPERATOR
    )
    done = await carry_out(bench, view)
    assert (await bench.service.recheck(bench.tenant_id, done.id, actor=OPERATOR)).still_absent
    await bench.remember("sten-lode-2", "I like cake", known=False)
    assert (await bench.service.recheck(bench.tenant_id, done.id, actor=OPERATOR)).still_absent
    await bench.remember("sten-lode-1", "I like herring a lot", known=False)
    found = await bench.service.recheck(bench.tenant_id, done.id, actor=OPERATOR)
    assert (found.by_owner, found.returned) == (1, 1)


SAID = "My name is Sten Lode and I bake"
SAID_BY = {
    # id: which owners are meant, whether what the other one says of themselves stays
    "the other": (("sten-lode-1",), True),
    "none": (("none",), True),
    "both": (("all",), False),
}


@pytest.mark.parametrize(("owners", "stays"), SAID_BY.values(), ids=SAID_BY.keys())
async def test_another_person_of_the_name(
    bench: Erasing, owners: tuple[str, ...], stays: bool
) -> None:
    """Who was not chosen keeps what says the name, before and after; it is called doubtful."""
    assert bench.small is not None
    await two_stens(bench, known=True)
    await bench.remember("sten-lode-2", SAID, mentions=[Mention("PERSON", "Sten Lode")])
    asked = await plan(bench)
    view = await bench.service.clarify(bench.tenant_id, asked.id, owners=owners, actor=OPERATOR)
    doubtful = int(stays)
    assert view.counts.get("doubtful", 0) == doubtful
    done = await carry_out(bench, view)
    assert (done.state, done.counts.get("doubtful", 0)) == ("complete", doubtful)
    texts = bench.small.texts()
    assert (SAID in texts, "Met Sten Lode" in texts) == (stays, False)
    bundle = await bench.service.certificate(bench.tenant_id, done.id)
    signed = json.loads(base64.b64decode(json.loads(bundle.dsse)["payload"]))
    claim = signed["predicate"]["claim"]["not_covered"]
    assert ("mentions_by_the_name_under_owners_who_were_not_chosen" in claim) is stays
    assert ("owner_ids_that_hold_more_than_the_name" in claim) is stays
    assert (await bench.service.recheck(bench.tenant_id, done.id, actor=OPERATOR)).still_absent
    back = await reconcile(
        bench.means, bench.service, bench.tenant_id, actor=OPERATOR, dry_run=True
    )
    assert back.found == 0
    for owner, blocked in (("sten-lode-2", not stays), ("u-2", True)):
        row = await bench.ledger.read(lambda tx, owner=owner: bench.owner(tx, owner))
        (hits,) = await bench.means.blocklist.blocked_mentions(bench.tenant_id, [SAID], [row.id])
        assert bool(hits) is blocked, owner


STRANGE = {
    # id: whether the store's ids are the clients' own, which owners are meant, what stays
    "the other": (True, ("sten-lode-1",), True),
    "none": (True, ("none",), True),
    "both": (True, ("all",), False),
    "an id from before ids were opaque": (False, ("sten-lode-1",), True),
    "both, from before": (False, ("all",), False),
}


@pytest.mark.parametrize(("keep", "owners", "stays"), STRANGE.values(), ids=STRANGE.keys())
async def test_another_person_of_the_name_whom_only_the_store_knows(
    bench: Erasing, keep: bool, owners: tuple[str, ...], stays: bool
) -> None:
    """Nothing of who was not chosen comes back as erased, and they may go on saying their name."""
    assert bench.small is not None
    if keep:
        bench.store.owner_form = "keep"
    for n, text in ((1, "I like herring"), (2, SAID), (2, "I like bread")):
        bench.small.plant(text, user_id=f"sten-lode-{n}")
    await bench.remember("u-2", "Met Sten Lode", mentions=[Mention("PERSON", "Sten Lode")])
    asked = await plan(bench)
    assert [each.hint for each in asked.candidates] == ["sten-lode-1", "sten-lode-2"]
    view = await bench.service.clarify(bench.tenant_id, asked.id, owners=owners, actor=OPERATOR)
    done = await carry_out(bench, view)
    assert (done.state, done.counts.get("doubtful", 0)) == ("complete", int(stays))
    left = [SAID, "I like bread"] if stays else []
    left += ["I like herring"] if owners == ("none",) else []
    assert sorted(bench.small.texts()) == sorted(left)
    for _ in range(2):
        assert (await bench.service.recheck(bench.tenant_id, done.id, actor=OPERATOR)).still_absent
        back = await reconcile(bench.means, bench.service, bench.tenant_id, actor=OPERATOR)
        assert (back.found, sorted(bench.small.texts())) == (0, sorted(left))
    row = await bench.ledger.write(lambda tx: bench.owner(tx, "sten-lode-2"))
    (hits,) = await bench.means.blocklist.blocked_mentions(bench.tenant_id, [SAID], [row.id])
    assert bool(hits) is not stays
    bench.small.plant(SAID, user_id="u-9")
    back = await reconcile(bench.means, bench.service, bench.tenant_id, actor=OPERATOR)
    assert (back.by_mention, sorted(bench.small.texts())) == (1, sorted(left))


async def test_an_answer_that_names_nobody_is_refused(bench: Erasing) -> None:
    """The problem names what can be chosen; the question waits as before."""
    await two_stens(bench, known=True)
    asked = await plan(bench)
    for owners in (["u-2"], ["sten-lode-1", "sten-lode-9"]):
        with pytest.raises(Problem, match="invalid-request") as refused:
            await bench.service.clarify(bench.tenant_id, asked.id, owners=owners, actor=OPERATOR)
        assert all(each.id in (refused.value.hint or "") for each in asked.candidates)
    assert (await bench.service.get(bench.tenant_id, asked.id)).state == "needs_clarification"
    view = await bench.service.clarify(
        bench.tenant_id, asked.id, owners=["sten-lode-1"], actor=OPERATOR
    )
    assert view.state == "planned"


@pytest.mark.parametrize(("owner", "goes"), [("sten", True), ("lodestar", False)])
async def test_who_is_named_needs_no_question(bench: Erasing, owner: str, goes: bool) -> None:
    """A given name that others bear is not asked about, and may be said to be the person's."""
    assert bench.small is not None
    for name in ("Sten Lode", "Sten Oram"):
        await bench.remember("u-2", f"Met {name}", mentions=[Mention("PERSON", name)])
    await bench.remember("sten", "I like herring", mentions=[])
    await bench.remember("lodestar", "The north star", mentions=[])
    assert (await plan(bench)).candidates == ()
    chosen = Target(kind="entity", values=("Sten Lode",), entity_type="PERSON", owners=(owner,))
    if not goes:
        with pytest.raises(Problem, match="invalid-request"):
            await plan(bench, chosen)
        return
    assert (await carry_out(bench, await plan(bench, chosen))).deleted == 2
    assert sorted(bench.small.texts()) == ["Met Sten Oram", "The north star"]
