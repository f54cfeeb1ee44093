"""Account numbers in the international form, however they are cased and grouped."""

import re
from collections.abc import Iterator

from detectors.detection import Detection
from detectors.recognisers.base import Recogniser, before, hangs_on_words, words

# ISO 13616: what follows country and check digits; n digits, a letters, c either.
STRUCTURES = (
    "AD8n12c AE19n AL8n16c AT16n AZ4a20c BA16n BE12n BG4a6n8c BH4a14c BR23n1a1c CH5n12c CR18n "
    "CY8n16c CZ20n DE18n DK14n DO4c20n EE16n EG25n ES20n FI14n FO14n FR10n11c2n GB4a14n GE2a16n "
    "GI4a15c GL14n GR7n16c GT4c20c HR17n HU24n IE4a14n IL19n IQ4a15n IS22n IT1a10n12c JO4a4n18c "
    "KW4a22c KZ3n13c LB4n20c LC4a24c LI5n12c LT16n LU3n13c LV4a13c MC10n11c2n MD2c18c ME18n "
    "MK3n10c2n MR23n MT4a5n18c MU4a19n3a NL4a10n NO11n PK4a16c PL24n PS4a21c PT21n QA4a21c "
    "RO4a16c RS18n SA2n18c SE20n SI15n SK20n SM1a10n12c TN20n TR5n1c16c UA6n19c VA18n VG4a16n XK16n"
)
CLASSES = {"n": r"\d", "a": "[A-Z]", "c": "[A-Z0-9]"}
PART = re.compile(r"(\d+)([nac])")
GAP = r"[ .\u00a0/_-]{0,2}"
START = re.compile(
    rf"(?:(?<![A-Za-z0-9])[A-Za-z] ?[A-Za-z]{GAP}|(?<=[A-Za-z])[A-Z]{{2}})"
    rf"\d{GAP}\d(?={GAP}[A-Za-z0-9])"
)
NEXT = re.compile(rf"{GAP}([A-Za-z0-9])")
NAMED = words("iban")
LEAST_DIGITS = 0.4  # share of digits below which words may have fallen into the form by chance


def _bban(structure: str) -> tuple[int, re.Pattern[str]]:
    parts = [(int(count), kind) for count, kind in PART.findall(structure)]
    pattern = "".join(f"{CLASSES[kind]}{{{count}}}" for count, kind in parts)
    return sum(count for count, _ in parts), re.compile(pattern)


BBAN = {entry[:2]: _bban(entry[2:]) for entry in STRUCTURES.split()}


def find_ibans(text: str) -> Iterator[Detection]:
    """Numbers of a country's form whose check digits are right, or that are called IBANs."""
    for match in START.finditer(text):
        head = re.sub(r"[^A-Z0-9]", "", match[0].upper())
        length, form = BBAN.get(head[:2], (0, None))
        body, end = _take(text, match.end(), length)
        if form is None or not form.fullmatch(body):
            continue
        if sum(map(str.isdigit, body)) < LEAST_DIGITS * length:
            continue
        glued = text[end : end + 1].isalnum() or text[match.start() - 1 : match.start()].isalnum()
        if glued and not (checked(head + body) and hangs_on_words(text, match.start(), end)):
            continue
        if checked(head + body):
            yield Detection("IBAN_CODE", match.start(), end, 1.0, "iban")
        elif before(text, match.start(), NAMED, 24):
            yield Detection("IBAN_CODE", match.start(), end, 0.7, "named_iban")


def _take(text: str, position: int, count: int) -> tuple[str, int]:
    """That many letters and digits from a position on, whatever small gaps lie between."""
    taken: list[str] = []
    while len(taken) < count and (following := NEXT.match(text, position)):
        taken.append(following[1].upper())
        position = following.end()
    return "".join(taken), position


def checked(number: str) -> bool:
    """ISO 7064 modulo 97-10 over the number with its first four characters at the end."""
    turned = number[4:] + number[:4]
    return int("".join(str(int(character, 36)) for character in turned)) % 97 == 1


RECOGNISERS = (Recogniser("iban", (r"[a-z] ?[a-z]\W{0,2}\d\W{0,2}\d",), find_ibans),)
