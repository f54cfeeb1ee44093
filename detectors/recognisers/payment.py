"""Card numbers in any grouping, and addresses of wallets, by their check digits."""

import re
from collections.abc import Iterator
from hashlib import sha256

from detectors.detection import Detection
from detectors.recognisers.base import Recogniser, before, hangs_on_words, words

GAP = r"(?:[ \t._/,:·•|–—-]{0,3}|[x×])"
# Where its first or last digits stand together, letters may hang on to it: ``nr4111…EUR``.
CARD = re.compile(
    rf"(?:(?<![\w.+-])|(?<=[^\W\d])(?=\d{{4}}))[2-6]\d(?:{GAP}\d){{11,17}}"
    r"(?:(?!\w|[.-]\d)|(?<=\d{4})(?=[^\W\d]))",
    re.IGNORECASE,
)
OF_A_NUMBER = re.compile(r"^-(?=\d{12})|(?<=\d{12})\.0+$")  # that is a number in JSON
CARD_WORDS = words(
    r"card|credit|debit|visa|mastercard|amex|american express|maestro|kreditkarte|karte|carte"
    r"|carte bancaire|tarjeta|carta|cart[ãa]o|kaart|creditcard"
)
ISSUERS = re.compile(
    r"4|5[0-8]|2(?:2[2-9]|[3-6]|7[01]|720)|3[47]|3(?:0[0-5]|[689])|35[2-8]|6(?:011|4[4-9]|5|2|0|3"
    r"|7)"
)
FIFTEEN, WITH_FIFTEEN = 15, re.compile("3[47]|5[0678]|6")  # others are numbers of telephones
DIGITS = re.compile(r"\d+")
USUAL_GROUPS = {(4, 4, 4, 4), (4, 4, 4, 4, 3), (4, 6, 5), (4, 6, 4)}
LIST_SIGNS = frozenset(",:")  # between four numbers of four digits as often as within one card
BRACKETS = {("[", "]"), ("(", ")")}  # around four numbers that are nothing but one card

# Ethereum and its kin, Litecoin, Bitcoin's newer form, Cardano, Monero. Their prefix is sign enough
# where letters hang on before.
WALLET = re.compile(
    r"(?:(?<!\w)|(?<=[A-Za-z_]))0[xX][0-9a-fA-F]{40}(?![0-9a-fA-F])"
    r"|(?:(?<!\w)|(?<=[A-Za-z_]))bc1[02-9ac-hj-np-z]{39,59}(?!\w)"
    r"|(?<!\w)(?:ltc1[02-9ac-hj-np-z]{38,58}|addr1[02-9ac-hj-np-z]{50,100}"
    r"|4[0-9AB][1-9A-HJ-NP-Za-km-z]{93})(?!\w)"
)
BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
BITCOIN = re.compile(rf"(?<![A-Za-z0-9])[A-Za-z_]{{2,12}}(?P<value>[13][{BASE58}]{{25,34}})")
SHORTEST = 26  # characters of an address of Bitcoin


def luhn(digits: str) -> bool:
    """ISO/IEC 7812 check digit."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def is_grouped(number: str, *, listed: bool = False) -> bool:
    """Whether a number is written at a stretch, or in a card's groups with one sign between.

    Args:
        listed: whether it is all of a list, whose signs count then.
    """
    groups, gaps = re.findall(r"\d+", number), set(re.findall(r"\D+", number))
    usual = tuple(map(len, groups)) in USUAL_GROUPS
    return len(groups) == 1 or (
        usual and len(gaps) == 1 and (listed or not LIST_SIGNS & set(gaps.pop()))
    )


def find_cards(text: str) -> Iterator[Detection]:
    """Numbers of 13 to 19 digits with a valid check digit and an issuer's prefix."""
    text = OF_A_NUMBER.sub(lambda match: " " * len(match[0]), text)
    at = 0
    while (match := CARD.search(text, at)) is not None:
        if _is_card(text, match):
            yield Detection("CREDIT_CARD", *match.span(), 1.0, "credit_card")
            at = match.end()
        else:  # it may begin with another number: "32, 4111111111111111"
            at = DIGITS.match(text, match.start()).end()  # type: ignore[union-attr]


def _is_card(text: str, match: re.Match[str]) -> bool:
    digits = re.sub(r"\D", "", match[0])
    if not (luhn(digits) and ISSUERS.match(digits) and len(set(digits)) > 1):
        return False
    if len(digits) == FIFTEEN and not WITH_FIFTEEN.match(digits):
        return False
    if not hangs_on_words(text, *match.span()):
        return False
    around = text[max(0, match.start() - 1) : match.start()], text[match.end() : match.end() + 1]
    whole = is_grouped(match[0], listed=around in BRACKETS)
    return whole or before(text, match.start(), CARD_WORDS)


def find_wallets(text: str) -> Iterator[Detection]:
    """Addresses of wallets; one of Bitcoin on which letters hang by its checksum."""
    for match in WALLET.finditer(text):
        yield Detection("CRYPTO", *match.span(), 0.9, "crypto")
    for match in BITCOIN.finditer(text):
        start, value = match.start("value"), match["value"]
        for length in range(len(value), SHORTEST - 1, -1):
            if base58check(value[:length]):
                yield Detection("CRYPTO", start, start + length, 1.0, "crypto")
                break


def base58check(address: str) -> bool:
    """Whether 25 bytes in base 58 end with the checksum of the others."""
    number = 0
    for char in address:
        number = number * len(BASE58) + BASE58.index(char)
    if number.bit_length() > 25 * 8:
        return False
    content = number.to_bytes(25, "big")
    return sha256(sha256(content[:-4]).digest()).digest()[:4] == content[-4:]


RECOGNISERS = (
    Recogniser("cards", (rf"\d(?:{GAP}\d){{11}}",), find_cards),
    Recogniser(
        "crypto",
        (r"0x[0-9a-f]{40}|ltc1|bc1|addr1|\b4[0-9ab]\w{90}|[a-z_][13][a-z0-9]{25}",),
        find_wallets,
    ),
)
