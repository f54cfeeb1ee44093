"""Of a list of people each entry is judged alone: theirs goes whole, others' stay as they are."""

import pytest

from proxy.erasure.search.target import Target
from proxy.erasure.texts.entries import Part, in_parts
from proxy.erasure.texts.mentions import Needles
from proxy.erasure.texts.named import Identifiers
from tests.support.erasing import Erasing

LOUISA = Target(kind="entity", values=("Louisa Merton",), entity_type="PERSON")
# {L} is forgotten; what is left of the text, None where nothing of it may stay.
IN_A_LINE = {
    "James Orimoto: 020 7946 0111, {L}: 020 7946 0106.": "James Orimoto: 020 7946 0111.",
    "{L}: 020 7946 0106, James Orimoto: 020 7946 0111": "James Orimoto: 020 7946 0111",
    "James Orimoto: 020 7946 0111, {L}: 020 7946 0106, Tom Reed: 020 7946 0133.":
        "James Orimoto: 020 7946 0111, Tom Reed: 020 7946 0133.",
    "James Orimoto: jo@mail.example, {L}: lm@work.example.": "James Orimoto: jo@mail.example.",
    "{L}: lm@work.example, Tom Reed: tr@mail.example, James Orimoto: jo@mail.example.":
        "Tom Reed: tr@mail.example, James Orimoto: jo@mail.example.",
    "James Orimoto 020 7946 0111; {L} 020 7946 0106.": "James Orimoto 020 7946 0111.",
    "James Orimoto (020 7946 0111), {L} (020 7946 0106)": "James Orimoto (020 7946 0111)",
    "Babysitters: {L} (020 7946 0106), James Orimoto (020 7946 0111)":
        "Babysitters: James Orimoto (020 7946 0111)",
    "Contacts: James Orimoto 020 7946 0111; {L} 020 7946 0106; Tilda Marwick 020 7946 0133.":
        "Contacts: James Orimoto 020 7946 0111; Tilda Marwick 020 7946 0133.",
    "Phone numbers: James Orimoto - 020 7946 0111, {L} - 020 7946 0106":
        "Phone numbers: James Orimoto - 020 7946 0111",
    "James Orimoto = 020 7946 0111; {L} = 020 7946 0106": "James Orimoto = 020 7946 0111",
    "{L} = 020 7946 0106; James Orimoto = 020 7946 0111": "James Orimoto = 020 7946 0111",
    "Emergency contacts for James Orimoto: {L} 020 7946 0106, Tilda Marwick 020 7946 0133.":
        "Emergency contacts for James Orimoto: Tilda Marwick 020 7946 0133.",
    "Team: James Orimoto (lead, ext. 4471), {L} (art, ext. 4472), Tilda Marwick (QA, ext. 4473).":
        "Team: James Orimoto (lead, ext. 4471), Tilda Marwick (QA, ext. 4473).",
    "James Orimoto (lead), {L} (design) and Tilda Marwick (QA).":
        "James Orimoto (lead) and Tilda Marwick (QA).",
    "James Orimoto: vegan, {L}: diabetic, Tom Reed: no nuts.":
        "James Orimoto: vegan, Tom Reed: no nuts.",
    "Telefonliste: James Orimoto 030 5550111, {L} 030 5550106 und Tom Reed 030 5550133.":
        "Telefonliste: James Orimoto 030 5550111 und Tom Reed 030 5550133.",
    "Teléfonos: James Orimoto 612 345 678, {L} 612 345 679.":
        "Teléfonos: James Orimoto 612 345 678.",
    "James Orimoto : 01 99 00 12 34, {L} : 01 99 00 12 35.": "James Orimoto : 01 99 00 12 34.",
    "James Orimoto's number is 020 7946 0111 and {L}'s is 020 7946 0106.":
        "James Orimoto's number is 020 7946 0111.",
    "{L}'s number is 020 7946 0106 and James Orimoto's is 020 7946 0111.":
        "James Orimoto's number is 020 7946 0111.",
    "Email James Orimoto at jo@mail.example and {L} at lm@work.example.":
        "Email James Orimoto at jo@mail.example.",
    "Email {L} at lm@work.example and James Orimoto at jo@mail.example.":
        "Email James Orimoto at jo@mail.example.",
    "Call James Orimoto on 020 7946 0111 or {L} on 020 7946 0106.":
        "Call James Orimoto on 020 7946 0111.",
    "James Orimoto ist unter 030 5550111 erreichbar, {L} unter 030 5550106.":
        "James Orimoto ist unter 030 5550111 erreichbar.",
    "El teléfono de James Orimoto es 612 345 678 y el de {L} es 612 345 679.":
        "El teléfono de James Orimoto es 612 345 678.",
    "El teléfono de {L} es 612 345 679 y el de James Orimoto es 612 345 678.":
        "El teléfono de James Orimoto es 612 345 678.",
    "James Orimoto wohnt in der Lindenstraße 12, Berlin, {L} in der Gartenstraße 4, 10115 Berlin.":
        "James Orimoto wohnt in der Lindenstraße 12, Berlin.",
    "It opens at 9. James Orimoto: 020 7946 0111. {L}: 020 7946 0106. Tom Reed: 020 7946 0133.":
        "It opens at 9. James Orimoto: 020 7946 0111. Tom Reed: 020 7946 0133.",
    "James Orimoto: 020 7946 0111, {L}: 020 7946 0106. She is out on Mondays.":
        "James Orimoto: 020 7946 0111.",
    "Text {L} or James Orimoto: 020 7946 0106 / 020 7946 0111.":
        "Text a person or James Orimoto: 020 7946 0111.",
    "James Orimoto: 020 7946 0111 {L}: 020 7946 0106 Tom Reed: 020 7946 0133":
        "James Orimoto: 020 7946 0111 Tom Reed: 020 7946 0133",
    "Dr. James Orimoto: 020 7946 0111, Dr. {L}: 020 7946 0106, Prof. Tom Reed: 020 7946 0133.":
        "Dr. James Orimoto: 020 7946 0111, Prof. Tom Reed: 020 7946 0133.",
    "Reach {L} at 020 7946 0106, or James Orimoto at 020 7946 0111.":
        "Reach James Orimoto at 020 7946 0111.",
    "Tom Reed and {L}: 020 7946 0155; James Orimoto: 020 7946 0111":
        "Tom Reed and a person: 020 7946 0155; James Orimoto: 020 7946 0111",
    "James Orimoto: 020 7946 0155, {L}: 020 7946 0155": "James Orimoto: 020 7946 0155",
    "James Orimoto (lead), {L} (design, ext. 4472) and Tilda Marwick (QA, ext. 4473) run it.":
        "James Orimoto (lead), a person and Tilda Marwick (QA, ext. 4473) run it.",
    "James Orimoto lives at 12 Mill Road, York, and {L} at 9 Quarry Lane, Leeds.":
        "James Orimoto lives at 12 Mill Road, York.",
    "{L}: diabetic. Allergic to nuts. James Orimoto: 020 7946 0111.":
        "James Orimoto: 020 7946 0111.",
    "{L}, a diabetic, was born on 9 June 1980 and James Orimoto on 4 May 1971.":
        "A person was born and James Orimoto on 4 May 1971.",
    "Passwords: James Orimoto hunter2, {L} swordfish.": "Passwords: James Orimoto hunter2.",
    "{L}'s username is lm80, James Orimoto's is jori.": "James Orimoto's username is jori.",
    "James Orimoto's username is jori, {L}'s is lm80.": "James Orimoto's username is jori.",
    "James Orimoto's address is 12 Mill Road, York; {L}'s is 9 Quarry Lane, Leeds.":
        "James Orimoto's address is 12 Mill Road, York.",
}  # fmt: skip
BY_LINES = {
    "- James Orimoto, 020 7946 0111\n- {L}, 020 7946 0106\n- Tilda Marwick, 020 7946 0133":
        "- James Orimoto, 020 7946 0111\n- Tilda Marwick, 020 7946 0133",
    "- {L}, 020 7946 0106\n- James Orimoto, 020 7946 0111\n- Tom Reed, 020 7946 0133":
        "- James Orimoto, 020 7946 0111\n- Tom Reed, 020 7946 0133",
    "James Orimoto, 020 7946 0111\n{L}, 020 7946 0106\nTom Reed, 020 7946 0133\nLena Koch, 1234567":
        "James Orimoto, 020 7946 0111\nTom Reed, 020 7946 0133\nLena Koch, 1234567",
    "James Orimoto 020 7946 0111\n{L} 020 7946 0106\nTom Reed 020 7946 0133":
        "James Orimoto 020 7946 0111\nTom Reed 020 7946 0133",
    "James Orimoto: 020 7946 0111\n\n{L}: 020 7946 0106\n\nTom Reed: 020 7946 0133":
        "James Orimoto: 020 7946 0111\n\nTom Reed: 020 7946 0133",
    "James Orimoto – 020 7946 0111\n{L} – 020 7946 0106\nTom Reed – 020 7946 0133":
        "James Orimoto – 020 7946 0111\nTom Reed – 020 7946 0133",
    "* James Orimoto: jo@mail.example\n* {L}: lm@work.example\n* Tom Reed: tr@mail.example":
        "* James Orimoto: jo@mail.example\n* Tom Reed: tr@mail.example",
    "1. James Orimoto, 020 7946 0111\n2. {L}, 020 7946 0106\n3. Tom Reed, 020 7946 0133":
        "1. James Orimoto, 020 7946 0111\n3. Tom Reed, 020 7946 0133",
    "1. James Orimoto, 4 May 1971\n2. {L}, 9 June 1980": "1. James Orimoto, 4 May 1971",
    "1) {L}, 9 June 1980\n2) James Orimoto, 4 May 1971": "2) James Orimoto, 4 May 1971",
    "| Who |  |\n|---|---|\n| James Orimoto | 5550111 |\n| {L} | 5550106 |\n| Tom Reed | 5550133 |":
        "| Who |  |\n|---|---|\n| James Orimoto | 5550111 |\n| Tom Reed | 5550133 |",
    "Name\tPhone\n{L}\t020 7946 0106\nTom Reed\t020 7946 0133":
        "Name\tPhone\nTom Reed\t020 7946 0133",
    "Here:\n- James Orimoto (CTO)\n- {L} (CFO)\n- Tilda Marwick (COO)\nNext meeting is on 3 May.":
        "Here:\n- James Orimoto (CTO)\n- Tilda Marwick (COO)\nNext meeting is on 3 May.",
    "- James Orimoto brings the salad\n- {L} brings the wine\n- Tilda Marwick brings the dessert":
        "- James Orimoto brings the salad\n- Tilda Marwick brings the dessert",
    "- James Orimoto: vegan\n- {L}: diabetic\n- Tom Reed: no nuts":
        "- James Orimoto: vegan\n- Tom Reed: no nuts",
    "- James Orimoto\n- {L}\n- Tom Reed": "- James Orimoto\n- Tom Reed",
    "{L}:\n- phone: 5550106\n- likes tea\nJames Orimoto:\n- phone: 5550111\n- likes coffee":
        "James Orimoto:\n- phone: 5550111\n- likes coffee",
    "James Orimoto\n12 Mill Road, York\n\n{L}\n9 Quarry Lane\n\nTom Reed\n3 Dale Street, Hull":
        "James Orimoto\n12 Mill Road, York\n\nTom Reed\n3 Dale Street, Hull",
    "Tenants:\n{L}, 020 7946 0106\nOwners:\nTom Reed, 020 7946 0133":
        "Owners:\nTom Reed, 020 7946 0133",
    "020 7946 0111 James Orimoto\n020 7946 0106 {L}\n020 7946 0133 Tom Reed":
        "020 7946 0111 James Orimoto\n020 7946 0133 Tom Reed",
    "- {L} has been ill\n- James Orimoto drives her to the clinic\n- Tom Reed, 020 7946 0133":
        "- Tom Reed, 020 7946 0133",
    "- James Orimoto, Tel. 030 5550111\n- {L}, Tel. 030 5550106\n- Tom Reed, Tel. 030 5550133":
        "- James Orimoto, Tel. 030 5550111\n- Tom Reed, Tel. 030 5550133",
    "- James Orimoto, tél. 01 99 00 12 34\n- {L}, tél. 01 99 00 12 35":
        "- James Orimoto, tél. 01 99 00 12 34",
    "- **James Orimoto**: 020 7946 0111\n- **{L}**: 020 7946 0106":
        "- **James Orimoto**: 020 7946 0111",
    "- Dr. {L}, 020 7946 0106\n- Dr. James Orimoto, 020 7946 0111\n- Mr Tom Reed, 020 7946 0133":
        "- Dr. James Orimoto, 020 7946 0111\n- Mr Tom Reed, 020 7946 0133",
    "- {L}, 020 7946 0106\n  married, two children\n- James Orimoto, 020 7946 0111\n  single":
        "- James Orimoto, 020 7946 0111\n  single",
    "- {L}\n  - 020 7946 0106\n  - born 9 June 1980\n- James Orimoto\n  - 020 7946 0111":
        "- James Orimoto\n  - 020 7946 0111",
    "James Orimoto\n020 7946 0111\n{L}\n020 7946 0106\nTom Reed\n020 7946 0133":
        "James Orimoto\n020 7946 0111\nTom Reed\n020 7946 0133",
    "- James, 020 7946 0111\n- {L}, 020 7946 0106\n- Tom, 020 7946 0133":
        "- James, 020 7946 0111\n- Tom, 020 7946 0133",
    "- James Orimoto: ask {L} for the key\n- Tom Reed: 020 7946 0133":
        "- James Orimoto: ask a person for the key\n- Tom Reed: 020 7946 0133",
    "Doctor: James Orimoto, 5550111\nDentist: {L}, 5550106\nVet: Tom Reed, 5550133":
        "Doctor: James Orimoto, 5550111\nVet: Tom Reed, 5550133",
    "- My sister {L}: 020 7946 0106\n- My brother James Orimoto: 020 7946 0111":
        "- My brother James Orimoto: 020 7946 0111",
    "Name: {L}\nManager: James Orimoto\nPhone: 020 7946 0106": "Manager: James Orimoto",
    "James Orimoto, 12 Mill Road, York\n{L}, 9 Quarry Lane, Leeds\nTom Reed, 3 Dale Street, Hull":
        "James Orimoto, 12 Mill Road, York\nTom Reed, 3 Dale Street, Hull",
}  # fmt: skip
BIRTHDAYS = {
    "Birthdays: James Orimoto 4 May 1971, {L} 9 June 1980.": "Birthdays: James Orimoto 4 May 1971.",
    "James Orimoto was born on 4 May 1971 and {L} on 9 June 1980.":
        "James Orimoto was born on 4 May 1971.",
    "{L} was born on 9 June 1980 and James Orimoto on 4 May 1971.":
        "James Orimoto was born on 4 May 1971.",
    "James Orimoto was born on 4 May 1971, {L} on 9 June 1980 and Tom Reed on 2 July 1990.":
        "James Orimoto was born on 4 May 1971 and Tom Reed on 2 July 1990.",
    "James Orimoto (4 May 1971) and {L} (9 June 1980) are our tenants.":
        "James Orimoto (4 May 1971) and a person are our tenants.",
    "James Orimoto has his birthday on 4 May, {L} on 9 June.":
        "James Orimoto has his birthday on 4 May.",
    "James Orimoto's birthday is 4 May and {L}'s is 9 June.": "James Orimoto's birthday is 4 May.",
    "{L}'s birthday is 9 June, James Orimoto's is 4 May.": "James Orimoto's birthday is 4 May.",
    "James Orimoto is throwing a party for {L}, who turns 46 on 9 June.":
        "James Orimoto is throwing a party for a person.",
    "James Orimoto wurde am 4. Mai 1971 geboren, {L} am 9. Juni 1980.":
        "James Orimoto wurde am 4. Mai 1971 geboren.",
    "{L} wurde am 9. Juni 1980 geboren, James Orimoto am 4. Mai 1971.":
        "James Orimoto wurde am 4. Mai 1971 geboren.",
    "James Orimoto nació el 4 de mayo de 1971 y {L} el 9 de junio de 1980.":
        "James Orimoto nació el 4 de mayo de 1971.",
    "Anniversaires : James Orimoto 4 mai 1971, {L} 9 juin 1980.":
        "Anniversaires : James Orimoto 4 mai 1971.",
}  # fmt: skip
CALLED_THEIRS = {
    "Tilda Marwick got {L}'s number from James Orimoto: 020 7946 0106.":
        "Tilda Marwick got a person's number from James Orimoto.",
    "Tilda Marwick got James Orimoto's number from {L}: 020 7946 0111.":
        "Tilda Marwick got James Orimoto's number from a person: 020 7946 0111.",
    "Tilda Marwick got {L}'s email from James Orimoto, lm@work.example.":
        "Tilda Marwick got a person's email from James Orimoto.",
    "James Orimoto forwarded {L}'s new number to Tilda Marwick: 020 7946 0106.":
        "James Orimoto forwarded a person's new number to Tilda Marwick.",
    "James Orimoto asked Tom Reed for the address of {L}: 9 Quarry Lane, Leeds.":
        "James Orimoto asked Tom Reed for the address of a person.",
    "James Orimoto hat {L}s Nummer von Thomas Weber: 030 5550106.":
        "James Orimoto hat jemandes Nummer von Thomas Weber.",
    "Reach {L} through James Orimoto, 020 7946 0111.":
        "Reach a person through James Orimoto, 020 7946 0111.",
    "Reach {L} via James Orimoto, 020 7946 0111.":
        "Reach a person via James Orimoto, 020 7946 0111.",
    "{L} is reached via Tilda Marwick, 030 5550111.":
        "A person is reached via Tilda Marwick, 030 5550111.",
    "{L} met James Orimoto, ext. 4471.": "A person met James Orimoto, ext. 4471.",
    "{L} works with James Orimoto, tel. 020 7946 0111.":
        "A person works with James Orimoto, tel. 020 7946 0111.",
}  # fmt: skip
SHARED = {
    "James Orimoto, {L} and Tilda Marwick share the office line 020 7946 0155.":
        "James Orimoto, a person and Tilda Marwick share the office line 020 7946 0155.",
    "James Orimoto, Tilda Marwick and {L} share the office line 020 7946 0155.":
        "James Orimoto, Tilda Marwick and a person share the office line 020 7946 0155.",
    "James Orimoto and {L} share the office line 020 7946 0155.":
        "James Orimoto and a person share the office line 020 7946 0155.",
    "{L} and James Orimoto live at 14 Rosebery Lane, Leeds.":
        "A person and James Orimoto live at 14 Rosebery Lane, Leeds.",
    "James Orimoto und {L} wohnen in der Gartenstraße 4, 10115 Berlin.":
        "James Orimoto und jemand wohnen in der Gartenstraße 4, 10115 Berlin.",
    "James Orimoto and {L}: 020 7946 0155.": "James Orimoto and a person: 020 7946 0155.",
    "James Orimoto and {L}: 020 7946 0111 and 020 7946 0106.":
        "James Orimoto and a person: 020 7946 0111.",
    "I met James Orimoto and {L} and wrote down the number 020 7946 0106.":
        "I met James Orimoto and a person.",
    "James Orimoto and {L} met at her flat, 14 Rosebery Lane, Leeds.":
        "James Orimoto and a person met at her flat.",
}  # fmt: skip
REDUCED = {
    "James Orimoto sends the box to {L}, [street_address], Leeds LS2, by Friday.":
        "James Orimoto sends the box to a person by Friday.",
    "James Orimoto wohnt bei {L} in der [street_address], 10*** Berlin.":
        "James Orimoto wohnt bei jemand.",
    "James Orimoto visits {L} at [street_address] on Friday.":
        "James Orimoto visits a person on Friday.",
    "James Orimoto lives at [street_address], York, and {L} at [street_address], Leeds.":
        "James Orimoto lives at [street_address], York.",
    "James Orimoto (May 1971): [street_address], York; {L} (1980): [street_address], Leeds LS2.":
        "James Orimoto (May 1971): [street_address], York.",
}  # fmt: skip
KINDS = {
    "in a line": IN_A_LINE, "by lines": BY_LINES, "birthdays": BIRTHDAYS,
    "called theirs": CALLED_THEIRS, "shared": SHARED, "reduced": REDUCED,
}  # fmt: skip


@pytest.mark.parametrize("cases", KINDS.values(), ids=KINDS)
async def test_an_entry_goes_with_whom_it_tells_of(build, cases: dict[str, str]) -> None:
    """Their name and all beside it; of others nothing is lost."""
    bench: Erasing = await build(mixed="redact")
    for at, text in enumerate(cases):
        await bench.remember(f"u-{at}", text.format(L="Louisa Merton"))
    assert (await bench.forget(LOUISA)).state == "complete"
    left = [await bench.texts(f"u-{at}") for at in range(len(cases))]
    pairs = zip(cases.items(), left, strict=True)
    assert {text: kept for (text, said), kept in pairs if kept != [said]} == {}


async def test_of_their_entry_stays_what_is_to_be_kept(build) -> None:
    """Under the default rules; entries of others stay as they are."""
    bench: Erasing = await build()
    text = (
        "- James Orimoto, budget\n- Louisa Merton, 020 7946 0106, budget\n"
        "- Tilda Marwick, 020 7946 0133, budget"
    )
    await bench.remember("u-1", text)
    assert (await bench.forget(LOUISA, keep=("budget",))).state == "complete"
    assert await bench.texts("u-1") == [
        "- James Orimoto, budget\nBudget.\n- Tilda Marwick, 020 7946 0133, budget"
    ]


TOKENS = {
    "Person_ab12cd34: Phone_ab12cd34, {L}: Phone_cd34ef56, Person_ef56ab78: Phone_ef56ab78.":
        "Person_ab12cd34: Phone_ab12cd34, Person_ef56ab78: Phone_ef56ab78.",
    "- Person_ab12cd34, Phone_ab12cd34\n- {L}, Phone_cd34ef56\n- Person_ef56ab78, Phone_ef56ab78":
        "- Person_ab12cd34, Phone_ab12cd34\n- Person_ef56ab78, Phone_ef56ab78",
    "Call Person_ab12cd34 on Phone_ab12cd34 or {L} on Phone_cd34ef56.":
        "Call Person_ab12cd34 on Phone_ab12cd34.",
}  # fmt: skip


@pytest.mark.parametrize(("text", "left"), TOKENS.items())
def test_a_token_is_what_it_stands_for(text: str, left: str) -> None:
    """And what stood in an entry that was cut may stay nowhere else."""
    known = Identifiers(
        ("Phone_ab12cd34", "Phone_cd34ef56", "Phone_ef56ab78"),
        (),
        ("Person_ab12cd34", "Person_ef56ab78"),
    )
    needles = Needles.build(["Louisa Merton"], entity_type="PERSON")
    parts, gone = in_parts(text.format(L="Louisa Merton"), needles, known, None)
    shown = "".join(f"{part.before}{part.text}" for part in parts)
    assert (shown, all(part.settled for part in parts)) == (left, True)
    assert gone == {"Phone_cd34ef56"}


def test_what_is_no_list_is_one_part() -> None:
    """As it is, with its lines."""
    text = "James Orimoto met Louisa Merton.\nShe has asthma."
    needles = Needles.build(["Louisa Merton"], entity_type="PERSON")
    known = Identifiers(people=("James Orimoto",))
    assert in_parts(text, needles, known, None) == ([Part(text)], frozenset())
