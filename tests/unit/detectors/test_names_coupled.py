"""Given names of two halves are found whole, with the family name before or behind them."""

from collections.abc import Callable

import pytest

NAMES = (
    "Park Ji-hoon", "Lee Ji-hoon", "Park Ji-min", "Park Seo-joon", "Han Ji-won", "Jung Hae-in",
    "Kim Ji-hoon", "Chang Wei-ting", "Chen Mei-ling", "Song Hye-kyo", "Bae Doo-na", "Lim Jae-beom",
    "Yoon Eun-hye", "Ko Jae-wook", "Lin Yi-chun", "Do-won Jung", "Hsiao-mei Lin", "Wong Ka-fai",
    "Ngoc-anh Tran", "PARK JI-HOON", "Park Ji-Hoon", "Anne-marie", "Karl-heinz", "Wei-ling",
)  # fmt: skip
PLACES = (
    "{} called about the invoice",
    "My manager is {}",
    "Met with {} today",
    "Have you seen {}'s new flat?",
    "Attended by {}, who took notes.",
)
SENTENCES = {
    "Guests: Park Ji-hoon, Lee Min-ho, Kim Da-mi.": ["Park Ji-hoon", "Lee Min-ho", "Kim Da-mi"],
    "Told Park Ji-hoon, Chang Wei-ting and Song Hye-kyo about it": [
        "Park Ji-hoon", "Chang Wei-ting", "Song Hye-kyo",
    ],
    "I met Ji-hoon Park, Hae-in Jung and Seo-joon.": ["Ji-hoon Park", "Hae-in Jung", "Seo-joon"],
    "Chen, Mei-ling signed the lease": ["Chen, Mei-ling"],
    "Lim Jae-beom’s sister rang": ["Lim Jae-beom"],
    "The Kim-run bakery is closed": ["Kim"],
    "Park Wi-fi is slow": [],
    "A Song Hip-hop evening": [],
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_no_half_is_left(people_of: Callable[[str], list[str]], name: str) -> None:
    """At the beginning, at the end, as an owner, before a comma and within."""
    texts = [place.format(name) for place in PLACES]
    assert [people_of(text) for text in texts] == [[name]] * len(texts)


@pytest.mark.parametrize(("text", "found"), SENTENCES.items())
def test_each_is_one_person(
    people_of: Callable[[str], list[str]], text: str, found: list[str]
) -> None:
    """Of several each is one, and words of two halves are nobody."""
    assert people_of(text) == found


@pytest.mark.parametrize("text", ["{}", "{} is my flatmate.", "{}, 34", "Lunch: {}"])
@pytest.mark.parametrize("name", ["Park Jihoon", "Park Minseo", "Park Soyeon"])
def test_a_family_name_that_is_a_park_is_somebodys(
    people_of: Callable[[str], list[str]], text: str, name: str
) -> None:
    """Written without a hyphen, at the beginning too."""
    assert people_of(text.format(name)) == [name]


@pytest.mark.parametrize("place", ["Park Lane", "Park Avenue", "Park Güell", "Park Royal"])
def test_a_park_stays_a_place(people_of: Callable[[str], list[str]], place: str) -> None:
    assert people_of(f"{place} is closed today.") == []
