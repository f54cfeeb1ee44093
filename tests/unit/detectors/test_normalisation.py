"""Disguised values are read, and ordinary text is read just as it stands."""

import base64
import json

import pytest

from detectors.engine import Detector
from detectors.readings.normalise import readings
from detectors.settings import DetectorSettings

MAIL = "kim.aldo@example.org"
ZERO_WIDTH = "\u200b"
SHY = "\u00ad"


def _bold(text: str) -> str:
    return "".join(
        chr(0x1D41A + ord(letter) - ord("a")) if letter.islower() else letter for letter in text
    )


def _base64(text: str, times: int = 1) -> str:
    for _ in range(times):
        text = base64.b64encode(text.encode()).decode()
    return text


def _base32(text: str) -> str:
    return base64.b32encode(text.encode()).decode()


def _codes(form: str, between: str = "") -> str:
    """The address as the codes of its characters."""
    return between.join(form.format(code) for code in MAIL.encode())


# kind, entity type, text, the part of the text that must be covered, an ordinary twin
ROWS = (
    ("zero-width", "EMAIL_ADDRESS", f"at kim{ZERO_WIDTH}@exam{ZERO_WIDTH}ple.org",
     f"kim{ZERO_WIDTH}@exam{ZERO_WIDTH}ple.org", f"co{ZERO_WIDTH}operate at example"),
    ("soft hyphen", "US_SSN", f"ssn 536{SHY}-22-8{SHY}145", f"536{SHY}-22-8{SHY}145",
     f"inter{SHY}national 536"),
    ("non-breaking hyphen", "US_SSN", "SSN 536‑22‑8145", "536‑22‑8145", "well‑known 22‑fold"),
    ("full-width", "PHONE_NUMBER", "Phone ２１２－５５５－０１４７", "２１２－５５５－０１４７",
     "版本２"),
    ("maths bold", "EMAIL_ADDRESS", _bold("kim@example.org"), _bold("kim@example.org"),
     _bold("good news")),
    ("superscript", "PHONE_NUMBER", "call ²¹²-⁵⁵⁵-⁰¹⁴⁷", "²¹²-⁵⁵⁵-⁰¹⁴⁷", "12 m² and 3 m³"),
    ("keycaps", "PHONE_NUMBER", "call 2️⃣1️⃣2️⃣-5️⃣5️⃣5️⃣-0️⃣1️⃣4️⃣7️⃣",
     "2️⃣1️⃣2️⃣-5️⃣5️⃣5️⃣-0️⃣1️⃣4️⃣7️⃣", "step 1️⃣ then 2️⃣"),
    ("arabic digits", "PHONE_NUMBER", "call ٢١٢-٥٥٥-٠١٤٧", "٢١٢-٥٥٥-٠١٤٧", "صفحة ٢١٢"),
    ("confusables", "EMAIL_ADDRESS", "kіm@ехаmple.org", "kіm@ехаmple.org", "Привет, как дела"),
    ("combining marks", "EMAIL_ADDRESS", "k̶i̶m̶@example.org", "k̶i̶m̶@example.org", "cafe\u0301"),
    ("spelled address", "EMAIL_ADDRESS", "john dot doe at example dot com",
     "john dot doe at example dot com", "look at the dot on page com"),
    ("bracketed address", "EMAIL_ADDRESS", "amira[at]example[dot]org", "amira[at]example[dot]org",
     "array[at] and list(dot)"),
    ("german spelled address", "EMAIL_ADDRESS", "jo punkt lind ät example punkt de",
     "jo punkt lind ät example punkt de", "auf den Punkt gebracht"),
    ("spaced address", "EMAIL_ADDRESS", "john @ example . com", "john @ example . com",
     "lunch @ noon . Bring cake"),
    ("letters apart", "EMAIL_ADDRESS", "j o @ e x a m p l e . o r g", "j o @ e x a m p l e . o r g",
     "grades A B C D E"),
    ("digits apart", "CREDIT_CARD", "it is 4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
     "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", "count 1 2 3 4 5 6 7 8"),
    ("spelled digits", "US_SSN", "my ssn is five three six two two eight one four five",
     "five three six two two eight one four five", "one two three four five six seven eight"),
    ("doubled digits", "PHONE_NUMBER", "call me on double five five zero one four seven",
     "double five five zero one four seven", "a double five finish"),
    ("look-alike digits", "CREDIT_CARD", "card 4lll 1111 11O1 1118 or 4lll 1111 1111 1l11",
     "4lll 1111 1111 1l11", "model 11O1 SSB"),
    ("broken line", "PHONE_NUMBER", "call 415-555-\n0132", "415-555-\n0132", "4120087\n4120533"),
    ("entities", "EMAIL_ADDRESS", "kim&#64;example&period;org", "kim&#64;example&period;org",
     "R&amp;D at example"),
    ("percent", "EMAIL_ADDRESS", "q=kim%40example.org", "kim%40example.org", "100%25 of it"),
    ("percent twice", "EMAIL_ADDRESS", "kim%2540example.org", "kim%2540example.org", "5%2520"),
    ("escapes", "EMAIL_ADDRESS", "kim\\u0040example.org", "kim\\u0040example.org", "C:\\users\\x"),
    ("escapes in escapes", "EMAIL_ADDRESS", json.dumps({"p": json.dumps({"q": "zoë@exämple.org"})}),
     r"zo\\u00eb@ex\\u00e4mple.org", json.dumps({"p": json.dumps({"q": "zoë am exämple"})})),
    ("escapes thrice", "EMAIL_ADDRESS",
     json.dumps([json.dumps([json.dumps(["zoë@exämple.org"])])]),
     r"zo\\\\u00eb@ex\\\\u00e4mple.org", "C:\\\\users\\\\u00"),
    ("base64", "EMAIL_ADDRESS", f"see {_base64(MAIL)} there", _base64(MAIL),
     f"see {_base64('nothing to see')} there"),
    ("base64 twice", "EMAIL_ADDRESS", f"see {_base64(MAIL, 2)}", _base64(MAIL, 2),
     _base64("nothing to see", 2)),
    ("hex", "EMAIL_ADDRESS", f"x {MAIL.encode().hex()} y", MAIL.encode().hex(),
     b"nothing to see".hex()),
    ("break in JSON", "EMAIL_ADDRESS", r'["kim.aldo\n@example.org"]', r"kim.aldo\n@example.org",
     r'["see\n@noon", "C:\\new"]'),
    ("hex with a prefix", "EMAIL_ADDRESS", f"x 0x{MAIL.encode().hex()} y",
     f"0x{MAIL.encode().hex()}", "0xdeadbeefcafebabe0123"),
    ("hex codes", "EMAIL_ADDRESS", _codes("0x{:02x}", ", "), _codes("0x{:02x}", ", "),
     "0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09"),
    ("decimal codes", "EMAIL_ADDRESS", _codes("{}", " "), _codes("{}", " "),
     "pulse 72 75 80 91 100 88 77 69 95 75"),
    ("codes in code", "EMAIL_ADDRESS", _codes("chr({})", "+")[4:-1], _codes("chr({})", "+")[4:-1],
     "grades: 65, 72, 80, 91, 100, 88, 77, 69, 95, 84"),
    ("octal codes", "EMAIL_ADDRESS", _codes("{:03o}", " "), _codes("{:03o}", " "),
     "ports 80,443,8080,22,25,110,143,993"),
    ("octal escapes", "EMAIL_ADDRESS", _codes("\\{:03o}"), _codes("\\{:03o}"),
     "sed 's/\\(a\\)/\\1\\2/'"),
    ("bits", "EMAIL_ADDRESS", _codes("{:08b}", " "), _codes("{:08b}", " "),
     "10101010 11110000 00001111 11111111 00000000 10101010 11110000 00001111"),
    ("bits in a row", "EMAIL_ADDRESS", _codes("{:08b}"), _codes("{:08b}"), "10" * 40),
    ("base32", "EMAIL_ADDRESS", f"see {_base32(MAIL)} there", _base32(MAIL),
     f"see {_base32('nothing to see')} there"),
    ("quoted-printable", "EMAIL_ADDRESS", _codes("={:02X}"), _codes("={:02X}"),
     "color=ff00aa=bb=cc width=40px"),
    ("with soft breaks", "EMAIL_ADDRESS", _codes("={:02X}", "=\n"), _codes("={:02X}", "=\n"),
     "a=10=\nb=20=\nc=30"),
    ("encoded word", "EMAIL_ADDRESS", "=?utf-8?Q?kim=2Ealdo=40example=2Eorg?=",
     "=?utf-8?Q?kim=2Ealdo=40example=2Eorg?=", "=?utf-8?Q?Nothing_to_see?="),
    ("two encoded words", "EMAIL_ADDRESS", "=?utf-8?q?kim.aldo=40?= =?utf-8?Q?example.org?=",
     "=?utf-8?q?kim.aldo=40?= =?utf-8?Q?example.org?=", "what =?? means"),
    ("tags", "EMAIL_ADDRESS", "to " + "".join(chr(0xE0000 + ord(one)) for one in MAIL),
     "".join(chr(0xE0000 + ord(one)) for one in MAIL),
     "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f won"),
    ("emphasis", "EMAIL_ADDRESS", "mail _kim.aldo@example.org_ or __k@example.org__",
     "kim.aldo@example.org", "mail _us_ at _noon_ @home_base"),
    ("emphasis behind", "EMAIL_ADDRESS", "mail x@example.org_ today", "x@example.org",
     "see snake_case_7 and _7_"),
    ("emphasised card", "CREDIT_CARD", "card _4111111111111111_", "4111111111111111",
     "step _4111_ of _12_"),
    ("number in a word", "CREDIT_CARD", "user_4111111111111111_old", "4111111111111111",
     "build_20240131_7 and test_1234567"),
    ("emphasised social security", "US_SSN", "ssn __536-22-8145__", "536-22-8145", "_536-22_"),
    ("emphasised telephone", "PHONE_NUMBER", "call _212-555-0147_", "212-555-0147", "_212-555_"),
    ("dots of a Japanese keyboard", "EMAIL_ADDRESS", "rosa@mail。example。org です",
     "rosa@mail。example。org", "@home。まだです"),
    ("right-to-left override", "EMAIL_ADDRESS", "x \u202egro.elpmaxe@mik\u202c y",
     "gro.elpmaxe@mik", "\u202bשלום\u202c"),
)  # fmt: skip


@pytest.fixture(scope="module")
def detector() -> Detector:
    """A detector without models."""
    return Detector(DetectorSettings(tier="structured"))


@pytest.mark.parametrize(
    ("entity_type", "text", "covered"), [row[1:4] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_disguised_value_is_covered(
    detector: Detector, entity_type: str, text: str, covered: str
) -> None:
    """A disguised value is found in the original's own code points, disguise included."""
    spans = [
        (found.start, found.end)
        for found in detector.analyse([text])[0].detections
        if found.entity_type == entity_type
    ]
    start = text.rindex(covered)
    assert any(first <= start and last >= start + len(covered) for first, last in spans)
    assert all(last - first <= len(covered) + 2 for first, last in spans)


@pytest.mark.parametrize("twin", [row[4] for row in ROWS], ids=[row[0] for row in ROWS])
def test_ordinary_twin_is_left_alone(detector: Detector, twin: str) -> None:
    """Ordinary text with the same trick in it yields nothing."""
    assert detector.analyse([twin])[0].detections == ()


def test_plain_text_has_one_reading() -> None:
    """Text without tricks is read once."""
    read = readings("Maya gets married in June, at 5 pm; costs about 300 euros (maybe).")
    assert read.others == read.disguised == read.known_only == ()


@pytest.mark.parametrize("text", ["Привет, мир", "Αθήνα", "東京", "उसकी बहन", "שלום", "İstanbul"])
def test_scripts_are_not_folded(text: str) -> None:
    """A word in one script keeps its letters, although some look Latin."""
    assert readings(text).others == ()


def test_wrappers_beyond_the_depth_stay_closed() -> None:
    """A value wrapped three times is not unwrapped."""
    assert MAIL not in {view.text for view in readings(_base64(MAIL, 3)).others}


def test_typography_is_no_disguise() -> None:
    """Dashes and narrow spaces are normalised, but the name model does not run again for them."""
    read = readings("from 5\u202fpm – 7\u202fpm")
    assert read.others
    assert read.disguised == ()


@pytest.mark.parametrize(
    "bait", ["k_", "a.", "a-", "x@", "at ", " ", "a dot ", "01", "65 ", "=41", "ab2"]
)
def test_no_reading_backtracks(bait: str) -> None:
    """A pattern that tries every way to part a run would not end in this test's lifetime."""
    text = bait * (20_000 // len(bait))
    assert readings(text).plain.text == text


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
@pytest.mark.parametrize("name", ["Zoë Müller", "Orla Quist"])
def test_names_in_json_in_json_are_found(name: str, depth: int) -> None:
    """However many strings they are packed into; every letter of the name is covered."""
    text = name
    for _ in range(depth):
        text = json.dumps({"to": text})
    found = Detector(DetectorSettings(tier="fast")).analyse([text])[0].detections
    spans = [text[each.start : each.end] for each in found if each.entity_type == "PERSON"]
    assert any(said[:2] == name[:2] and said.endswith(name[-4:]) for said in spans), spans
