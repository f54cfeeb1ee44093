"""Breeds, dishes, houses, feasts and laws that are called like somebody, and people beside them."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from detectors.people.feasts import is_feast
from detectors.people.nouns import is_noun_of
from detectors.people.taken import is_taken
from detectors.words.called import called, is_called
from detectors.words.eponyms import find_eponyms

CASES = Path(__file__).parents[2] / "cases" / "things_like_people.txt"

# A rule, a name in bars where it is a thing, and where it is somebody.
ROWS = (
    (is_taken, "Has a |Tilda Brenn| by the door", "Met a |Tilda Brenn| from accounting"),
    (is_taken, "Un |Brennello| dopo cena", "Parla a |Brennello| dopo cena"),
    (is_taken, "Tiene un |Quist| gris", "Escribe a |Quist| hoy"),
    (is_taken, "Kümmert sich: ein |Quist| fehlt", "Kümmert sich um |Quist| und die Kinder"),
    (is_taken, "A pint of |Orla Quist| please", "A friend of |Orla Quist| came"),
    (is_taken, "Boit un verre de |Quist| le soir", "Boit dans le verre de |Quist| le soir"),
    (is_taken, "Leest |Tilda Brenn| voor school", "Vanavond leest |Tilda| voor"),
    (is_taken, "Sta leggendo |Zeno Brenn| a scuola", "Sta parlando |Zeno Brenn| a scuola"),
    (is_taken, "Trinkt abends |Quist| im Garten", "Trinkt |Quist| Tee?"),
    (is_noun_of, "Vive junto al hospital |Orlo Marañal|.", "En el hospital |Orlo| espera"),
    (is_noun_of, "La scuola |Tilda Brenn| è in centro", "A scuola |Tilda Brenn| studia"),
    (is_noun_of, "Swims at the |Tilda Brenn| pool", "Swims with |Tilda Brenn| at the pool"),
    (is_noun_of, "Goes to |Tilda Brenn| Elementary", "Goes to |Tilda Brenn| for help"),
    (is_noun_of, "Casa |Tilda| has the best soup", "At home |Tilda| has the best soup"),
    (is_noun_of, "|Bella Napoli| is shut", "|Bella Quist| is out"),
    (is_noun_of, "Une quiche |Lorraine| pour midi", "Avec |Lorraine| pour midi"),
    (is_noun_of, "La legge |Brenn| è vecchia", "La signora |Brenn| è vecchia"),
    (is_noun_of, "|Orla|'s Law applies", "|Orla|'s lawyer applies"),
    (is_feast, "Party on |Guy Brenn Night|", "Party of |Guy Brenn|"),
    (is_feast, "Cierran por |San Isidro|", "|San Isidro| called"),
    (is_feast, "Feiert |Silvester| zu Hause", "|Silvester| mag Kuchen"),
    (is_feast, "Runs the |Tilda Brenn| Day 5K", "Runs with |Tilda Brenn| daily"),
    (is_called, "The |Jack Russell| barks", "The |Jack Brennell| barks"),
    (is_called, "Saw an |Anna|'s Hummingbird", "Saw |Anna|'s humming fridge"),
)  # fmt: skip


def _holds(rule: Callable[[str, int, int], bool], marked: str) -> bool:
    before, name, after = marked.split("|")
    return rule(before + name + after, len(before), len(before) + len(name))


@pytest.mark.parametrize(("rule", "thing"), [row[:2] for row in ROWS])
def test_a_thing_is_told_by_what_stands_beside(
    rule: Callable[[str, int, int], bool], thing: str
) -> None:
    assert _holds(rule, thing)


@pytest.mark.parametrize(("rule", "person"), [row[::2] for row in ROWS])
def test_somebody_in_nearly_the_same_words_is_none(
    rule: Callable[[str, int, int], bool], person: str
) -> None:
    assert not _holds(rule, person)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("The Jack Russell puppy sleeps.", []),
        ("Jack Russell called me about the keys.", ["Jack Russell"]),
        ("La Renault Mégane est au garage.", []),
        ("Ein Jack Russell lebt im Haus.", []),
        ("Jack lebt im Haus.", ["Jack"]),
        ("Max juega en la consola.", ["Max"]),
        ("Frank backt Brot.", ["Frank"]),
        ("Mark spielt Schach.", ["Mark"]),
        ("Bruno repariert den Fiat selbst.", ["Bruno"]),
        ("Estrella toma una cerveza.", ["Estrella"]),
        ("Gisteren heeft Smit het hek gemaakt.", ["Smit"]),
        ("Leidet an Morbus Basedow.", []),
        ("Repariert den Fiat selbst.", []),
        ("Toma una cerveza.", []),
    ],
)
def test_who_is_found(people_of: Callable[[str], list[str]], text: str, names: list[str]) -> None:
    """Bare words that do something abroad are people, though English has a word like them."""
    assert people_of(text) == names


@pytest.mark.parametrize(
    ("text", "illness"),
    [
        ("Father has Parkinson and walks slowly.", "Parkinson"),
        ("Leidet an Morbus Quistow.", "Morbus Quistow"),
        ("Ha la sindrome di Sjögren.", "sindrome di Sjögren"),
        ("Tiene Crohn desde 2019.", "Crohn"),
        ("Living with Crohn's disease.", "Crohn's disease"),
        ("La maladie de Marta est longue.", ""),
        ("Parkinson has a new bike.", ""),
        ("Has Parkinson Abiodun called?", ""),
        ("Lunch with Parkinson on Friday.", ""),
        ("She has Kelly with her.", ""),
    ],
)
def test_an_illness_that_bears_a_name_is_one_where_somebody_has_it(text: str, illness: str) -> None:
    assert [text[slice(*span)] for span in find_eponyms(text)] == ([illness] if illness else [])


def test_lists_of_called_things_hold_no_family() -> None:
    """Makers, feasts and phrases each from their source; no word of a phrase alone."""
    assert {"renault", "skoda", "seat"} <= called().makes
    assert {"noël", "silvester"} <= called().days
    assert not is_called("Jack is here", 0, 4)


class Share(NamedTuple):
    """Notes, of things that look like people how many are taken for such, and people missed."""

    notes: int
    alarms: int
    missed: int


def _measured(people_of: Callable[[str], list[str]], *, held_out: bool) -> Share:
    found = Counter[str]()
    for part in CASES.read_text("utf-8").split("\n[")[1:]:
        lines = list(filter(None, part.partition("]\n")[2].split("\n")))
        for thing, twin in (line.split(" | ") for line in lines[held_out::2]):
            names = [name.partition("]")[0] for name in twin.split("[")[1:]]
            people = " ".join(people_of(twin.replace("[", "").replace("]", "")))
            found["notes"] += 1
            found["alarms"] += bool(people_of(thing))
            found["missed"] += sum(name not in people for name in names)
    return Share(found["notes"], found["alarms"], found["missed"])


@pytest.mark.parametrize(
    ("held_out", "most"), [(False, Share(125, 17, 4)), (True, Share(125, 35, 17))]
)
def test_shares_stay_as_measured(
    people_of: Callable[[str], list[str]], *, held_out: bool, most: Share
) -> None:
    """More is a mistake; less is a reason to lower the number. Before: 56 and 7, 56 and 18."""
    measured = _measured(people_of, held_out=held_out)
    assert measured == Share(
        most.notes, min(measured.alarms, most.alarms), min(measured.missed, most.missed)
    )
