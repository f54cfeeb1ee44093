"""Addresses are found with their flats and buildings, and where no word says street."""

from collections.abc import Callable

import pytest

# entity type, a text that holds one, its exact value, and a text that holds none
ROWS = (
    (
        "STREET_ADDRESS",
        "Lives at 5 Kingsway, Rosewood House, Leeds LS1 4AP",
        "5 Kingsway, Rosewood House",
        "The Kingsway tunnel opened in 1971.",
    ),
    (
        "STREET_ADDRESS",
        "He moved to 5 Kingsway, Leeds.",
        "5 Kingsway",
        "The top 5 Kingsway stores closed.",
    ),
    (
        "STREET_ADDRESS",
        "We're at 77 Broadway these days",
        "77 Broadway",
        "We saw 77 Broadway shows in ten years.",
    ),
    ("STREET_ADDRESS", "her address is 14 Piccadilly, York", "14 Piccadilly", "14 Piccadilly hits"),
    ("STREET_ADDRESS", "12 Heron Yard, Leeds LS1 4AP", "12 Heron Yard", "12 Heron Yards, Leeds"),
    ("STREET_ADDRESS", "at 9 Deansgate for now", "9 Deansgate", "at 9 Norway won again"),
    (
        "STREET_ADDRESS",
        "Spedire a via Giuseppe Verdi, 12, Torino",
        "via Giuseppe Verdi, 12",
        "Reach her via Tom Reed, 020 7946 0111",
    ),
    (
        "STREET_ADDRESS",
        "Vive en Calle Mayor 4 28013 Madrid",
        "Calle Mayor 4",
        "Reach her via Tom Reed, 912 345 678",
    ),
    (
        "STREET_ADDRESS",
        "lives at Karl-Marx-Allee 33, 10178 Berlin",
        "Karl-Marx-Allee 33",
        "Karl-Marx-Allee is wide",
    ),
    (
        "STREET_ADDRESS",
        "wohnt Am Alten Markt, also Alter Markt 4, 50667 Köln",
        "Alter Markt 4",
        "on March 12, 2024 Berlin won",
    ),
    (
        "STREET_ADDRESS",
        "vive en Av. de la Constitución 14, Sevilla",
        "Av. de la Constitución 14",
        "El av. de hoy trae 14 notas",
    ),
    ("STREET_ADDRESS", "Flat 3, 18 Kelvin Drive", "Flat 3, 18 Kelvin Drive", "Flat 3 percent fees"),
    (
        "STREET_ADDRESS",
        "Unit 7B/120 Bourke St",
        "Unit 7B/120 Bourke St",
        "Unit 3/12 of the module is optional.",
    ),
    (
        "STREET_ADDRESS",
        "Apartment 4C, 221 Pine Street, Seattle",
        "Apartment 4C, 221 Pine Street",
        "Room 1204 on the 12th floor.",
    ),
    (
        "STREET_ADDRESS",
        "send it to Rose Cottage, 4 Mill Lane",
        "Rose Cottage, 4 Mill Lane",
        "The train leaves from platform 9 at 10:45.",
    ),
    (
        "STREET_ADDRESS",
        "18 Kelvin Drive, Rosewood House",
        "18 Kelvin Drive, Rosewood House",
        "We ate at 5 Guys on Sunday.",
    ),
    ("POSTCODE", "Sie wohnt jetzt in 50968 Köln", "50968", "In 10178 Fällen war nichts zu tun."),
    ("POSTCODE", "Er ist nach 10178 Berlin gezogen", "10178", "nach 10178 Stunden Arbeit"),
)


@pytest.mark.parametrize(("entity_type", "text", "value", "twin"), ROWS, ids=[r[1] for r in ROWS])
def test_address_is_found_and_its_twin_left_alone(
    values_of: Callable[[str, str], list[str]], entity_type: str, text: str, value: str, twin: str
) -> None:
    """The value is found with exact bounds and the right type; the twin holds nothing of it."""
    assert value in values_of(entity_type, text)
    assert values_of(entity_type, twin) == []
