"""Several people of one short name: asked about by what the memories say, and told apart."""

import base64
import json

import pytest

from proxy.erasure.search.target import Target
from proxy.problems import Problem
from proxy.tokens.vault import Mention
from tests.support.erasing import OPERATOR, Erasing

TEXTS = {
    "My brother John plays chess.": "brother",
    "John, my brother, lives in Lund.": "brother",
    "John from accounting signed it.": "colleague",
    "John from accounting, my colleague, is ill.": "colleague",
    "The contractor John fixed our roof.": "contractor",
    "John called.": "nobody",
}
JOHN = Target(kind="entity", values=("John",))


async def remember(bench: Erasing, texts=TEXTS, owner: str = "u-1", known: bool = True) -> None:
    """Write the texts, with the index knowing one John, or nobody."""
    for text in texts:
        await bench.remember(owner, text, mentions=[Mention("PERSON", "John")] if known else [])


async def ask(bench: Erasing, target: Target = JOHN):
    """Request as an operator."""
    return await bench.service.request(bench.tenant_id, target, actor=OPERATOR)


async def erase(bench: Erasing, view):
    """Confirm and carry out."""
    await bench.service.confirm(
        bench.tenant_id, view.id, word="confirmed", token=view.token, actor=OPERATOR
    )
    return await bench.service.run(bench.tenant_id, view.id)


def candidate(view, word: str) -> str:
    """The id of the candidate of whom a word is said."""
    return next(each.id for each in view.candidates if word in each.hint)


@pytest.mark.parametrize("known", [True, False], ids=["indexed", "only-the-store-knows"])
async def test_the_owner_is_asked_which_john(bench: Erasing, known: bool) -> None:
    """Each with what is said of him and in how many memories; nothing is deleted."""
    await remember(bench, known=known)
    view = await ask(bench)
    assert view.state == "needs_clarification"
    assert [(each.hint, each.memories) for each in view.candidates] == [
        ("John (accounting, colleague)", 2),
        ("John (brother)", 2),
        ("John (contractor)", 1),
        ("John (of whom no more is said)", 1),
    ]
    assert len(await bench.texts("u-1")) == len(TEXTS)


@pytest.mark.parametrize(
    ("word", "whose"),
    [("brother", "brother"), ("contractor", "contractor"), ("no more", "nobody")],
)
async def test_only_the_one_who_is_meant_goes(bench: Erasing, word: str, whose: str) -> None:
    """The others' memories stay, may go on, and the certificate says that they were not meant."""
    await remember(bench)
    view = await ask(bench)
    view = await bench.service.clarify(
        bench.tenant_id, view.id, entity_ids=[candidate(view, word)], actor=OPERATOR
    )
    view = await erase(bench, view)
    assert (view.state, view.outcome) == ("complete", "erased")
    stays = sorted(text for text, who in TEXTS.items() if who != whose)
    assert sorted(await bench.texts("u-1")) == stays
    bundle = await bench.service.certificate(bench.tenant_id, view.id)
    told = json.loads(base64.b64decode(json.loads(bundle.dsse)["payload"]))["predicate"]
    assert "others_of_the_same_name_who_were_not_chosen" in told["claim"]["not_covered"]
    assert told["blocklist"] == "off"


@pytest.mark.parametrize("known", [True, False], ids=["indexed", "only-the-store-knows"])
@pytest.mark.parametrize("beforehand", [True, False], ids=["beforehand", "as-an-answer"])
async def test_all_of_them_go(bench: Erasing, known: bool, beforehand: bool) -> None:
    """ "all" is an answer, and may be said beforehand."""
    await remember(bench, known=known)
    if beforehand:
        view = await ask(bench, JOHN.choose(("all",)))
    else:
        view = await ask(bench)
        view = await bench.service.clarify(
            bench.tenant_id, view.id, entity_ids=["all"], actor=OPERATOR
        )
    view = await erase(bench, view)
    assert (view.state, view.counts["deleted"]) == ("complete", len(TEXTS))
    assert await bench.texts("u-1") == []


@pytest.mark.parametrize(
    "texts",
    [
        pytest.param(["My brother John came.", "John called."], id="one-is-described"),
        pytest.param(["John called.", "I met John."], id="nothing-said"),
        pytest.param(["My brother John.", "John, my older brother, sings."], id="same-word"),
        pytest.param(["My colleague John.", "John from HR.", "My colleague John from HR."],
                     id="said-together"),
    ],
)  # fmt: skip
async def test_one_john_is_not_asked_about(bench: Erasing, texts: list[str]) -> None:
    """Where the memories do not tell two apart, there is no question."""
    await remember(bench, texts)
    view = await ask(bench)
    assert (view.state, view.counts["found"]) == ("planned", len(texts))


async def test_what_is_said_of_him_may_grow(bench: Erasing) -> None:
    """A choice holds where another word is said of the same one meanwhile."""
    await remember(bench)
    chosen = candidate(await ask(bench), "accounting")
    await remember(bench, ["My tall colleague John, the singer, is a friend."])
    view = await ask(bench, JOHN.choose((chosen,)))
    assert (view.state, view.counts["found"]) == ("planned", 3)


async def test_a_colleague_from_elsewhere_is_asked_about(bench: Erasing) -> None:
    """Two of one word and two places are two, and nobody was chosen of them before."""
    await remember(
        bench,
        ["John from accounting, my colleague, is ill.", "John from sales, my colleague, sings."],
    )
    view = await ask(bench)
    assert sorted(each.hint for each in view.candidates) == ["John (accounting)", "John (sales)"]


@pytest.mark.parametrize("unknown", ["ent_01m8hsj58n6n6fthxb9bq51s8j", "nobody"])
async def test_a_candidate_that_nobody_is_is_refused(bench: Erasing, unknown: str) -> None:
    """An unknown id is no erasure of nothing, which would end as done."""
    await remember(bench)
    with pytest.raises(Problem) as refused:
        await ask(bench, JOHN.choose((unknown,)))
    assert refused.value.slug == "invalid-request"


async def test_one_told_apart_who_is_gone_is_asked_about_again(bench: Erasing) -> None:
    """Of an id that was offered to somebody else, nothing is erased."""
    await remember(bench)
    view = await ask(bench, JOHN.choose(("brr_00000000000000000000000000",)))
    assert (view.state, len(view.candidates)) == ("needs_clarification", 4)


@pytest.mark.parametrize("owner", [None, "u-1"], ids=["of anybody", "of one owner"])
async def test_everybody_has_a_brother_of_their_own(bench: Erasing, owner: str | None) -> None:
    """A relation said by several owners is nobody's until an owner is named; a trade is one's."""
    for each in ("u-1", "u-2"):
        await remember(bench, owner=each)
    target = Target(kind="entity", values=("John",), owner=owner)
    view = await ask(bench, target)
    brother = next(each for each in view.candidates if "brother" in each.hint)
    assert ("of 2 owners" in brother.hint) is (owner is None)
    assert "owners" not in candidate_hint(view, "contractor")
    view = await bench.service.clarify(
        bench.tenant_id, view.id, entity_ids=(brother.id,), actor=OPERATOR
    )
    if owner is None:
        assert view.state == "needs_clarification", view.body()
        assert len(await bench.texts("u-2")) == len(TEXTS)
        return
    assert (await erase(bench, view)).state == "complete"
    assert sum("brother" in text for text in await bench.texts("u-1")) == 0
    assert sum("brother" in text for text in await bench.texts("u-2")) == 2


def candidate_hint(view, word: str) -> str:
    """How the candidate is called of whom a word is said."""
    return next(each.hint for each in view.candidates if word in each.hint)


SMITH = ["John Smith from accounting joined.", "Lunch with John Smith from accounting."]


async def with_smith(bench: Erasing):
    """A brother, a contractor, and one whose whole name is told; asked about under the owner."""
    await bench.remember(
        "u-1", "My brother John plays chess.", mentions=[Mention("PERSON", "John")]
    )
    await bench.remember(
        "u-1", "John the contractor is late.", mentions=[Mention("PERSON", "John")]
    )
    for text in SMITH:
        await bench.remember("u-1", text, mentions=[Mention("PERSON", "John Smith")])
    return await ask(bench, Target(kind="entity", values=("John",), owner="u-1"))


async def test_one_whose_whole_name_is_told_is_a_candidate_too(bench: Erasing) -> None:
    """Nobody else of the index may be called John, and yet he may be none of the others."""
    view = await with_smith(bench)
    assert [(each.hint, each.memories) for each in view.candidates] == [
        ("John (brother)", 1), ("John (contractor)", 1), ("John Smith", 2),
    ]  # fmt: skip


@pytest.mark.parametrize(("word", "gone"), [("Smith", SMITH), ("brother", ["My brother John"])])
async def test_who_is_chosen_goes_alone(bench: Erasing, word: str, gone: list[str]) -> None:
    """The other two stay."""
    view = await with_smith(bench)
    view = await bench.service.clarify(
        bench.tenant_id, view.id, entity_ids=[candidate(view, word)], actor=OPERATOR
    )
    view = await erase(bench, view)
    assert view.state == "complete", view.body()
    left = await bench.texts("u-1")
    assert len(left) == len(SMITH) + 2 - len(gone)
    assert not any(text.startswith(each) for text in left for each in gone)


THREE = {
    "Markus": ["Mein Bruder Markus kam am Montag.", "Markus aus der Buchhaltung fragt.",
               "Der Klempner Markus hat das Rohr repariert."],
    "Thomas": ["Mon frère Thomas est venu lundi.", "Thomas de la comptabilité demande.",
               "Le plombier Thomas a réparé le tuyau."],
    "Matteo": ["Mio fratello Matteo è venuto.", "Matteo della contabilità chiede.",
               "L'idraulico Matteo ha riparato il tubo."],
    "Andrés": ["Mi hermano Andrés vino.", "Andrés de contabilidad pide.",
               "El fontanero Andrés arregló el tubo."],
    "Joris": ["Mijn broer Joris kwam.", "Joris van de boekhouding vraagt.",
              "De loodgieter Joris repareerde de buis."],
    "Sabine": ["Meine Schwester Sabine kam.", "Sabine, meine Kollegin, fragt.",
               "Die Ärztin Sabine hat heute Dienst."],
}  # fmt: skip


@pytest.mark.parametrize(("name", "texts"), THREE.items(), ids=THREE)
async def test_the_owner_is_asked_in_other_languages(
    bench: Erasing, name: str, texts: list[str]
) -> None:
    """A brother, somebody from an office and a plumber are three."""
    for text in texts:
        await bench.remember("u-1", text, mentions=[Mention("PERSON", name)])
    view = await ask(bench, Target(kind="entity", values=(name,)))
    assert (view.state, len(view.candidates)) == ("needs_clarification", 3), view.body()
    assert sorted(await bench.texts("u-1")) == sorted(texts)
