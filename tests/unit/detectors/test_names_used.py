"""Names that are programs, seasons or brands too: what stands beside them says which it is."""

import pytest

from detectors.detection import Detection
from detectors.people.corrections import refine_people
from detectors.people.things import without_things

# A sentence about somebody, the name, and nearly the same words about a thing.
ROWS = {
    "Herr": ("Herr Winter wohnt in Kassel", "Winter", "Der Winter kommt aus Norden"),
    "Frau": ("Frau Freitag hat angerufen", "Freitag", "Am Freitag hat es geregnet"),
    "Dr.": ("Ich war bei Dr. Sonntag", "Sonntag", "Ich war am Sonntag dort"),
    "Mrs": ("Mrs March teaches maths", "March", "In March we learn maths"),
    "madame": ("Madame Abeille habite ici", "Abeille", "Une abeille habite ici"),
    "señora": ("La señora Abril vive en Lugo", "Abril", "En abril llueve en Lugo"),
    "two titles": ("Herr Prof. Swift liest", "Swift", "Wir lernen Swift"),
    "sister": ("My sister Ruby has asthma", "Ruby", "My first language was Ruby"),
    "small letters": ("my daughter april starts school", "april", "school starts in april"),
    "Schwester": ("Meine Schwester Julia ist da", "Julia", "Mein Paket für Julia 1.9 ist da"),
    "heißt": ("Meine Tochter heißt Ruby", "Ruby", "Meine Sprache heißt Ruby"),
    "sœur": ("Ma sœur Julia est là", "Julia", "Ma version de Julia est là"),
    "moved": ("Julia moved to Leeds", "Julia", "Spring moved to Java 17"),
    "moved to a program": ("Swift moved to Leeds", "Swift", "Jenkins moved to Kubernetes"),
    "called": (
        "Jenkins called me about his divorce",
        "Jenkins",
        "Jenkins called the webhook twice",
    ),
    "illness": ("Winter has diabetes", "Winter", "Winter has short days"),
    "state": ("Ash is pregnant", "Ash", "Rust is fast"),
    "is my": ("Spring is my landlady", "Spring", "Ruby is my favourite language"),
    "broke": ("Ruby broke her leg", "Ruby", "Ruby broke the build"),
    "possession": ("Julia's divorce was hard", "Julia", "Julia's type system is rich"),
    "ask": ("Ask Cassandra about her therapy", "Cassandra", "Ask Jenkins to rebuild it"),
    "met": ("I met Jenkins at the dentist", "Jenkins", "We met in April"),
    "my name": ("My name is April", "April", "The month is April"),
    "lunch": ("Lunch with Julia on Tuesday", "Julia", "Plot it with Julia on Tuesday"),
    "zahlt": ("Winter zahlt die Miete nicht", "Winter", "Der Winter zahlt keine Miete"),
    "joined": ("Julia und Jonas heiraten", "Julia", "Julia und Rust sind schnell"),
    "vermisse": ("Ich vermisse Julia", "Julia", "Ich lerne Julia"),
    "cleaner": ("Our cleaner Ruby is ill", "Ruby", "A cleaner Ruby script is here"),
    "gardener": ("Unser Gärtner Winter kommt", "Winter", "Unser Gärtner kommt im Winter"),
    "plumber": ("Notre plombier April vient demain", "April", "Notre plombier vient en avril"),
    "telefoniert": ("Ich habe mit Winter telefoniert", "Winter", "Ich habe mit Ruby programmiert"),
    "first_name": ("first_name: Julia", "Julia", "language: Julia"),
    "json": ('{"last_name": "Winter"}', "Winter", '{"season": "Winter"}'),
    "Vorname": ("Vorname: April", "April", "Monat: April"),
    "patient": ("patient=Ruby", "Ruby", "runtime=Ruby"),
    "owner": ("owner: Jenkins", "Jenkins", "server: Jenkins"),
    "customer": ("customer: Swift", "Swift", "customer: Swift 5.9 upgrade"),
    "user": ("user: Julia", "Julia", "user: admin"),
    "place": ("Phoenix is my nephew", "Phoenix", "Phoenix is my home town"),
    "common noun": ("Wolf hat gekündigt", "Wolf", "Der Wolf hat gefressen"),
}


def people(text: str, claimed: str = "") -> list[str]:
    """Who is left of what a model claims and of what rules find."""
    start = text.find(claimed)
    spans = [Detection("PERSON", start, start + len(claimed), 0.85, "model", claimed)]
    refined = without_things(text, refine_people(text, spans if claimed else []))
    return [one.text for one in refined if one.entity_type == "PERSON"]


@pytest.mark.parametrize(("text", "name", "twin"), ROWS.values(), ids=ROWS)
def test_use_says_whether_a_word_is_somebody(text: str, name: str, twin: str) -> None:
    """The name is found by rules alone; in its twin nobody is."""
    assert name in people(text)
    assert people(twin) == []


@pytest.mark.parametrize(
    ("text", "name"),
    [("My boss Jenkins is moody", "Jenkins"), ("Frau Dr. Winter is here", "Winter"),
     ("Call Cassandra about the rent", "Cassandra"), ("surname: Swift", "Swift")],
)  # fmt: skip
def test_what_a_model_claims_is_kept_where_use_says_so(text: str, name: str) -> None:
    """The lists of words that are nobody's name do not take such a person away."""
    assert people(text, name) == [name]


@pytest.mark.parametrize(
    ("text", "claimed"),
    [("Jenkins is down", "Jenkins"), ("Julia 1.9 is out", "Julia"), ("Winter is cold", "Winter"),
     ("Ruby on Rails is old", "Ruby"), ("Stored in Cassandra", "Cassandra")],
)  # fmt: skip
def test_what_a_model_claims_without_any_use_is_dropped(text: str, claimed: str) -> None:
    """A program or a season alone is nobody, whatever the model says."""
    assert people(text, claimed) == []


def test_a_name_after_a_title_is_found_whole() -> None:
    """Title, first and family name: both words are the person."""
    assert people("Dr. Julia Winter called") == ["Julia Winter"]
    assert people("Mr President called") == []
