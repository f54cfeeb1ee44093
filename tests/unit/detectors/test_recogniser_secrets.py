"""Passwords, passphrases, codes and keys are found however the text names them."""

from collections.abc import Callable

import pytest

BASE64 = "kJ8sQ2mV7xT4wZ9nB6yR3pL5cH1dF0gA8uE2iO7tS4vX9qM6kJ8sQ2mV7xT4wZ9nB6yR3pL5cH1dF012=="
# entity type, a text that holds one, its exact value, and a text that holds none
ROWS = (
    ("PASSWORD", "pw: Marsh0pper&3", "Marsh0pper&3", "pw: required"),
    ("PASSWORD", "pass: letmein99", "letmein99", "He passed: three exams in one week."),
    ("PASSWORD", "psw: heron77", "heron77", "Boarding pass: at the gate."),
    ("PASSWORD", "pwd=s3cretX", "s3cretX", "Run pwd and then ls in the shell."),
    ("PASSWORD", "p@ssw0rd is heron77", "heron77", "the p@ssw0rd joke is old"),
    ("PASSWORD", "my password's heron77", "heron77", "the password's length matters"),
    ("PASSWORD", "wifi password GreenHouse88", "GreenHouse88", "The wifi password changed."),
    ("PASSWORD", "streaming pw heron77boat", "heron77boat", "Our password policy changes in May."),
    ("PASSWORD", "passcode 491827", "491827", "The passcode lock has 10 keys"),
    ("PASSWORD", "passcode is 491827", "491827", "password SHA256 digests"),
    ("PASSWORD", "Das WLAN-Passwort ist GrauesHaus88", "GrauesHaus88", "Das Passwort ist nicht da"),
    (
        "PASSWORD",
        "la contraseña del wifi es casagris88",
        "casagris88",
        "la contraseña es importante",
    ),
    ("PASSWORD", "PGPASSWORD=heron77boat", "heron77boat", "getpass = fallback_getpass"),
    ("PASSWORD", "tool --password heron77", "heron77", "Use pass: true for a green run."),
    ("PASSWORD", "curl -u alva:heron77 example.org", "heron77", "curl -u asks for a name"),
    (
        "PASSWORD",
        "the login is alva / Spring!2031",
        "Spring!2031",
        "man3/login.3 man3/logout.3",
    ),
    ("PASSWORD", "Wi-Fi: RowanNet, pass Heron77boat", "Heron77boat", "always pass zip64 along"),
    ("PASSWORD", "Heron77boat is my password", "Heron77boat", "hunting is my password theme"),
    (
        "PASSWORD",
        "she uses heron77boat as her password",
        "heron77boat",
        "it serves as the password",
    ),
    ("PASSWORD", "mot de passe wifi : heron77boat", "heron77boat", "mot de passe wifi : *****"),
    ("PASSWORD", "pasword: heron77boat", "heron77boat", "pasword is a typing error"),
    ("PASSWORD", "secret question answer: heronboat", "heronboat", "the security answer is wrong"),
    ("PASSWORD", "gate code: #4471", "#4471", "the gate has a code"),
    (
        "PASSWORD",
        "the alarm code is four four seven one",
        "four four seven one",
        "one code, two doors",
    ),
    ("PASSWORD", "use code 4471 to open the gate", "4471", "use code 4471 to save money"),
    ("PASSWORD", "unlock my phone with 447193", "447193", "unlock the phone with your thumb"),
    ("PASSWORD", "Safe: 34-12-27", "34-12-27", "Score: 34-12-27"),
    (
        "PASSWORD",
        "the combination to the safe is 12 left, 34 right, 8 left",
        "12 left, 34 right, 8 left",
        "there are 12 left, 34 right ones are gone",
    ),
    (
        "PASSWORD",
        "passphrase: grey tulip ocean nine",
        "grey tulip ocean nine",
        "The passphrase is required at login.",
    ),
    (
        "PASSWORD",
        "my passphrase is correct heron battery stable and my login is alva",
        "correct heron battery stable",
        "The password is correct and we can go on.",
    ),
    (
        "PASSWORD",
        "password: correct heron battery stable",
        "correct heron battery stable",
        "password: needed at the login of every tool",
    ),
    (
        "PASSWORD",
        "the code for the alarm is 7731",
        "7731",
        "The code for the project is on GitHub.",
    ),
    (
        "PASSWORD",
        "the garage door code's 5519",
        "5519",
        "The code for the alarm feature is on main.",
    ),
    ("PASSWORD", "the lock opens with 4471", "4471", "The shop opens with 40 guests"),
    ("PASSWORD", "the key safe code is C1590", "C1590", "The safe is in the cellar."),
    (
        "PASSWORD",
        "The safe combination is 34-12-27.",
        "34-12-27",
        "A combination of rice and beans is cheap.",
    ),
    ("PASSWORD", "my locker combo: 12 34 8", "12 34 8", "The combo of 2 drinks and a cake"),
    ("PASSWORD", "alarm PIN 7731", "7731", "PIN the note to the board."),
    ("PASSWORD", "the PIN for my card is 4 8 2 1", "4 8 2 1", "The PIN header has 40 pins."),
    ("PASSWORD", "le code de la porte est 4471", "4471", "le code postal est bon"),
    (
        "PASSWORD",
        "der Code für die Alarmanlage ist 7731",
        "7731",
        "der Code für das Projekt ist 7 MB",
    ),
    ("PASSWORD", "el código de la puerta es 4471", "4471", "el código de color es azul"),
    ("PASSWORD", "codice dell'allarme: 7731", "7731", "il codice è su GitHub"),
    (
        "PASSWORD",
        "redis://:s3cr3t@cache:6379",
        "redis://:s3cr3t@cache:6379",
        "see http://example.org:80/a",
    ),
    (
        "API_KEY",
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "SORT_KEY=name sorts the rows by name.",
    ),
    ("API_KEY", f"AZURE_KEY={BASE64}", BASE64, "PRIMARY_KEY = user_id2"),
    ("API_KEY", 'BRENN_API_KEY="a8f3k2m9d0q1"', "a8f3k2m9d0q1", "KEY_NAME=a8f3k2m9d0q1"),
    ("API_KEY", "secret key prod-eu-7f3a9c2b", "prod-eu-7f3a9c2b", "secret payments-db-v2 is up"),
    ("API_KEY", "The secret is hunter2-blue-9", "hunter2-blue-9", "merge fix/secret-rotation-42"),
    ("API_KEY", "SERVICE_TOKEN: 8f2a11c09b7e", "8f2a11c09b7e", "The token budget is 4000 a day."),
    (
        "API_KEY",
        "AccountKey=kJ8sQ2mV7xT4wZ9nB6yR3pL5cH1dF0gA8u==;Endpoint",
        "kJ8sQ2mV7xT4wZ9nB6yR3pL5cH1dF0gA8u==",
        "the monkey: banana12345",
    ),
)


@pytest.mark.parametrize(("entity_type", "text", "value", "twin"), ROWS, ids=[r[1] for r in ROWS])
def test_secret_is_found_and_its_twin_left_alone(
    values_of: Callable[[str, str], list[str]], entity_type: str, text: str, value: str, twin: str
) -> None:
    """The value is found with exact bounds and the right type; the twin holds nothing of it."""
    assert value in values_of(entity_type, text)
    assert values_of(entity_type, twin) == []
