"""What only signs tell apart is kept apart: in the search, in the index and behind a token."""

import pytest

from detectors.identity.keys import name_keys
from detectors.identity.windows import candidate_keys
from proxy.erasure.search.target import Target
from proxy.erasure.texts.mentions import Needles
from proxy.tokens.vault import Mention
from tests.support.erasing import OPERATOR, Erasing

# name, what mentions it, what does not
ROWS = [
    ("C++", ["I write C++ daily.", "c++ is fine", "(C++)"],
     ["C is a language.", "C# too.", "Plain C.", "Vitamin C helps."]),
    ("C#", ["I like C#.", "C#, and more"], ["C is fine.", "C++ is new.", "C"]),
    ("C", ["Plain C.", "C is old"], ["C++ is new.", "I like C#."]),
    (".NET", ["We use .NET here.", ".net"], ["Net is down.", "The net is wide."]),
    ("F#", ["F# too"], ["Grade F.", "f is a letter"]),
    ("Bo", ["Bo+Alva came", "Bo came", "Bo#1"], ["Bob came"]),
    ("Net", ["Net is down."], ["The nets are wide"]),
]  # fmt: skip


@pytest.mark.parametrize("kind", [None, "NRP", "ORGANIZATION", "PERSON"])
@pytest.mark.parametrize(("name", "told", "others"), ROWS, ids=[row[0] for row in ROWS])
def test_signs_tell_names_apart(
    name: str, told: list[str], others: list[str], kind: str | None
) -> None:
    """Whatever detection takes it for."""
    needles = Needles.build([name], entity_type=kind)
    assert [text for text in told if not needles.find(text)] == []
    assert [text for text in others if needles.find(text)] == []


@pytest.mark.parametrize(("name", "told", "others"), ROWS, ids=[row[0] for row in ROWS])
def test_the_index_tells_them_apart_too(name: str, told: list[str], others: list[str]) -> None:
    """Else the ledger would link memories of the one with the other."""
    full = {key.value for key in name_keys(name, "NRP") if key.kind == "full"}

    def known(text: str) -> bool:
        return any(key.kind == "full" and key.value in full for _, _, key in candidate_keys(text))

    assert [text for text in told if not known(text)] == []
    assert [text for text in others if known(text)] == []


async def test_forgetting_one_leaves_the_others(bench: Erasing) -> None:
    """Each was written with a token of its own."""
    texts = {"C++": "I write C++ daily.", "C": "C is a language.", "C#": "C# too."}
    for name, text in texts.items():
        await bench.remember("u-1", text, mentions=[Mention("NRP", name)])
    view = await bench.service.request(
        bench.tenant_id, Target(kind="entity", values=("C++",)), actor=OPERATOR
    )
    assert [each["text"] for each in view.items] == ["I write C++ daily."]
