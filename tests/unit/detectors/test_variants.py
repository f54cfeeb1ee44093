"""Han characters that are written in several ways are one in names."""

import pytest

from detectors.identity.keys import name_keys, same_surface
from detectors.identity.windows import candidate_keys
from detectors.people.scripts import with_scripts
from detectors.training.variants import classes, pairs
from detectors.words.variants import MOST, one_form, spellings

SAME = [
    ("髙橋健太", "高橋健太"),
    ("山﨑花子", "山崎花子"),
    ("山嵜花子", "山崎花子"),
    ("渡邊", "渡辺"),
    ("渡邉", "渡辺"),
    ("齋藤", "斎藤"),
    ("斉藤", "齋藤"),
    ("德川", "徳川"),
    ("澤田", "沢田"),
    ("濵田", "浜田"),
    ("櫻井", "桜井"),
    ("𠮷田", "吉田"),
    ("陈伟", "陳偉"),
    ("刘丽", "劉麗"),
    ("张国荣", "張國榮"),
    ("郑", "鄭"),
    ("赵云", "趙雲"),
    ("钟", "鍾"),
    ("顾", "顧"),
    ("吳", "呉"),
]
OTHERS = [
    ("高橋", "高木"),
    ("埼玉", "崎玉"),
    ("静", "靓"),
    ("彬", "份"),
    ("欣", "忻"),
    ("陈伟", "陈玮"),
    ("岐", "歧"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_two_ways_to_write_a_name_are_one(one: str, other: str) -> None:
    """As a name asked for, and where it stands in a text."""
    assert one != other
    assert same_surface(one, other)
    found = {key.value for _, _, key in candidate_keys(f"昨日は{one}と")}
    assert len(one) < 2 or {each.value for each in name_keys(other) if each.kind == "full"} <= found


@pytest.mark.parametrize(("one", "other"), OTHERS)
def test_what_only_looks_alike_is_another_name(one: str, other: str) -> None:
    """Two characters of one standard are two people's."""
    assert not same_surface(one, other)


def test_what_an_older_index_knows_is_still_found() -> None:
    """There a name is kept as it was written."""
    values = [key.value for start, end, key in candidate_keys("髙橋と") if (start, end) == (0, 2)]
    assert values == ["高桥", "髙橋"]


@pytest.mark.parametrize(
    "text",
    [
        "髙橋さんに会った",
        "山﨑さんに会った",
        "渡邉さんに会った",
        "我叫劉建國。",
        "我的同事張麗在上海",
    ],
)
def test_a_family_name_is_detected_however_it_is_written(text: str) -> None:
    """The list has one form of each."""
    ends = text.find("さん") if "さん" in text else None
    named = {"我叫劉建國。": "劉建國", "我的同事張麗在上海": "張麗"}.get(text, text[:ends])
    assert named in [one.text for one in with_scripts(text, ()) if one.entity_type == "PERSON"]


def test_all_ways_to_write_a_name() -> None:
    """As it was given first; of a sentence none but its own."""
    assert spellings("髙橋") == ["髙橋", "高桥", "高橋", "髙桥"]
    assert spellings("Alva Brenn") == ["Alva Brenn"]
    long = "渡邊" * MOST
    assert spellings(long) == [long]
    assert (one_form("髙橋"), one_form("abc髙")) == ("高桥", "abc高")


def test_classes_of_the_database() -> None:
    """What is connected is one; shapes of which one standard has both are two."""
    lines = ["# comment", "U+9673\tkSimplifiedVariant\tU+9648", "U+6CA2\tkZVariant\tU+6FA4",
             "U+6FA4\tkSimplifiedVariant\tU+6CFD", "U+5F6C\tkZVariant\tU+4EFD"]  # fmt: skip
    made = classes(pairs(lines))
    assert {"沢泽澤", "陈陳"} <= set(made)
    assert not [each for each in made if "彬" in each]
