"""What identifies the forgotten one goes with their name; what is plainly another's stays."""

import pytest

from proxy.erasure.search.target import Target
from proxy.erasure.texts.identifiers import without_identifiers
from proxy.erasure.texts.mentions import Needles
from proxy.erasure.texts.named import Identifiers
from tests.support.erasing import Erasing

LOUISA = Target(kind="entity", values=("Louisa Merton",), entity_type="PERSON")
# {L} is forgotten; what is left of the text, None where nothing of it may stay.
THEIRS = {
    "James Orimoto will ring {L} on +44 20 7946 0106 tomorrow.":
        "James Orimoto will ring a person tomorrow.",
    "James Orimoto should call {L} (tel. +44 20 7946 0101) about the budget.":
        "James Orimoto should call a person about the budget.",
    "James Orimoto's note: ask {L}, tel. +44 20 7946 0100, about the budget.":
        "James Orimoto's note: ask a person about the budget.",
    "James Orimoto called {L}. Tel. +44 20 7946 0109.": "James Orimoto called a person.",
    "Contact for James Orimoto: {L}, +44 20 7946 0107.":
        "Contact for James Orimoto: a person.",
    "James Orimoto shares an office with {L}, ext. 4471.":
        "James Orimoto shares an office with a person.",
    "James Orimoto met {L}, b. 3 May 1980, at the fair.": "James Orimoto met a person at the fair.",
    "James Orimoto met {L}, born on 3 May 1980, at the fair.":
        "James Orimoto met a person at the fair.",
    "James Orimoto met {L} (43, +44 20 7946 0108) in Leeds.":
        "James Orimoto met a person in Leeds.",
    "James Orimoto wrote to {L} <louisa.merton@mail.example> about the budget.":
        "James Orimoto wrote to a person about the budget.",
    "James Orimoto wrote to {L} at lm77@mail.example about the budget.":
        "James Orimoto wrote to a person about the budget.",
    "James Orimoto visits {L} at 14 Rosebery Lane, Leeds LS1 4AB, on Friday.":
        "James Orimoto visits a person on Friday.",
    "James Orimoto pays {L} (IBAN DE89 3704 0044 0532 0130 00) on Friday.":
        "James Orimoto pays a person on Friday.",
    "James Orimoto follows {L} (@rosebery_77) online.": "James Orimoto follows a person online.",
    "James Orimoto follows {L}, https://social.example/rosebery77, on Fridays.":
        "James Orimoto follows a person on Fridays.",
    "James Orimoto met {L}, passport no. 533380006, at the desk.":
        "James Orimoto met a person at the desk.",
    "James Orimoto rang {L} yesterday on +44 20 7946 0106.":
        "James Orimoto rang a person yesterday.",
    "James Orimoto met {L} and wrote down the number +44 20 7946 0106.":
        "James Orimoto met a person.",
    "James Orimoto and {L} share the number +44 20 7946 0106.":
        "James Orimoto and a person share the number +44 20 7946 0106.",
    "{L} and James Orimoto's number is +44 20 7946 0106.":
        "James Orimoto's number is +44 20 7946 0106.",
    "James Orimoto met {L}. The number is +44 20 7946 0106.": "James Orimoto met a person.",
    "James Orimoto met {L}. Born on 3 May 1980.": "James Orimoto met a person.",
    "James Orimoto called {L}'s mobile +44 20 7946 0106 on Friday.":
        "James Orimoto called a person's mobile on Friday.",
    "James Orimoto lives at 14 Rosebery Lane with {L}.": "James Orimoto lives with a person.",
    "James Orimoto und Tom Reed rufen {L} nicht unter +49 30 5550123 an.":
        "James Orimoto und Tom Reed rufen jemand nicht an.",
    "James Orimoto traf {L} (Tel. +49 30 5550123) wegen der Planung.":
        "James Orimoto traf jemand wegen der Planung.",
    "James Orimoto traf {L}, geb. 3.5.1980, auf der Messe.":
        "James Orimoto traf jemand auf der Messe.",
    "James Orimoto teilt sich ein Büro mit {L}, Durchwahl 4471.":
        "James Orimoto teilt sich ein Büro mit jemand.",
    "James Orimoto besucht {L}, Lindenstraße 12, 10969 Berlin, nach der Arbeit.":
        "James Orimoto besucht jemand nach der Arbeit.",
    "James Orimoto appelle {L} au +33 1 99 00 12 34 demain.":
        "James Orimoto appelle a person demain.",
    "James Orimoto a rencontré {L}, née le 3 mai 1980, à Lyon.":
        "James Orimoto a rencontré a person à Lyon.",
    "James Orimoto llama a {L} al +34 912 345 678 mañana.":
        "James Orimoto llama a person mañana.",
    "James Orimoto habló con {L} (tel. +34 912 345 678) sobre la obra.":
        "James Orimoto habló con a person sobre la obra.",
}  # fmt: skip
OTHERS = {
    "James Orimoto (+44 20 7946 0111) met {L}.": "James Orimoto (+44 20 7946 0111) met a person.",
    "James Orimoto, tel. +44 20 7946 0111, met {L}.":
        "James Orimoto, tel. +44 20 7946 0111, met a person.",
    "{L} will ring James Orimoto on +44 20 7946 0111 tomorrow.":
        "A person will ring James Orimoto on +44 20 7946 0111 tomorrow.",
    "{L} (+44 20 7946 0106) met James Orimoto (+44 20 7946 0111).":
        "A person met James Orimoto (+44 20 7946 0111).",
    "{L} shares an office with James Orimoto, ext. 4471.":
        "A person shares an office with James Orimoto, ext. 4471.",
    "{L} wrote to James Orimoto <j.orimoto@mail.example> about the budget.":
        "A person wrote to James Orimoto <j.orimoto@mail.example> about the budget.",
    "{L} met James Orimoto, b. 3 May 1980, at the fair.":
        "A person met James Orimoto, b. 3 May 1980.",
    "James Orimoto's number is +44 20 7946 0111. {L} met James Orimoto.":
        "James Orimoto's number is +44 20 7946 0111. A person met James Orimoto.",
    "James Orimoto met {L}. James Orimoto's number is +44 20 7946 0111.":
        "James Orimoto met a person. James Orimoto's number is +44 20 7946 0111.",
    "James Orimoto's number is +44 20 7946 0111 and {L}'s is +44 20 7946 0106.":
        "James Orimoto's number is +44 20 7946 0111.",
    "Call +44 20 7946 0111 for James Orimoto. James Orimoto met {L}.":
        "Call +44 20 7946 0111 for James Orimoto. James Orimoto met a person.",
    "James Orimoto (Tel. +49 30 5550123) traf {L} auf der Messe.":
        "James Orimoto (Tel. +49 30 5550123) traf jemand auf der Messe.",
    "{L} trifft James Orimoto, geb. 3.5.1980, auf der Messe.":
        "Jemand trifft James Orimoto, geb. 3.5.1980.",
    "{L} a rencontré James Orimoto (tél. +33 1 99 00 12 34) à Lyon.":
        "A person a rencontré James Orimoto (tél. +33 1 99 00 12 34) à Lyon.",
    "{L} habló con James Orimoto (tel. +34 912 345 678) sobre la obra.":
        "A person habló con James Orimoto (tel. +34 912 345 678) sobre la obra.",
    "James Orimoto meets {L} on 3 May 2027 at 15:30.":
        "James Orimoto meets a person on 3 May 2027 at 15:30.",
    "James Orimoto lent {L} 450 euro on Friday.": "James Orimoto lent a person 450 euro on Friday.",
    "{L} met James Orimoto (b. 3 May 1980) at the fair.":
        "A person met James Orimoto (b. 3 May 1980) at the fair.",
    "{L}, tel. +44 20 7946 0106, met James Orimoto in Leeds.":
        "A person met James Orimoto in Leeds.",
    "James Orimoto met {L}, tel. +44 20 7946 0106, a diabetic, in Leeds.":
        "James Orimoto met a person.",
    "My number is +44 20 7946 0111. James Orimoto met {L}.":
        "My number is +44 20 7946 0111. James Orimoto met a person.",
    "James Orimoto gave {L} my number +44 20 7946 0111.":
        "James Orimoto gave a person my number +44 20 7946 0111.",
}  # fmt: skip


@pytest.mark.parametrize("cases", [THEIRS, OTHERS], ids=["theirs", "others"])
async def test_an_identifier_goes_with_whose_it_may_be(build, cases: dict[str, str]) -> None:
    """Cut out with what leads to it, else with its clause, else with the whole memory."""
    bench: Erasing = await build(mixed="redact")
    for at, text in enumerate(cases):
        await bench.remember(f"u-{at}", text.format(L="Louisa Merton"))
    assert (await bench.forget(LOUISA)).state == "complete"
    left = [await bench.texts(f"u-{at}") for at in range(len(cases))]
    pairs = zip(cases.items(), left, strict=True)
    assert {text: kept for (text, said), kept in pairs if kept != ([said] if said else [])} == {}


@pytest.mark.parametrize(
    ("keep", "left"),
    [
        ("budget", "James Orimoto will ring a person about the budget."),
        ("phone", "James Orimoto will ring a person on +44 20 7946 0106 about the budget."),
    ],
)
async def test_beside_what_is_to_be_kept_none_stays(build, keep: str, left: str) -> None:
    """Under the default rules; unless it is itself what is to be kept."""
    bench: Erasing = await build()
    text = "James Orimoto will ring Louisa Merton on +44 20 7946 0106 about the budget."
    await bench.remember("u-1", text)
    assert (await bench.forget(LOUISA, keep=(keep,))).state == "complete"
    assert await bench.texts("u-1") == [left]


TOKENS = {
    "Person_ab12cd34 (Phone_ab12cd34) met {L} (Phone_cd34ef56) in Leeds.":
        "Person_ab12cd34 (Phone_ab12cd34) met {L} in Leeds.",
    "Person_ab12cd34 met {L} on Phone_cd34ef56.": "Person_ab12cd34 met {L}.",
}  # fmt: skip


@pytest.mark.parametrize(("text", "left"), TOKENS.items())
def test_a_token_is_what_it_stands_for(text: str, left: str) -> None:
    """Of stored texts: the names and the numbers in them are pieces, whatever they look like."""
    known = Identifiers(("Phone_ab12cd34", "Phone_cd34ef56"), (), ("Person_ab12cd34",))
    needles = Needles.build(["Louisa Merton"], entity_type="PERSON")
    said = text.format(L="Louisa Merton")
    found, barred = without_identifiers(said, needles, known, None, named=False)
    assert (found, barred) == (left.format(L="Louisa Merton"), {"Phone_cd34ef56"})


@pytest.mark.parametrize("speaks", [True, False])
def test_my_number_is_the_speakers(speaks: bool) -> None:
    """It goes where the speaker is who is forgotten."""
    said = "My number is +44 1. Louisa Merton met James Orimoto."
    known = Identifiers(("+44 1",), (), ("James Orimoto",), speaks)
    needles = Needles.build(["Louisa Merton"], entity_type="PERSON")
    found, barred = without_identifiers(said, needles, known, None, named=False)
    assert (found, barred) == (said, {"+44 1"} if speaks else set())
