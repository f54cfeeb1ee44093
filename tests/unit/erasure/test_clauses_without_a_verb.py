"""What is said of the forgotten one by another's verb, in a bracket or before the name goes too."""

import pytest

from proxy.erasure.search.target import Target
from tests.support.erasing import Erasing

LOUISA = Target(kind="entity", values=("Louisa Merton",), entity_type="PERSON")
# {L} is forgotten; what is left of the text, None where nothing of it may stay.
BY_ANOTHERS_VERB = {
    "James Orimoto takes metformin, {L} warfarin and Tom Reed nothing.":
        "James Orimoto takes metformin and Tom Reed nothing.",
    "{L} takes warfarin and James Orimoto metformin.": "James Orimoto takes metformin.",
    "James Orimoto has asthma, {L} lupus and Tom Reed gout.":
        "James Orimoto has asthma and Tom Reed gout.",
    "James Orimoto earns 52,000, {L} 61,500.": "James Orimoto earns 52,000.",
    "James Orimoto lives in Nantes, {L} in Pau.": "James Orimoto lives in Nantes.",
    "{L} lives in Leeds, James Orimoto in York.": "James Orimoto lives in York.",
    "James Orimoto works at Norvane, {L} at Quorl.": "James Orimoto works at Norvane.",
    "James Orimoto is allergic to nuts, {L} to latex.": "James Orimoto is allergic to nuts.",
    "James Orimoto is a nurse, {L} a judge.": "James Orimoto is a nurse.",
    "James Orimoto hat Asthma, {L} Epilepsie und Tom Reed nichts.":
        "James Orimoto hat Asthma und Tom Reed nichts.",
    "James Orimoto verdient 4.100 Euro, {L} 5.300 Euro.": "James Orimoto verdient 4.100 Euro.",
    "James Orimoto wohnt in Ulm und {L} in Bonn.": "James Orimoto wohnt in Ulm.",
}  # fmt: skip
BRACKETS_AND_SIGNS = {
    "Cc James Orimoto <jo@mail.example>, {L} <lm@work.example>, Tom Reed <tr@mail.example>":
        "Cc James Orimoto <jo@mail.example>, Tom Reed <tr@mail.example>",
    "James Orimoto [jo@mail.example], {L} [lm@work.example], Tom Reed [tr@mail.example]":
        "James Orimoto [jo@mail.example], Tom Reed [tr@mail.example]",
    "James Orimoto @jorim, {L} @lulu77, Tom Reed @treed": "James Orimoto @jorim, Tom Reed @treed",
    "Who pays what: James Orimoto €40, {L} €55, Tom Reed €30":
        "Who pays what: James Orimoto €40, Tom Reed €30",
    "James Orimoto £40, {L} £55": "James Orimoto £40",
    "1) James Orimoto 020 7946 0111 2) {L} 020 7946 0106 3) Tom Reed 020 7946 0133":
        "1) James Orimoto 020 7946 0111 3) Tom Reed 020 7946 0133",
}  # fmt: skip
BEFORE_THE_NAME = {
    "020 7946 0111 is James Orimoto, 020 7946 0106 is {L}, 020 7946 0133 is Tom Reed.":
        "020 7946 0111 is James Orimoto, 020 7946 0133 is Tom Reed.",
    "020 7946 0106 is {L}, 020 7946 0111 is James Orimoto.": "020 7946 0111 is James Orimoto.",
    "jo@mail.example is James Orimoto, lm@work.example is {L}.":
        "jo@mail.example is James Orimoto.",
    "020 7946 0111 - James Orimoto; 020 7946 0106 - {L}": "020 7946 0111 - James Orimoto",
}  # fmt: skip
# What several share stays said of the others; what is no list is judged by its clauses.
SHARED = {
    "{L} and Tom Reed live in York.": "A person and Tom Reed live in York.",
    "James Orimoto has a dog, and {L} and Tom Reed live in York.":
        "James Orimoto has a dog, and a person and Tom Reed live in York.",
    "James Orimoto met {L} and Tom Reed at the fair.":
        "James Orimoto met a person and Tom Reed at the fair.",
    "James Orimoto likes {L}.": "James Orimoto likes a person.",
    "Tom Reed drove, {L} slept.": "Tom Reed drove.",
}  # fmt: skip


@pytest.mark.parametrize(
    "cases", [BY_ANOTHERS_VERB, BRACKETS_AND_SIGNS, BEFORE_THE_NAME, SHARED],
    ids=["by another's verb", "brackets and signs", "before the name", "shared"],
)  # fmt: skip
async def test_what_is_said_of_them_goes(build, cases: dict[str, str | None]) -> None:
    """The policy says redact; each text is a memory of its own owner."""
    bench: Erasing = await build(mixed="redact")
    for at, text in enumerate(cases):
        await bench.remember(f"u-{at}", text.format(L="Louisa Merton"))
    assert (await bench.forget(LOUISA)).state == "complete"
    left = [await bench.texts(f"u-{at}") for at in range(len(cases))]
    wanted = [[] if said is None else [said] for said in cases.values()]
    pairs = zip(cases, left, wanted, strict=True)
    assert {text: kept for text, kept, said in pairs if kept != said} == {}
