"""Places, firms, works and things that look like people, and people who must not be lost by it."""

from collections.abc import Callable

import pytest

from detectors.detection import Detection
from detectors.people.things import without_things

# What is no person, what becomes of it, and a person in nearly the same words.
ROWS = {
    "composer": ("Listens to |Mozart| while studying", None, "Lunch with |Mozart| on Friday"),
    "writer": ("Reads |Tolstoy| on the train", None, "Her neighbour |Tolstoy| reads on the train"),
    "brand": ("Prefers |Toyota| to others", "ORGANIZATION", "|Toyota| called about the parcel"),
    "phrase": ("Drinks |Earl Grey| at four", "ORGANIZATION", "Drinks with |Earl Graye| at four"),
    "part-of-phrase": ("The Mini |Cooper| is dirty", "ORGANIZATION", "The young |Cooper| is here"),
    "car": ("Drives a |Mercedes| to work", "ORGANIZATION", "Drives |Mercedes| to work"),
    "guitar": ("Plays a |Brennan| on stage", "ORGANIZATION", "Plays with |Brennan| on stage"),
    "dish": ("Ordered a |Margherita| pizza", "ORGANIZATION", "Ordered |Margherita| pizza"),
    "apples": ("Eats |Charlotte| potatoes", "ORGANIZATION", "Brought |Charlotte| potatoes"),
    "law": ("Knows |Quist|'s laws", "ORGANIZATION", "Knows |Quist|'s lawyer"),
    "firm-acts": ("|Norvane| released a new firmware", "ORGANIZATION", "|Norvane| repaired a boat"),
    "firm-named": (
        "Sings at the |Brenn| Orchestra",
        "ORGANIZATION",
        "Sings for |Brenn| on Sundays",
    ),
    "firm-whole": ("Paid by |Brenn Systems|", "ORGANIZATION", "Paid by |Brenn Sister|"),
    "employer": ("Had an interview at |Xobrenn|", "ORGANIZATION", "An interview with |Xobrenn|"),
    "tool": ("Deploys with |Quistform|", "ORGANIZATION", "Dances with |Quistform|"),
    "moved": ("We moved here from |Kenosha|", "LOCATION", "A present from |Kenosha|"),
    "ferry": ("Took the ferry to |Lindtorini|", "LOCATION", "Ferry money goes to |Lindtorini|"),
    "town": ("At 7 Elm Road, Apt. 12\n|Brennstad|\nDenmark", "LOCATION", "Meet |Brennstad|\nSoon"),
    "state": ("Box 9\n|Brennville|, CO 70079", "LOCATION", "See you\n|Brennville|, CO"),
    "street": ("Turn left at |Brenn Turnpike|", "LOCATION", "Turn left at |Brenn Turner|"),
    "park": ("Walked through |Brenn Park|", "LOCATION", "Walked with |Jihoon Park|"),
    "program": ("Ship the logs with |Promtail|", None, "Ship the logs with |Prontail|"),
    "named program": ("Put |Loki| and Promtail there", "ORGANIZATION", "Put |Loki| and Mara there"),
    "program's name": ("Store it in Kibana or |Nano|", "ORGANIZATION", "Ask Kirana or |Nano|"),
    "unknown in a list": (
        "Uses Grafana and |Zorvik|",
        "ORGANIZATION",
        "Grafana and |Zorvik| said no",
    ),
    "used": ("Powered by |Zorvik|", "ORGANIZATION", "Paid by |Zorvik|"),
    "setting": ("Set |ZORVIK_HOME| first", "ORGANIZATION", "Take |ZORVIK| home first"),
    "months": ("|May| and June are wet", None, "|May| and Jonas are late"),
    "seasons": ("Summer, |Autumn| and Winter", None, "Sven, |Autumn| and Wanda"),
    "asked month": ("April or |June| will do", None, "Told April or |June| called"),
    "dashboard": ("Grafana has a board for |Loki|", "ORGANIZATION", "Mara has a gift for |Loki|"),
    "label": ("Wire it by |IBAN|", None, "Wire it by |Ibon|"),
}


def kinds(marked: str) -> list[tuple[str, str]]:
    """What becomes of the person between the bars."""
    before, name, after = marked.split("|")
    start, end = len(before), len(before) + len(name)
    person = Detection("PERSON", start, end, 0.85, "model", name)
    return [(one.entity_type, one.text) for one in without_things(before + name + after, [person])]


@pytest.mark.parametrize(("marked", "kind"), [row[:2] for row in ROWS.values()], ids=ROWS)
def test_what_is_no_person_is_called_what_it_is(marked: str, kind: str | None) -> None:
    """A place or an organisation, which is indexed; what everybody knows is left out."""
    assert kinds(marked) == ([(kind, marked.split("|")[1])] if kind else [])


@pytest.mark.parametrize("marked", [row[2] for row in ROWS.values()], ids=ROWS)
def test_a_person_in_nearly_the_same_words_stays_one(marked: str) -> None:
    """Nobody is lost because a word beside the name also goes with things."""
    assert kinds(marked) == [("PERSON", marked.split("|")[1])]


def test_other_detections_are_left_alone() -> None:
    """Only people are judged."""
    city = Detection("LOCATION", 0, 6, 0.85, "model", "Mozart")
    assert without_things("Mozart is a village", [city]) == [city]


BEARERS = {
    "Anna Cartier likes tea": "Anna Cartier",
    "Marcus Faraday likes tea": "Marcus Faraday",
    "Met Anna Ventura yesterday.": "Anna Ventura",
    "my sister Ines Gillette": "Ines Gillette",
    "Jean-Luc de Madeira sang": "Jean-Luc de Madeira",
    "Contact: Anna M. Lindt": "Anna M. Lindt",
    "Hoka Clifton in size 9": "",
    "Bosch Serie 6": "",
}


@pytest.mark.parametrize(("text", "name"), BEARERS.items())
def test_a_brand_behind_a_given_name_is_a_family_name(
    people_of: Callable[[str], list[str]], text: str, name: str
) -> None:
    """Alone, or in front of a model, it is the brand."""
    assert people_of(text) == ([name] if name else [])
