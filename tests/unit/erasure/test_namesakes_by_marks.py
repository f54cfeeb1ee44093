"""``Maria Santos`` may be Maria dos Santos or not: nobody takes one for the other unasked."""

import pytest

from proxy.erasure.search.target import Target
from proxy.erasure.texts.mentions import Needles
from proxy.ledger import blocklist as rows
from proxy.tokens.index import keyed
from proxy.tokens.index.spelling import Name, block_key, spellings
from proxy.tokens.vault import Mention
from tests.support.erasing import OPERATOR, Erasing

PAIRS = [
    ("Maria Santos", "Maria dos Santos"),
    ("Annika Berg", "Annika von Berg"),
    ("Tilda Kolk", "Tilda van der Kolk"),
    ("Teresa Cruzado", "Ma. Teresa Cruzado"),
]
BOTH = [*PAIRS, *((other, name) for name, other in PAIRS)]

# whom to forget; what goes; what stays in doubt; what stays
ROWS = [
    ("Tilda van der Kolk",
     ["Tilda Van Der Kolk swims.", "Van der Kolk, Tilda", "Kolk, Tilda van der",
      "@TildaVanDerKolk"],
     ["Tilda Kolk paints.", "Tilda Vanderkolk rows.", "@tildakolk"], ["Tilda van der Meer knits."]),
    ("Annika Berg", ["Brief von Annika Berg", "Berg, Annika"],
     ["Annika von Berg paints.", "von Berg, Annika", "Annika Von Berg", "@AnnikaVonBerg"],
     ["Annika von Hagen sings."]),
    ("Kim Min", ["Kim Min sings."], ["Kim Min-ji paints.", "Kim Min-Ji rows."], []),
    ("Park Ji", ["Park Ji sings."], ["Park Ji-hoon paints."], []),
    ("Wang Xiao", ["Wang Xiao sings."], ["Wang Xiao-ming paints."], []),
    ("Jean Falk", ["Jean Falk sings."], ["Jean-Luc Falk paints."], []),
    ("Jean-Luc Falk", ["Jean-Luc Falk sings.", "jean-luc-falk"], [], ["Jean Falk paints."]),
    ("Annika Leefeld", ["Annika Leefeld rows."], ["Annika Leefeld-Jones paints."], []),
    ("Anne Frank", ["Anne Frank wrote.", "Here: Frank, Anne; Falk, Otto"],
     ["Anne, Frank and Otto came.", "Otto, Anne, Frank came."], ["Anne and Frank came."]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "told", "unsure", "others"), ROWS, ids=[row[0] for row in ROWS])
def test_whose_it_is(name: str, told: list[str], unsure: list[str], others: list[str]) -> None:
    """What has other marks, or half of what a hyphen couples, may be somebody else's."""
    needles = Needles.build([name], entity_type="PERSON")
    assert [text for text in told if not needles.mentioned(text)] == []
    assert [text for text in unsure if needles.mentioned(text)] == []
    assert [text for text in unsure if not needles.may_mean(text)] == []
    assert [text for text in others if needles.mentioned(text)] == []


@pytest.mark.parametrize(("name", "other"), BOTH, ids=[row[0] for row in BOTH])
async def test_a_namesake_whom_nobody_knows_stays(bench: Erasing, name: str, other: str) -> None:
    """Counted, told, and free to be written on."""
    await bench.remember("u-1", f"{name} sings.", mentions=[Mention("PERSON", name)])
    await bench.remember("u-1", f"{other} paints.", known=False)
    done = await bench.forget(Target(kind="entity", values=(name,), entity_type="PERSON"))
    assert (done.state, done.deleted) == ("complete", 1), done.body()
    assert done.counts["doubtful"] == 1
    assert await bench.texts("u-1") == [f"{other} paints."]
    texts = [f"{name} sings.", f"{other} paints."]
    blocked = await bench.means.blocklist.blocked_mentions(bench.tenant_id, texts)
    assert [bool(found) for found in blocked] == [True, False]


@pytest.mark.parametrize(("name", "other"), BOTH, ids=[row[0] for row in BOTH])
@pytest.mark.parametrize("meant", ["name", "other"])
async def test_one_whom_the_index_knows_is_asked_about(
    bench: Erasing, name: str, other: str, meant: str
) -> None:
    """Both are candidates; whoever was not chosen keeps memories, token and name."""
    for each in (name, other):
        await bench.remember("u-1", f"{each} sings.", mentions=[Mention("PERSON", each)])
    target = Target(kind="entity", values=(name,), entity_type="PERSON")
    asked = await bench.service.request(bench.tenant_id, target, actor=OPERATOR)
    assert asked.state == "needs_clarification"
    assert {each.hint for each in asked.candidates} == {name, other}
    chosen, kept = (name, other) if meant == "name" else (other, name)
    ids = [each.id for each in asked.candidates if each.hint == chosen]
    plan = await bench.service.clarify(
        bench.tenant_id, asked.id, entity_ids=ids, actor=OPERATOR
    )  # fmt: skip
    await bench.service.confirm(
        bench.tenant_id, plan.id, word="confirmed", token=plan.token, actor=OPERATOR
    )
    done = await bench.service.run(bench.tenant_id, plan.id)
    assert (done.state, done.deleted) == ("complete", 1), done.body()
    assert await bench.texts("u-1") == [f"{kept} sings."]
    texts = [f"{chosen} sings.", f"{kept} sings."]
    blocked = await bench.means.blocklist.blocked_mentions(bench.tenant_id, texts)
    assert [bool(found) for found in blocked] == [True, False]


@pytest.mark.parametrize("known", [True, False])
async def test_a_namesake_alone_is_not_nothing(bench: Erasing, known: bool) -> None:
    """Who asks without the particle is asked back, or told of the doubt and may take it."""
    mentions = [Mention("PERSON", "Maria dos Santos")]
    await bench.remember("u-1", "Maria dos Santos canta.", mentions=mentions, known=known)
    target = Target(kind="entity", values=("Maria Santos",), entity_type="PERSON")
    asked = await bench.service.request(bench.tenant_id, target, actor=OPERATOR)
    assert asked.outcome is None
    if known:
        assert [(each.hint, each.memories) for each in asked.candidates] == [
            ("Maria dos Santos", 1)
        ]
        return
    assert (asked.state, asked.counts["found"], asked.counts["doubtful"]) == ("planned", 0, 1)
    plan = await bench.service.clarify(
        bench.tenant_id, asked.id, choices={"doubtful": "delete"}, actor=OPERATOR
    )
    assert plan.counts["found"] == 1


async def test_a_case_of_a_bare_name_is_contested_too(bench: Erasing) -> None:
    """``Ольге`` is either Olga where two are known."""
    texts = {"Ольга Кузнецова поёт.": "Ольга Кузнецова", "Ольга Петрова пьёт.": "Ольга Петрова",
             "Подарил Ольге книгу.": "Ольге"}  # fmt: skip
    for text, found in texts.items():
        await bench.remember("u-1", text, mentions=[Mention("PERSON", found)])
    target = Target(kind="entity", values=("Ольга Кузнецова",), entity_type="PERSON")
    done = await bench.forget(target)
    assert (done.state, done.deleted, done.counts["doubtful"]) == ("complete", 1, 1), done.body()


async def test_an_owner_by_the_name_without_its_particle_is_asked_about(bench: Erasing) -> None:
    """The id may be the person's: it goes unasked only where it is the very name."""
    await bench.remember("maria-santos", "Likes tea", mentions=[])
    await bench.remember("maria-dos-santos", "Likes ale", mentions=[])
    target = Target(kind="entity", values=("Maria dos Santos",), entity_type="PERSON")
    asked = await bench.service.request(bench.tenant_id, target, actor=OPERATOR)
    assert [(each.hint, each.why) for each in asked.candidates] == [
        ("maria-santos", "holds_the_name")
    ]


# -- what older releases left ----------------------------------------------------------------------


def _without_marks(text: str, entity_type: str) -> str:
    return keyed.unmarked(keyed_form(text, entity_type))


keyed_form = keyed.canonical_form


async def test_entities_of_an_older_release_are_found_and_keep_their_tokens(
    bench: Erasing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It took both names for one: the one it was first known by keeps the token, none is lost."""

    async def token(name: str) -> str:
        mention = Mention("PERSON", name, ("own_1",))
        vault = bench.means.vault
        minted = await bench.ledger.write(lambda tx: vault.tokenise(tx, bench.tenant_id, [mention]))
        return minted[0].token

    with monkeypatch.context() as older:
        older.setattr(keyed, "canonical_form", _without_marks)
        first = await token("Maria dos Santos")
        await bench.remember(
            "u-1", "Maria dos Santos canta.", mentions=[Mention("PERSON", "Maria dos Santos")]
        )
    assert await token("Maria dos Santos") == first
    found = await bench.means.vault.resolve(bench.tenant_id, "Maria dos Santos")
    assert len(found.certain) == 1
    found = await bench.means.vault.resolve(bench.tenant_id, "Maria Santos")
    assert found.certain == ()
    assert [each.name for each in found.possible] == ["Maria dos Santos"]


async def test_two_that_an_older_release_took_for_one(
    bench: Erasing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their texts tell them apart; the other's memory stays, counted, and so does the key."""
    with monkeypatch.context() as older:
        older.setattr(keyed, "canonical_form", _without_marks)
        for name in ("Maria Santos", "Maria dos Santos"):
            await bench.remember("u-1", f"{name} canta.", mentions=[Mention("PERSON", name)])
    target = Target(kind="entity", values=("Maria Santos",), entity_type="PERSON")
    done = await bench.forget(target)
    assert (done.state, done.deleted, done.counts["doubtful"]) == ("complete", 1, 1), done.body()
    assert await bench.texts("u-1") == ["Maria dos Santos canta."]
    found = await bench.means.vault.resolve(bench.tenant_id, "Maria Santos")
    assert found.certain != ()


@pytest.mark.parametrize("name", ["Maria Santos", "Maria dos Santos", "M. dos Santos"])
async def test_what_an_older_release_blocked_is_blocked_with_any_mark(
    bench: Erasing, name: str
) -> None:
    """Nobody knows which of the two was erased; it is lifted by the name, too."""
    names = await bench.means.keyring.tenant(bench.tenant_id)
    keys = [(kind, block_key(names, kind, value)) for kind, value in spellings(Name(name))]
    at = bench.means.clock.now()
    await bench.ledger.write(
        lambda tx: rows.add(tx, bench.tenant_id, keys, group_id="blk_older", at=at)
    )
    blocklist = bench.means.blocklist
    forms = [name, name.replace(" dos", ""), name.replace("dos ", "").replace(" S", " de S")]
    hits = await blocklist.blocked_mentions(bench.tenant_id, forms, initials=True)
    assert [form for form, found in zip(forms, hits, strict=True) if not found] == []
    await bench.ledger.write(lambda tx: blocklist.lift(tx, bench.tenant_id, name=Name(name)))
    hits = await blocklist.blocked_mentions(bench.tenant_id, forms, initials=True)
    assert hits == [[], [], []]


async def test_tokens_of_the_two_are_distinct(bench: Erasing) -> None:
    """Each is restored as it was written, and ends with its own key."""
    names = ["Maria Santos", "Maria dos Santos", "Ma. Teresa Cruz", "Teresa Cruz"]
    mentions = [Mention("PERSON", name, ("own_1",)) for name in names]
    vault = bench.means.vault
    minted = await bench.ledger.write(lambda tx: vault.tokenise(tx, bench.tenant_id, mentions))
    assert len({each.entity_id for each in minted}) == len(names)
    await bench.ledger.write(lambda tx: vault.erase(tx, bench.tenant_id, [minted[0].entity_id]))
    restored = await vault.restore(bench.tenant_id, " / ".join(each.token for each in minted))
    assert restored.text == " / ".join(["[erased]", *names[1:]])


async def test_a_list_of_people_is_no_name_on_reads_either(bench: Erasing) -> None:
    """Under an owner in whose memories the bare name counts, what was left can be read."""
    left = "Anne, Frank and Otto came."
    await bench.remember("u-1", "Anne Frank wrote.", mentions=[Mention("PERSON", "Anne Frank")])
    await bench.remember("u-1", left, mentions=[])
    target = Target(kind="entity", values=("Anne Frank",), entity_type="PERSON")
    done = await bench.forget(target)
    assert (done.state, done.deleted, done.counts["doubtful"]) == ("complete", 1, 1), done.body()
    owner = await bench.ledger.write(lambda tx: bench.owner(tx, "u-1"))
    texts = [left, "Anne came.", "Anne Frank came."]
    hits = await bench.means.blocklist.blocked_mentions(bench.tenant_id, texts, [owner.id])
    assert [bool(found) for found in hits] == [False, True, True]
