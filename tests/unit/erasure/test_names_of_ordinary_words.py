"""Names that are particles, words for everything, or a river's: told by how they are written."""

import pytest

from proxy.erasure.texts.mentions import Needles

# name, type, what mentions it, what does not
ROWS = [
    ("Von", "PERSON", ["Von called me.", "I met Von at noon"],
     ["Otto von Bismarck was chancellor.", "Das ist von gestern.", "Von hier sieht man den See."]),
    ("Di", "PERSON", ["Di called me", "I met Di yesterday", "Lunch with Di and Bo."],
     ["Leonardo di Caprio acts.", "Di solito bevo caffè."]),
    ("De", "PERSON", ["De likes tea."], ["Charles de Gaulle flew home.", "De kat slaapt."]),
    ("Della", "PERSON", ["Della called.", "My aunt Della sings.", "I saw Della"],
     ["Andrea della Robbia made tiles.", "La casa della nonna è blu."]),
    ("Van", "PERSON", ["I met Van at noon"], ["Vincent van Gogh painted it."]),
    ("Ben", "PERSON", ["Ben called", "met Ben yesterday", "Ben is ill"], []),
    ("Rhine", "PERSON", ["Rhine called", "met Rhine"],
     ["The Rhine flows through Basel.", "We cycled along the Rhine."]),
    ("Alva", "PERSON", ["the Alva whom I know called", "alva called"], []),
    ("Shell", "ORGANIZATION", ["Shell raised prices", "He works at Shell."],
     ["Found a shell on the beach.", "Runs a shell script nightly."]),
    ("Apple", "ORGANIZATION", ["Apple fell", "works for Apple"],
     ["Eats an apple a day.", "Fiona Apple sings well."]),
    ("Go", None, ["I write Go."], ["We go skiing in March."]),
    ("Orange", None, ["Orange is a firm"], ["Drinks orange juice."]),
    ("Gap", "ORGANIZATION", ["Gap opened"], ["Mind the gap."]),
    ("Visa", "ORGANIZATION", ["Visa hired her", "paid by Visa"], ["My visa expires in May."]),
    ("Jean-Luc", "PERSON", ["Jean-Luc baked bread.", "Jean Luc likes tea."],
     ["Luc paints walls.", "Jean and Luc are twins.", "Jean baked a cake."]),
    ("Ben Jerry", "PERSON", ["Ben Jerry called", "BEN JERRY called"], ["Ben and Jerry called"]),
    ("Ann", "PERSON", ["Ann called", "I met Ann-style people", "Ann's mother-in-law"],
     ["I met Ann-Marie.", "Sue-Ann called"]),
    ("Berlin", "LOCATION", ["Moved to Berlin."], ["Isaiah Berlin wrote essays."]),
    ("王小明", "PERSON", ["王小明喜欢喝绿茶。", "昨天我和王小明一起吃饭。"], ["李雷喜欢喝绿茶。"]),
    ("山田花子", "PERSON", ["山田花子は走る。", "昨日は山田花子と話した。"], ["田中太郎は走る。"]),
    ("이서연", "PERSON", ["이서연이 왔다.", "어제 이서연을 만났다."], ["김민준이 왔다."]),
    ("نورا المهيري", "PERSON", ["نورا المهيري تحب الشاي."], ["سلمى المهيري تحب الشاي."]),
    ("Mark Brown", "PERSON", ["Mark Brown left", "MARK BROWN LEFT", "met Mark Brown"],
     ["A brown mark is on the wall."]),
    ("Rose Field", "PERSON", ["Rose Field called"], ["A rose field is beautiful in June."]),
    ("Norvane", "ORGANIZATION", ["norvane pays well", "Norvane pays"], []),
    ("diabetes", None, ["Diabetes runs there", "has diabetes"], []),
    ("asthma", "TERM", ["Asthma again", "has asthma"], []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "kind", "told", "others"), ROWS, ids=[f"{row[0]}-{row[1]}" for row in ROWS]
)
def test_how_it_is_written_tells(
    name: str, kind: str | None, told: list[str], others: list[str]
) -> None:
    """A particle, a thing in small letters, a river with its article, another's family name."""
    needles = Needles.build([name], entity_type=kind)
    assert [text for text in told if not needles.find(text)] == []
    assert [text for text in others if needles.find(text)] == []


# name, type, where nothing tells whether it is meant
UNTOLD = [
    ("Apple", "ORGANIZATION", ["Apple pie is best warm.", "The Apple orchard burned down."]),
    ("Go", None, ["Go to the shop at six.", "Go code is fast."]),
    ("Gap", "ORGANIZATION", ["Gap years are fun."]),
    ("Klein", "PERSON", ["Klein ist das Haus."]),
    ("Feld", "PERSON", ["Ein Feld liegt brach."]),
    ("Petit", "PERSON", ["Petit déjeuner à huit heures."]),
    ("Hill", "PERSON", ["Hill walking is fun."]),
    ("Will Power", "PERSON", ["It takes will power to stop.", "will power called"]),
    ("Olive Green", "PERSON", ["The sofa is olive green.", "Green olives are tasty."]),
    ("Mark Brown", "PERSON", ["I saw mark brown today."]),
    ("Christian Baker", "PERSON", ["Works as christian baker now."]),
]


@pytest.mark.parametrize(
    ("name", "kind", "texts"), UNTOLD, ids=[f"{row[0]}-{row[1]}" for row in UNTOLD]
)
def test_where_a_capital_tells_nothing_it_is_left_to_detection(
    name: str, kind: str | None, texts: list[str]
) -> None:
    """At the beginning of a sentence any word has a capital, and any noun of German."""
    needles = Needles.build([name], entity_type=kind)
    assert [text for text in texts if needles.mentioned(text)] == []
    assert [text for text in texts if not needles.may_mean(text)] == []
