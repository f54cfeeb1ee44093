"""Another given name beside the same family name: another person, or nobody can tell.

Of another person nothing goes, nothing is asked and nothing is blocked. Who may be the same by a
nickname or a spelling is asked about: nothing goes without an answer.
"""

from functools import partial

import pytest

from proxy.erasure.search.target import Target
from proxy.tokens.vault import Mention
from tests.support.erasing import OPERATOR, Erasing

ANOTHER = """
John Jane | Tim Tom | Dan Don | Ben Bianca | Mary Maria | Peter Petra | Karen Corinne | Joan June
Lena Lina | Lucas Lucy | Lisa Louise | Rob Ruby | Paul Paula | Eric Erica
Carl Carla | Robert Roberta | Maria Marie | Christian Christine | Julian Juliana | Mario Maria
Luis Luisa | Hans Johanna | Hans Hannes | Stefan Stefanie | Martin Martina | Jan Jana | Ivan Ivana
Joseph Josepha | Michael Michaela | Alexander Alexandra | Anton Antonia | Leo Lea
Jan Jens | Anne Ina | Carlos Carla | Pablo Paola | Andreas Andrea | James Jonas | Hedvig Henrik
"""
UNCLEAR = """
Ann Anna | Ann Anne | Jon John | Catherine Katherine | Sara Sarah | Bob Robert | Liz Elizabeth
Kate Katherine | Will William | Tom Thomas | Alex Alexandra | Alex Alexander | Sam Samantha
Pat Patricia | Pat Patrick | Chris Christine | Mike Michael | Jean Jeanne | Michel Michelle
Louis Louise | Gabriel Gabrielle | Sofia Sophia | Mark Marc | Steven Stephen | Hans Hanns
Hannes Johannes | Pepe José | Marie Mary | Katherine Kathrine | Jack John | Emma Emily | Mark Marka
"""
OWNERS = ("u-1", "u-2", "u-3")


def _pairs(listed: str) -> list[tuple[str, str]]:
    pairs = [
        tuple(each.split()) for line in listed.strip().splitlines() for each in line.split("|")
    ]
    both = [pair for one, other in pairs for pair in ((one, other), (other, one))]
    return [(f"{one} Falkeby", f"{other} Falkeby") for one, other in both]


async def _told(bench: Erasing, *names: str, owner: str = "u-1", verb: str = "sings") -> None:
    for name in names:
        await bench.remember(owner, f"{name} {verb}.", mentions=[Mention("PERSON", name)])


def _person(*names: str, owner: str | None = None) -> Target:
    return Target(kind="entity", values=names, entity_type="PERSON", owner=owner)


async def _blocked(bench: Erasing, *names: str) -> list[bool]:
    """Whether each name is blocked for one of the owners."""
    rows = [(await bench.ledger.write(partial(bench.owner, client_id=each))).id for each in OWNERS]
    texts = [f"{name} called." for name in names]
    hits = [await bench.means.blocklist.blocked_mentions(bench.tenant_id, texts, [r]) for r in rows]
    return [any(each) for each in zip(*hits, strict=True)]


@pytest.mark.parametrize(("asked", "other"), _pairs(ANOTHER))
async def test_another_person_keeps_what_is_theirs(bench: Erasing, asked: str, other: str) -> None:
    """Under the same owners, who know nobody else."""
    for owner in OWNERS[:2]:
        await _told(bench, asked, other, owner=owner)
    done = await bench.forget(_person(asked))
    assert (done.state, done.deleted, done.candidates) == ("complete", 2, ()), done.body()
    assert [await bench.texts(each) for each in OWNERS[:2]] == [[f"{other} sings."]] * 2
    assert await _blocked(bench, asked, other) == [True, False]


@pytest.mark.parametrize(("asked", "other"), _pairs(UNCLEAR))
async def test_who_may_be_the_same_is_asked_about(bench: Erasing, asked: str, other: str) -> None:
    """Each is a candidate, with how often it is mentioned; the one who is chosen goes alone."""
    await _told(bench, asked, other)
    await _told(bench, other, verb="rows")
    view = await bench.service.request(bench.tenant_id, _person(asked), actor=OPERATOR)
    assert view.state == "needs_clarification", view.body()
    assert {each.hint: each.memories for each in view.candidates} == {asked: 1, other: 2}
    chosen = [each.id for each in view.candidates if each.hint == asked]
    view = await bench.service.clarify(bench.tenant_id, view.id, entity_ids=chosen, actor=OPERATOR)
    await bench.service.confirm(
        bench.tenant_id, view.id, word="confirmed", token=view.token, actor=OPERATOR
    )
    done = await bench.service.run(bench.tenant_id, view.id)
    assert (done.state, done.deleted) == ("complete", 1), done.body()
    assert await bench.texts("u-1") == [f"{other} sings.", f"{other} rows."]
    assert await _blocked(bench, asked, other) == [True, False]


async def chosen(bench: Erasing, target: Target) -> tuple[str, dict[str, int]]:
    """What a request comes to, and the candidates with how often each is mentioned."""
    view = await bench.service.request(bench.tenant_id, target, actor=OPERATOR)
    return str(view.state), {each.hint: each.memories for each in view.candidates}


@pytest.mark.parametrize("owner", [None, "u-1"])
async def test_who_is_found_where_nobody_goes_by_the_name(
    bench: Erasing, owner: str | None
) -> None:
    """A nickname leads to the only one whom the owner knows; of the whole tenant it is asked."""
    await _told(bench, "Robert Falkeby")
    asked = await chosen(bench, _person("Bob Falkeby", owner=owner))
    assert asked == (("planned", {}) if owner else ("needs_clarification", {"Robert Falkeby": 1}))


@pytest.mark.parametrize(("asked", "other"), [("Ann", "Anna"), ("John", "Jane"), ("Bob", "Robert")])
async def test_once_erased_a_request_within_an_owner_takes_nobody_else(
    bench: Erasing, asked: str, other: str
) -> None:
    """Though nobody else is left there to be meant."""
    await _told(bench, f"{asked} Falkeby")
    await bench.forget(_person(f"{asked} Falkeby"))
    await _told(bench, f"{other} Falkeby")
    again = await bench.forget(_person(f"{asked} Falkeby", owner="u-1"))
    assert (again.state, again.deleted) == ("needs_clarification", 0), again.body()
    assert await bench.texts("u-1") == [f"{other} Falkeby sings."]


@pytest.mark.parametrize("owner", [None, "u-1"])
async def test_a_given_name_that_may_be_short_for_hers_is_asked_about(
    bench: Erasing, owner: str | None
) -> None:
    """A list of nicknames does not prove that Nancy is Ann; her own given name alone is hers."""
    await _told(bench, "Ann Falkeby", "Nancy", "Ann", "Otto")
    asked = await chosen(bench, _person("Ann Falkeby", owner=owner))
    assert asked == ("needs_clarification", {"Ann Falkeby": 1, "Nancy": 1, "Ann": 1})


async def test_an_initial_of_two_is_neithers(bench: Erasing) -> None:
    """J. Falkeby may be James or John."""
    await _told(bench, "John Falkeby", "James Falkeby", "J. Falkeby")
    done = await bench.forget(_person("John Falkeby"))
    assert (done.state, done.deleted) == ("complete", 1), done.body()
    assert await bench.texts("u-1") == ["James Falkeby sings.", "J. Falkeby sings."]


async def test_of_strangers_nothing_is_asked(bench: Erasing) -> None:
    """Who does not know the one asked for may know anybody."""
    await _told(bench, "Ann Falkeby")
    await _told(bench, "Anna Falkeby", owner="u-2")
    done = await bench.forget(_person("Ann Falkeby"))
    assert (done.state, done.deleted) == ("complete", 1), done.body()
    assert await _blocked(bench, "Ann Falkeby", "Anna Falkeby") == [True, False]


async def test_two_names_of_one_person_are_not_asked_about(bench: Erasing) -> None:
    """Who gives both has answered."""
    await _told(bench, "Bob Falkeby", "Robert Falkeby")
    assert await chosen(bench, _person("Bob Falkeby", "Robert Falkeby")) == ("planned", {})


@pytest.mark.parametrize(("asked", "other"), [("Ann", "Anna"), ("John", "Jane")])
async def test_within_an_owner_the_other_is_not_blocked(
    bench: Erasing, asked: str, other: str
) -> None:
    """Not by a nickname either, which is blocked only where nobody else goes by it."""
    names = f"{asked} Falkeby", f"{other} Falkeby"
    await _told(bench, *names)
    within = _person(names[0], owner="u-1")
    view = await bench.service.request(bench.tenant_id, within, actor=OPERATOR)
    meant = [each.id for each in view.candidates if each.hint == names[0]]
    done = await bench.forget(within.choose(tuple(meant)))
    assert (done.state, done.deleted) == ("complete", 1), done.body()
    assert await _blocked(bench, *names) == [True, False]


async def test_a_search_by_name_puts_no_other_first(bench: Erasing) -> None:
    """Whom a name means there is found by the same rule."""
    await _told(bench, "John Falkeby", "Jane Falkeby")
    row = (await bench.ledger.write(partial(bench.owner, client_id="u-1"))).id
    named = [("PERSON", "John Falkeby")]
    [found] = await bench.means.vault.mentioned(bench.tenant_id, named, [row])
    [certain] = (await bench.means.vault.resolve(bench.tenant_id, "John Falkeby")).certain
    assert found == {certain: True}


@pytest.mark.parametrize("owner", [None, "u-1"])
@pytest.mark.parametrize("meant", ["John Falkeby Jr.", "John Falkeby"])
async def test_a_father_of_the_same_name_is_asked_about(
    bench: Erasing, meant: str, owner: str | None
) -> None:
    """John Falkeby may be the father or the son: only the one who is chosen goes."""
    told = {"John Falkeby Jr.", "John Falkeby"}
    await _told(bench, *sorted(told))
    asked = _person("John Falkeby Jr.", owner=owner)
    view = await bench.service.request(bench.tenant_id, asked, actor=OPERATOR)
    assert (view.state, {each.hint for each in view.candidates}) == ("needs_clarification", told)
    ids = tuple(each.id for each in view.candidates if each.hint == meant)
    done = await bench.forget(asked.choose(ids))
    [other] = told - {meant}
    assert (done.state, done.deleted) == ("complete", 1), done.body()
    assert await bench.texts("u-1") == [f"{other} sings."]
    assert await _blocked(bench, other) == [False]


@pytest.mark.parametrize(("asked", "other"), _pairs("Ben Bianca | Don Dan | John Jane"))
async def test_another_keeps_hers_though_no_type_is_given(
    bench: Erasing, asked: str, other: str
) -> None:
    """Ben is no particle before a firm's name."""
    await _told(bench, asked, other)
    done = await bench.forget(Target(kind="entity", values=(asked,)))
    assert (done.state, done.deleted) == ("complete", 1), done.body()
    assert await bench.texts("u-1") == [f"{other} sings."]
    assert await _blocked(bench, asked, other) == [True, False]
