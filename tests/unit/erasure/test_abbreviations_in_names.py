"""What was asked for is found as it is written, whatever is abbreviated in it."""

import pytest

from proxy.erasure.search.target import Target
from proxy.erasure.texts.mentions import Needles
from proxy.tokens.vault import Mention
from tests.support.erasing import Erasing

NAMES = [
    ("Wm. Blakemore", "PERSON"), ("Mohd. Ismailov", "PERSON"), ("Chr. Anderssen", "PERSON"),
    ("Joh. Seb. Bachmeier", "PERSON"), ("Ma. Teresa Cruzado", "PERSON"),
    ("Col. Winifred Harker", "PERSON"), ("Lic. Efraín Zavaleta", "PERSON"),
    ("Frau Mag. Gerlinde Hofstätter", "PERSON"), ("Dipl.-Ing. Bertil Kesselring", "PERSON"),
    ("Dr. h.c. Oda Falk", "PERSON"), ("St. Gallen", "LOCATION"), ("Mt. Everest", "LOCATION"),
    ("Fa. Kessler", "ORGANIZATION"), ("St. Jude Hospital", "ORGANIZATION"),
    ("St. John's wort", None), ("Dr. Oetker", "ORGANIZATION"), ("Acme Inc.", "ORGANIZATION"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "kind"), NAMES, ids=[name for name, _ in NAMES])
def test_found_word_for_word(name: str, kind: str | None) -> None:
    """At the beginning, within and at the end of a sentence, with capitals or without."""
    needles = Needles.build([name], entity_type=kind)
    texts = [f"{name} is here.", f"I saw {name} today.", f"Then we saw {name}.", name.upper()]
    assert [text for text in texts if not needles.sure(text)] == []


OTHERS = [
    ("Tom Fordham", "I told Tom. Fordham called."),
    ("Wm. Blakemore", "Wm. Harker called."),
    ("Mohd. Ismailov", "Mohd. Farid called."),
    ("Dipl.-Ing. Bertil Kesselring", "Dipl.-Ing. Ansgar Quittkat came."),
    ("Col. Winifred Harker", "Col. Otto Brandt came."),
    ("Ted Blakemore", "We met Ted. Blakemore is a town."),
]


@pytest.mark.parametrize(("name", "text"), OTHERS, ids=[f"{a}-{b}" for a, b in OTHERS])
def test_nobody_else_is_found(name: str, text: str) -> None:
    """A full stop that nobody asked for ends a sentence; a title is no part of a name."""
    assert not Needles.build([name], entity_type="PERSON").find(text)


# whom to forget; what goes, each with the name that detection finds there; what stays
ROWS = [
    ("Col. Winifred Harker",
     {"Col. Winifred Harker marched.": "Winifred Harker", "Harker rang.": "Harker",
      "Winifred Harker came.": "Winifred Harker"},
     {"Col. Otto Brandtner marched.": "Otto Brandtner"}),
    ("Dipl.-Ing. Bertil Kesselring",
     {"Dipl.-Ing. Bertil Kesselring plans.": "Bertil Kesselring"},
     {"Dipl.-Ing. Ansgar Quittkat came to dinner.": "Ansgar Quittkat"}),
    ("Mohd. Ismailov",
     {"Mohd. Ismailov called.": "", "Mohd Ismailov paid.": "Mohd Ismailov"},
     {"Mohd. Faridov called.": "", "I said so to Mohd. Nobody came.": ""}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "goes", "stays"), ROWS, ids=[row[0] for row in ROWS])
async def test_they_go_and_do_not_come_back(
    bench: Erasing, name: str, goes: dict[str, str], stays: dict[str, str]
) -> None:
    """Others of the title stay; what was forgotten is refused as it was asked for."""
    for text, found in {**goes, **stays}.items():
        await bench.remember("u-1", text, mentions=[Mention("PERSON", found)] if found else [])
    done = await bench.forget(Target(kind="entity", values=(name,), entity_type="PERSON"))
    assert (done.state, done.deleted) == ("complete", len(goes)), done.body()
    assert sorted(await bench.texts("u-1")) == sorted(stays)
    blocked = await bench.means.blocklist.blocked_mentions(bench.tenant_id, [*goes, *stays])
    assert [text for text, found in zip([*goes, *stays], blocked, strict=True) if found] == [
        text for text in goes if "rang" not in text
    ]
