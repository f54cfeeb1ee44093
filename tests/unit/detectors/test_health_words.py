"""Medicines in several languages and behind elision, allergies, and no article as a person."""

import pytest

from tests.support.gateway import detector

SAID = [
    ("Allergic to penicillin", ["MEDICATION:penicillin"]),
    ("Allergisch gegen Penicillin", ["MEDICATION:Penicillin"]),
    ("Allergique à la pénicilline", ["MEDICATION:pénicilline"]),
    ("Alérgico a la penicilina", ["MEDICATION:penicilina"]),
    ("l'amoxicillina", ["MEDICATION:amoxicillina"]),
    ("Prende l’amoxicillina due volte al giorno", ["MEDICATION:amoxicillina"]),
    ("dell'ibuprofene", ["MEDICATION:ibuprofene"]),
    ("l'eparina", ["MEDICATION:eparina"]),
    ("prend de la fluoxétine", ["MEDICATION:fluoxétine"]),
    ("prend de l'oméprazole", ["MEDICATION:oméprazole"]),
    ("Allergic to peanuts", ["MEDICAL_CONDITION:Allergic to peanuts"]),
    ("allergic to cats, milk and eggs",
     ["MEDICAL_CONDITION:allergic to cats", "MEDICAL_CONDITION:milk", "MEDICAL_CONDITION:eggs"]),
    ("Ich bin gegen Erdnüsse allergisch", ["MEDICAL_CONDITION:gegen Erdnüsse allergisch"]),
    ("allergique aux noix", ["MEDICAL_CONDITION:allergique aux noix"]),
    ("alérgica a los cacahuetes", ["MEDICAL_CONDITION:alérgica a los cacahuetes"]),
    ("allergica all'uovo", ["MEDICAL_CONDITION:allergica all'uovo"]),
    ("allergisch voor pinda's", ["MEDICAL_CONDITION:allergisch voor pinda's"]),
    ("Allergic to the new guy's jokes and to mornings", []),
    ("The peanuts are in the box, the cats outside", []),
    ("gegen Katzen hat er nichts", []),
    ("soñé con el mar", []), ("Proverà domani", []),
]  # fmt: skip
TYPES = {"MEDICATION", "MEDICAL_CONDITION", "PERSON"}


@pytest.mark.parametrize(("text", "expected"), SAID)
def test_what_is_said_of_health_is_found(text: str, expected: list[str]) -> None:
    """Accents and elided articles hide no medicine, and none of them is a person."""
    [found] = detector("full").analyse([text])
    said = [f"{each.entity_type}:{each.text}" for each in found.detections]
    assert [each for each in said if each.partition(":")[0] in TYPES] == expected


FIRMS = [
    ("Johnson & Johnson", ["Johnson & Johnson"]),
    ("She works at Johnson & Johnson", ["Johnson & Johnson"]),
    ("Ernst & Young audited it", ["Ernst & Young"]),
    ("I bought socks at Marks & Spencer", ["Marks & Spencer"]),
    ("Rossi & Rossi are her lawyers", ["Rossi & Rossi"]),
    ("She works at Brenn & Quist", ["Brenn & Quist"]),
    ("arbeitet bei Müller & Schmidt", ["Müller & Schmidt"]),
    ("travaille chez Martin & Dubois", ["Martin & Dubois"]),
]
PEOPLE = [
    ("Dinner with Tom & Anna", ["Tom", "Anna"]),
    ("lunch at Tom & Anna's", ["Tom", "Anna"]),
    ("He left Tom & Anna alone", ["Tom", "Anna"]),
    ("Anna Miller & Peter Cooper will marry", ["Anna Miller", "Peter Cooper"]),
    ("Dinner at Anna & Peter Cooper", ["Anna", "Peter Cooper"]),
    ("il libro d'Anna", ["d'Anna"]),
]


@pytest.mark.parametrize(("text", "firms"), FIRMS)
def test_two_names_joined_are_a_firm_where_something_says_so(text: str, firms: list[str]) -> None:
    """One name twice, a firm that everybody knows, and where somebody works."""
    [found] = detector("full").analyse([text])
    said = [(each.entity_type, each.text) for each in found.detections]
    assert [each for each in said if each[0] in ("PERSON", "ORGANIZATION")] == [
        ("ORGANIZATION", firm) for firm in firms
    ]


@pytest.mark.parametrize(("text", "people"), PEOPLE)
def test_two_people_stay_people(text: str, people: list[str]) -> None:
    """Who is met, visited or left is no firm, whatever joins the two."""
    [found] = detector("full").analyse([text])
    said = [each.text for each in found.detections if each.entity_type == "PERSON"]
    assert said == people
