"""Who bears the same family name, or the same whole name, keeps what is theirs."""

import base64
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from proxy.erasure.proof.certificate import SHORT_NAMES
from proxy.erasure.search.target import Target
from tests.support.erasing import OPERATOR, Erasing

Build = Callable[..., Awaitable[Erasing]]

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
    "adverb, comma": "So, Falk came by",
    "adjective": "Young Falk came by",
    "other question": "Can Falk come on Friday?",
}


UNSURE = {
    # id: a text whose first word opens the sentence, or is somebody's first name
    "adverb": "So Falk came by",
    "adverb, possessive": "So Falk's boat is red",
    "adverb, second sentence": "It rained. Even Falk stayed in",
    "adverb, small": "so falk came by",
    "no verb": "Even Falk",
    "foreign": "An Falk geschrieben",
    "comparison": "As Falk said, it rains",
    "possessive": "My Falk came by",
    "request": "Mark Falk down for Friday",
    "wish": "Hope Falk comes by",
    "modal without a question": "Will Falk, Turku",
    "preposition": "Per Falk, the boat is red",
    "title": "Don Falk",
    "every word with a capital": "Met So Falk",
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


@pytest.mark.parametrize("text", UNSURE.values(), ids=UNSURE)
async def test_what_may_be_a_namesakes_stays_and_is_told(bench: Erasing, text: str) -> None:
    """Nobody can say whether "So Falk came" is about So Falk: it is neither lost nor hidden."""
    await bench.remember("u-1", "Berta Falk plays golf")
    await bench.remember("u-1", text)
    plan = await bench.service.request(bench.tenant_id, FALK, actor=OPERATOR)
    assert (plan.counts["to_delete"], plan.counts["doubtful"]) == (1, 1)
    view = await bench.service.confirm(
        bench.tenant_id, plan.id, word="confirmed", token=plan.token, actor=OPERATOR
    )
    view = await bench.service.run(bench.tenant_id, view.id)
    assert bench.small is not None
    assert (view.state, bench.small.texts()) == ("complete", [text])
    bundle = await bench.service.certificate(bench.tenant_id, view.id)
    signed = json.loads(base64.b64decode(json.loads(bundle.dsse)["payload"]))["predicate"]
    assert signed["doubtful_mentions"] == 1
    assert SHORT_NAMES in signed["claim"]["not_covered"]


@pytest.mark.parametrize(("text", "doubtful"), [("So Falk came by", 1), ("I met So Falk", 0)])
async def test_doubt_under_an_owner_who_does_not_know_her(
    bench: Erasing, text: str, doubtful: int
) -> None:
    """It stays there as well; what surely names a namesake raises no doubt."""
    await bench.remember("u-1", "Berta Falk plays golf")
    await bench.remember("u-2", text)
    view = await bench.forget(FALK)
    assert bench.small is not None
    assert (view.counts.get("doubtful", 0), bench.small.texts()) == (doubtful, [text])


async def test_what_stays_for_doubt_does_not_count_as_returned(bench: Erasing) -> None:
    """It may go on being there, and being written; her name alone may not."""
    await bench.remember("u-1", "Berta Falk plays golf")
    await bench.remember("u-1", "So Falk came by")
    await bench.forget(FALK)
    row = (await bench.ledger.write(lambda tx: bench.owner(tx, "u-1"))).id
    said = ["So Falk came by", "Today Falk came by"]
    found = await bench.means.blocklist.blocked_mentions(bench.tenant_id, said, [row])
    assert [bool(each) for each in found] == [False, True]


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        ("Berta Falk met Orla Quist. Even Falk stayed in.", []),
        ("Berta Falk met Orla Quist. Tom Reed stayed in.",
         ["A person met Orla Quist. Tom Reed stayed in."]),
    ],
    ids=["may be hers", "twin: another's"],
)  # fmt: skip
async def test_no_doubtful_mention_stays_beside_a_sure_one(
    build: Build, text: str, stays: list[str]
) -> None:
    """A text that named her is not written anew with what may be her name."""
    bench = await build(mixed="redact")
    await bench.remember("u-1", text)
    assert (await bench.forget(FALK)).state == "complete"
    assert bench.small is not None
    assert bench.small.texts() == stays
