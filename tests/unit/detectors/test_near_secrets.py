"""A sentence that speaks of a password hides what looks generated in it, however it says so."""

import pytest

from detectors.detection import Detection
from detectors.engine import Detector
from detectors.settings import DetectorSettings

VALUES = ("Garnet_Moth52", "Sommer2031!", "koala77z", "apple-river-stone", "q9!Lm2@xT")
SENTENCES = (
    "The password they gave me: {}",
    "The Wi-Fi password is written on the fridge: {}",
    "Just type {} when it asks for the password.",
    "Enter {} at the password prompt.",
    "I always use {} for everything, it's my password.",
    "my bitlocker key is {}",
    "My laptop unlocks with {}.",
    "SSID Heron, key {}",
    "otter:{}@db",
    "Als Passwort habe ich {} gewählt.",
    "Mon mot de passe Netflix : {}",
    "La contraseña nueva: {}",
    "Пароль от вайфая: {}",
    "รหัสผ่าน: {}",
)
IN_CODE = (
    'new PasswordAuthentication("otter", "tulip")',
    'DriverManager.getConnection(url, "otter", "tulip")',
    'requests.get(url, auth=("otter", "tulip"))',
    "openssl enc -aes-256-cbc -k tulip",
)
HARMLESS = (
    "The password must have at least 12 characters, e.g. upper case and signs like !@#$.",
    "I forgot my password for the Windows11 laptop.",
    "The password manager is 1Password8 on macOS14.",
    "Username otter2024, password unknown.",
    "The password hash uses bcrypt12 and SHA-256.",
    "CVE-2024-31497 leaks passwords of PuTTY.",
    "See ticket ENG-20417 about the password reset page.",
    "Commit 4f2a9c1e8b7d6a5f4e3d2c1b0a9f8e7d6c5b4a39 rotates the password.",
    "The password dialog of Firefox128 opens in version 2.31.0-rc1.",
    "Press Ctrl+Alt+Del, then type your password.",
    "The password file is backup_2026.kdbx in /srv/vault2.",
    "SSID Heron-5GHz is on channel 36.",
    "The password of my Samsung-Galaxy-S21 has to be changed.",
    "The password policy follows NIST-800-63B and ISO27001.",
    "I use a passphrase of four words, that is state-of-the-art.",
    "Das Passwort läuft in 30Tagen ab.",
    "My password is never written down.",
    "backup codes are printed and in the drawer",
    "The recovery code is in the safe since 2019.",
    'login("otter", "web")',
    "image: registry.example.org/app:v1.2.3@sha256:abcd",
    "The lamp is koala77z, nobody knows why.",
)


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector(DetectorSettings(tier="structured"))


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("sentence", SENTENCES)
def test_what_looks_generated_near_a_password_is_hidden(
    detector: Detector, sentence: str, value: str
) -> None:
    text = sentence.format(value)
    found = [text[each.start : each.end] for each in _secrets(detector, text)]

    assert any(value.rstrip("!") in each for each in found)


@pytest.mark.parametrize("text", IN_CODE)
def test_what_a_call_logs_in_with_is_hidden(detector: Detector, text: str) -> None:
    assert [text[each.start : each.end] for each in _secrets(detector, text)] == ["tulip"]


def test_every_backup_code_of_a_list_is_hidden(detector: Detector) -> None:
    text = "2FA backup codes: 4821-9930, 1187-2204 and 5573-0192"

    assert len(_secrets(detector, text)) == 3


@pytest.mark.parametrize("text", HARMLESS)
def test_a_sentence_about_passwords_without_one_stays(detector: Detector, text: str) -> None:
    assert not _secrets(detector, text)


def _secrets(detector: Detector, text: str) -> list[Detection]:
    found = detector.analyse([text])[0].detections
    return [each for each in found if each.entity_type in ("PASSWORD", "API_KEY")]
