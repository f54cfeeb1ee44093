"""A relation asked for within one owner: several at once, other words for it, other languages."""

import pytest

from proxy.erasure.texts.addressed import is_role
from proxy.erasure.texts.several import Relations, one_of, spelled_otherwise, together
from tests.unit.erasure.test_whom_a_relation_means import ask, choose, erase, named

SEVERAL = [
    ("My sisters are Kaia Holm and Liv Holm.", ["Kaia Holm and Liv Holm"], "sister"),
    ("My kids Ole and Ida sing.", ["Ole and Ida"], "child"),
    ("Kaia and Liv Holm are my sisters.", ["Kaia and Liv Holm"], "sister"),
    ("Tom, Bo and Liv, my cousins, sing.", ["Tom, Bo and Liv"], "cousin"),
    ("My brothers-in-law, Tom Falk and Bo Lind, moved.", ["Tom Falk and Bo Lind"],
     "brother-in-law"),
    ("My doctors are Dr. Okafor and Dr Voss.", ["Dr. Okafor and Dr Voss"], "doctor"),
    ("My exes Tom Falk and Bo Lind called.", ["Tom Falk and Bo Lind"], "ex"),
    ("Her ex-wives Ada and Orla met.", ["Ada and Orla"], "ex-wife"),
    ("Meine Schwestern heißen Kaia und Liv.", ["Kaia und Liv"], "sister"),
    ("Meine Kinder, Ole, Ida und Jens Falk, sind da.", ["Ole, Ida und Jens Falk"], "child"),
    ("Mes sœurs s'appellent Kaia et Liv.", ["Kaia et Liv"], "sœur"),
    ("Mis hijos son Ole e Ida.", ["Ole e Ida"], "child"),
    ("I miei figli sono Ole e Ida.", ["Ole e Ida"], "child"),
    ("As minhas irmãs chamam-se Kaia e Liv, e os meus filhos são Ole e Ida.", ["Ole e Ida"],
     "child"),
    ("Mijn kinderen heten Ole en Ida.", ["Ole en Ida"], "child"),
]  # fmt: skip
NOBODY = [
    "My sisters met Ada Falk.", "My sisters and Renata Solberg left.",
    "My sisters live in Bergen. Renata Solberg called.", "The Sisters of Mercy play.",
    "My sister Kaia Holm and Renata Solberg left.", "Ada Falk and my sisters met.",
    "As minhas irmãs cantam.",
]  # fmt: skip


@pytest.mark.parametrize(("text", "names", "role"), SEVERAL)
def test_who_are_said_to_be_the_same(text: str, names: list[str], role: str) -> None:
    """Behind the word and before it."""
    found = together(text)
    assert [text[each.start : each.end] for each in found] == names
    assert {each.role for each in found} == {role}


@pytest.mark.parametrize("text", NOBODY)
def test_who_only_stands_near_is_none_of_them(text: str) -> None:
    """A verb, another sentence or an ``and`` parts them."""
    assert together(text) == []


@pytest.mark.parametrize(
    ("words", "role"),
    [
        ("former wife, ex wife, exwife, Ex-Wife", "ex-wife"),
        ("Exfrau, Ex-Frau, ehemalige Frau, frühere Frau", "ex-frau"),
        ("ex-femme, ancienne femme", "ex-femme"), ("exmujer, ex-mujer", "ex-mujer"),
        ("ex moglie, ex-moglie", "ex-moglie"), ("ex-vrouw, voormalige vrouw", "ex-vrouw"),
        ("ex-husband, former husband", "ex-husband"), ("mum, mom, mother, mums", "mother"),
        ("neighbor, neighbours", "neighbour"), ("fiance, fiancé", "fiancé"),
        ("GP, physician, doctors", "doctor"), ("manager, boss", "boss"),
        ("former boss", "former boss"), ("step-sister", "step-sister"),
    ],
)  # fmt: skip
def test_one_word_for_all_of_the_same(words: str, role: str) -> None:
    """However it is written; a former boss is no ex."""
    assert {one_of(each) for each in words.split(", ")} == {role}


def test_what_may_be_it_is_told_from_what_is() -> None:
    """A child may be a son; a son is a child; an ex-wife is no wife."""
    son, child, wife = (Relations.of([each]) for each in ("son", "children", "wife"))
    assert ("child" in son.same, "child" in son.perhaps) == (False, True)
    assert {"son", "daughter", "sohn", "fille"} <= child.same
    assert not child.perhaps
    assert {"ex-wife", "ex"}.isdisjoint(wife.same | wife.perhaps)
    assert {"schwester", "hermana", "zus"} <= Relations.of(["sister"]).same


def test_spellings_of_one_word() -> None:
    """For whatever stands in a memory; other words for it are not among them."""
    assert spelled_otherwise("former wife") == {"former wife", "ex-wife", "ex wife", "exwife"}
    assert spelled_otherwise("Neighbor") == {"neighbor", "neighbour"}
    assert spelled_otherwise("mother") == {"mother"}
    assert spelled_otherwise("boss") == {"boss"}


def test_several_are_asked_for_by_the_word_too() -> None:
    """A family's name is none."""
    assert all(map(is_role, ("sisters", "kids", "Kinder", "ex-wives", "hermanas", "GP")))
    assert not any(map(is_role, ("Cousins", "Holm", "glass", "Williams")))


async def hints(bench, word: str) -> list[str]:
    return [each.hint for each in (await ask(bench, word)).candidates]


@pytest.mark.parametrize(
    ("texts", "word", "expected"),
    [
        (["My sisters are Kaia Holm and Liv Holm."], "sister",
         {"Kaia Holm (sister)", "Liv Holm (sister)"}),
        (["My kids Ole Brandt and Ida Brandt sing."], "son",
         {"Ole Brandt (perhaps son)", "Ida Brandt (perhaps son)"}),
        (["My son Ole Brandt sings.", "My kids are Ole Brandt and Ida Brandt."], "son",
         {"Ole Brandt (son)", "Ida Brandt (perhaps son)"}),
        (["My son Ole Brandt sings."], "child", {"Ole Brandt (child)"}),
        (["My former wife Renata Solberg moved."], "ex-wife", {"Renata Solberg (ex-wife)"}),
        (["My ex Renata Solberg moved."], "ex-wife", {"Renata Solberg (perhaps ex-wife)"}),
        (["My GP is Dr. Lena Voss.", "Dr Lena Voss called."], "doctor", {"Lena Voss (doctor)"}),
        (["Meine Exfrau Renata Solberg ist umgezogen."], "ehemalige Frau",
         {"Renata Solberg (ehemalige Frau)"}),
        (["Mi hermana Renata Solberg canta."], "sister", {"Renata Solberg (sister)"}),
    ],
)  # fmt: skip
async def test_who_is_asked_about(build, texts: list[str], word: str, expected: set[str]) -> None:
    """All of them, and whoever may be one is marked."""
    bench = await build()
    for text in texts:
        await bench.remember("u-1", text)
    found = await hints(bench, word)
    assert {each for each in found if "the word alone" not in each} == expected


async def test_the_word_in_another_spelling_goes_too(build) -> None:
    """Whoever has a former wife has an ex-wife."""
    bench = await build()
    for text in ("My former wife Renata Solberg moved.", "My ex-wife has the car.", "Met Ada."):
        await bench.remember("u-1", text)
    view = await ask(bench, "ex wife")
    view = await erase(bench, await choose(bench, view, named(view, "Renata")))
    assert (view.state, view.counts["found"]) == ("complete", 2)
    assert await bench.texts("u-1") == ["Met Ada."]


async def test_of_two_sisters_one_goes(build) -> None:
    """What names the other one alone stays."""
    bench = await build()
    for text in ("Kaia Holm and Liv Holm are my sisters.", "Kaia Holm sings.", "Liv Holm rows."):
        await bench.remember("u-1", text)
    view = await ask(bench, "sister")
    view = await erase(bench, await choose(bench, view, named(view, "Liv")))
    assert (view.state, view.counts["found"]) == ("complete", 2)
    assert await bench.texts("u-1") == ["Kaia Holm sings."]
