"""The whole name around a word, names that go on, and what a family or a firm is called."""

import pytest

from proxy.tokens.forms.readings import joined_forms
from proxy.tokens.mentions.longer_names import is_longer
from proxy.tokens.mentions.named_after import is_a_family, is_called_after
from proxy.tokens.mentions.standing import name_around, standing

AROUND = [
    ("Tom Lloyd Jenkins drives.", "Jenkins", "Tom Lloyd Jenkins"),
    ("Tom Lloyd Jenkins drives.", "Lloyd", "Tom Lloyd Jenkins"),
    ("Met Anna van der Kolk there.", "Anna", "Anna van der Kolk"),
    ("T. Moen called.", "Moen", "T. Moen"),
    ("Hans Scholl-Weber malt.", "Hans", "Hans Scholl-Weber"),
    ("Frau Krügers Telefonnummer", "Krügers", "Krügers"),
    ("Kira came.", "Kira", "Kira"),
    ("Das Fahrrad von Kira steht im Keller.", "Kira", "Kira"),
    ("Met Jan van der Meer there.", "Jan", "Jan van der Meer"),
    ("Rosa von Berg singt.", "Berg", "Rosa von Berg"),
    ("خالد العتيبي جارنا.", "خالد", "خالد العتيبي"),
    ("خالد يحب القهوة.", "خالد", "خالد"),
]


@pytest.mark.parametrize(("text", "word", "name"), AROUND)
def test_the_whole_name_around_a_word(text: str, word: str, name: str) -> None:
    """From any of its words."""
    start, end = name_around(text, text.index(word), text.index(word) + len(word))
    assert text[start:end] == name


NOBODYS = [
    ("Krüger & Söhne liefern.", "Krüger"),
    ("Almeida Costa Lda entrega.", "Almeida Costa"),
    ("Moreno y Hijos vende.", "Moreno"),
    ("Falk and Sons sells.", "Falk"),
]
SOMEBODYS = [
    ("Sabine Krüger und Sohn kommen.", "Krüger"),
    ("Falk and son came.", "Falk"),
    ("Moreno y sus hijos.", "Moreno"),
    ("Falk & Alva came.", "Falk"),
]


@pytest.mark.parametrize(
    ("text", "name", "is_firm"),
    [(*e, True) for e in NOBODYS] + [(*e, False) for e in SOMEBODYS],
)
def test_firms_called_by_a_family(text: str, name: str, is_firm: bool) -> None:
    """``Krüger & Söhne`` is a firm, ``Krüger und Sohn`` may be two people."""
    start = text.index(name)
    assert is_called_after(text, start, start + len(name)) is is_firm


FAMILIES = [
    ("La familia Moreno ríe.", "Moreno"),
    ("Die Familie Krüger zieht um.", "Krüger"),
    ("The Falk family skis.", "Falk"),
    ("The Falk kids ski.", "Falk"),
    ("The Falk children ski.", "Falk"),
    ("Los Moreno ríen.", "Moreno"),
]


@pytest.mark.parametrize(("text", "name"), FAMILIES)
def test_a_family_is_several_people(text: str, name: str) -> None:
    """Nobody can tell whether one of them is meant; what is one's own family's is one's own."""
    start = text.index(name)
    assert is_a_family(text, start, start + len(name))
    assert standing(text, start, start + len(name)) == "unsure"
    assert not is_a_family("Kira's family skis.", 0, len("Kira"))


LONGER = [
    "李伟明在上海工作。", "李伟明喜欢打球。", "李伟华周一休息。", "李伟怡在银行。",
    "李伟伟在医院。", "李伟杰", "昨天李伟明来了",
]  # fmt: skip
ENDED = [
    "李伟是我的邻居。", "李伟明天来。", "李伟患有糖尿病。", "李伟结婚了。", "李伟正在学习。",
    "李伟可以来。", "李伟中午休息。", "李伟生病了。", "李伟小姐来了。", "李伟今年三十岁。",
    "李伟爱吃辣。", "李伟的电话。", "李伟周一休息。", "李伟月薪五千。", "李伟文章写得好。",
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "longer"), [(each, True) for each in LONGER] + [(each, False) for each in ENDED]
)
def test_a_third_sign_is_a_name_or_the_next_word(text: str, longer: bool) -> None:
    """What follows a name of two signs tells whether it ends there."""
    start = text.index("李伟")
    assert is_longer(text, start, start + 2) is longer


CASELESS = [
    ("أحمد محمد الغامدي جارنا.", "محمد الغامدي", True),
    ("محمد الغامدي صديقي.", "محمد الغامدي", False),
    ("قابلت محمد الغامدي اليوم.", "محمد الغامدي", False),
    ("خالد محمد الحربي هنا.", "خالد محمد", True),
]  # fmt: skip


@pytest.mark.parametrize(("text", "name", "longer"), CASELESS)
def test_names_go_on_in_scripts_without_capitals(text: str, name: str, longer: bool) -> None:
    """A known name before or behind makes it another's; a day does not."""
    start = text.index(name)
    assert is_longer(text, start, start + len(name)) is longer


def test_an_initial_reads_as_no_ending() -> None:
    """``Krügers`` is no Krüger, S., but the genitive."""
    assert joined_forms("S. Krüger") == ["skrüger", "skruger", "skrueger"]
    assert joined_forms("Sabine K.") == ["ksabine"]


@pytest.mark.parametrize(
    ("text", "stands"),
    [
        ("Heute war ich bei Kira zum Kaffee.", "alone"),
        ("Kira zum Felde wohnt in Jever.", "unsure"),
        ("Bei Kira zum Eschenau war es kalt.", "another"),
    ],
)
def test_a_way_to_somewhere_joins_no_name(text: str, stands: str) -> None:
    """What follows ``zum`` may be an ordinary word, or what a family is called by."""
    start = text.index("Kira")
    assert standing(text, start, start + 4) == stands


@pytest.mark.parametrize("text", ["Meine Freunde Alva und Tom.", "Gestern kam die Verlobte Alva."])
def test_a_role_before_a_name_is_no_part_of_it(text: str) -> None:
    """Though it has a capital in German."""
    start = text.index("Alva")
    assert standing(text, start, start + 4) == "alone"


def test_the_language_is_told_from_what_is_around(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text of many such names is not read anew as a whole for each of them."""
    read: list[str] = []

    def languages(text: str) -> tuple[str, ...]:
        read.append(text)
        return ("de",)

    monkeypatch.setattr("proxy.tokens.mentions.standing.languages_of", languages)
    text = "Das Fahrrad von Kira steht im Keller. " * 50
    start = text.rindex("Kira")
    assert standing(text, start, start + 4) == "alone"
    assert read
    assert max(map(len, read)) < 200
