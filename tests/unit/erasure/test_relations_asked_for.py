"""What somebody is to others, asked for by itself: every such word, and every title, is found."""

from re import _parser  # type: ignore[attr-defined]
from typing import Any

import pytest

from detectors.words.relations import ROLES
from detectors.words.titles import BEFORE_NAMES
from proxy.erasure.search.naming import needles_of
from proxy.erasure.search.target import load
from proxy.erasure.texts.mentions import Needles
from proxy.erasure.texts.redaction import redact


def _spelled(parsed: Any) -> list[str]:
    """Every word that a pattern of words, choices and optional letters stands for."""
    made = [""]
    for kind, value in parsed:
        match str(kind):
            case "LITERAL":
                ends = [chr(value)]
            case "IN":
                ends = [chr(letter) for _, letter in value]
            case "SUBPATTERN":
                ends = _spelled(value[3])
            case "BRANCH":
                ends = [each for branch in value[1] for each in _spelled(branch)]
            case "MAX_REPEAT":
                ends = [*([""] if value[0] == 0 else []), *_spelled(value[2])]
        made = [start + end for start in made for end in ends]
    return made


WORDS = sorted({*_spelled(_parser.parse(ROLES)), *BEFORE_NAMES})
SENTENCES = (
    "My {} has asthma.", "My {} Renata Solberg moved to Bergen.", "That is my {}'s dog.",
    "{} likes tea.", "Yesterday {} Orla Quist called.",
)  # fmt: skip


def test_every_word_for_a_relation_and_every_title_is_found_beside_a_name_too() -> None:
    assert len(WORDS) > 600
    assert {"sister", "doctor", "miss", "judge", "schwester", "hermana", "soeur", "zus"} <= {*WORDS}
    missed = [
        (asked, said)
        for word in WORDS
        for asked in (word, word.title())
        for needles in [Needles.build([asked], entity_type="RELATIONSHIP")]
        for said in (sentence.format(form) for sentence in SENTENCES for form in (word, asked))
        if not needles.mentioned(said)
    ]
    assert missed == []


@pytest.mark.parametrize("kind", [None, "relationship", "person"])
@pytest.mark.parametrize("owner", [None, "u-1"])
@pytest.mark.parametrize("word", ["sister", "aunt", "doctor", "nurse", "captain", "Schwester"])
async def test_a_relation_is_found_whatever_it_is_said_to_be(build, word, owner, kind) -> None:
    bench = await build()
    texts = [f"My {word} has asthma and lives in Oban.", f"Met my {word} Ada Falk.", "Sells paper."]
    for text in texts:
        await bench.remember("u-1", text)
    target = {"kind": "entity", "value": word, "type": kind, "owner": owner}
    view = await bench.forget(load({**target, "entity_ids": ["wrd_alone"]}))
    assert (view.state, view.outcome, view.counts["found"]) == ("complete", "erased", 2)
    assert await bench.texts("u-1") == ["Sells paper."]


@pytest.mark.parametrize("word", ["ex-wife", "ex-husband", "landlord"])
async def test_a_relation_right_before_a_name_is_mentioned(build, word: str) -> None:
    bench = await build()
    for text in (f"My {word} Renata Solberg moved to Bergen.", f"My {word} has the car."):
        await bench.remember("u-1", text)
    target = {"kind": "entity", "value": f"my {word}", "type": "relationship", "owner": "u-1"}
    view = await bench.forget(load({**target, "entity_ids": ["wrd_alone"]}))
    assert (view.outcome, view.counts["found"], view.counts.get("doubtful", 0)) == ("erased", 2, 0)
    assert await bench.texts("u-1") == []


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("brother", "My brother-in-law plays golf."), ("wife", "My ex-wife has the car."),
        ("sister", "My half sister plays golf."), ("mère", "Ma belle-mère joue aux échecs."),
    ],
)  # fmt: skip
def test_another_relation_with_the_word_in_it_is_in_doubt(asked: str, said: str) -> None:
    """It is counted, and goes only if that is what whoever asks decides."""
    needles = Needles.build([asked], entity_type="RELATIONSHIP")
    assert [each.ambiguous for each in needles.find(said)] == [True]
    assert needles.may_mean(said)
    assert not needles.mentioned(said)


def test_a_relation_is_redacted_as_a_person() -> None:
    needles = Needles.build(["sister"], entity_type="RELATIONSHIP")
    assert redact("Rick's sister Ada Falk paints.", needles) == "Rick's a person Ada Falk paints."


@pytest.mark.parametrize(
    ("value", "kind", "taken"),
    [
        ("Ada Falk", "relationship", "PERSON"), ("Judge", "person", "PERSON"),
        ("Don", None, None), ("Ward", "person", "PERSON"), ("ward", "relationship", "RELATIONSHIP"),
        ("Sister", "person", "RELATIONSHIP"), ("sister", "location", "LOCATION"),
    ],
)  # fmt: skip
async def test_a_name_stays_a_name(build, value: str, kind: str | None, taken: str | None) -> None:
    bench = await build()
    target = load({"kind": "entity", "value": value, "type": kind})
    needles = await needles_of(bench.means, bench.tenant_id, target, ())
    assert needles is not None
    assert needles.entity_type == taken


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("sister", "PHONE_NUMBER"), ("sister", "EMAIL_ADDRESS"), ("sister", "IBAN_CODE"),
        ("van der", "PERSON"), ("De La", None), ("½", None), ("李", "PERSON"),
    ],
)  # fmt: skip
def test_what_no_search_by_words_finds_is_looked_for_as_written(value, kind) -> None:
    assert Needles.build([value], entity_type=kind).anywhere(f"Saw {value} there.")
