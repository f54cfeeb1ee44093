"""Readings of text wrapped in an encoding: entities, percent, escapes, base64, codes, …"""

import base64
import binascii
import html
import re
from collections.abc import Callable, Collection, Iterator
from urllib.parse import unquote_to_bytes

from detectors.readings import character_codes
from detectors.readings.views import Edit, View, disjoint, rewrite

DEPTH = 2  # wrappers within wrappers that are opened
LARGEST_WRAPPER = 65_536  # code points of one base64 or hex run

ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,8});?", re.IGNORECASE)
PERCENT = re.compile(r"(?:%[0-9a-fA-F]{2})+")
# JSON in a string of JSON doubles the backslashes with every level.
ESCAPE = re.compile(r"(?:\\{1,32}(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|u\{[0-9a-fA-F]{1,6}\}))+")
ONE_ESCAPE = re.compile(r"\\u\{?([0-9a-fA-F]{1,6})\}?|\\x([0-9a-fA-F]{2})")
QUOTE = re.compile(r"\\{1,32}[\"']")
BREAK_AT_SIGN = re.compile(r"\\{1,32}[nrt](?=@)|(?<=@)\\{1,32}[nrt]")  # as JSON writes one
BASE64 = re.compile(
    r"(?<![A-Za-z0-9+/_-])(?:[A-Za-z0-9+/_-]{60,}\r?\n)*[A-Za-z0-9+/_-]{12,}={0,2}"
    r"(?![A-Za-z0-9+/_=-])"
)
HEX = re.compile(
    r"(?<![A-Za-z0-9])(?:0[xX])?(?:[0-9a-fA-F]{2}[ :]?){7,}[0-9a-fA-F]{2}(?![A-Za-z0-9])"
)
PRINTABLE_SHARE = 0.95

Decoder = Callable[[str], str | None]


def decoded(view: View, kinds: Collection[str]) -> View:
    """The view with every wrapper opened, wrappers inside wrappers included.

    Args:
        kinds: the keys of ``DECODERS`` worth trying on the outermost layer.
    """
    for _ in range(DEPTH):
        edits = disjoint(_openings(view.text, kinds))
        if not edits:
            break
        view = rewrite(view, edits)
        kinds = DECODERS.keys()
    return view


def opens_as_text(run: str) -> bool:
    """Whether a run of characters is base64 of something readable."""
    return _base64(run) is not None


def _openings(text: str, kinds: Collection[str]) -> Iterator[Edit]:
    for kind, (pattern, decode) in DECODERS.items():
        if kind not in kinds:
            continue
        for match in pattern.finditer(text):
            opened = decode(match[0])
            if opened and opened != match[0]:
                yield match.start(), match.end(), opened


def _entity(run: str) -> str | None:
    return html.unescape(run if run.endswith(";") or run[1] != "#" else run + ";")


def _percent(run: str) -> str | None:
    return _text(unquote_to_bytes(run))


def _escape(run: str) -> str | None:
    points = (int(match[1] or match[2], 16) for match in ONE_ESCAPE.finditer(run))
    raw = "".join(chr(point) for point in points if point <= 0x10FFFF)
    # Two escapes may make one character; a half that stays alone is no text.
    return _text(raw.encode("utf-16-le", "surrogatepass"), "utf-16-le")


def _base64(run: str) -> str | None:
    compact = re.sub(r"\s", "", run).rstrip("=").translate(str.maketrans("-_", "+/"))
    if len(compact) > LARGEST_WRAPPER:
        return None
    try:
        raw = base64.b64decode(compact + "=" * (-len(compact) % 4), validate=True)
    except binascii.Error:
        return None
    return _readable(_text(raw))


def _hex(run: str) -> str | None:
    if len(run) > LARGEST_WRAPPER:
        return None
    run = run[2:] if run[1] in "xX" else run
    return _readable(_text(bytes.fromhex(run.replace(":", " ").replace(" ", ""))))


def _text(raw: bytes, encoding: str = "utf-8") -> str | None:
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError:
        return None


def _readable(text: str | None) -> str | None:
    """The text if it looks written rather than random."""
    if not text:
        return None
    written = sum(character.isprintable() or character in "\r\n\t" for character in text)
    return text if written >= PRINTABLE_SHARE * len(text) else None


def _quote(run: str) -> str:
    return run[-1]


DECODERS: dict[str, tuple[re.Pattern[str], Decoder]] = {
    "entity": (ENTITY, _entity),
    "percent": (PERCENT, _percent),
    "escape": (ESCAPE, _escape),
    "quote": (QUOTE, _quote),
    "break": (BREAK_AT_SIGN, lambda _: " "),
    "base64": (BASE64, _base64),
    "octal": (character_codes.OCTAL, character_codes.octal),
    "decimal": (character_codes.DECIMAL, character_codes.decimal),
    "hex": (HEX, _hex),  # what could be either is read as the codes that look written
    "binary": (character_codes.BINARY, character_codes.binary),
    "prefixed": (character_codes.PREFIXED, character_codes.prefixed),
    "base32": (character_codes.BASE32, character_codes.base32),
    "printable": (character_codes.PRINTABLE, character_codes.printable),
    "encoded_word": (character_codes.ENCODED_WORD, character_codes.encoded_word),
}
