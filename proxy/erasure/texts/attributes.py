"""Attributes a person may ask to forget, and how they show in a text."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from proxy.erasure.texts.attribute_words import EMPLOYED
from proxy.erasure.texts.pay import stated_pay

GENERALISED = re.compile(r"(?<![\w*])\d{2}\*{3}(?![\w*])(?:,? [A-ZÀ-Þ][^\W\d_]+)?")


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute: the words that speak of it, and the entity types that state it.

    Args:
        paid: what somebody is paid states it.
        said: further ways in which it is said.
    """

    words: tuple[str, ...]
    types: frozenset[str] = frozenset()
    paid: bool = False
    said: tuple[re.Pattern[str], ...] = ()

    def stated(self, text: str) -> list[tuple[int, int]]:
        """Where a text states it beside its words: ``earns 90k``, ``My pay is 6200``."""
        paid = list(stated_pay(text, self.words)) if self.paid else []
        return paid + [match.span() for each in self.said for match in each.finditer(text)]


def _words(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(","))


ATTRIBUTES: Mapping[str, Attribute] = {
    "salary": Attribute(
        _words(
            "salary, salaries, wage, wages, income, compensation, earnings, remuneration, Gehalt, "
            "Gehälter, Lohn, Löhne, Einkommen, Verdienst, salaire, salaires, rémunération, "
            "salario, salarios, sueldo, sueldos, stipendio, stipendi, retribuzione, salário, "
            "salários, ordenado, salaris, salarissen, loon, lonen"
        ),
        paid=True,
    ),
    "employer": Attribute(
        _words(
            "employer, workplace, place of work, Arbeitgeber, Arbeitgeberin, employeur, empleador, "
            "datore di lavoro, empregador, werkgever"
        ),
        said=(EMPLOYED,),
    ),
    "address": Attribute(
        _words(
            "address, home address, street address, postcode, zip code, Anschrift, Wohnadresse, "
            "Adresse, Postleitzahl, adresse, code postal, dirección, código postal, indirizzo, "
            "endereço, morada, adres, postcode"
        ),
        frozenset({"STREET_ADDRESS", "POSTCODE"}),
        said=(GENERALISED,),
    ),
    "phone": Attribute(
        _words(
            "phone number, telephone number, mobile number, Telefonnummer, Handynummer, numéro de "
            "téléphone, número de teléfono, numero di telefono, número de telefone, telefoonnummer"
        ),
        frozenset({"PHONE_NUMBER"}),
    ),
    "email": Attribute(
        _words(
            "email address, e-mail address, E-Mail-Adresse, adresse e-mail, correo electrónico, "
            "indirizzo e-mail, endereço de e-mail, e-mailadres"
        ),
        frozenset({"EMAIL_ADDRESS"}),
    ),
    "birthday": Attribute(
        _words(
            "birthday, date of birth, born on, Geburtstag, Geburtsdatum, anniversaire, date de "
            "naissance, cumpleaños, fecha de nacimiento, compleanno, data di nascita, aniversário, "
            "data de nascimento, verjaardag, geboortedatum"
        ),
        frozenset({"DATE_OF_BIRTH"}),
    ),
    "age": Attribute(
        _words("years old, age, Jahre alt, ans et demi, años de edad, jaar oud"), frozenset({"AGE"})
    ),
    "bank account": Attribute(
        _words(
            "bank account, account number, iban, Bankkonto, Kontonummer, compte bancaire, cuenta "
            "bancaria, conto bancario, conta bancária, bankrekening, rekeningnummer"
        ),
        frozenset({"IBAN_CODE", "BANK_ACCOUNT"}),
    ),
    "credit card": Attribute(
        _words(
            "credit card, card number, Kreditkarte, Kreditkartennummer, carte de crédit, "
            "tarjeta de crédito, carta di credito, cartão de crédito, creditcard"
        ),
        frozenset({"CREDIT_CARD"}),
    ),
    "location": Attribute(
        _words("location, whereabouts, Aufenthaltsort, emplacement, ubicación, posizione, "
               "localização, locatie"),
        frozenset({"LOCATION", "COORDINATES"}),
    ),
}  # fmt: skip
NAME_OF: Mapping[str, str] = {
    word.casefold(): name
    for name, each in ATTRIBUTES.items()
    for word in (name, *each.words)
}  # fmt: skip


def attribute_named(word: str) -> str | None:
    """The attribute that a word speaks of, in any of the languages; None if it is no such word."""
    return NAME_OF.get(" ".join(word.split()).casefold())


def merged(names: Collection[str]) -> Attribute:
    """Several attributes as one."""
    named = [ATTRIBUTES[name] for name in names]
    return Attribute(
        tuple(word for each in named for word in each.words),
        frozenset[str]().union(*(each.types for each in named)),
        any(each.paid for each in named),
        tuple(pattern for each in named for pattern in each.said),
    )
