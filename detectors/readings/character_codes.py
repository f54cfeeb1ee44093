"""Text written as the codes of its characters: in base 2, 8, 10, 16 and 32, and as mail does."""

import base64
import binascii
import re
from collections.abc import Iterable

_GAP = r"(?:[ ,;|-]{1,3}|\)\s?[+.&|]{1,2}\s?(?:chr|char)\()"  # also "chr(111)+chr(100)"
DECIMAL = re.compile(rf"(?<![\w.,-])\d{{2,3}}(?:{_GAP}\d{{2,3}}){{7,4000}}(?![\w.])", re.IGNORECASE)
BINARY = re.compile(
    r"(?<!\w)(?:(?:[01]{8}){8,4000}+"
    r"|(?:0b)?[01]{7,8}(?:[ ,;_]{1,2}(?:0b)?[01]{7,8}){7,4000}+)(?!\w)"
)
PREFIXED = re.compile(
    r"(?<!\w)0x[0-9a-f]{2}(?:[ ,;]{1,3}0x[0-9a-f]{2}){7,4000}(?!\w)", re.IGNORECASE
)
OCTAL = re.compile(r"(?:\\{1,32}[01][0-7]{2}){4,4000}")
BASE32 = re.compile(
    r"(?<![A-Za-z0-9+/_=-])(?:[A-Z2-7]{16,4000}|(?=[a-z]{0,40}[2-7])[a-z2-7]{16,4000})={0,6}"
    r"(?![A-Za-z0-9+/_=-])"
)
# Soft breaks of lines belong to it; a lone ``=40`` may be anything.
_SOFT = r"=(?:[\r\n]|\\{1,32}[rn]){1,3}"
PRINTABLE = re.compile(
    rf"(?:=[0-9A-F]{{2}}(?:{_SOFT})?){{3,4000}}|=C[2-9A-F]=[89AB][0-9A-F]", re.IGNORECASE
)
# RFC 2047; between two encoded words a gap is none.
ENCODED_WORD = re.compile(r"=\?[\w-]{2,30}\?[QqBb]\?[^?\s]{1,600}\?=(?:\s{0,3}(?==\?))?")
_WORD = re.compile(r"=\?(?P<set>[\w-]+)\?(?P<how>[QqBb])\?(?P<said>[^?\s]*)\?=")
_ONE_PRINTABLE = re.compile(rf"=([0-9A-Fa-f]{{2}})|{_SOFT}".encode())
# What people write; lists of measured values seldom are.
_WRITTEN = re.compile(r"[\w\s@.,+'():;/!?#&=-]+")
_LETTERS = re.compile(r"[a-z ]", re.IGNORECASE)
_KEY = re.compile(r"(?=.*[a-z])(?=.*[A-Z])(?=.*\d)[\w.-]{16,}")
SHARE_OF_LETTERS = 0.8
FEWEST_DIGITS = 7  # of a number of somebody


def decimal(run: str) -> str | None:
    """``111 100 97``, or the same in base 8: ``157 144 141``."""
    numbers = re.findall(r"\d+", run)
    return _of_codes(map(int, numbers)) or _of_codes(
        int(number, 8) if number.isdecimal() and not set(number) & {"8", "9"} else 0
        for number in numbers
    )


def binary(run: str) -> str | None:
    """``01101111 01100100``, with gaps or without."""
    run = run.replace("0b", " ")
    apart = re.findall(r"[01]{7,8}(?![01])", run)
    joined = re.sub(r"[^01]", "", run)
    together = [joined[at : at + 8] for at in range(0, len(joined), 8)]
    codes = apart if len(apart) >= len(together) else together
    return _of_codes(int(code, 2) for code in codes)


def prefixed(run: str) -> str | None:
    """``0x6f, 0x64``."""
    return _of_codes(int(number, 16) for number in re.findall(r"(?i)(?<=0x)[0-9a-f]{2}", run))


def octal(run: str) -> str | None:
    r"""``\157\144``."""
    return _decoded(bytes(int(number, 8) for number in re.findall(r"[01][0-7]{2}", run)))


def base32(run: str) -> str | None:
    """RFC 4648, whatever the padding."""
    compact = run.rstrip("=").upper()
    try:
        raw = base64.b32decode(compact + "=" * (-len(compact) % 8))
    except binascii.Error:
        return None
    text = _decoded(raw)
    return text if text and text.isprintable() else None


def printable(run: str) -> str | None:
    """Quoted-printable, RFC 2045."""
    return _decoded(_unquoted(run.encode()))


def encoded_word(run: str) -> str | None:
    """``=?utf-8?Q?k=69m?=``."""
    word = _WORD.match(run)
    if word is None:
        return None
    said = word["said"].encode()
    try:
        if word["how"] in "Bb":
            raw = base64.b64decode(said + b"=" * (-len(said) % 4), validate=True)
        else:
            raw = _unquoted(said.replace(b"_", b" "))
        return raw.decode(word["set"])
    except (LookupError, ValueError):
        return None


def _unquoted(said: bytes) -> bytes:
    return _ONE_PRINTABLE.sub(lambda one: bytes.fromhex((one[1] or b"").decode()), said)


def _decoded(raw: bytes) -> str | None:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return None


def _of_codes(codes: Iterable[int]) -> str | None:
    """The characters of ASCII, if they look written: words, an address or a number."""
    kept = list(codes)
    if not all(code in (9, 10, 13) or 32 <= code < 127 for code in kept):
        return None
    text = "".join(map(chr, kept))
    if _WRITTEN.fullmatch(text) is None:
        return None
    words = len(_LETTERS.findall(text)) >= SHARE_OF_LETTERS * len(text) and not text.isupper()
    number = sum(map(str.isdigit, text)) >= FEWEST_DIGITS
    return text if words or number or "@" in text[1:-1] or _KEY.fullmatch(text) else None
