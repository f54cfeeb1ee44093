"""Every key that a known mention inside a text could have: windows of its words."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from detectors.identity.keys import (
    SIGNED,
    NameKey,
    address_in,
    canonical,
    canonical_url,
    forms_of,
    spelled_out,
)
from detectors.identity.names import BREAKS, PARTICLES, RUN_ON, tokens_of, unordered
from detectors.identity.phones import begins, number_forms
from detectors.words.abbreviations import dotted_windows
from detectors.words.elision import elision_before_name
from detectors.words.folding import (
    INVISIBLE,
    MARKS,
    UNSPACED,
    ascii_form,
    fold,
    is_unspaced,
    strip_invisible,
)
from detectors.words.namelists import is_name
from detectors.words.titles import FIRST_NAMES_TOO, HONORIFICS
from detectors.words.variants import one_form

LONGEST_NAME = 5
LEAST_FIRST = 2  # letters of a first name without what is joined to it
LONGEST_WINDOW = 10  # words, with the particles between them
JOINED_LETTERS = frozenset("وبلفكובלמהשכ")  # Arabic and Hebrew words of one letter
# No pattern looks at a run of signs twice: texts come from strangers. What stands in one script
# ends where another begins that puts no spaces around it.
SPACED = rf"[^\W{UNSPACED}]"
LETTER = rf"(?:[^\W_{UNSPACED}]|[{MARKS}{INVISIBLE}])"
APART, END = rf"(?<!{SPACED})", rf"(?!{SPACED})"
EMAIL = rf"{APART}(?<![.+%-])(?:{SPACED}|[.+%-])++@(?:{SPACED}|-)++(?:\.(?:{SPACED}|-)++)+"
URL = rf"https?://[^\s<>\"'{UNSPACED}]+"
HANDLE = rf"{APART}(?<!@)@(?:{SPACED}|\.)*{SPACED}"
# Underscores around are signs of emphasis: "_0171 5550134_", "_mila_k_".
BARE, BARE_END = rf"(?<![^\W_{UNSPACED}])", rf"(?![^\W_{UNSPACED}])"
PHONE = rf"{BARE}(?<![.-])\(?\+?\d[\d ()./‐‑–-]{{5,40}}\d{BARE_END}(?!-)"
IDENTIFIER = (
    rf"{APART}(?<!-)(?=(?:{SPACED}|-)*\d)(?=(?:{SPACED}|-)*[^\W\d_{UNSPACED}])"
    rf"[^\W_{UNSPACED}]+(?:[_-][^\W_{UNSPACED}]+)*{END}(?!-)"
)
USERNAME = rf"{BARE}[^\W_{UNSPACED}]+(?:_[^\W_{UNSPACED}]+)+{BARE_END}"
ONE_WORD = rf"[{UNSPACED}][{UNSPACED}{MARKS}]*|[^\W_]{LETTER}*(?:['’ʼ`]{LETTER}+)*"
ATOM = re.compile(
    f"(?P<email>{EMAIL})|(?P<url>{URL})|(?P<handle>{HANDLE})|(?P<phone>{PHONE})"
    f"|(?P<username>{USERNAME})|(?P<id>{IDENTIFIER})|(?P<word>{ONE_WORD})"
)
JOINT = re.compile(r"[ \t\u00a0]{1,2}|[-‐‑]|\n|, ?|\. ?|['’·・･]")
BETWEEN = " ·・･"  # given and family name may stand apart where sentences do not
UNSPACED_RUN = re.compile(f"[{UNSPACED}]+(?:[{BETWEEN}][{UNSPACED}]+)*")
UNIT = re.compile(f"[{UNSPACED}][{MARKS}\u3099\u309a]*|[{BETWEEN}]")  # a letter with its marks
MOST_PARTS = 3  # of a name in a script without spaces

LOGIN = re.compile(f"{HANDLE}|{USERNAME}")


class _Bare(NamedTuple):
    """A word without what is written joined to it: ``Agathe`` of ``d'Agathe``."""

    start: int
    folded: str


class _Word(NamedTuple):
    start: int
    end: int
    folded: str
    glued: bool  # whether a name may run on from the word before
    small: bool = False  # "than" and "van" are no names, "Than" and "Van" may be
    bare: tuple[_Bare, ...] = ()  # how it may read at the beginning of a name


def candidate_keys(text: str) -> list[tuple[int, int, NameKey]]:
    """List every key that a known mention inside a text could have, with its code-point span.

    Windows of one to five words (name particles such as "van der" do not count), windows of letters
    in scripts without spaces, and e-mails, phones, handles and identifiers as wholes: a name is
    never looked for inside an address.
    """
    found: list[tuple[int, int, NameKey]] = []
    words: list[_Word] = []
    last_end = -1
    for match in ATOM.finditer(text):
        if match.lastgroup == "word":
            glued = last_end >= 0 and _joins(text, last_end, match.start(), words)
            words.append(_word(match, glued=glued))
            last_end = match.end()
        else:
            found += _atom_keys(match, words)
            last_end = match.end() if match.lastgroup == "id" else -1
    found += _word_windows(words)
    across = dotted_windows(text, words, LONGEST_NAME, RUN_ON, PARTICLES)
    found += [(start, end, NameKey("full", value)) for start, end, value in across]
    found += _unspaced_windows(text)
    signed = {match.start(): match for match in SIGNED.finditer(text)}
    if not signed:
        return found
    found = [each for each in found if each[0] not in signed or each[1] > each[0] + 1]
    return found + [
        (start, match.end(), NameKey("full", match[0].casefold()))
        for start, match in signed.items()
    ]


def login_key(name: str) -> str | None:
    """Under which key a text holds a name that is a login: ``ada_k``, with and without its sign."""
    return canonical(name, "USERNAME") if LOGIN.fullmatch(name) else None


def _word(match: re.Match[str], *, glued: bool) -> _Word:
    text, (start, end) = match[0], match.span()
    elided = 0 if text.isalpha() else elision_before_name(text)
    bare = (_Bare(start + elided, fold(text[elided:])),) if elided else ()
    return _Word(start, end, fold(text), glued, text.islower(), bare)


def _atom_keys(match: re.Match[str], words: list[_Word]) -> Iterator[tuple[int, int, NameKey]]:
    start, end, text = match.start(), match.end(), match[0]
    match match.lastgroup:
        case "email":
            start, end = (start + edge for edge in address_in(text))
            values: Iterable[str] = (canonical(text, "EMAIL_ADDRESS"),)
        case "url":
            values = (canonical_url(text.rstrip(".,;:!?)")),)
        case "handle" | "username":
            values = (canonical(text, "USERNAME"),)
        case "phone":
            start, values = start + begins(text), number_forms(text)
        case _:
            values = _identifier_forms(text)
            _add_identifier_words(match, words)
    for value in dict.fromkeys(values):
        yield start, end, NameKey("full", value)


def _identifier_forms(text: str) -> Iterator[str]:
    folded = fold(text)
    yield "".join(char for char in folded if char.isalnum())
    yield unordered(tokens_of(text))
    yield "@" + text.casefold()


def _add_identifier_words(match: re.Match[str], words: list[_Word]) -> None:
    """Let the words of ``Studio-54`` take part in windows, as one indivisible word."""
    tokens = tokens_of(match[0])
    words.append(_Word(match.start(), match.end(), " ".join(tokens), glued=False))


def _joins(text: str, end: int, start: int, words: list[_Word]) -> bool:
    joint = text[end:start]
    if not JOINT.fullmatch(joint):
        return False
    if joint.startswith("."):
        previous = words[-1].folded if words else ""
        return len(previous) == 1 or previous in RUN_ON
    return True


def _word_windows(words: list[_Word]) -> Iterator[tuple[int, int, NameKey]]:
    for index, word in enumerate(words):
        folded = word.folded
        if not folded:
            continue
        for start, read in ((word.start, folded), *word.bare):
            for value in _spellings(read):
                yield start, word.end, NameKey("full", value)
                yield start, word.end, NameKey("tok", value)
        title = folded in HONORIFICS - FIRST_NAMES_TOO
        if title or (word.small and folded in BREAKS | PARTICLES):
            continue
        yield from _longer_windows(words, index)


def _longer_windows(words: list[_Word], index: int) -> Iterator[tuple[int, int, NameKey]]:
    tokens = words[index].folded.split(" ")
    start = words[index].start
    firsts = list(words[index].bare)
    if tokens[0][:1] in JOINED_LETTERS:
        firsts += [_Bare(start, each) for each in _unjoined(tokens[0], LEAST_FIRST)]
    for word in words[index + 1 : index + LONGEST_WINDOW]:
        if not word.glued or (word.small and word.folded in BREAKS):
            return
        if word.folded in PARTICLES or not word.folded:
            continue
        tokens.append(word.folded)
        if len(tokens) > LONGEST_NAME:
            return
        yield start, word.end, NameKey("full", " ".join(sorted(tokens)))
        yield start, word.end, NameKey("ord", " ".join(tokens))
        for first in firsts:
            for form in forms_of([first.folded, *tokens[1:]]):
                yield first.start, word.end, NameKey("full", " ".join(sorted(form)))
        for form in list(forms_of(tokens))[1:]:
            yield start, word.end, NameKey("full", " ".join(sorted(form)))


def _spellings(folded: str) -> Iterable[str]:
    if folded.isascii():
        return (folded,)
    if is_unspaced(folded):
        return ()
    forms = [folded, ascii_form(folded), spelled_out(folded), *_unjoined(folded)]
    return dict.fromkeys(filter(None, forms))


def spelled_apart(folded: str) -> list[str]:
    """A folded word, and what is left of it without what is written joined to it: ``وخالد``."""
    return [folded, *_unjoined(folded)] if folded and not folded.isascii() else [folded]


def _unjoined(folded: str, least: int = 3) -> Iterator[str]:
    """A word without the one-letter words "and", "to", "in" that are written joined to it.

    Nothing for what is a name as it is: ``كريم`` is not ``ك`` and ``ريم``.
    """
    rest = folded
    while rest[0] in JOINED_LETTERS and not is_name(rest):
        if rest.startswith("لل"):  # "to the": the article loses its first letter
            yield f"ال{rest[2:]}"
        rest = rest[1:]
        if len(rest) < least:
            return
        yield rest


def _unspaced_windows(text: str) -> Iterator[tuple[int, int, NameKey]]:
    if text.isascii():
        return
    for run in UNSPACED_RUN.finditer(text):
        units = list(UNIT.finditer(run[0]))
        read = [_folded(units, fold)]
        if one_form(run[0]) != run[0]:  # older releases indexed the characters as they stood
            read.append(_folded(units, lambda letter: strip_invisible(letter).casefold()))
        for first in range(len(units)):
            for last in _unspaced_ends(read[0], first):
                start, end = units[first].start(), units[last - 1].end()
                for folded in read:
                    value = NameKey("full", "".join(folded[first:last]))
                    yield run.start() + start, run.start() + end, value


def _folded(units: Sequence[re.Match[str]], fold_: Callable[[str], str]) -> list[str]:
    return ["" if unit[0] in BETWEEN else fold_(unit[0]) for unit in units]


def _unspaced_ends(folded: Sequence[str], first: int) -> Iterator[int]:
    """Where names of two signs and more end that begin at ``first``; "" is between two parts."""
    part, parts = first, 1
    for index in range(first, len(folded)):
        if not folded[index]:
            part, parts = index + 1, parts + 1
            if index == first or parts > MOST_PARTS:
                return
        elif index >= part + _longest_unspaced(folded[part]):
            return
        elif index > first or len(folded[first]) > 1:
            yield index + 1


def _longest_unspaced(letter: str) -> int:
    """Letters of the longest part of a name looked for.

    South-East Asian names are spelled out, and so are foreign ones in katakana.
    """
    return 18 if letter < "\u1800" or "\u30a0" <= letter <= "\u30ff" else 8
