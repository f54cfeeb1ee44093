"""A value is found though letters hang on to it, of a script without spaces or of any other."""

import hashlib
import uuid

import pytest

from detectors.detection import Analysis
from detectors.engine import Detector
from detectors.settings import DetectorSettings

TOKEN = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
VALUES = {
    "card": "4111111111111111",
    "card in groups": "4012 8888 8888 1881",
    "account": "DE89370400440532013000",
    "account in groups": "GB29 NWBK 6016 1331 9268 19",
    "token": TOKEN,
    "access key": "AKIAIOSFODNN7EXAMPLQ",
    "signed token": JWT,
    "telephone": "+4915126079389",
    "mail": "bente@example.org",
    "social security": "536-22-8145",
    "wallet": "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
    "host": "84.115.17.203",
}
SENTENCES = {
    "chinese": "号码是{}。",
    "chinese on both sides": "我的{}已过期",
    "japanese": "番号は{}です",
    "korean": "번호는{}입니다",
    "thai": "เลข{}ครับ",
    "russian": "Номер{}",
    "arabic": "رقم{}",
}
# What a check digit, a sign or its own letters make sure, among Latin letters.
AMONG_LATIN = (
    "nr4111111111111111", "4111111111111111EUR", "Visa4012888888881881",
    "4111111111111111ist meine Karte", "card_4012-8888-8888-1881_visa",
    "IBANDE89370400440532013000", "DE89370400440532013000EUR", "nrAKIAIOSFODNN7EXAMPLQ",
    "tel+4915126079389abends", "callme+12125550143now", "ssn_536-22-8145", "user_84.115.17.203",
    "bente@example.org_old", "bente@example.org2024", "write to bente@mail.example.de24.",
)  # fmt: skip
HARMLESS = (
    hashlib.sha256(b"tulip").hexdigest(),
    "commit a4111111111111111bdeadbeefcafe0123456789ab",
    str(uuid.uuid5(uuid.NAMESPACE_DNS, "example.org")),
    "part XK4111111111111112B is out of stock",
    "order SKU-10002000300 was sent",
    "the sensor sent x1y2z3t4u5v6w7x8 twice",
    "pin tool@1.0.dev1 and core@2.app1",
    "Python3.12を使っています",
    "会議は2026年11月29日です",
    "iPhone15を買った",
    "версия2.31.0вышла",
    "c0de8937040044053201300012ab34",
)


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector(DetectorSettings(tier="structured"))


@pytest.mark.parametrize("sentence", SENTENCES.values(), ids=SENTENCES)
@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_letters_of_another_script_end_a_value(
    detector: Detector, value: str, sentence: str
) -> None:
    text = sentence.format(value)

    assert value not in _left(text, detector.analyse([text])[0])


@pytest.mark.parametrize("text", AMONG_LATIN)
def test_a_value_that_is_sure_by_itself_may_stand_among_latin_letters(
    detector: Detector, text: str
) -> None:
    assert detector.analyse([text])[0].detections


@pytest.mark.parametrize("text", HARMLESS)
def test_digests_and_codes_are_not_cut(detector: Detector, text: str) -> None:
    kinds = {found.entity_type for found in detector.analyse([text])[0].detections}

    assert kinds <= {"DATE_TIME"}


def _left(text: str, analysis: Analysis) -> str:
    for found in reversed(analysis.detections):
        text = text[: found.start] + "#" + text[found.end :]
    return text
