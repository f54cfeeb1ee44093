"""Things of working notes that are called like somebody, told by a noun, a row or a journey."""

from collections.abc import Callable

import pytest

# what it is, a note without anybody, one in nearly the same words with somebody, and who
ROWS = (
    ("room", "In room Ada at nine.", "The room Ada booked is shut.", "Ada"),
    ("room-spanish", "Usar la sala Lorca.", "Llamar a Lorca por la sala.", "Lorca"),
    ("room-behind", "Book the Turing room.", "Book it for Turing's mother.", "Turing"),
    ("squad", "The alert goes to squad Merlin.", "The alert goes to Merlin Falk.", "Merlin Falk"),
    ("storm", "Storm Isha closed the line.", "My aunt Isha closed the line.", "Isha"),
    ("storm-german", "Orkan Sabine war laut.", "Meine Tante Sabine war laut.", "Sabine"),
    ("team-french", "L'équipe Hibou dort.", "Mon amie Hiba dort.", "Hiba"),
    ("branch", "Merge the Daisy branch.", "Merge it with Daisy Falk.", "Daisy Falk"),
    ("renamed", "We renamed the old branch to Daisy.", "We sent the old bike to Daisy.", "Daisy"),
    ("street", "Fermé: avenue Foch.", "Appeler Foch Brenn.", "Foch Brenn"),
    ("inn", "Wir schlafen im Gasthof Adler.", "Wir treffen Frau Adler.", "Adler"),
    ("stop", "Bajar en Gregorio Marañón.", "Cena con Gregorio Marañón.", "Gregorio Marañón"),
    ("filter", "Order Brita filters.", "Brita ordered filters for me.", "Brita"),
    ("dish", "Order a Margherita.", "Order it with Margherita Falk.", "Margherita Falk"),
    ("plant", "Plant the Charlotte in April.", "Call Charlotte in April.", "Charlotte"),
    ("rice", "Needs Bomba rice.", "Needs her: Rosa Falk.", "Rosa Falk"),
    ("roses", "Prune the David Austin roses.", "Gave David Austin roses.", "David Austin"),
    ("query", "Athena query costs doubled.", "Athena doubled her rent for me.", "Athena"),
    ("swap", "Swap Winston for Pino in the logger.", "Swap shifts with Winston.", "Winston"),
    ("bump", "Fix it; bump Jackson and Guava.", "Fix it; call Jackson back.", "Jackson"),
    ("code", "I write Pascal and Ruby for a living.", "My son Pascal writes.", "Pascal"),
    ("code-french", "Je code en Pascal et Ruby.", "Je code avec ma sœur Ruby.", "Ruby"),
    ("learnt", "Learning Elm this month, then Haskell.", "Dr. Haskell teaches.", "Haskell"),
    ("apples", "Äpfel: Elstar, Boskoop und Gala", "Meine Tante Gala bringt Äpfel.", "Gala"),
    ("games", "Game night: Catan, Carcassonne and Azul", "Game night: Anna, Tom, Lena", "Lena"),
    ("packing", "Packing: Tent, Kindle, Primus", "Packing with my uncle Primus", "Primus"),
    ("trip", "Reise: Lindau, Bregenz, Vaduz", "Reise: Anna, Peter, Lindau", "Anna"),
    ("weekend", "Week-end à Honfleur, puis Étretat.", "Week-end chez Honorine.", "Honorine"),
    ("flight", "Fly into Santiago, then a bus.", "Fly with Santiago, then a bus.", "Santiago"),
    ("change", "Change at Clapham Junction for Victoria.", "Wait there for Victoria Falk.",
     "Victoria Falk"),
    ("lane", "Closed: Church Lane and Mill Street.", "My friend Lane is here.", "Lane"),
    ("months", "March: taxes. April: MOT. May: passport.", "My sister May: passport.", "May"),
    ("read", "Lire Germinal, Nana et Bel-Ami.", "Nana lit Germinal à mon fils.", "Nana"),
    ("read-then", "Finished Middlemarch, starting Rebecca.", "Starting with Rebecca Falk.",
     "Rebecca Falk"),
    ("tickets", "Tickets for Coldplay, not for Adele.", "A gift for Adele.", "Adele"),
    ("baker", "Pain chez Paul.", "Dîner chez Paul.", "Paul"),
    ("bank", "Savings at Marcus pay 4.5 percent.", "My son Marcus pays rent.", "Marcus"),
    ("camera", "Bring the Nikon.", "My cousin Nikon brings it.", "Nikon"),
    ("phrase", "Charlotte Russe for dessert.", "Charlotte Russe is my boss.", "Charlotte Russe"),
)  # fmt: skip


@pytest.mark.parametrize("text", [row[1] for row in ROWS], ids=[row[0] for row in ROWS])
def test_what_a_note_says_is_a_thing_is_nobody(
    people_of: Callable[[str], list[str]], text: str
) -> None:
    assert people_of(text) == []


@pytest.mark.parametrize(("text", "name"), [row[2:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_somebody_in_nearly_the_same_words_stays(
    people_of: Callable[[str], list[str]], text: str, name: str
) -> None:
    assert name in people_of(text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Attendees: Bertil, Facilities, Finance.", ["Bertil"]),
        ("Present: Joris Falk and Bertil", ["Joris Falk", "Bertil"]),
        ("Teilnehmer: Wiebke, IT", ["Wiebke"]),
        ("Guests: Windows, Cheese", []),
        ("Ask Ruby about the Rust course.", ["Ruby"]),
        ("August sends the invoice in September.", ["August"]),
        ("April brings the rain.", []),
        ("The cron job on Hermes fails.", []),
        ("New shoes: Hoka Clifton.", []),
        ("A second-hand Quistoflex.", []),
        ("Take the Northern line to Angel.", []),
        ("Jerk chicken with rice and peas.", []),
        ("Acheter un Saint-Joseph.", []),
    ],
)
def test_who_comes_acts_and_is_asked(
    people_of: Callable[[str], list[str]], text: str, found: list[str]
) -> None:
    """People of a row of guests and of months that act; not what has only a brand or an article."""
    assert people_of(text) == found
