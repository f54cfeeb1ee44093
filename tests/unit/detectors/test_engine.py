"""The whole detector: field faults of other tools, and input nobody should send."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from detectors.engine import Detector
from detectors.errors import DetectionTimeout
from detectors.settings import DetectorSettings

MODEL_TYPES = {"PERSON", "LOCATION", "ORGANIZATION", "NRP", "DATE_TIME"}


@pytest.fixture(scope="module")
def structured() -> Detector:
    """A detector without models."""
    return Detector(DetectorSettings(tier="structured"))


@pytest.fixture(scope="module")
def fast() -> Detector:
    """A detector with the name model."""
    return Detector(DetectorSettings(tier="fast"))


def _types(detector: Detector, text: str) -> list[tuple[str, str]]:
    return [(found.entity_type, found.text) for found in detector.analyse([text])[0].detections]


def test_offsets_count_code_points(fast: Detector) -> None:
    """Emoji before a name count as one each, not as two."""
    text = "Hi 😀😀 this is Orla Quist, write orla.quist@example.net ok?"
    found = {item.text: item.start for item in fast.analyse([text])[0].detections}
    assert found["Orla Quist"] == 14
    assert found["orla.quist@example.net"] == text.index("orla.quist")


@pytest.mark.parametrize("separator", [" ", "\t", "\n"])
def test_neighbouring_addresses_are_all_found(structured: Detector, separator: str) -> None:
    """Three addresses in a row are three detections."""
    mails = ["a.one@example.com", "b.two@example.org", "c.three@example.net"]
    found = _types(structured, separator.join(mails))
    assert found == [("EMAIL_ADDRESS", mail) for mail in mails]


def test_connected_spans_are_one(structured: Detector) -> None:
    """An address that runs into a path is covered whole, by one detection."""
    found = _types(structured, "see tess.hale@example.org/profile/77 now")
    assert found == [("EMAIL_ADDRESS", "tess.hale@example.org/profile/77")]


@pytest.mark.parametrize(
    "text", ["4120087\n4120533", "1711102233.00 -0.41", "11/09 14:02:33 WARN probe_link: slot #4"]
)
def test_readings_of_instruments_are_no_people(fast: Detector, text: str) -> None:
    """Numbers and log lines yield nothing that would be redacted."""
    assert [item for item in _types(fast, text) if item[0] != "DATE_TIME"] == []


@pytest.mark.parametrize("times", [1, 30])
def test_technical_words_are_no_tax_numbers(structured: Detector, times: int) -> None:
    """Names of techniques are not taken for foreign numbers, however often they occur."""
    text = "Four years of Javascript and Typescript, then Kubernetes. Before that PHP. " * times
    assert _types(structured, text) == []


def test_weak_countries_are_off_until_asked_for() -> None:
    """An Indian tax number that is not called so counts only where India is enabled."""
    text = "permanent account of hers: ABCPE1234F"
    assert _types(Detector(DetectorSettings(tier="structured")), text) == []
    india = Detector(DetectorSettings(tier="structured", countries=("in",)))
    assert _types(india, text) == [("TAX_ID", "ABCPE1234F")]


def test_international_prefix_decides_the_region(structured: Detector) -> None:
    """Both numbers are found, each with its own region."""
    text = "ring 202-555-0147 before nine or +44 20 7946 0123 after ten"
    found = structured.analyse([text])[0].detections
    assert [(item.text, item.recogniser) for item in found] == [
        ("202-555-0147", "phone_us"),
        ("+44 20 7946 0123", "phone_gb"),
    ]


@pytest.mark.parametrize("filler", ["lorem ipsum. ", "x", "好"])
def test_no_length_is_refused(structured: Detector, filler: str) -> None:
    """An address across the millionth character of a long text is found."""
    head = (filler * (1_000_000 // len(filler) + 1))[:999_990]
    text = f"{head} mail kim.aldo@example.org {filler * 10_000}"
    assert ("EMAIL_ADDRESS", "kim.aldo@example.org") in _types(structured, text)


def test_name_across_a_model_window_is_whole(fast: Detector) -> None:
    """A name at the border of two windows is one detection."""
    for shift in range(0, 40, 7):
        text = (
            "The weather was fine. " * 89
            + "It rained. " * shift
            + "My sister Orla Quist called. " * 3
        )
        names = [item[1] for item in _types(fast, text) if item[0] == "PERSON"]
        assert names == ["Orla Quist"] * 3


def test_context_reaches_over_window_borders(structured: Detector) -> None:
    """A private key that begins in one window and ends in the next is covered whole."""
    body = "\n".join(["A1b2" * 16] * 50)
    key = f"-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----"
    text = "z " * 31_500 + key + " end"
    assert ("PRIVATE_KEY", key) in _types(structured, text)


@pytest.mark.parametrize(
    "text",
    ["", " ", "\x00\x01\x02", "\ud800", "\udfff\ud800", "\u202e", "\ufeff", "é" * 3, "\n\n", "😀"],
)
def test_odd_text_yields_nothing(fast: Detector, text: str) -> None:
    """Empty, binary and broken text is analysed and found empty."""
    assert fast.analyse([text])[0].detections == ()


def test_value_between_broken_characters_is_found(structured: Detector) -> None:
    """Lone surrogates and control characters around a value neither hide nor shift it."""
    text = "\ud800\x00 kim@example.org \udfff"
    assert _types(structured, text) == [("EMAIL_ADDRESS", "kim@example.org")]


BAIT = {
    "letters": "a" * 100_000,
    "digits": "1" * 100_000,
    "spaced digits": "1 " * 50_000,
    "at signs": "a@" * 50_000,
    "dots": "a." * 50_000,
    "dot words": "john dot " * 10_000,
    "number words": "one " * 20_000,
    "house numbers": "12 Elm " * 15_000,
    "openings": "-----BEGIN PRIVATE KEY-----\n" * 3_000,
    "named numbers": "passport number is " * 5_000,
    "told numbers": "my account with the bank, number is " * 3_000,
    "accounts": "account 447182, 447183 " * 4_500,
    "numbers of things": "44718200 is the number of the new card of " * 2_500,
    "last digits": "the last four digits of my account ends in " * 2_500,
    "brackets": "[" * 100_000,
    "marks": "a\u0301" * 50_000,
    "invisible": "\u200b" * 100_000,
    "overrides": "\u202ea" * 2_000,
    "percent": "%41" * 30_000,
    "dashes": "-" * 100_000,
}


@pytest.mark.parametrize("bait", BAIT.values(), ids=BAIT)
def test_hostile_text_takes_linear_time(structured: Detector, bait: str) -> None:
    """Twice as much bait takes about twice as long, never the square."""
    half, whole = (_seconds(structured, text) for text in (bait[: len(bait) // 2], bait))
    assert whole < 0.3 or whole < 3.3 * half


def _seconds(detector: Detector, text: str) -> float:
    """The processor time of the fastest of three runs."""
    return min(_once(detector, text) for _ in range(3))


def _once(detector: Detector, text: str) -> float:
    started = time.process_time()
    detector.analyse([text])
    return time.process_time() - started


def test_operators_pattern_that_runs_away_is_an_error(tmp_path: Path) -> None:
    """A text on which an operator's pattern does not finish does not count as scanned."""
    file = tmp_path / "own.yaml"
    file.write_text(
        "recognizers:\n- name: bait\n  supported_entity: BAIT\n"
        "  patterns:\n  - {name: p, regex: '(a|aa)+$', score: 0.9}\n"
    )
    detector = Detector(DetectorSettings(tier="structured", recognisers_file=file))
    assert _types(detector, "aaa") == [("BAIT", "aaa")]
    with pytest.raises(DetectionTimeout) as raised:
        detector.analyse(["a" * 60 + "!"])
    assert "aaaa" not in str(raised.value)


def test_batch_is_analysed_as_its_texts_are(fast: Detector) -> None:
    """A batch gives the same results as its texts one by one, in order."""
    texts = ["met Orla Quist", "", "kim@example.org", "met Orla Quist", "\u200b"]
    assert fast.analyse(texts) == [fast.analyse([text])[0] for text in texts]


OFFLINE = """
import builtins, logging, socket, sys
def refuse(*args, **kwargs):
    raise AssertionError("a socket was opened")
socket.socket.connect = refuse
socket.getaddrinfo = refuse
socket.create_connection = refuse
logging.basicConfig(level=1, stream=sys.stderr)
from detectors.engine import Detector
from detectors.isolation import isolate
from detectors.settings import DetectorSettings
from presidio_analyzer.predefined_recognizers import EmailRecognizer, IbanRecognizer
detector = Detector(DetectorSettings(tier=sys.argv[1]))
found = detector.analyse([
    "Orla Quist, kim@example.org, GB82 WEST 1234 5698 7654 32, 4111111111111111",
    "IBAN XX00 0000 1111 2222",
])[0].detections
EmailRecognizer().analyze("kim@example.org", ["EMAIL_ADDRESS"])
print(",".join(sorted(item.entity_type for item in found)))
"""


@pytest.mark.parametrize("tier", ["structured", "fast", "full"])
def test_detection_opens_no_socket_and_logs_no_text(tier: str) -> None:
    """With sockets refused and all logging on, detection works and prints nothing it saw."""
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE, tier], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-500:]
    assert {"EMAIL_ADDRESS", "IBAN_CODE", "CREDIT_CARD"} <= set(done.stdout.strip().split(","))
    for secret in ("Orla", "Quist", "kim@", "5698", "4111"):
        assert secret not in done.stderr
