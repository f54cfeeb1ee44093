"""Code points that look like others, or like nothing, and what a reader takes them for."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from detectors.readings.views import Edit, View, reverse, rewrite

LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff"
)
DASHES = "\u058a\u05be\u2010-\u2015\u2043\u2212\u2e3a\u2e3b\ufe58\ufe63\uff0d"
SPACES = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
SMALL_CAPITALS = dict(zip("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnoprstuvwyz", strict=True))
FILLED_LETTERS = {
    chr(first + offset): chr(ord("A") + offset)
    for first in (0x1F150, 0x1F170)
    for offset in range(26)
}
FOLDABLE = re.compile(
    rf"[{INVISIBLE}{DASHES}{SPACES}{''.join(SMALL_CAPITALS)}{''.join(FILLED_LETTERS)}]"
    r"|(?![0-9])\d"
)
# Letters of "tags": nobody sees them; the flags of some regions are written with them.
TAGS = "\U000e0020-\U000e007e"
FLAG = re.compile("\U0001f3f4[\U000e0030-\U000e007a]{2,6}\U000e007f")
# What editors and keyboards insert by themselves; it disguises nothing.
TYPOGRAPHIC = re.compile(rf"[{SPACES}{DASHES}…ªº²³¹¼½¾№™℃℉ﬁﬂ]")
MARKS = "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
MARKED = re.compile(rf"[\x21-\x7e\u00c0-\u024f][{MARKS}]+")

# Letters of other scripts that look Latin; read as such only in tokens that mix scripts.
CONFUSABLES = str.maketrans(
    "аеорсухіјѕһԁԛԝкмнтвАВЕКМНОРСТХІЈЅУԚԜΑΒΕΖΗΙΚΜΝΟΡΤΥΧονικρτυαεχγηօսհոցզ",
    "aeopcyxijshdqwkmhtbABEKMHOPCTXIJSYQWABEZHIKMNOPTYXovikptuaexynouhngq",
)
TOKEN = re.compile(r"[\w.@'’+-]*[^\W\d_][\w.@'’+-]*")
DOMAIN = re.compile(r"@[A-Za-z0-9.。-]{3,253}")
STOP = re.compile(r"。(?=[A-Za-z0-9])")
OVERRIDE = re.compile(r"\u202e([^\u202c\u202d\n]*)")


def without_surrogates(text: str) -> str:
    """The text with every lone surrogate replaced, so that it encodes; offsets stay the same."""
    return text if text.isascii() else LONE_SURROGATE.sub("\ufffd", text)


def canonical(view: View) -> View:
    """The view in the characters a reader sees: no invisible ones, no variants, no look-alikes."""
    if view.text.isascii():
        return view
    for readings in (_folds, _full_stops, _unmarked, _look_alikes):
        if edits := list(readings(view.text)):
            view = rewrite(view, edits)
    return view


def is_disguise(text: str) -> bool:
    """Whether a text has other unusual characters than those that typing produces."""
    plain = TYPOGRAPHIC.sub("", text)
    return canonical(View(plain)).text != plain


def _folds(text: str) -> Iterator[Edit]:
    if unicodedata.is_normalized("NFKC", text) and not FOLDABLE.search(text):
        return
    flags = {index for flag in FLAG.finditer(text) for index in range(*flag.span())}
    for index, character in enumerate(text):
        if character > "\x7f" and index not in flags:
            folded = _fold(character)
            if folded != character:
                yield index, index + 1, folded


def _full_stops(text: str) -> Iterator[Edit]:
    """The dots of a domain as a Chinese or Japanese keyboard writes them (RFC 5895 §2)."""
    for domain in DOMAIN.finditer(text):
        for stop in STOP.finditer(text, *domain.span()):
            yield *stop.span(), "."


@lru_cache(maxsize=4096)
def _fold(character: str) -> str:
    if FOLDABLE.match(character):
        return _fold_special(character)
    folded = unicodedata.normalize("NFKC", character)
    return character if folded.startswith(" ") else folded


def _fold_special(character: str) -> str:
    if re.match(f"[{TAGS}]", character):
        return chr(ord(character) - 0xE0000)
    if re.match(f"[{INVISIBLE}]", character):
        return ""
    if re.match(f"[{DASHES}]", character):
        return "-"
    if re.match(f"[{SPACES}]", character):
        return " "
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    return SMALL_CAPITALS.get(character) or FILLED_LETTERS[character]


def _unmarked(text: str) -> Iterator[Edit]:
    for match in MARKED.finditer(text):
        yield match.start(), match.end(), _compose(match[0])


def _compose(marked: str) -> str:
    """One accented letter if there is one, else the letter without what was put on it."""
    composed = unicodedata.normalize("NFC", marked)
    return composed if len(composed) == 1 else marked[0]


def _look_alikes(text: str) -> Iterator[Edit]:
    for match in TOKEN.finditer(text):
        token = match[0]
        if token.isascii() or not re.search(r"[A-Za-z]", token):
            continue
        latin = token.translate(CONFUSABLES)
        if latin != token and not _has_other_script(latin):
            for offset, (one, other) in enumerate(zip(token, latin, strict=True)):
                if one != other:
                    yield match.start() + offset, match.start() + offset + 1, other


def _has_other_script(token: str) -> bool:
    return any(letter.isalpha() and letter > "\u024f" for letter in token)


def visual(view: View) -> tuple[View, ...]:
    """The view as displayed: parts under a right-to-left override read backwards, if any."""
    parts = list(OVERRIDE.finditer(view.text))
    for part in reversed(parts):
        view = reverse(view, *part.span(1))
    return (canonical(view),) if parts else ()
