"""One word of a name: it is the person where it stands alone, and somebody else beside another."""

import pytest

from proxy.erasure.search.target import Target
from proxy.erasure.texts.mentions import Needles
from proxy.tokens.vault import Mention
from tests.support.erasing import Erasing

ALVA = [Mention("PERSON", "Alva Brenn")]
PERSON = Target(kind="entity", values=("Alva Brenn",), entity_type="PERSON")


@pytest.mark.parametrize(
    ("text", "goes"),
    [
        pytest.param("Alva called about the boat", True, id="first name"),
        pytest.param("Met Alva at the pier", True, id="after a verb that opens the sentence"),
        pytest.param("Phoned Brenn about the boat", True, id="surname after a verb"),
        pytest.param("Dr. Brenn looks after the knee", True, id="title"),
        pytest.param("Dear Alva, thank you", True, id="greeting"),
        pytest.param("The boat is Alva's", True, id="possessive"),
        pytest.param("Tilda Brenn called about the boat", False, id="another first name"),
        pytest.param("Mira Brenn sings", False, id="another first name, found word by word"),
        pytest.param("Alva Lund called about the boat", False, id="another surname"),
        pytest.param("Had tea with Tilda Brenn and Alva", True, id="both"),
        pytest.param("Tilda Brenn's boat is red", False, id="possessive of another"),
        pytest.param("alva tahaholm knits", False, id="another surname nobody knows, small"),
        pytest.param("alva johansson came by", False, id="another surname, small"),
        pytest.param("tovkal brenn knits", False, id="another first name, small"),
        pytest.param("alva knits socks", True, id="small, and what she does"),
        pytest.param("alva realy likes tea", True, id="small, and a misspelt word"),
        pytest.param("alva brenn knits", True, id="the whole name, small"),
        pytest.param("Lanterna Brenn's canoe is red", False, id="another first name like a word"),
    ],
)
async def test_a_bare_name(bench: Erasing, text: str, goes: bool) -> None:
    """Untagged texts go by the name alone; a namesake's stay."""
    await bench.remember(
        "u-1", "Alva Brenn moved to Turku", mentions=[Mention("PERSON", "Alva Brenn")]
    )
    await bench.remember("u-1", text, known=False)
    view = await bench.forget(PERSON)
    assert view.state == "complete", view.body()
    assert bench.small.texts() == ([] if goes else [text])


def test_a_namesake_is_no_certain_mention() -> None:
    """A part of the name beside another name needs judgement; the whole name never does."""
    needles = Needles.build(("Alva Brenn", "Brenn"), entity_type="PERSON")
    assert needles.whole == ("Alva Brenn",)
    (span,) = needles.find("Tilda Brenn called")
    assert (span.certain, span.partial) == (False, True)
    assert needles.mentioned("Alva Brenn called")
    assert needles.sure("Tilda Brenn called") == []


async def test_a_whole_name_needs_no_question(bench: Erasing) -> None:
    """Where the index knows only one word of it, the whole name in the texts decides."""
    known = [Mention("PERSON", "Brenn")]
    await bench.remember("u-1", "Alva Brenn moved to Turku", mentions=known)
    await bench.remember("u-1", "Tilda Brenn called about the boat", mentions=known)
    view = await bench.forget(PERSON)
    assert view.state == "complete", view.body()
    assert bench.small.texts() == ["Tilda Brenn called about the boat"]


@pytest.mark.parametrize(
    ("text", "goes"),
    [
        pytest.param("May Lindqvist sings and May bakes", True, id="name"),
        pytest.param("In May we go to Rome", False, id="month"),
        pytest.param("I may go in May", False, id="verb"),
        pytest.param("The deadline is in May", False, id="month at the end"),
    ],
)
async def test_a_capitalised_word_that_no_index_knows(
    bench: Erasing, text: str, goes: bool
) -> None:
    """ "May", asked for without a type, is somebody where it is used as a name."""
    await bench.remember("u-1", text, mentions=[])
    await bench.forget(Target(kind="entity", values=("May",)))
    assert bench.small is not None
    assert bench.small.texts() == ([] if goes else [text])
