"""Attributes a person may ask to forget, and how they show in a text."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute: the words that speak of it, and the entity types that state it."""

    words: tuple[str, ...]
    types: frozenset[str] = frozenset()


def _words(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(","))


ATTRIBUTES: Mapping[str, Attribute] = {
    "salary": Attribute(
        _words("salary, salaries, pay, wage, wages, income, compensation, earnings, bonus, raise"),
        frozenset({"MONEY"}),
    ),
    "address": Attribute(
        _words("address, home address, street address, postcode, zip code"),
        frozenset({"STREET_ADDRESS", "POSTCODE"}),
    ),
    "phone": Attribute(
        _words("phone number, telephone number, mobile number"), frozenset({"PHONE_NUMBER"})
    ),
    "email": Attribute(_words("email address, e-mail address"), frozenset({"EMAIL_ADDRESS"})),
    "birthday": Attribute(_words("birthday, date of birth, born on"), frozenset({"DATE_OF_BIRTH"})),
    "age": Attribute(_words("years old, age"), frozenset({"AGE"})),
    "bank account": Attribute(
        _words("bank account, account number, iban"), frozenset({"IBAN_CODE", "BANK_ACCOUNT"})
    ),
    "credit card": Attribute(_words("credit card, card number"), frozenset({"CREDIT_CARD"})),
    "location": Attribute(_words("location, whereabouts"), frozenset({"LOCATION", "COORDINATES"})),
}
