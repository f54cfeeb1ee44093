"""Attributes a person may ask to forget, and how they show in a text."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from detectors.words.folding import fold
from detectors.words.namelists import is_given_name, is_ordinary
from proxy.erasure.texts.attribute_words import EMPLOYED, FIRM, tells_nobodys

CLAUSE = re.compile(r"(?:[^.!?;,\n]|[.,](?=\d))+")
CURRENCY = (
    r"(?:[$€£¥]|(?:euros?|eur|usd|dollars?|pounds?|gbp|sek|nok|dkk|kr|kronor|chf|francs|yen|bucks)"
    r"(?!\w))"
)
MANY = r"(?:hundred|thousand|grand|million)"
PER = r"(?:an?|per|each|every|/)\s?(?:year|month|week|day|hour|annum|yr|mo|hr)\b"
COUNTED = (
    r"one|two|three|four|five|six|seven|eight|nine|ten|twenty|thirty|forty|fifty|sixty|seventy|"
    r"eighty|ninety|hundred|a"
)
DIGITS = r"(?<![\w.,])\d[\d.,']{0,20}(?<=\d)(?![\d])"
AMOUNT = re.compile(
    rf"[$€£¥]\s?{DIGITS}(?:\s?(?:k|m|{MANY})\b)?|{DIGITS}\s?(?:(?:k|m|{MANY})\b\s?)?{CURRENCY}"
    rf"|{DIGITS}\s?(?:k|{MANY})\b|{DIGITS}(?=\s{PER})"
    r"|(?<!\bin )(?<!\bsince )(?<![\w.+-])(?<![\d)] )\d{3,9}(?![\w%-]| \d)"
    rf"|\b(?:(?:{COUNTED})[ -]){{1,3}}{MANY}\b",
    re.IGNORECASE,
)
WHOSE = (
    r"(?:my|his|her|their|our|your|\w+['’]s|yearly|annual|monthly|hourly|base|gross|net|starting)"
)
# What speaks of somebody's pay without an amount, and what does only with one in its clause.
PAID = re.compile(
    rf"\b{WHOSE} pay\b|\bpay (?:rise|raise|cut|grade|slip|is|was|went)\b|\bbonus(?:es)?\b(?! track)"
    r"|\b(?:an?|the|my|his|her|their|no|another|next|last|pay|got|big|small) (?:raise|pay rise)\b",
    re.IGNORECASE,
)
EARNS = re.compile(
    r"\bearn(?:s|ed|ing)?\b"
    r"|\b(?:am|is|are|was|were|be|been|being|gets?|got|getting)(?: \w+)? paid\b"
    r"|\bpa(?:y|ys|id|ying) (?:me|him|her|them|us|you)\b"
    r"|\b(?:pa(?:y|ys|id|ying)|transfer(?:s|red)?)\b[^.!?;]{0,40} to (?:me|him|her|them|us)\b"
    r"(?! for (?!(?:my|his|her|their|our) (?:work|job)\b))"
    rf"|\b(?:make[sn]?|made|making)\b(?=.{{0,80}}{PER})",
    re.IGNORECASE,
)
# What a firm pays is somebody's pay; what is paid for something, or by a person, is not.
REACH = 120  # code points before an amount
PAYER = re.compile(
    rf"(?P<who>{FIRM}|(?:my|his|her|our|their) (?:new |old )?(?:company|firm|boss|job))\s+"
    r"(?:pays|offers|offered|(?:would|will) pay)\s+(?:me\s+)?"
    r"(?:(?:about|around|up to|almost|nearly|over|only|just)\s+)?$",
    re.IGNORECASE,
)
AS_PAY = re.compile(
    rf"\s*(?:{PER}|(?:gross|net|before tax|after tax|plus|and|but|monthly|yearly|annually)\b|$)",
    re.IGNORECASE,
)
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
        """Where a text states it beside its words: ``earns 90k``, ``My pay is 6200``.

        A clause that only spends (``paid 20 euro for lunch``) states nobody's pay.
        """
        paid = [span for clause in CLAUSE.finditer(text) if self.paid
                for span in _pay(text, clause, self.words)]  # fmt: skip
        return paid + [match.span() for each in self.said for match in each.finditer(text)]


def _pay(text: str, clause: re.Match[str], words: Sequence[str]) -> Iterator[tuple[int, int]]:
    first, last = clause.span()
    amounts = [match.span() for match in AMOUNT.finditer(text, first, last)]
    said = [match.span() for match in PAID.finditer(text, first, last)]
    earned = [match.span() for match in EARNS.finditer(text, first, last)] if amounts else []
    told = any(
        not tells_nobodys(text, *match.span())
        for match in _any_of(tuple(words)).finditer(text, first, last)
    )
    if said or earned or told or _pays(text, clause, amounts):
        yield from sorted({*said, *amounts})


def _pays(text: str, clause: re.Match[str], amounts: Sequence[tuple[int, int]]) -> bool:
    """Whether a firm pays an amount, and nobody says for what: ``Norvane pays 92,000 dollars``."""
    for start, end in amounts:
        payer = PAYER.search(text, max(clause.start(), start - REACH), start)
        if payer is None or AS_PAY.match(text, end, clause.end()) is None:
            continue
        first = fold(payer["who"].split()[0])
        if " " in payer["who"] or not (is_ordinary(first) or is_given_name(first)):
            return True
    return False


@cache
def _any_of(words: tuple[str, ...]) -> re.Pattern[str]:
    longest = sorted(map(re.escape, words), key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(longest)})\b", re.IGNORECASE)


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
