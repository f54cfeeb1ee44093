"""Every recogniser finds its kind, and leaves alone what only looks like it."""

import pytest

from detectors.engine import Detector
from detectors.settings import DetectorSettings

LONG = "a" * 300  # more letters than an address may have in one part
# entity type, a text that holds one, its exact value, and a text that holds none
ROWS = (
    (
        "EMAIL_ADDRESS",
        "Email is ines.caldeira@example.org",
        "ines.caldeira@example.org",
        "meet @ noon, 5 at example dot",
    ),
    (
        "EMAIL_ADDRESS",
        "write to jo+news@mail.corp.internal today",
        "jo+news@mail.corp.internal",
        "meet @ noon, 5 at example dot",
    ),
    (
        "EMAIL_ADDRESS",
        "mail müller@exämple.de bitte",
        "müller@exämple.de",
        "meet @ noon, 5 at example dot",
    ),
    (
        "EMAIL_ADDRESS",
        "mail 'alva.brenn@example.org' now",
        "alva.brenn@example.org",
        "mail '@example.org' now",
    ),
    (
        "EMAIL_ADDRESS",
        "..alva.brenn@example.org",
        "alva.brenn@example.org",
        "..@example.org",
    ),
    ("EMAIL_ADDRESS", f"x {LONG}brenn@example.org", f"{LONG}brenn@example.org", f"{LONG}@ one"),
    ("EMAIL_ADDRESS", f"a.brenn@example.org{LONG} x", f"a.brenn@example.org{LONG}", f"@{LONG}.org"),
    (
        "URL",
        "see https://blog.halima-noor.example/about.",
        "https://blog.halima-noor.example/about",
        "I like Node.js and e.g. report.it",
    ),
    ("URL", "portfolio at brenn.dev/work", "brenn.dev/work", "Version 2.1.me now"),
    (
        "USERNAME",
        "follow me on instagram @alva.brenn",
        "@alva.brenn",
        "use the @property decorator",
    ),
    ("USERNAME", "github username: quist-orla", "quist-orla", "the login is broken"),
    ("PHONE_NUMBER", "Call 212-555-0199", "212-555-0199", "Order number 1009482231 has shipped"),
    (
        "PHONE_NUMBER",
        "hey its Esperanza, new number is 555-0172",
        "555-0172",
        "Ticket 4821-9920 is still open",
    ),
    ("PHONE_NUMBER", "Meine Nummer ist 030 12345678", "030 12345678", "4120087\n4120533"),
    ("PHONE_NUMBER", "Appelle-moi au 06 12 34 56 78", "06 12 34 56 78", "1711102233.00 -0.41"),
    (
        "PHONE_NUMBER",
        "ring +44 20 7946 0123 after ten",
        "+44 20 7946 0123",
        "between 2024-01-02 and 2024-02-03",
    ),
    (
        "PHONE_NUMBER",
        "text me at (415) 555-0132 ext 7",
        "(415) 555-0132 ext 7",
        "Order 943 476 5919 shipped",
    ),
    ("PHONE_NUMBER", "mi móvil es 612 345 678", "612 345 678", "ISBN 978-3-16-148410-0"),
    (
        "PHONE_NUMBER",
        "0049 30 12345678 erreichbar",
        "0049 30 12345678",
        "Order number 1009482231 has shipped",
    ),
    ("PHONE_NUMBER", "bel 06-12345678", "06-12345678", "Ticket 4821-9920 is still open"),
    ("PHONE_NUMBER", "whatsapp +234 803 555 0147", "+234 803 555 0147", "4120087\n4120533"),
    (
        "IP_ADDRESS",
        "Server IP is 203.0.113.42",
        "203.0.113.42",
        "Version 10.2.14.3 of the app crashed",
    ),
    (
        "IP_ADDRESS",
        "from 2001:db8::8a2e:370:7334 today",
        "2001:db8::8a2e:370:7334",
        "listens on 127.0.0.1",
    ),
    ("MAC_ADDRESS", "phone mac is 00:1B:44:11:3A:B7", "00:1B:44:11:3A:B7", "ratio 00:11:22"),
    (
        "CREDIT_CARD",
        "card 4111 1111 1111 1111 exp 12/29",
        "4111 1111 1111 1111",
        "order 4111 1111 1111 1112",
    ),
    ("CREDIT_CARD", "amex 3782 822463 10005", "3782 822463 10005", "order 4111 1111 1111 1112"),
    (
        "CREDIT_CARD",
        "card number is 4000 1234 5678 9012",
        "4000 1234 5678 9012",
        "order 4111 1111 1111 1112",
    ),
    (
        "IBAN_CODE",
        "IBAN: GB82 WEST 1234 5698 7654 32",
        "GB82 WEST 1234 5698 7654 32",
        "ref GB82 WEST 1234 5698 7654 33",
    ),
    (
        "BANK_ACCOUNT",
        "Bank account 000123456789 at Halvorsen",
        "000123456789",
        "the account has 12 users",
    ),
    ("BANK_ACCOUNT", "routing number 021000021", "021000021", "turning point 021000021"),
    ("BANK_ACCOUNT", "sort code 20-00-00", "20-00-00", "the account has 12 users"),
    ("BANK_ACCOUNT", "Kontonummer: 532013000", "532013000", "turning point 021000021"),
    (
        "CRYPTO",
        "bitcoin to 1BoatSLRHtKNngkdXEeobR76b53LETtpyT",
        "1BoatSLRHtKNngkdXEeobR76b53LETtpyT",
        "1BoatSLRHtKNngkdXEeobR76b53LETtpyX",
    ),
    ("US_SSN", "My SSN is 536-22-8145", "536-22-8145", "part 536228145"),
    ("US_SSN", "social security number 536228145", "536228145", "SSN is a nine digit number"),
    ("US_ITIN", "her ITIN is 912-70-1234", "912-70-1234", "line 912701234"),
    ("PASSPORT", "US passport 567843219", "567843219", "parcel 567843219"),
    ("PASSPORT", "Reisepass C01X00T47", "C01X00T47", "her passport expires in 2027"),
    (
        "DRIVER_LICENSE",
        "Driver's license number D1234562, California",
        "D1234562",
        "Policy D3 was duplicated",
    ),
    ("DRIVER_LICENSE", "permis de conduire 12AB34567", "12AB34567", "the license expires in May"),
    ("NATIONAL_ID", "NHS number 943 476 5919", "943 476 5919", "Call 212-555-0199"),
    ("NATIONAL_ID", "NI number AB123456C", "AB123456C", "Order 943 476 5919 shipped"),
    ("NATIONAL_ID", "DNI 12345678Z", "12345678Z", "Call 212-555-0199"),
    (
        "NATIONAL_ID",
        "numéro de sécurité sociale 1 85 05 78 006 084 91",
        "1 85 05 78 006 084 91",
        "Order 943 476 5919 shipped",
    ),
    ("NATIONAL_ID", "BSN 111222333", "111222333", "Call 212-555-0199"),
    ("TAX_ID", "codice fiscale RSSMRA85T10A562S", "RSSMRA85T10A562S", "Four years of Javascript"),
    ("TAX_ID", "Steuer-ID 86095742719", "86095742719", "Four years of Javascript"),
    ("TAX_ID", "VAT id DE136695976", "DE136695976", "Four years of Javascript"),
    (
        "STREET_ADDRESS",
        "Home address is 4821 Birchwood Lane, Fort Wayne",
        "4821 Birchwood Lane",
        "5 minutes down the road",
    ),
    ("STREET_ADDRESS", "i live at 12 elm street btw", "12 elm street", "Spring 2024 was wet"),
    (
        "STREET_ADDRESS",
        "Lives at 12 Rue de Rivoli, Paris",
        "12 Rue de Rivoli",
        "sent via Zoom 5 times a day",
    ),
    (
        "STREET_ADDRESS",
        "Wohnt in der Lindenstraße 14, Leipzig",
        "Lindenstraße 14",
        "Chapter 11 Road trip",
    ),
    (
        "STREET_ADDRESS",
        "Vive en Calle de Alcalá 45, Madrid",
        "Calle de Alcalá 45",
        "the 4 hour drive",
    ),
    (
        "STREET_ADDRESS",
        "Abita in Via Giuseppe Garibaldi 7",
        "Via Giuseppe Garibaldi 7",
        "Wall Street analysts",
    ),
    (
        "STREET_ADDRESS",
        "Mora na Rua das Flores, 112",
        "Rua das Flores, 112",
        "5 minutes down the road",
    ),
    (
        "STREET_ADDRESS",
        "Woont op de Kerkstraat 22 in Utrecht",
        "Kerkstraat 22",
        "Spring 2024 was wet",
    ),
    (
        "STREET_ADDRESS",
        "221B Baker Street, Flat 2",
        "221B Baker Street, Flat 2",
        "sent via Zoom 5 times a day",
    ),
    ("STREET_ADDRESS", "send it to P.O. Box 4410", "P.O. Box 4410", "Chapter 11 Road trip"),
    ("STREET_ADDRESS", "parks on Elm Street", "Elm Street", "the parade on Elm Street"),
    ("STREET_ADDRESS", "i stay on Rowan Avenue now", "Rowan Avenue", "they park on the street"),
    ("STREET_ADDRESS", "we live on sorrel crescent", "sorrel crescent", "life in the fast lane"),
    ("STREET_ADDRESS", "She just moved to Kestrel Lane", "Kestrel Lane", "moved to memory lane"),
    ("STREET_ADDRESS", "My flat is on Thorn Road", "Thorn Road", "staying on a dirt road"),
    ("STREET_ADDRESS", "Lives with Alva on Fern Drive", "Fern Drive", "We stay in our lane"),
    ("LOCATION", "the shop on Elm Street", "Elm Street", "the 4 hour drive"),
    ("LOCATION", "The practice moves to Elm Street", "Elm Street", "the 4 hour drive"),
    (
        "STREET_ADDRESS",
        "Orla is moving to Elm Street",
        "Elm Street",
        "the bank is moving to Elm Street",
    ),
    ("POSTCODE", "Postcode is SW1A 2AA", "SW1A 2AA", "room B12 3rd floor"),
    ("POSTCODE", "the postal code is Z0Z 0Z0", "Z0Z 0Z0", "the postal service lost Z0Z 0Z0"),
    ("POSTCODE", "postcode ZZ99 9ZZ", "ZZ99 9ZZ", "post ZZ99 9ZZ"),
    ("POSTCODE", "Austin, TX 78701", "78701", "sold 78701 units"),
    ("POSTCODE", "PLZ 04109", "04109", "room B12 3rd floor"),
    (
        "DATE_OF_BIRTH",
        "Date of birth: 14 February 1987",
        "14 February 1987",
        "the invoice of 14 February 1987",
    ),
    ("DATE_OF_BIRTH", "Born on 1990-07-23 in Tbilisi", "1990-07-23", "meeting on 1990-07-23"),
    ("DATE_OF_BIRTH", "his birthday is March 3rd", "March 3rd", "the invoice of 14 February 1987"),
    ("DATE_OF_BIRTH", "My birthday is on 3 May. Cake!", "3 May", "the fair of 3 May."),
    ("DATE_OF_BIRTH", "Mein Geburtstag ist am 3. Mai.", "3. Mai", "Die Messe ist am 3. Mai."),
    ("DATE_OF_BIRTH", "birthday: May 3.", "May 3", "the fair of May 3."),
    ("DATE_OF_BIRTH", "born 12 Dec. 1988.", "12 Dec. 1988", "the fair of 12 Dec. 1988."),
    ("DATE_OF_BIRTH", "geboren am 3. Mai 1980", "3. Mai 1980", "meeting on 1990-07-23"),
    ("DATE_OF_BIRTH", "née le 12 mars 1975", "12 mars 1975", "the invoice of 14 February 1987"),
    ("DATE_OF_BIRTH", "nació el 5 de junio de 1992", "5 de junio de 1992", "meeting on 1990-07-23"),
    ("DATE_OF_BIRTH", "dob 07/23/1990", "07/23/1990", "the invoice of 14 February 1987"),
    ("AGE", "Will turned 9 last week", "9", "turned 180 degrees"),
    ("AGE", "is 34 years old", "34", "waited 9 years"),
    ("AGE", "i'm 27 and tired", "27", "il y a 34 ans"),
    ("AGE", "elle a 42 ans", "42", "i'm 5 minutes late"),
    ("AGE", "ist 42 Jahre alt", "42", "page 9 of 20"),
    ("AGE", "she's in her forties", "forties", "turned 180 degrees"),
    ("AGE", "a thirty-four year old nurse", "thirty-four", "waited 9 years"),
    ("MONEY", "Earns $85,000 a year", "$85,000", "85,000 people came"),
    ("MONEY", "Gana 2.300 euros al mes", "2.300 euros", "a pound cake"),
    ("MONEY", "owes me forty dollars", "forty dollars", "85,000 people came"),
    (
        "COORDINATES",
        "Current coordinates are 48.8584, 2.2945",
        "48.8584, 2.2945",
        "versions 1.25, 2.50",
    ),
    (
        "COORDINATES",
        "at 40°26'46\"N 79°58'56\"W",
        "40°26'46\"N 79°58'56\"W",
        "ratio 48.8584 to 2.2945 is fine, 120.1234, 300.1234",
    ),
    ("PASSWORD", "my password is hunter2", "hunter2", "the password is wrong"),
    (
        "PASSWORD",
        "wifi password: 'correct horse battery'",
        "correct horse battery",
        "password is required",
    ),
    ("PASSWORD", "pin code is 4821", "4821", "pin the note"),
    ("PASSWORD", "Das Passwort lautet Sommer2024!", "Sommer2024", "the password is wrong"),
    (
        "API_KEY",
        "export AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE",
        "AKIAIOSFODNN7EXAMPLE",
        "see commit 3f2a1b0c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a",
    ),
    (
        "API_KEY",
        "token ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "getUserAccountInformationByIdentifier",
    ),
    ("API_KEY", "api key: 9f8a7b6c5d4e3f2a1b0c", "9f8a7b6c5d4e3f2a1b0c", "the token is expired"),
    (
        "API_KEY",
        "use x9Kq2LmV8pRt4WzB6nYc3HdF7sJg1TaQ please",
        "x9Kq2LmV8pRt4WzB6nYc3HdF7sJg1TaQ",
        "123e4567-e89b-12d3-a456-426614174000",
    ),
    (
        "PRIVATE_KEY",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nab==\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nab==\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
    ),
    ("RELATIONSHIP", "my ex-wife moved out", "ex-wife", "the partner API"),
    ("RELATIONSHIP", "User's mother Hyejin", "mother", "a friend of the court"),
    ("RELATIONSHIP", "mein Bruder kommt", "Bruder", "the partner API"),
    ("MEDICAL_LICENSE", "DEA number BB1388568", "BB1388568", "part BB1388567"),
    ("USERNAME", "follow me on instagram @alva.brenn", "@alva.brenn", "user id: none"),
    ("IP_ADDRESS", "Server IP is 203.0.113.42", "203.0.113.42", "at 10:20:30 sharp"),
)


@pytest.fixture(scope="module")
def detector() -> Detector:
    """A detector without models."""
    return Detector(DetectorSettings(tier="structured"))


def _found(detector: Detector, text: str, entity_type: str) -> list[str]:
    detections = detector.analyse([text])[0].detections
    return [found.text for found in detections if found.entity_type == entity_type]


@pytest.mark.parametrize(
    ("entity_type", "text", "value"),
    [row[:3] for row in ROWS],
    ids=[f"{number}-{row[0].lower()}" for number, row in enumerate(ROWS)],
)
def test_kind_is_found(detector: Detector, entity_type: str, text: str, value: str) -> None:
    """The value is found with exact bounds and the right type."""
    assert value in _found(detector, text, entity_type)


@pytest.mark.parametrize(
    ("entity_type", "twin"),
    sorted({(row[0], row[3]) for row in ROWS}),
)
def test_twin_is_left_alone(detector: Detector, entity_type: str, twin: str) -> None:
    """A text that only resembles the kind yields none of it."""
    assert _found(detector, twin, entity_type) == []


@pytest.mark.parametrize(("entity_type", "text", "value"), [row[:3] for row in ROWS])
def test_kind_is_found_in_the_middle_of_a_conversation(
    detector: Detector, entity_type: str, text: str, value: str
) -> None:
    """Text before and after changes neither the type nor the bounds."""
    around = f"Noted on a rainy evening.\n{text}\nThat was all, nothing else came up."
    assert value in _found(detector, around, entity_type)
