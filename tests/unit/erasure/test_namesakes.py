"""Who bears the same family name, or the same whole name, keeps what is theirs."""

from typing import Any

import pytest

from proxy.erasure.target import Target
from tests.support.erasing import Erasing

FALK = Target(kind="entity", values=("Berta Falk",), entity_type="PERSON")
OTHERS = {
    # id: text of a namesake whose first name is another word elsewhere
    "preposition": "Per Falk is nice",
    "preposition, small": "per falk is nice",
    "modal, possessive": "Will Falk's boat is red",
    "title": "Yesterday Don Falk came by",
    "unlisted": "My neighbour is Ask Falk",
    "article": "An Falk is nice",
    "beside another": "Tom Reed and Per Falk are married",
}
THEIRS = {
    "question": "Will Falk come on Friday?",
    "request": "Ask Falk about the boat",
    "title": "Dr. Falk looks after the knee",
}


async def left(bench: Erasing, text: str, target: Target = FALK) -> Any:
    """What of a text stays once Berta Falk is forgotten, who plays golf under the same owner."""
    assert bench.small is not None
    await bench.remember("u-1", "Berta Falk plays golf")
    await bench.remember("u-1", text)
    view = await bench.forget(target)
    assert view.state == "complete", view.body()
    return bench.small.texts()


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
async def test_a_namesake_keeps_what_is_theirs(bench: Erasing, text: str) -> None:
    """A first name that is a word elsewhere is a first name all the same."""
    assert await left(bench, text) == [text]


@pytest.mark.parametrize("text", THEIRS.values(), ids=THEIRS)
async def test_a_word_before_the_name_is_no_namesake(bench: Erasing, text: str) -> None:
    """What only begins the sentence, or is a title, leaves the name to whom it means there."""
    assert await left(bench, text) == []
