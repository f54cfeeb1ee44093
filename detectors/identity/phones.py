"""When two telephone numbers may be one: with country and without, as dialled at home."""

import re
from collections.abc import Iterator
from functools import lru_cache

import phonenumbers

from detectors.words.folding import strip_invisible

SHORTEST_PHONE = 7
ABROAD = "~"  # before a national number that some country's, nobody knows which, may be
TRUNK = re.compile(r"(?<=\d)[ ./-]*\(0\)")
DIALLED_ABROAD = re.compile(r"[ (]*(?:\+|00[ ]?(?=[1-9])|011[ ](?=[1-9]))")


def begins(number: str) -> int:
    """Where a number begins: behind a bracket that closes beyond it, ``(0171 5550101``."""
    return int(number.startswith("(") and ")" not in number)


def digits(phone: str) -> str:
    """A number's digits, with its plus where it begins with one."""
    plus = "+" if phone.lstrip(" (").startswith("+") else ""
    return plus + _only_digits(phone)


def _only_digits(text: str) -> str:
    return "".join(char for char in text if char.isdecimal())


def phone_forms(phone: str) -> Iterator[str]:
    """What a given number is known by: as dialled, with its country, and the national number.

    Without a country it is whatever country's number ends so: ``ABROAD`` and the number.
    """
    yield from _dialled(phone)
    abroad = _abroad(phone)
    if abroad is not None:
        yield f"+{abroad.country_code}{_national(abroad)}"
        yield _national(abroad)
    if not has_country(phone):
        home = _at_home(phone)
        yield from (home, f"{ABROAD}{home}")


def number_forms(text: str) -> Iterator[str]:
    """What a number in a text may be known by: one with its country is no other country's."""
    dialled = _only_digits(text)
    yield dialled
    if len(dialled) < SHORTEST_PHONE:
        return
    yield from _dialled(text)
    abroad = _abroad(text)
    if abroad is not None:
        yield f"+{abroad.country_code}{_national(abroad)}"
        yield f"{ABROAD}{_national(abroad)}"
    if not has_country(text):
        yield _at_home(text)


def may_be_same_number(number: str, other: str) -> bool:
    """Whether two telephone numbers may be one: with two countries written they are two."""
    return not set(phone_forms(number)).isdisjoint(number_forms(other))


def _dialled(phone: str) -> Iterator[str]:
    """Its digits as they stand, and without the ``(0)`` that is dialled at home only."""
    cleaned = strip_invisible(phone)
    yield digits(cleaned)
    if has_country(cleaned):
        yield digits(TRUNK.sub("", cleaned))


def has_country(phone: str) -> bool:
    """Whether it is written with its country: ``+49``, ``0049``, ``00 49``, ``011 49``."""
    return DIALLED_ABROAD.match(phone) is not None


@lru_cache(maxsize=1024)
def _abroad(phone: str) -> phonenumbers.PhoneNumber | None:
    """The number with its country, where one is written; ``49 170 …`` if there is such a number."""
    cleaned = TRUNK.sub("", strip_invisible(phone))
    prefix = DIALLED_ABROAD.match(cleaned)
    number = digits(cleaned[prefix.end() :] if prefix else cleaned).lstrip("+")
    try:
        parsed = phonenumbers.parse(f"+{number}")
    except phonenumbers.NumberParseException:
        return None
    fits = phonenumbers.is_possible_number if prefix else phonenumbers.is_valid_number
    return parsed if fits(parsed) or (prefix and "+" in prefix[0]) else None


def _national(parsed: phonenumbers.PhoneNumber) -> str:
    return str(parsed.national_number)


def _at_home(phone: str) -> str:
    return digits(strip_invisible(phone)).lstrip("0")
