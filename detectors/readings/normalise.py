"""The readings of a text that detection looks at, cheapest first, most texts having just one."""

from dataclasses import dataclass

import re2

from detectors.readings.encodings import DECODERS, decoded
from detectors.readings.obfuscation import (
    AT_WORDS,
    DIGIT_WORD,
    DOT_WORDS,
    deobfuscated,
    leet,
    without_underlines,
)
from detectors.readings.parted import parted
from detectors.readings.unicode import canonical, is_disguise, visual, without_surrogates
from detectors.readings.views import View

DIGITISH = r"[\dli|oqsbz]"
# kind of reading: RE2 patterns, one of which must occur for it to differ from the text
TRIGGERS = {
    "entity": (r"&#?\w{1,9}",),
    "percent": (r"%[0-9a-f]{2}",),
    "escape": (r"\\[ux]",),
    "quote": (r"\\[\"']",),
    "break": (r"\\[nrt]@|@\\{1,32}[nrt]",),
    "base64": (r"[a-z0-9+/_-]{12}",),
    "hex": (r"(?:[0-9a-f]{2}[ :]?){8}",),
    "octal": (r"(?:\\{1,32}[01][0-7]{2}){4}",),
    "decimal": (
        r"(?:\d{2,3}[ ,;|-]{1,3}){7}\d{2}",
        r"\d{2,3}\)\s?[+.&|]{1,2}\s?cha?r\(",
    ),
    "binary": (r"(?:[01]{7,8}[ ,;_]{0,2}(?:0b)?){7}[01]{7}",),
    "prefixed": (r"(?:0x[0-9a-f]{2}[ ,;]{1,3}){7}",),
    "base32": (r"[a-z2-7]{16}",),
    "printable": (r"(?:=[0-9a-f]{2}(?:=[\\rn\r\n]{1,8})?){3}|=c[2-9a-f]=[89ab]",),
    "encoded_word": (r"=\?[\w-]{2,30}\?[qb]\?",),
    "characters": (
        r"(?:^|\s)\S(?:[ \t]{1,3}\S){3}(?:\s|$)",
        r"\pL[-._*|]\pL[-._*|]\pL[-._*|]\pL",
    ),
    "spaced": (r"\d(?:[ \t._*/|-]{1,3}\d){6}",),
    "spelled": (rf"(?:{DIGIT_WORD}|double|triple)[\s,.-]+(?:{DIGIT_WORD}|double|triple|\d)",),
    "broken": (r"\d[ \t]*[-.)/]?[ \t]*\r?\n[ \t]*[-.(/]?[ \t]*[\d(]",),
    "masked": (
        rf"\d[ .-]?[li|oqsbz](?:[ .-]?{DIGITISH})|[li|oqsbz][ .-]?\d(?:[ .-]?{DIGITISH}){{3}}",
    ),
    "addresses": (
        rf"[\[({{<]\s*(?:{AT_WORDS}|{DOT_WORDS}|@|\.)\s*[\])}}>]",
        rf"\s(?:{DOT_WORDS})\s",
        r"\s@|@\s|@[^\s@]{1,64}(?:\s\.|\.\s)",
    ),
    "underlined": (r"_\d|\d_|@\S*_|_\S*@",),
    "leet": (
        r"[a-z][013457$]|[013457$][a-z]",
        r"[a-z][!|][a-z]",
        r"[a-z]@[a-z]{1,15}(?:[^\w.@-]|$)",
    ),
}


@dataclass(frozen=True, slots=True)
class Readings:
    """What a text may mean.

    Args:
        plain: the text as given, but for lone surrogates.
        others: further readings, in which patterns are looked for.
        disguised: those of them that differ by more than typography; names are looked for there.
        known_only: readings good only for comparing with words known beforehand.
    """

    plain: View
    others: tuple[View, ...] = ()
    disguised: tuple[View, ...] = ()
    known_only: tuple[View, ...] = ()


def _trigger_set() -> tuple[re2.Set, list[str]]:
    options = re2.Options()
    options.case_sensitive = False
    triggers, kinds = re2.Set.SearchSet(options), []
    for kind, patterns in TRIGGERS.items():
        for pattern in patterns:
            triggers.Add(pattern)
            kinds.append(kind)
    triggers.Compile()
    return triggers, kinds


TRIGGER_SET, KINDS = _trigger_set()


def readings(text: str) -> Readings:
    """All readings of a text that differ from each other."""
    plain = View(without_surrogates(text))
    clean = canonical(plain)
    kinds = _kinds(clean)
    opened = canonical(decoded(clean, kinds & DECODERS.keys()))
    if opened is not clean:
        kinds = _kinds(opened)
    joined = deobfuscated(opened, kinds)
    disguised = [*visual(plain)]
    if joined is not clean:
        disguised.append(joined)
    if clean.text != plain.text and is_disguise(plain.text):
        disguised.append(clean)
    bare = without_underlines(opened) if "underlined" in kinds else opened
    beside = map(parted, (plain, clean, bare))
    return Readings(
        plain,
        others=_distinct(plain, [clean, opened, bare, *beside, *disguised]),
        disguised=_distinct(plain, disguised),
        known_only=leet(joined) if "leet" in kinds else (),
    )


def _kinds(view: View) -> set[str]:
    return {KINDS[index] for index in TRIGGER_SET.Match(view.text) or ()}


def _distinct(plain: View, others: list[View]) -> tuple[View, ...]:
    return tuple({view.text: view for view in others if view.text != plain.text}.values())
