"""Rows of a table, one person each: theirs goes whole, others' stay, known to detection or not."""

import pytest

from proxy.erasure.search.target import Target
from proxy.erasure.texts.mentions import Needles
from proxy.erasure.texts.rows import lists_others

LOUISA = Target(kind="entity", values=("Louisa Merton",), entity_type="PERSON")
HERS, HIS = "020 7946 0106", "020 7946 0111"
ROWS = {
    f"name;phone\nLouisa Merton;{HERS}\nJames Orimoto;{HIS}": f"name;phone\nJames Orimoto;{HIS}",
    f"name,phone\nLouisa Merton,{HERS}\nXylo Vantrex,{HIS}": f"name,phone\nXylo Vantrex,{HIS}",
    f"name;phone;city\nLouisa Merton;{HERS};Leeds\nQuenby Tharp;{HIS};York":
        f"name;phone;city\nQuenby Tharp;{HIS};York",
    f"Louisa Merton;{HERS}\nTharp, Quenby;{HIS}": f"Tharp, Quenby;{HIS}",
    f"Merton;Louisa;{HERS}\nTharp;Quenby;{HIS}": f"Tharp;Quenby;{HIS}",
    f"Tharp;Quenby;{HIS}\nMerton;Louisa;{HERS}": f"Tharp;Quenby;{HIS}",
    f"1,Quenby Tharp,{HIS}\n2,Louisa Merton,{HERS}\n3,Xylo Vantrex,020 7946 0133":
        f"1,Quenby Tharp,{HIS}\n3,Xylo Vantrex,020 7946 0133",
    "Quenby Tharp\tqt@mail.example\nLouisa Merton\tlm77@mail.example":
        "Quenby Tharp\tqt@mail.example",
    "Nachname;Vorname;Telefon\nMerton;Louisa;030 5550106\nÖzkan;Çiğdem;030 5550111":
        "Nachname;Vorname;Telefon\nÖzkan;Çiğdem;030 5550111",
}  # fmt: skip
# Of one person, by lines: nothing of it may be taken for another's.
FIELDS = [
    f"name;Louisa Merton\nphone;{HERS}\ncity;Leeds",
    f"Name;Louisa Merton\nPhone;{HERS}",
    f"Contact, Louisa Merton\nPhone, {HERS}",
    f"Louisa Merton;{HERS}",
    f"Louisa Merton;{HERS}\nmobile;{HIS}",
    f"Louisa Merton, {HERS}\nHome, {HIS}",
    f"Louisa Merton;{HERS}\nPassport;X1234567",
    f"Louisa Merton,1984-05-12\nMobile,{HIS}",
    f"Louisa Merton;{HERS}\nBüro;{HIS}\nFax;{HIS}",
    f"Louisa Merton;{HERS}\nAda;{HIS};York",
    f"Louisa Merton;{HERS}\n\nShe is back; call on {HIS}",
]


async def test_a_row_goes_with_whom_it_is_of(build) -> None:
    """And of the others nothing is lost, in the order of the table."""
    bench = await build(mixed="redact")
    for at, text in enumerate(ROWS):
        await bench.remember(f"u-{at}", text)
    assert (await bench.forget(LOUISA)).state == "complete"
    left = [await bench.texts(f"u-{at}") for at in range(len(ROWS))]
    pairs = zip(ROWS.items(), left, strict=True)
    assert {text: kept for (text, said), kept in pairs if kept != [said]} == {}


@pytest.mark.parametrize("text", FIELDS)
def test_lines_of_one_person_are_no_rows(text: str) -> None:
    """A line that may go on with theirs is nobody else's."""
    needles = Needles.build(["Louisa Merton"], entity_type="PERSON")
    assert not lists_others(text, needles.sure(text))


async def test_no_number_of_theirs_stays_in_such_lines(build) -> None:
    """Whatever else is left of them."""
    bench = await build(mixed="redact")
    for at, text in enumerate(FIELDS[:4]):
        await bench.remember(f"u-{at}", text)
    assert (await bench.forget(LOUISA)).state == "complete"
    left = [each for at in range(4) for each in await bench.texts(f"u-{at}")]
    assert [each for each in left if HERS in each or "Louisa" in each] == []
