"""What looks like a name by its capitals and is none by its form or its company; and its twins."""

from collections.abc import Callable

import pytest

# what it is, a sentence without anybody, one in nearly the same words with somebody, and who
ROWS = (
    ("elided", "J'ai perdu mes clés hier soir.", "J'ai vu Thibault hier soir.", "Thibault"),
    ("elided-two", "C'est bientôt l'été.", "C'est Océane qui vient.", "Océane"),
    ("owned", "Ma fleur préférée est la tulipe.", "Ma sœur Fleur préfère la tulipe.", "Fleur"),
    ("user", "L'utilisateur préfère le thé.", "Rosa préfère le thé.", "Rosa"),
    ("user-german", "Benutzer wohnt in Köln.", "Anke wohnt in Köln.", "Anke"),
    ("user-italian", "L'utente vive a Roma.", "Chiara vive a Roma.", "Chiara"),
    ("tonight", "Stasera vado a cena.", "Serena va a cena.", "Serena"),
    ("month", "Das Quartal endet im Juni.", "Das Quartal endet mit Jule.", "Jule"),
    ("verb", "Gano poco dinero.", "Gonzalo gana poco.", "Gonzalo"),
    ("polish", "Wizyta u dentysty jest w piątek.", "Zbigniew jest u dentysty.", "Zbigniew"),
    ("polish-own", "Mój brat ma nowy rower.", "Mój brat Zbigniew ma rower.", "Zbigniew"),
    ("noun", "Unser Kunde sitzt in Zürich.", "Unser Kunde Ottokar Brandl zahlt.", "Ottokar Brandl"),
    ("camel", "PaymentGateway times out.", "My friend McKinnon is out.", "McKinnon"),
    ("killed", "OOMKilled appears in the logs.", "DeShawn appears in the logs.", "DeShawn"),
    ("part", "The model is SM-S921B.", "The model is Anne-Marie Falk.", "Anne-Marie Falk"),
    ("acronym", "User's bank is ING and it is shut.", "User's boss is Ingrid.", "Ingrid"),
    ("product", "Travis CI is red again.", "Travis Falk III is ill again.", "Travis Falk III"),
    ("town", "Il treno per Firenze è in ritardo.", "Mia sorella Fiorenza è qui.", "Fiorenza"),
    ("town-met", "Wir fahren nach Kraków.", "Wir treffen Katarzyna.", "Katarzyna"),
    ("hotel", "We stayed at the Hilton in May.", "We stayed with Hilton in May.", "Hilton"),
    ("family", "We ate at the cafe.", "We ate with the Okafor family.", "Okafor"),
    ("since", "Since June I go to the gym.", "Since June left I go alone.", "June"),
    ("score", "Chelsea beat Liverpool 2-1.", "Chelsea beat me at chess.", "Chelsea"),
    ("tacos", "Austin has great tacos.", "Austin has great hair.", "Austin"),
    ("warmer", "Austin is warmer than Boston.", "Austin is my brother.", "Austin"),
    ("listed", "Jordan and Egypt were lovely.", "Jordan and Tilda were lovely.", "Jordan"),
    ("trip", "I booked flights to Jordan.", "I gave the keys to Jordan.", "Jordan"),
    ("postcode", "Deliver to Bristol BS6 5QT.", "Deliver it to Bristow Kemp.", "Bristow Kemp"),
    ("landmark", "The Washington Monument was closed.", "My boss Washington was in.", "Washington"),
    ("marked", "Mark Winter as done.", "Mark Winter called me.", "Mark Winter"),
    ("law", "Murphy's law again.", "Murphy's law firm called again.", "Murphy"),
    ("closed", "Wendy's is closed today.", "Wendy's leg is broken.", "Wendy"),
    ("project", "Project Apollo starts Monday.", "My son Apollo starts Monday.", "Apollo"),
    ("code-name", "Hermes is our message bus.", "Hermes is our team lead.", "Hermes"),
    ("service", "We call the service Atlas.", "We call the plumber Gethin.", "Gethin"),
    ("film", "My favourite film is Matilda.", "My favourite aunt is Matilda.", "Matilda"),
    ("assistant", "I asked Claude to refactor the module.", "I asked Claude to dinner.", "Claude"),
    ("down", "Claude is down again.", "Claude is ill again.", "Claude"),
    ("uses", "Our team uses Ada and Rust.", "Our team likes Ada.", "Ada"),
    ("library", "The Jackson library parses JSON.", "Dr Jackson parses it.", "Jackson"),
    ("pet", "My cat Bella is three.", "My daughter Bella is three.", "Bella"),
    ("square", "Die Wohnung liegt am Alexanderplatz.", "Alexander liegt im Bett.", "Alexander"),
    ("role", "Steuerberater wants the receipts.", "Steurer wants the receipts.", "Steurer"),
    ("trade", "Renovation: Tiler Mon, Plumber Tue.", "Tilda Mon, Plumber Tue.", "Tilda"),
    ("planned", "Plan: Tempo Tue, Hills Thu, Long Sun.", "Anna Tue, Tom Thu, Rose Sun.", "Rose"),
    ("hot", "Houston gets far too hot.", "Houston gets far too tired.", "Houston"),
    ("wettest", "June was the wettest month.", "June was the loudest girl.", "June"),
    ("full", "Nando's was full.", "Nadine's mum was full.", "Nadine"),
    ("the", "The Tate has a new exhibition.", "The Tate twins have a new one.", "Tate"),
    ("case", "The Tate was closed.", "The Tate case was closed.", "Tate"),
    ("runs on", "The job failed on Aurora.", "The job was done by Aurora.", "Aurora"),
    ("over", "Prefer Zod over Joi for it.", "Prefer Anna over Joi for it.", "Joi"),
    ("is called", "The file is called Atlas.", "The boy is called Atlas.", "Atlas"),
    ("on air", "Sherlock is on at nine.", "Emma is on at nine.", "Emma"),
    ("talked", "Talked to Sales.", "Talked to Salewski.", "Salewski"),
    ("brand", "I learn it with Duolingo.", "I learn it with Dervla.", "Dervla"),
)  # fmt: skip


@pytest.mark.parametrize("text", [row[1] for row in ROWS], ids=[row[0] for row in ROWS])
def test_what_only_looks_like_a_name_is_nobody(
    people_of: Callable[[str], list[str]], text: str
) -> None:
    assert people_of(text) == []


@pytest.mark.parametrize(("text", "name"), [row[2:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_somebody_in_nearly_the_same_words_stays(
    people_of: Callable[[str], list[str]], text: str, name: str
) -> None:
    assert name in people_of(text)
