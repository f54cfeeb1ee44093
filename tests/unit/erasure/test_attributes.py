"""What tells somebody's attribute, and what only has a word of it."""

import pytest

from proxy.erasure.search.target import Target
from proxy.erasure.texts.attribute_words import ATTRIBUTE
from proxy.erasure.texts.attributes import ATTRIBUTES, attribute_named
from proxy.erasure.texts.mentions import Needles
from tests.support.erasing import Erasing

# attribute, a text, whether it tells somebody's
TOLD = [
    ("salary", "The salary survey was published", False),
    ("salary", "The 2024 wage report was late", False),
    ("salary", "A study about wages names 5000 euro", False),
    ("salary", "Salaries in the north rose by 3 percent", False),
    ("salary", "Die Umfrage zu den Gehältern erschien im Mai", False),
    ("salary", "Une étude sur les salaires est parue", False),
    ("salary", "La encuesta de salarios se publicó", False),
    ("salary", "Lo studio sugli stipendi è uscito", False),
    ("salary", "A pesquisa sobre salários saiu", False),
    ("salary", "Het onderzoek naar lonen verscheen", False),
    ("salary", "My salary survey says 5000", True),
    ("salary", "Their salaries rose", True),
    ("salary", "The salary is low", True),
    ("salary", "Salary 5000", True),
    ("salary", "Mein Gehalt beträgt 5000 Euro", True),
    ("salary", "Mon salaire est bas", True),
    ("salary", "Mi sueldo es bajo", True),
    ("salary", "Il mio stipendio è basso", True),
    ("salary", "O meu salário é baixo", True),
    ("salary", "Mijn salaris is laag", True),
    ("salary", "Dovre Bank pays 3900 to me", True),
    ("salary", "Norvane pays 3900 to her monthly", True),
    ("salary", "The bakery transferred 3900 to him", True),
    ("salary", "He pays 20 euro to me for lunch", False),
    ("salary", "Norvane pays 3900 for the rent", False),
    ("salary", "Ich verdiene 4.200 Euro im Monat.", True),
    ("salary", "Sie verdient 3500 Euro.", True),
    ("salary", "Ich bekomme 2500 Euro netto.", True),
    ("salary", "Die Firma zahlt mir 2500 Euro im Monat.", True),
    ("salary", "Ich verdiene mehr als mein Bruder.", False),
    ("salary", "Ich bekomme 20 Euro von Jonas.", False),
    ("salary", "Je gagne 2 800 euros par mois.", True),
    ("salary", "Je touche 2500 euros net.", True),
    ("salary", "On a gagné 500 euros au loto.", False),
    ("salary", "Gano 2000 euros al mes.", True),
    ("salary", "Cobro 2.100 euros al mes.", True),
    ("salary", "Cobran 20 euros por la entrada.", False),
    ("salary", "Guadagno 1.900 euro al mese.", True),
    ("salary", "Prendo 1800 euro al mese.", True),
    ("salary", "Prendo 20 euro dal cassetto.", False),
    ("salary", "Wir zahlen 900 Euro im Monat für die Wohnung.", False),
    ("salary", "Ana paga 600 euros al mes de alquiler.", False),
    ("salary", "Me pagan 1.600 euros al mes.", True),
    ("salary", "Der Vermieter bekommt 900 Euro im Monat.", False),
    ("salary", "Ganho 1500 euros por mês.", True),
    ("salary", "Ze verdient 3100 euro.", True),
    ("salary", "Ik krijg 3.100 euro per maand.", True),
    ("salary", "Het kaartje kost 20 euro per maand.", False),
    ("salary", "Die Miete beträgt 900 Euro im Monat.", False),
    ("salary", "Le loyer est de 700 euros par mois.", False),
    ("salary", "Pay review meeting: offered 65k", True),
    ("salary", "Norvane pays 92,000 dollars", True),
    ("salary", "Norvane Motors offers about 92k a year", True),
    ("salary", "The clinic would pay 4100 euros gross", True),
    ("salary", "My new company pays 92,000 dollars", True),
    ("salary", "Norvane pays 92,000 dollars in taxes", False),
    ("salary", "Norvane paid 92,000 dollars to its supplier", False),
    ("salary", "Hedvig pays 900 euros", False),
    ("salary", "He pays 900 euros", False),
    ("salary", "Rent is 900 euros and Norvane pays well", False),
    ("address", "Moved to 50*** Köln", True),
    ("address", "Flat 12, 04***", True),
    ("address", "Rated 50***** by everybody", False),
    ("salary", "Salary negotiations are stressful in general", False),
    ("salary", "My salary negotiations failed", True),
    ("salary", "Salary negotiation discussion: asked for 85,000 dollars a year", True),
    ("salary", "Salary comparison: 4000 here, 5000 there", True),
    ("employer", "Employers should pay more", False),
    ("employer", "Both my employers are strict", True),
    ("age", "The bridge is 44 years old", False),
    ("age", "The old house was almost 100 years old", False),
    ("age", "The patient is 44 years old", True),
    ("age", "She is 44 years old", True),
    ("age", "The age limit was lowered", False),
    ("age", "Reads about the Stone Age", False),
    ("age", "At the age of 40 she moved", True),
    ("age", "Her age is a secret", True),
    ("phone", "The phone number format changed", False),
    ("phone", "Le format du numéro de téléphone change", False),
    ("phone", "The phone number is on the door", True),
    ("phone", "Ihre Telefonnummer steht an der Tür", True),
    ("email", "The email address field is too short", False),
    ("email", "Her email address is new", True),
    ("address", "The address bar is hidden", False),
    ("address", "His home address is secret", True),
    ("bank account", "Bank account fraud is in the news", False),
    ("bank account", "Sein Bankkonto ist leer", True),
    ("employer", "Works as a nurse at Norvane", True),
    ("employer", "Arbeitet seit Mai bei Norvane", True),
    ("employer", "Travaille chez Norvane", True),
    ("employer", "Trabaja en Norvane", True),
    ("employer", "Lavora presso Norvane", True),
    ("employer", "Trabalha na Norvane", True),
    ("employer", "Werkt bij Norvane", True),
    ("employer", "Her employer is strict", True),
    ("employer", "Had dinner at Norvane", False),
    ("employer", "Works hard at night", False),
]


@pytest.mark.parametrize(("name", "text", "told"), TOLD, ids=[f"{n}: {t}" for n, t, _ in TOLD])
def test_what_tells_an_attribute(name: str, text: str, told: bool) -> None:
    """A survey of salaries tells nobody's; whose it is, or an amount, does."""
    attribute = ATTRIBUTES[name]
    words = Needles.build(attribute.words, entity_type=ATTRIBUTE)
    assert (words.mentioned(text) or bool(attribute.stated(text))) is told


@pytest.mark.parametrize(
    ("word", "name"),
    [("wage", "salary"), ("Gehalt", "salary"), ("werkgever", "employer"), ("EMAIL", "email"),
     ("bank  account", "bank account"), ("shoe", None), ("", None)],
)  # fmt: skip
def test_an_attribute_is_named_by_any_of_its_words(word: str, name: str | None) -> None:
    """In any language and any case; other words name none."""
    assert attribute_named(word) == name


async def test_a_mention_of_the_word_stays(bench: Erasing) -> None:
    """Of two memories with the word only the one that tells somebody's salary goes."""
    for text in ("The salary survey was published", "Mein Gehalt ist niedrig", "Earns 5000 euro"):
        await bench.remember("u-1", text, mentions=[])
    view = await bench.forget(Target(kind="attribute", values=("wage",), owner="u-1"))
    assert view.state == "complete", view.body()
    assert await bench.texts("u-1") == ["The salary survey was published"]


HALVES = {
    "a generalised postcode": "Lives in 50*** Köln and works at Norvane.",
    "in a list": "address 4 Marsh Lane, 50*** Köln; employer Norvane",
    "a sentence of its own": "Moved to 50*** Köln. Works at Norvane.",
}


@pytest.mark.parametrize("text", HALVES.values(), ids=HALVES)
async def test_half_an_address_does_not_stay_beside_what_is_kept(bench: Erasing, text: str) -> None:
    """A policy that generalises leaves the first digits and the town: both are the address."""
    await bench.remember("u-1", text)
    target = Target(kind="attribute", values=("address",), owner="u-1")
    await bench.forget(target, keep=("Norvane",))
    left = " ".join(await bench.texts("u-1"))
    assert "Norvane" in left
    assert "50***" not in left
    assert "Köln" not in left
