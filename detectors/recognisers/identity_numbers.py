"""Passports, licences and national numbers that the text names, and those with a check digit."""

import re
from collections.abc import Callable, Collection, Iterator
from functools import partial

from detectors.detection import Detection
from detectors.recognisers.base import BEGINS, ENDS, Finder, Recogniser, near, words

LINK = (
    r"(?:\s+\(?(?:number|no|nr|num|n[uú]mero|numero|num[ée]ro|nummer|numer|id|is|ist|est|es|è|é|of|with|de"
    r"|du|der|card|code|was|to|jest|wynosi|n[º°])(?![^\W\d_]))*[\s.:#=º°(-]*"
)
VALUE = (  # no word before a number, as in "pays 12450"
    r"(?P<value>(?!(?-i:[a-z]{3,}) )(?=[A-Z0-9 /-]{0,24}\d)[A-Z0-9]{1,14}"
    r"(?:[-/.]?[A-Z0-9]{1,14}|[ ](?=[A-Z]{0,3}\d)[A-Z0-9]{1,14}){0,5})(?!\w)"
)
SINGLE_VALUE = r"(?P<value>(?=[A-Z0-9-]{0,4}\d)[A-Z0-9][A-Z0-9-]{4,19}|[A-Z]{1,2} \d{6,8})(?![\w])"
PAN = r"(?P<value>[A-Z]{5}\d{4}[A-Z])(?!\w)"

PASSPORT_WORDS = (
    r"passports?|reisepass(?:nummer)?|passnummer|passeport|pasaporte|passaporto|passaporte"
    r"|paspoort(?:nummer)?|travel document"
)
LICENCE_WORDS = (
    r"driver['’]?s?['’]?\s+licen[cs]e|driving\s+licen[cs]e|licen[cs]e\s+(?:number|no\.?)"
    r"|dl\s*(?:#|no\.?"
    r"|number)|f[üu]hrerschein(?:nummer)?|permis\s+de\s+conduire|(?:permiso|carnet)\s+de\s+conducir"
    r"|patente(?:\s+di\s+guida)?|carta\s+de\s+condu[çc][ãa]o|rijbewijs(?:nummer)?"
)
NATIONAL_WORDS = (
    r"national\s+(?:id(?:entity|entification)?|insurance)(?:\s+card)?|identity\s+card|id\s+card"
    r"|id\s+number"
    r"|(?:government|state)\s+id|personalausweis(?:nummer)?|ausweisnummer|sozialversicherungsnummer"
    r"|rentenversicherungsnummer|versichertennummer|carte\s+d['’]identit[ée]|num[ée]ro\s+de\s+"
    r"s[ée]curit[ée]\s+sociale|dni|nie|carta\s+d['’]identit[àa]|codice\s+fiscale|cart[ãa]o\s+de\s+"
    r"cidad[ãa]o|bsn|burgerservicenummer|nhs(?:\s+number)?|medicare(?:\s+number)?|nino|cpf|aadhaar"
    r"|voter\s+id|residence\s+permit|medical\s+record(?:\s+number)?|mrn|patient\s+id|member\s+id"
    r"|insurance\s+(?:number|id|policy)|health\s+insurance(?:\s+number)?|curp|pesel"
    r"|(?:person|f[øo]dsels)nummer|nric|rodn[ée]\s+[čc][íi]slo"
)
TAX_WORDS = (
    r"tax\s*(?:payer)?\s*(?:id|identification|number|no)|tin|vat(?:\s+(?:id|number))?|ein"
    r"|steuer-?id"
    r"(?:entifikationsnummer)?|steuernummer|ust-?id(?:nr)?|num[ée]ro\s+fiscal|nif|cif|partita\s+iva"
    r"|p\.?\s?iva|n[úu]mero\s+de\s+contribuinte|btw-?nummer|siren|siret"
)
SSN_WORDS = r"ssn|ss#|social\s+security(?:\s+number)?|social"

NAMED = (
    ("PASSPORT", "named_passport", PASSPORT_WORDS, SINGLE_VALUE, 0.85),
    ("DRIVER_LICENSE", "named_licence", LICENCE_WORDS, VALUE, 0.8),
    ("NATIONAL_ID", "named_national_id", NATIONAL_WORDS, VALUE, 0.8),
    ("TAX_ID", "named_tax_id", TAX_WORDS, VALUE, 0.75),
    ("TAX_ID", "named_pan", r"pan(?:\s+card)?", PAN, 0.8),
    ("US_SSN", "named_ssn", SSN_WORDS, r"(?P<value>\d{3}[-. ]?\d{2}[-. ]?\d{4})(?![\d-])", 0.9),
)
FEWEST_DIGITS = 3  # in a passport's number one less, if it is no shorter than usual
PASSPORT_LENGTH = 8

CheckDigit = Callable[[str], bool]


def named(word: str, value: str) -> re.Pattern[str]:
    """A pattern for a value that directly follows the word that names it."""
    return re.compile(rf"(?<!\w)(?:{word}){LINK}{value}", re.IGNORECASE)


def find_named(
    entity_type: str, recogniser: str, pattern: re.Pattern[str], score: float, text: str
) -> Iterator[Detection]:
    """Values that follow their name and hold enough digits not to be words."""
    for match in pattern.finditer(text):
        value = match["value"]
        long = entity_type == "PASSPORT" and len(value) >= PASSPORT_LENGTH
        if sum(map(str.isdigit, value)) >= FEWEST_DIGITS - long:
            yield Detection(entity_type, *match.span("value"), score, recogniser)


def french_nir(number: str) -> bool:
    """INSEE number: 13 digits and a key, 97 less the number modulo 97."""
    body = number[:13].upper().replace("2A", "19").replace("2B", "18")
    return body.isdigit() and int(number[13:]) == 97 - int(body) % 97


def dutch_bsn(number: str) -> bool:
    """Citizen service number: the eleven-test."""
    weights = (9, 8, 7, 6, 5, 4, 3, 2, -1)
    return sum(int(d) * w for d, w in zip(number, weights, strict=True)) % 11 == 0


def portuguese_nif(number: str) -> bool:
    """Tax number: modulo 11 over the first eight digits."""
    total = sum(int(d) * w for d, w in zip(number[:8], range(9, 1, -1), strict=True))
    return int(number[8]) == (11 - total % 11) % 11 % 10


def chinese_id(number: str) -> bool:
    """Resident identity number: GB 11643, ISO 7064 modulo 11-2 over 17 digits."""
    total = sum(int(digit) * 2 ** (17 - place) % 11 for place, digit in enumerate(number[:17]))
    return number[17].upper() == "10X98765432"[total % 11]


def swiss_ahv(number: str) -> bool:
    """Insurance number: 13 digits with the check digit of EAN-13."""
    total = sum(int(digit) * (1 + 2 * (place % 2)) for place, digit in enumerate(number[:12]))
    return int(number[12]) == -total % 10


# Country, or none where the form alone is telling enough for any text.
CHECKED = (
    (
        "",
        "NATIONAL_ID",
        "cn_resident",
        r"[1-8]\d{5}(?:18|19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dX]",
        chinese_id,
        "",
    ),
    ("", "NATIONAL_ID", "ch_ahv", r"756[. ]?\d{4}[. ]?\d{4}[. ]?\d{2}", swiss_ahv, ""),
    (
        "fr",
        "NATIONAL_ID",
        "fr_nir",
        r"[12] ?\d{2} ?\d{2} ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}",
        french_nir,
        "",
    ),
    (
        "nl",
        "NATIONAL_ID",
        "nl_bsn",
        r"\d{4}[. ]?\d{2}[. ]?\d{3}",
        dutch_bsn,
        "bsn|burgerservicenummer|sofinummer|citizen service",
    ),
    (
        "pt",
        "TAX_ID",
        "pt_nif",
        r"[1235689]\d{2} ?\d{3} ?\d{3}",
        portuguese_nif,
        r"nif|contribuinte|fiscal",
    ),
)


def find_checked(
    entity_type: str,
    recogniser: str,
    pattern: re.Pattern[str],
    check: CheckDigit,
    context: re.Pattern[str] | None,
    text: str,
) -> Iterator[Detection]:
    """Numbers with a valid check digit and, for short ones, a word that names them."""
    for match in pattern.finditer(text):
        named_so = context is None or near(text, *match.span(), context)
        if named_so and check(re.sub(r"[ .]", "", match[0])):
            yield Detection(entity_type, *match.span(), 1.0, recogniser)


def identity_recognisers(countries: Collection[str]) -> list[Recogniser]:
    """Numbers named by the text, everywhere, and self-checking ones of the given countries."""
    return [*_named_recognisers(countries), *_checked_recognisers(countries)]


def _named_recognisers(countries: Collection[str]) -> Iterator[Recogniser]:
    for entity_type, name, word, value, score in NAMED:
        if entity_type == "US_SSN" and "us" not in countries:
            continue
        finder: Finder = partial(find_named, entity_type, name, named(word, value), score)
        yield Recogniser(name, (rf"(?:^|\W)(?:{word})",), finder)


def _checked_recognisers(countries: Collection[str]) -> Iterator[Recogniser]:
    for country, entity_type, name, shape, check, context in CHECKED:
        if not country or country in countries:
            pattern = re.compile(rf"{BEGINS}{shape}{ENDS}", re.IGNORECASE)
            finder: Finder = partial(
                find_checked, entity_type, name, pattern, check, words(context) if context else None
            )
            yield Recogniser(name, (r"\d(?:[ .]?[\dab]){8}",), finder)
