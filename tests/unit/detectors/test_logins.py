"""A login and its password side by side, keys of disks, and what a telephone is known by."""

import pytest

from tests.support.gateway import detector

DISK = "419364-201542-113575-332717-556028-097361-449625-620884"  # each group 11 times something

LOGINS = [
    ("The router login is admin / Welcome1", "Welcome1"),
    ("Login: admin/tulip", "tulip"),
    ("credentials: admin:changeme", "changeme"),
    ("Credentials are root:toor", "toor"),
    ("The NAS credentials: admin / hunter22", "hunter22"),
    ("Zugang: admin / Willkommen1", "Willkommen1"),
    ("Zugang zum NAS: admin / willkommen", "willkommen"),
    ("Zugangsdaten fürs Portal: gast / Sommer2024", "Sommer2024"),
    ("Anmeldung mit root / geheim", "geheim"),
    ("Identifiants : admin / Bonjour1", "Bonjour1"),
    ("accès : admin / tulipe", "tulipe"),
    ("credenciales: admin / contraseña1", "contraseña1"),
    ("acceso: admin/1234", "1234"),
    ("credenziali: admin / benvenuto1", "benvenuto1"),
    ("inloggegevens: beheer / Welkom01", "Welkom01"),
    ("user/pass: root / toor", "toor"),
    ("login: admin / admin", "admin"),
    ("Login: Orla / Welcome1", "Welcome1"),
    ("login: orla.quist@example.org / tulip", "tulip"),
    (f"My recovery key is {DISK}", DISK),
    (f"Wiederherstellungsschlüssel: {DISK}", DISK),
    (f"clé de récupération : {DISK}", DISK),
    (DISK, DISK),
    (DISK.replace("-", " "), DISK.replace("-", " ")),
]
ROLES = [
    "Login / Logout buttons are misaligned", "login: yes / no", "Zugang: Treppe / Aufzug",
    "His credentials: Harvard / Yale", "Access: admin / editor / viewer",
    "Access levels are admin / editor", "Login is available for admin / staff only",
    "Zugang: 10:30 / 11:30", "Anmeldung: 2024/2025", "login as user / password",
    "Credentials: user / password", "Login with Google / Apple", "access: public/private",
    "Zugang: Gebäude2/Raum12", "user: guest / Welcome to the page", "Zugang und Identifiants",
    "419364 201542 113575 332717 556028 097361 449625 620885",
    "419364-201542-113575",
]  # fmt: skip
SECRETS = {"PASSWORD", "API_KEY"}


@pytest.mark.parametrize(("text", "secret"), LOGINS)
def test_a_password_beside_a_login_is_a_secret(text: str, secret: str) -> None:
    """However weak it is, behind whatever word for credentials; and so is the key of a disk."""
    [found] = detector("structured").analyse([text])
    said = [each.text for each in found.detections if each.entity_type in SECRETS]
    assert said == [secret]


@pytest.mark.parametrize("text", ROLES)
def test_what_is_no_pair_of_login_and_password_stays(text: str) -> None:
    """Roles, choices, times, rooms; and words for credentials are nobody's name."""
    [found] = detector("full").analyse([text])
    wrong = {*SECRETS, "PERSON"}
    assert [each.text for each in found.detections if each.entity_type in wrong] == []


DEVICES = [
    ("My IMEI is 490154203237518", "490154203237518"),
    ("IMEI 2: 49-015420-323751-8", "49-015420-323751-8"),
    ("The phone's IMEI (352099001761481) is on the box", "352099001761481"),
    ("l'IMEI de mon téléphone est 352099001761481", "352099001761481"),
    ("die IMEI meines Handys ist 352099001761481", "352099001761481"),
    ("ICCID 8949222074201234567", "8949222074201234567"),
]


@pytest.mark.parametrize(("text", "number"), DEVICES)
def test_a_number_of_a_device_is_no_telephone_number(text: str, number: str) -> None:
    """Nobody can dial an IMEI; it is hidden as other addresses of devices are."""
    [found] = detector("structured").analyse([text])
    assert [(each.entity_type, each.text) for each in found.detections] == [("MAC_ADDRESS", number)]


def test_a_telephone_number_behind_the_word_is_one() -> None:
    """A word for a device says nothing of the number that one calls."""
    [found] = detector("structured").analyse(["IMEI lookup, call +49 30 1234567"])
    assert [each.entity_type for each in found.detections] == ["PHONE_NUMBER"]
