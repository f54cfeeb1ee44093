"""What the name of a field says: that its value identifies somebody, that it is a name, whose."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from detectors.words import word_set
from detectors.words.folding import ascii_form, fold
from detectors.words.namelists import is_given_name, is_ordinary
from proxy.erasure.texts.keeping import TECHNICAL


def _plain(words: str) -> frozenset[str]:
    """A list of words without accents, as they often are in the names of fields."""
    return frozenset(ascii_form(fold(word)) for word in words.split())


# Whatever stands there: a street has no sign that tells it from other words.
STATED = _plain(
    "address adresse adres anschrift dirección indirizzo endereço morada street "
    "straße rue calle straat postcode postleitzahl plz zip birthday birthdate birth dob born "
    "geburtsdatum geburtstag geboren nacimiento naissance nascita nascimento geboortedatum "
    "username handle nickname benutzername housenumber hausnummer"
)
# Where it looks like a number, an address, or what one was reduced to: not ``phone: yes``.
NUMBERED = _plain(
    "phone telephone tel telefon telefono teléfono téléphone telefoon telefone telemóvel "
    "mobile mobil móvil cell cellphone cellular handy landline festnetz fax sms whatsapp "
    "telegram viber pager callback msisdn extension ext durchwahl email mail correo courriel "
    "iban bic swift account konto cuenta compte conta rekening card karte kreditkarte tarjeta pan "
    "passport pass passeport pasaporte passaporto reisepass ausweis ssn nin nino nif nie dni bsn "
    "pesel cpf rut tfn tin vat aadhaar insurance license licence plate kennzeichen"
)
JOINED = word_set("taxid sortcode nationalid idcard idnumber phonenumber")  # of two words
BEARERS = word_set(
    "contact person customer client employee patient member passport tax national student staff "
    "insurance kunden personal steuer"
)
COUNTED = word_set("id number no nr nummer num")
LOOSE = word_set(
    "profile profil linkedin twitter instagram facebook github homepage website slack discord "
    "skype mastodon bluesky tiktok snapchat age alter edad"
)
NAMES = word_set("name names contact contacts person people kontakt ansprechpartner contacto")
FREE = word_set("note notes text message comment value number nummer memo info content")
PLAIN = STATED | NUMBERED | LOOSE | NAMES | BEARERS | COUNTED
MARKED = re.compile(r"\d.*\d|@|[*•[\]]|x{3}", re.IGNORECASE | re.DOTALL)
DIGITS = re.compile(r"\d{5,}")
BREAK = re.compile(r"[\W_]+|(?<=[^\W\d_A-Z])(?=[A-Z])|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")
ENDINGS = ("nummer", "nummern", "number", "numbers", "adresse")
LEAST_NAME = 3


@cache
def words_of(key: str) -> tuple[str, ...]:
    """The words of a field's name, folded: ``adaPhone2`` is ``ada``, ``phone``, ``2``."""
    return tuple(ascii_form(fold(word)) or fold(word) for word in BREAK.split(key) if word)


def identifies(key: str, shown: str) -> bool:
    """Whether a field's name says that its value identifies somebody.

    Args:
        key: the field's name.
        shown: its value as a reader sees it.
    """
    units = set(_units(key))
    numbered = units & (NUMBERED | JOINED) or _is_bearers_number(key)
    return bool(units & STATED and shown.strip()) or bool(numbered and MARKED.search(shown))


def is_loose(key: str) -> bool:
    """Whether its value does so only beside a name alone: a link, an age."""
    units = set(_units(key))
    return bool(units & LOOSE) and not units & TECHNICAL


def counts(key: str, shown: str) -> bool:
    """Whether digits alone are no telephone number, for nothing says so: ``order_id``."""
    return DIGITS.fullmatch(shown) is not None and not FREE & {*words_of(key)}


def qualifiers(key: str) -> frozenset[str]:
    """What parts a field from others of its kind: ``emergency`` in ``emergency_phone``."""
    return frozenset(
        word for word in words_of(key)
        if word not in STATED | NUMBERED | COUNTED | {"name", "names", "e"}
    )  # fmt: skip


def given_names(key: str) -> Iterator[str]:
    """Words in a field's name that are somebody's given name and nothing else."""
    for word in words_of(key):
        if len(word) >= LEAST_NAME and word not in PLAIN and not is_ordinary(word):
            yield from [word] if is_given_name(word) else []


def _units(key: str) -> Iterator[str]:
    """Its words in the singular and without what they end with, and each two joined."""
    words = words_of(key)
    for word in (*words, *map("".join, pairwise(words))):
        yield word
        yield word.removesuffix("s")
        yield from (word.removesuffix(each) for each in ENDINGS if word.endswith(each))


def _is_bearers_number(key: str) -> bool:
    pairs = pairwise(words_of(key))
    return any(first in BEARERS and second in COUNTED for first, second in pairs)
