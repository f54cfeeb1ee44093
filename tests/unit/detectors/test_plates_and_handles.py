"""Plates, account names and glued values that a word or their form tells; and their twins."""

import pytest

from detectors.engine import Detector
from detectors.settings import DetectorSettings

FOUND = (
    ("I drive a Mazda and the plate is LK19 VXR.", "NATIONAL_ID", "LK19 VXR"),
    ("Vehicle registration: A123 BCD", "NATIONAL_ID", "A123 BCD"),
    ("Ein VW Golf, Kennzeichen K-AB 1234.", "NATIONAL_ID", "K-AB 1234"),
    ("Nummernschild MÜ XY 77E", "NATIONAL_ID", "MÜ XY 77E"),
    ("Ma plaque d'immatriculation est AB-123-CD.", "NATIONAL_ID", "AB-123-CD"),
    ("La matrícula del coche es 1234 BCD.", "NATIONAL_ID", "1234 BCD"),
    ("La targa è AB 123 CD.", "NATIONAL_ID", "AB 123 CD"),
    ("Het kenteken is 12-ABC-3.", "NATIONAL_ID", "12-ABC-3"),
    ("His license plate is 7ABC123.", "NATIONAL_ID", "7ABC123"),
    ("reg KT21 WPB", "NATIONAL_ID", "KT21 WPB"),
    ("Park in bay 4, reg: EK68UHT", "NATIONAL_ID", "EK68UHT"),
    ("Her registration is KX09 ZLP.", "NATIONAL_ID", "KX09 ZLP"),
    ("Grey Golf, plate B-XR 4471", "NATIONAL_ID", "B-XR 4471"),
    ("plate: 7KLM482", "NATIONAL_ID", "7KLM482"),
    ("His plate is ab12 cde", "NATIONAL_ID", "ab12 cde"),
    ("The old number plate WOR 516K", "NATIONAL_ID", "WOR 516K"),
    ("Gate: 2291#", "PASSWORD", "2291#"),
    ("Entry code *2291", "PASSWORD", "*2291"),
    ("The building code is 44B1.", "PASSWORD", "44B1"),
    ("Alarm is 8802, disarm it first.", "PASSWORD", "8802"),
    ("My bike lock is 4471", "PASSWORD", "4471"),
    ("lockbox 4471", "PASSWORD", "4471"),
    ("code porte 44B12", "PASSWORD", "44B12"),
    ("Le digicode est 44B12", "PASSWORD", "44B12"),
    ("GitHub handle is birchwren", "USERNAME", "birchwren"),
    ("github user birchwren", "USERNAME", "birchwren"),
    ("my username is birchwren", "USERNAME", "birchwren"),
    ("My handle on mastodon is birchwren", "USERNAME", "birchwren"),
    ("add me on snap: birchwren", "USERNAME", "birchwren"),
    ("I go by birchwren on GitHub", "USERNAME", "birchwren"),
    ("Find me on Instagram as birchwren.", "USERNAME", "birchwren"),
    ("Insta: birchwren", "USERNAME", "birchwren"),
    ("my insta is birchwren", "USERNAME", "birchwren"),
    ("I post as u/birchwren.", "USERNAME", "u/birchwren"),
    ("my GitHub is falkb", "USERNAME", "falkb"),
    ("github: falk-b", "USERNAME", "falk-b"),
    ("Instagram @alva.b", "USERNAME", "@alva.b"),
    ("my venmo is @tilda-brenn-22", "USERNAME", "@tilda-brenn-22"),
    ("twitter: 关注@alva_b的", "USERNAME", "@alva_b"),
    ("4539\t1488\t0343\t6467", "CREDIT_CARD", "4539\t1488\t0343\t6467"),
    ("4539/1488/0343/6467", "CREDIT_CARD", "4539/1488/0343/6467"),
    ("[4539, 1488, 0343, 6467]", "CREDIT_CARD", "4539, 1488, 0343, 6467"),
    ("ssn536-22-8145x", "US_SSN", "536-22-8145"),
    ("Alva Brenn (0151 5550133) met James.", "PHONE_NUMBER", "0151 5550133"),
    ("Call (0151) 5550133.", "PHONE_NUMBER", "(0151) 5550133"),
    ("ip84.115.17.203:80", "IP_ADDRESS", "84.115.17.203"),
    ("from _84.115.17.203_ today", "IP_ADDRESS", "84.115.17.203"),
    ("from __84.115.17.203__.", "IP_ADDRESS", "84.115.17.203"),
    ("eth0x52908400098527886e0f7030069857d2e4169ee7", "CRYPTO",
     "0x52908400098527886e0f7030069857d2e4169ee7"),
    ("btc1BoatSLRHtKNngkdXEeobR76b53LETtpyT", "CRYPTO", "1BoatSLRHtKNngkdXEeobR76b53LETtpyT"),
    ("walletbc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", "CRYPTO",
     "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"),
    ("id_eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dBjftJeZ4CVPmB92K27uhbUJU1p1r", "API_KEY",
     "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dBjftJeZ4CVPmB92K27uhbUJU1p1r"),
    ("Die Personalausweisnummer ist L01X00T471.", "NATIONAL_ID", "L01X00T471"),
    ("Mój PESEL to 44051401458.", "NATIONAL_ID", "44051401458"),
)  # fmt: skip
NONE = (
    "Order part AB-123-CD today.", "Model K-AB 1234 is out of stock.", "Flight LK19 VXR",
    "the plate is on 4", "Reg. is new", "plates 12 and 14", "alarm: 0630", "Gate 22", "Gate: 4471",
    "12 u/day", "GitHub user is offline", "my username is wrong",
    "on GitHub as usual", "see docs/u/falkb", "Discord: update",
    "my GitHub is down", "my instagram is private", "install @types/node with npm on github",
    "[4539, 1488, 0343, 6468]", "4539, 1488, 0343, 6467, 2200", "2019/2021/2020/2022",
    "chip84.115.17.203", "ip10.1.2.3:80", "User-Agent Chrome/120.0.0.0", "Acme.Json 13.0.3.0",
    "x0x52908400098527886e0f7030069857d2e4169ee71234567890123456789012345",
    "btc1BoatSLRHtKNngkdXEeobR76b53LETtpyU", "sku123-45-67890",
)  # fmt: skip


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector(DetectorSettings(tier="structured"))


@pytest.mark.parametrize(("text", "kind", "value"), FOUND)
def test_the_value_is_found_as_a_whole(
    detector: Detector, text: str, kind: str, value: str
) -> None:
    found = detector.analyse([text])[0].detections

    assert (kind, value) in [(one.entity_type, text[one.start : one.end]) for one in found]


@pytest.mark.parametrize("text", NONE)
def test_what_looks_alike_is_left(detector: Detector, text: str) -> None:
    assert detector.analyse([text])[0].detections == ()
