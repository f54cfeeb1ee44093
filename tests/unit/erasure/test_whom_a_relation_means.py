"""A relation asked for within one owner: whom the memories name beside it is asked about."""

import pytest

from proxy.erasure.search.target import check, load
from proxy.problems import Problem
from tests.support.erasing import OPERATOR, Erasing

TEXTS = (
    "My {} Renata Solberg moved to Bergen.", "Renata Solberg called.", "My {} has the car.",
    "Renata likes tea.", "Met Ada Falk.",
)  # fmt: skip
OTHER = "My {} Ada Falk paints."
WORDS = ("ex-wife", "sister", "Schwester", "landlord", "half-sister", "doctor")


async def written(bench: Erasing, word: str, *more: str) -> None:
    for text in (*TEXTS, *more):
        await bench.remember("u-1", text.format(word))
    await bench.remember("u-2", f"My {word} Orla Quist plays golf.")


async def ask(bench: Erasing, word: str, **said: str):
    target = load({"kind": "entity", "value": f"my {word}", "owner": "u-1", **said})
    return await bench.service.request(bench.tenant_id, target, actor=OPERATOR)


async def choose(bench: Erasing, view, *ids: str):
    return await bench.service.clarify(
        bench.tenant_id, view.id, entity_ids=list(ids), actor=OPERATOR
    )


async def erase(bench: Erasing, view):
    await bench.service.confirm(
        bench.tenant_id, view.id, word="confirmed", token=view.token, actor=OPERATOR
    )
    return await bench.service.run(bench.tenant_id, view.id)


def named(view, name: str) -> str:
    return next(each.id for each in view.candidates if each.hint.startswith(name))


@pytest.mark.parametrize("word", WORDS)
async def test_who_is_named_beside_it_is_asked_about(build, word: str) -> None:
    bench = await build()
    await written(bench, word)
    view = await ask(bench, word)
    assert view.state == "needs_clarification"
    assert [(each.hint, each.entity_type, each.memories) for each in view.candidates] == [
        (f"Renata Solberg ({word})", "PERSON", 2),
        (f"{word} (the word alone)", "RELATIONSHIP", 2),
    ]
    assert len(await bench.texts("u-1")) == len(TEXTS)


@pytest.mark.parametrize("answer", ["Renata", "all"])
@pytest.mark.parametrize("word", WORDS)
async def test_she_goes_by_her_name_too(build, word: str, answer: str) -> None:
    """Also where she is called by a part of it, and where only the word stands."""
    bench = await build()
    await written(bench, word)
    view = await ask(bench, word)
    chosen = "all" if answer == "all" else named(view, answer)
    view = await erase(bench, await choose(bench, view, chosen))
    assert (view.state, view.outcome, view.counts["found"]) == ("complete", "erased", 4)
    assert await bench.texts("u-1") == ["Met Ada Falk."]
    assert await bench.texts("u-2") == [f"My {word} Orla Quist plays golf."]


async def test_the_word_alone_leaves_what_names_her(build) -> None:
    bench = await build()
    await written(bench, "ex-wife")
    view = await ask(bench, "ex-wife")
    view = await erase(bench, await choose(bench, view, "wrd_alone"))
    assert (view.state, view.counts["found"]) == ("complete", 2)
    left = ["Renata Solberg called.", "Renata likes tea.", "Met Ada Falk."]
    assert await bench.texts("u-1") == left


async def test_of_two_only_the_chosen_one_goes(build) -> None:
    """The word alone may mean the other one: what has nothing else stays, and is counted."""
    bench = await build()
    await written(bench, "sister", OTHER)
    view = await ask(bench, "sister")
    assert [each.hint for each in view.candidates] == [
        "Renata Solberg (sister)", "Ada Falk (sister)", "sister (the word alone)",
    ]  # fmt: skip
    view = await erase(bench, await choose(bench, view, named(view, "Renata")))
    assert (view.state, view.counts["found"], view.counts["doubtful"]) == ("complete", 3, 1)
    left = ["My sister has the car.", "Met Ada Falk.", "My sister Ada Falk paints."]
    assert await bench.texts("u-1") == left


async def test_all_beforehand_is_everyone(build) -> None:
    bench = await build()
    await written(bench, "sister", OTHER)
    target = {"kind": "entity", "value": "sister", "owner": "u-1", "entity_ids": ["all"]}
    view = await bench.forget(load(target))
    assert (view.state, view.counts["found"]) == ("complete", 6)
    assert await bench.texts("u-1") == []


async def test_only_her_name_is_blocked(build) -> None:
    """The word is everybody's, the owner's next wife's too."""
    bench = await build()
    await written(bench, "ex-wife")
    view = await ask(bench, "ex-wife")
    await erase(bench, await choose(bench, view, "all"))
    row = await bench.means.ledger.write(lambda tx: bench.owner(tx, "u-1"))
    said = ["Met Renata Solberg.", "My ex-wife Orla Quist sings."]
    found = await bench.means.blocklist.blocked_mentions(bench.tenant_id, said, [row.id])
    assert [bool(each) for each in found] == [True, False]


@pytest.mark.parametrize(
    "text",
    [
        "Renata Solberg, my ex-wife, called.", "My ex-wife is Renata Solberg.",
        "My ex-wife's name is Renata Solberg.", "My ex-wife, Renata Solberg, sings.",
        "Renata Solberg is my ex-wife.", "My ex-wife called Renata Solberg sings.",
    ],
)  # fmt: skip
async def test_however_it_is_said_who_she_is(build, text: str) -> None:
    bench = await build()
    await bench.remember("u-1", text)
    await bench.remember("u-1", "Tom Brandt moved.")
    view = await ask(bench, "ex-wife")
    assert [each.hint for each in view.candidates] == [
        "Renata Solberg (ex-wife)", "ex-wife (the word alone)",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "texts",
    [
        ("My ex-wife has the car.", "Renata Solberg called."),
        ("My ex-wife met Renata Solberg.", "My boss Renata Solberg sings."),
        ("My ex-wife's dog bit Renata Solberg.",),
    ],
)
async def test_nobody_is_asked_where_nobody_is_named(build, texts) -> None:
    bench = await build()
    for text in texts:
        await bench.remember("u-1", text)
    view = await ask(bench, "ex-wife")
    assert (view.state, view.candidates) == ("planned", ())
    assert view.counts["found"] == 1


async def test_without_an_owner_the_word_is_asked_about(build) -> None:
    """Everybody's ex-wife is another: nothing goes before somebody says that all of them do."""
    bench = await build()
    await written(bench, "ex-wife")
    view = await bench.service.request(
        bench.tenant_id, load({"kind": "entity", "value": "ex-wife"}), actor=OPERATOR
    )
    assert view.state == "needs_clarification"
    assert [(each.hint, each.memories) for each in view.candidates] == [
        ("ex-wife (the word alone, whoever's it is; or name an owner)", 3)
    ]
    assert (await choose(bench, view, "wrd_alone")).counts["found"] == 3


@pytest.mark.parametrize("text", ["My {} is Dr. Voss.", "My {}, Dr. Lena Voss, moved."])
@pytest.mark.parametrize("word", ["doctor", "boss", "therapist"])
async def test_a_title_stands_between(build, text: str, word: str) -> None:
    bench = await build()
    await bench.remember("u-1", text.format(word))
    view = await ask(bench, word)
    name = "Lena Voss" if "Lena" in text else "Voss"
    assert [each.hint for each in view.candidates] == [
        f"{name} ({word})", f"{word} (the word alone)",
    ]  # fmt: skip


async def test_another_word_for_the_same_names_her_too(build) -> None:
    bench = await build()
    for text in ("My mom Greta Nilsen cooks.", "Greta Nilsen is 70.", "My mother called."):
        await bench.remember("u-1", text)
    view = await ask(bench, "mother")
    assert [(each.hint, each.memories) for each in view.candidates] == [
        ("Greta Nilsen (mother)", 2), ("mother (the word alone)", 1),
    ]  # fmt: skip
    await erase(bench, await choose(bench, view, "all"))
    assert await bench.texts("u-1") == []


async def test_only_the_owners_memories_are_counted(build) -> None:
    bench = await build()
    await bench.remember("u-1", "My boss Renata Solberg sings.")
    for n in range(3):
        await bench.remember(f"u-{n + 2}", "Met Renata Solberg.")
    view = await ask(bench, "boss")
    assert [each.memories for each in view.candidates] == [1, 1]


def test_a_relation_is_no_subject() -> None:
    with pytest.raises(Problem, match="invalid-request"):
        check(load({"kind": "subject", "value": "ex-wife"}))
