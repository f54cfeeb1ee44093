"""Readings of text that people spell out or pull apart to get it past a filter."""

import re
from collections.abc import Callable, Collection, Iterator

from detectors.readings.views import Edit, View, disjoint, rewrite

AT_WORDS = "at|ät|arroba|arobase|chiocciola|klammeraffe|apenstaartje"
DOT_WORDS = "dot|punkt|punto|point|ponto|punt"
JOINERS = {"dash": "-", "hyphen": "-", "minus": "-", "underscore": "_", "plus": "+"}
BRACKETED = re.compile(
    rf"(?<!\s)\s*+[\[({{<]\s*(?:(?P<at>{AT_WORDS}|@)|(?P<dot>{DOT_WORDS}|\.))\s*[\])}}>]\s*",
    re.IGNORECASE,
)
TOP_LEVEL = (
    "com|org|net|edu|gov|info|biz|io|ai|app|dev|co|me|online|example|eu|uk|de|fr|es|it|pt|nl|be"
    "|at|ch|ie|pl|se|no|dk|fi|us|ca|mx|br|ar|au|nz|jp|cn|in|ru|ua|tr|za"
)
DOT = rf"(?:\s+(?:{DOT_WORDS})\s+|\s?\.\s?)"
SPELLED_ADDRESS = re.compile(
    rf"(?<!\w)(?P<local>\w++(?:(?:\s+(?:{DOT_WORDS}|{'|'.join(JOINERS)})\s+|[.+-])\w++){{0,5}})"
    rf"(?P<at>\s+(?:{AT_WORDS})\s+|\s?@\s?)"
    rf"(?P<domain>\w[\w-]{{0,62}}(?:{DOT}\w[\w-]{{0,62}}){{0,4}}{DOT}(?:{TOP_LEVEL}))(?!\w)",
    re.IGNORECASE,
)
SPELLED_PART = re.compile(
    rf"(?<!\s)\s++({DOT_WORDS}|{'|'.join(JOINERS)})\s+|\s?\.\s?", re.IGNORECASE
)

DIGIT_WORDS = {
    word: str(value)
    for value, names in enumerate(
        (
            "zero null zéro cero nul",
            "one eins ein un uno um een één",
            "two zwei zwo deux dos due dois twee",
            "three drei trois tres tre três drie",
            "four vier quatre cuatro quattro quatro",
            "five fünf cinq cinco cinque vijf",
            "six sechs seis sei zes",
            "seven sieben sept siete sette sete zeven",
            "eight acht huit ocho otto oito",
            "nine neun neuf nueve nove negen",
        )
    )
    for word in names.split()
} | {"oh": "0"}
TIMES = {"double": 2, "triple": 3}
DIGIT_WORD = "|".join(sorted(DIGIT_WORDS, key=len, reverse=True))
SPELLED_DIGITS = re.compile(
    rf"(?<!\w)(?P<plus>plus\s+)?(?:(?:(?:double|triple)[\s-]+)?(?:{DIGIT_WORD}|\d{{1,4}})(?:[\s,.-]+"
    rf"|(?!\w))){{4,32}}",
    re.IGNORECASE,
)
SPELLED_DIGIT = re.compile(rf"(?:(double|triple)[\s-]+)?({DIGIT_WORD}|\d)", re.IGNORECASE)
FEWEST_SPELLED = 6

SPACED_DIGITS = re.compile(r"(?<![\w.,])\d(?:[ \t._*/|-]{1,3}\d(?!\d)){6,31}(?![\w])")
SPACED_LETTERS = re.compile(r"(?<!\S)[\w@.](?:[ \t]{1,3}[\w@.'-](?=\s|$)){3,80}")
DOTTED_LETTERS = re.compile(r"(?<![\w.-])[^\W\d_](?:([-._*|])[^\W\d_](?=\W|_|$)){3,40}")
BROKEN_DIGITS = re.compile(r"(?<=\d)[ \t]*([-.)/]?)[ \t]*\r?\n[ \t]*([-.(/]?)[ \t]*(?=[\d(])")
# Lines of a log or a table are whole: one ends, or the next begins, with a date, a time or a cell.
LINE_BEGINS = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?!\d)|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}(?!\d)|\d{1,2}:\d\d"
    r"|\d{1,3}(?:\.\d{1,3}){3}(?!\d)|\d{1,15}[ \t]*[,;|\t=:]|\d{8}T\d"
    r"|1\d{9}(?:\d{3})?[ \t]"
)
LINE_ENDS = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d:\d\d(?:[.,]\d{1,9})?|[,;|\t=]\d{1,15}"
    r"|(?<!\d)\d{1,2}[-/.]\d{1,2}[-/.]\d{4}"
)
LINE_END = 24  # code points at the end of a line that tell what it ends with

DIGIT_LOOK_ALIKES = str.maketrans("lI|OoQSsBZz", "11100055822")
MASKED_NUMBER = re.compile(r"(?<![^\W_])[\dlI|OoQSsBZz](?:[ .-]?[\dlI|OoQSsBZz]){8,23}(?![^\W_])")

LEET = tuple(str.maketrans("01345789@$!|", f"o{one}eastbgas{one}l") for one in "il")
LEET_TOKEN = re.compile(r"(?<![\w@.$])(?=\S*[0-9@$!|])[A-Za-z0-9@$!|]{3,20}(?![\w@$]|\.\w)")


def deobfuscated(view: View, kinds: Collection[str]) -> View:
    """The view with spelled and pulled-apart addresses, numbers and words put together.

    Args:
        kinds: the keys of ``STEPS`` worth trying; once something was put together, every later
            step is tried.
    """
    changed = False
    for kind, reading in STEPS.items():
        edits = disjoint(reading(view.text)) if changed or kind in kinds else []
        if edits:
            view, changed = rewrite(view, edits), True
    return view


def leet(view: View) -> tuple[View, ...]:
    """The view with digits inside words read as the letters they look like, in each likely way.

    Only good for comparing with known words: it would turn every product code into a name.
    """
    tokens = [token for token in LEET_TOKEN.finditer(view.text) if re.search("[A-Za-z]", token[0])]
    readings = []
    for table in LEET:
        edits = [(token.start(), token.end(), token[0].translate(table)) for token in tokens]
        readings.append(rewrite(view, [edit for edit in edits if edit[2].isalpha()]))
    return tuple(
        {reading.text: reading for reading in readings if reading.text != view.text}.values()
    )


def _characters(text: str) -> Iterator[Edit]:
    for match in SPACED_LETTERS.finditer(text):
        if not re.fullmatch(r"[\d\s]+", match[0]):
            yield from _closed_gaps(match)
    for match in DOTTED_LETTERS.finditer(text):
        for separator in re.finditer(r"[-._*|]", match[0]):
            start = match.start() + separator.start()
            yield start, start + 1, ""


def _closed_gaps(match: re.Match[str]) -> Iterator[Edit]:
    """Delete the gaps inside words; two spaces or a capital after a small letter begin a word."""
    for gap in re.finditer(r"[ \t]+", match[0]):
        start, end = match.start() + gap.start(), match.start() + gap.end()
        following = match[0][gap.end() : gap.end() + 1]
        preceding = match[0][gap.start() - 1]
        if following.isupper():
            continue
        if gap.end() - gap.start() == 1 or not (preceding + following).isalnum():
            yield start, end, ""


def _spaced(text: str) -> Iterator[Edit]:
    for match in SPACED_DIGITS.finditer(text):
        yield match.start(), match.end(), re.sub(r"\D", "", match[0])


def _spelled(text: str) -> Iterator[Edit]:
    for match in SPELLED_DIGITS.finditer(text):
        yield from _in_digits(match)


def _broken(text: str) -> Iterator[Edit]:
    for match in BROKEN_DIGITS.finditer(text):
        if not _are_lines(text, match.start(), match.end()):
            yield match.start(), match.end(), match[1] or match[2] or " "


def _are_lines(text: str, end: int, start: int) -> bool:
    """Whether a line that ends at ``end`` and the next from ``start`` are each whole."""
    if LINE_BEGINS.match(text, start):
        return True
    last = text[max(0, end - LINE_END) : end]
    return any(match.end() == len(last) for match in LINE_ENDS.finditer(last))


def _masked(text: str) -> Iterator[Edit]:
    for match in MASKED_NUMBER.finditer(text):
        digits = sum(map(str.isdigit, match[0]))
        if len(match[0]) > digits > len(match[0]) // 4:
            yield match.start(), match.end(), match[0].translate(DIGIT_LOOK_ALIKES)


def _in_digits(match: re.Match[str]) -> Iterator[Edit]:
    parts = list(SPELLED_DIGIT.finditer(match[0]))
    number = "".join(
        DIGIT_WORDS.get(part[2].lower(), part[2]) * TIMES.get((part[1] or "").lower(), 1)
        for part in parts
    )
    words = sum(not part[2].isdigit() for part in parts)
    if words * 2 >= len(parts) and len(number) >= FEWEST_SPELLED:
        sign = "+" if match["plus"] else ""
        yield match.start(), match.start() + parts[-1].end(), sign + number


def _addresses(text: str) -> Iterator[Edit]:
    for match in BRACKETED.finditer(text):
        yield match.start(), match.end(), "@" if match["at"] else "."
    for match in SPELLED_ADDRESS.finditer(text):
        domain_is_spelled = SPELLED_PART.search(match["domain"].replace(".", ""))
        if "@" in match["at"] or domain_is_spelled:
            yield match.start("at"), match.end("at"), "@"
            for group in ("local", "domain"):
                yield from _spelled_parts(match, group)


def _spelled_parts(match: re.Match[str], group: str) -> Iterator[Edit]:
    for part in SPELLED_PART.finditer(match[group]):
        start = match.start(group) + part.start()
        joined = JOINERS.get((part[1] or "").lower(), ".")
        yield start, start + len(part[0]), joined


# What is pulled apart is put together before what is spelled is read.
STEPS: dict[str, Callable[[str], Iterator[Edit]]] = {
    "characters": _characters,
    "spaced": _spaced,
    "spelled": _spelled,
    "broken": _broken,
    "masked": _masked,
    "addresses": _addresses,
}


# Markdown's emphasis, and a program's word with a number in it: ``user_4111…``, ``ssn_536-22-…``.
NUMBER_AHEAD = r"\d{6}|\d{3,4}[ -]\d{2,4}[ -]\d{4}|(?:\d{1,3}\.){3}\d"
NUMBER_BEHIND = r"(?<=\d{6})|(?<=\d[ -]\d{4})|(?<=\.\d)|(?<=\.\d{2})|(?<=\.\d{3})"
UNDERLINE = re.compile(
    rf"(?<![^\W_])_+|_+(?![^\W_])|(?<=[^\W\d_])_+(?={NUMBER_AHEAD})"
    rf"|(?:{NUMBER_BEHIND})_+(?=[^\W\d_])"
)


def without_underlines(view: View) -> View:
    """A view with a gap for every underscore that sets something off and belongs to no word."""
    found = UNDERLINE.finditer(view.text)
    return rewrite(view, [(*match.span(), " ") for match in found])
