"""How else a full name can be read in a text: joined, letter by letter, marked up, inflected."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from detectors.identity.names import BREAKS, PARTICLES, person_tokens
from detectors.identity.windows import JOINT, LONGEST_NAME
from detectors.words.folding import (
    INVISIBLE,
    MARKS,
    UNSPACED,
    ascii_form,
    expand_umlauts,
    fold,
    is_unspaced,
    strip_invisible,
)
from detectors.words.namelists import is_given_name, is_name, is_ordinary
from detectors.words.titles import HONORIFICS

LEAST_JOINED, MOST_JOINED = 6, 30
LEAST_INFLECTED = 4
SHORT, LEAST_SHORT = 3, 3
LONGEST_UNSPACED = 6

WORD = re.compile(f"[^\\W\\d_](?:[^\\W\\d_]|[{MARKS}{INVISIBLE}])*")
SIGNS = re.compile(r"(?:[^\w\n]|_){0,4}")
ENDS = re.compile(r"[.!?;:,…]\s|\s[^\w\s]+\s")
LETTER_GAP = re.compile(r"[\W_]{1,3}")
LINKS = frozenset(".-‐‑")  # in addresses, where nobody else looks for names
MIDDLE_GAP = re.compile(r"[ \t\u00a0]{1,3}|\.[ \t\u00a0]?|[-_]")
MOST_MIDDLE, MOST_BETWEEN = 2, 5
BROKEN_GAP = re.compile(r"[ \t\u00a0]{1,2}|[-‐‑_]")
UNSPACED_LETTER = re.compile(f"(?![・゠])[{UNSPACED}]")
UNSPACED_GAP = re.compile(r"[^\w\n。、！？，；：]{0,3}|_{1,3}")

Kind = Literal["full", "joined"]


class Reading(NamedTuple):
    """A stretch of a text, [start, end) in code points, read as a name.

    ``full`` values are words in alphabetic order, as the keys of names; ``joined`` ones have
    nothing between the words.
    """

    start: int
    end: int
    kind: Kind
    value: str


class _Piece(NamedTuple):
    start: int
    end: int
    folded: str


class _Gap(NamedTuple):
    """What lies between two pieces: whether a name may run across, and across no usual joint."""

    passable: bool
    unusual: bool


def joined_forms(name: str) -> list[str]:
    """A person's full name without anything between its words, in both orders.

    ``ludovantessel`` and ``vantesselludo``, which without the particle is nobody's for certain.
    Empty for single words, for fewer than six letters, and where the whole is a name or a word
    of its own: Rose Mary is not Rosemary. An initial at the end reads as an ending: ``Krügers``.
    """
    tokens = person_tokens(strip_invisible(name))
    if len(tokens) < 2 or any(map(is_unspaced, tokens)):
        return []
    family = next((n for n, token in enumerate(tokens) if n and token in PARTICLES), -1)
    values = [
        "".join(order)
        for form in spelled(tokens)
        for order in (form, [*form[family:], *form[:family]])
        if len(order[-1]) > 1
    ]
    long = (value for value in dict.fromkeys(values) if LEAST_JOINED <= len(value) <= MOST_JOINED)
    return [value for value in long if not (is_name(value) or is_ordinary(value))]


def spelled(tokens: Sequence[str]) -> list[list[str]]:
    """Words as they are, in Latin letters, and with umlauts spelled out."""
    forms = [list(tokens)]
    if not all(map(str.isascii, tokens)):
        forms.append([ascii_form(token) for token in tokens])
        forms.append([ascii_form(expand_umlauts(token)) for token in tokens])
    return [form for form in forms if all(form)]


def readings(text: str) -> Iterator[Reading]:
    """Everything in a text that may be a full name in an unusual spelling.

    What words with usual joints between them say is left to ``identity.candidate_keys``.
    """
    words = [_Piece(m.start(), m.end(), fold(m[0])) for m in WORD.finditer(text)]
    parts = [part for word in words for part in _camel(text, word)]
    yield from _single(words)
    yield from _windows(text, words)
    yield from _around_middle(text, words)
    if len(parts) > len(words):
        yield from _windows(text, parts)
    yield from _spaced_out(text, words)
    yield from _broken(text, words)
    if not text.isascii():
        yield from _unspaced(text)


def _single(words: Sequence[_Piece]) -> Iterator[Reading]:
    for word in words:
        if LEAST_JOINED <= len(word.folded) <= MOST_JOINED + 1:
            yield from _joined(word.start, word.end, word.folded)


def _joined(start: int, end: int, folded: str) -> Iterator[Reading]:
    for (value,) in spelled([folded]):
        yield Reading(start, end, "joined", value)
        if value.endswith("s"):
            yield Reading(start, end, "joined", value[:-1])


def _camel(text: str, word: _Piece) -> Iterator[_Piece]:
    """The parts of ``AlvaBrenn``; a word without inner capitals is its only part."""
    if text[word.start + 1 : word.end].islower() or text[word.start : word.end].isupper():
        yield word
        return
    visible = [n for n in range(word.start, word.end) if text[n].isalpha()]
    cuts = [n for before, n in pairwise(visible) if text[before].islower() and text[n].isupper()]
    for start, end in pairwise([word.start, *cuts, word.end]):
        yield _Piece(start, end, fold(text[start:end]))


def _windows(text: str, pieces: Sequence[_Piece]) -> Iterator[Reading]:
    gaps = [_gap(text[one.end : other.start]) for one, other in pairwise(pieces)]
    for first, piece in enumerate(pieces):
        tokens, unusual = [piece.folded], text[piece.start - 1 : piece.start].isdigit()
        if _stops(piece.folded):
            continue
        for gap, other in zip(gaps[first:], pieces[first + 1 :], strict=False):
            unusual |= gap.unusual
            if not gap.passable or other.folded in BREAKS:
                break
            if other.folded in PARTICLES:
                continue
            tokens.append(other.folded)
            if len(tokens) > LONGEST_NAME:
                break
            unusual |= text[other.end : other.end + 1].isdigit()
            yield from _values(piece.start, other.end, tokens, unusual=unusual)


def _around_middle(text: str, words: Sequence[_Piece]) -> Iterator[Reading]:
    """First and last name with one or two names, initials or titles between them."""
    for number, first in enumerate(words[:-2]):
        if len(first.folded) < 2 or _stops(first.folded) or first.folded in HONORIFICS:
            continue
        end, middle, before = first.end, 0, first
        for other in words[number + 1 : number + MOST_BETWEEN]:
            if not _goes_on(before, text[end : other.start]):
                break
            if before is not first and len(other.folded) > 1 and not _stops(other.folded):
                for form in spelled([first.folded, other.folded]):
                    yield Reading(first.start, other.end, "full", " ".join(sorted(form)))
            if other.folded not in HONORIFICS:
                middle += 1
            if middle > MOST_MIDDLE or not _is_middle(text, other):
                break
            end, before = other.end, other


def _goes_on(before: _Piece, gap: str) -> bool:
    """Whether a name may go on: behind a full stop only after an initial or a title."""
    if not MIDDLE_GAP.fullmatch(gap):
        return False
    return "." not in gap or len(before.folded) == 1 or before.folded in HONORIFICS


def _is_middle(text: str, word: _Piece) -> bool:
    """Whether a word between a first and a last name is one of the names, or a title."""
    folded, capital = word.folded, text[word.start].isupper()
    if folded in HONORIFICS or len(folded) == 1:
        return capital or folded in HONORIFICS
    if folded in BREAKS or folded in PARTICLES:
        return False
    known, ordinary = is_name(folded), is_ordinary(folded)
    return known or not ordinary if capital else known and not ordinary


def _stops(folded: str) -> bool:
    return not folded or folded in BREAKS or folded in PARTICLES


def _gap(between: str) -> _Gap:
    if JOINT.fullmatch(between) and between not in LINKS:
        return _Gap(passable=True, unusual=False)
    stretched = between.isspace() and "\n" not in between
    passable = stretched or bool(SIGNS.fullmatch(between) and not ENDS.search(between))
    return _Gap(passable, unusual=passable)


def _values(start: int, end: int, tokens: list[str], *, unusual: bool) -> Iterator[Reading]:
    shortest = min(map(len, tokens))
    read = [tokens] if unusual else []
    for words in (*read, *_uninflected(tokens)):
        if shortest > 1 or len(words) > 2:
            for form in spelled(words):
                yield Reading(start, end, "full", " ".join(sorted(form)))


def _uninflected(tokens: list[str]) -> list[list[str]]:
    """Without the endings of genitives and plurals: Alvas Brenns, the Brenns; not of Andreas."""
    base = [t[:-1] if _is_inflected(t) else t for t in tokens]
    if base == tokens:
        return []
    readings_of = [base, [base[0], *tokens[1:]], [*tokens[:-1], base[-1]]]
    return [words for n, words in enumerate(readings_of) if words not in readings_of[:n]]


def _is_inflected(word: str) -> bool:
    return word.endswith("s") and len(word) >= LEAST_INFLECTED and not is_given_name(word)


def _spaced_out(text: str, words: Sequence[_Piece]) -> Iterator[Reading]:
    """Runs of short pieces, with the word before and behind: ``A l v a  Brenn``."""
    run: list[_Piece] = []
    for word in words:
        if run and not LETTER_GAP.fullmatch(text[run[-1].end : word.start]):
            yield from _run(run)
            run = []
        run.append(word)
        if len(word.folded) > SHORT:
            yield from _run(run)
            run = [word]
    yield from _run(run)


def _broken(text: str, words: Sequence[_Piece]) -> Iterator[Reading]:
    """Two names with a space within one of them, which leaves no word: ``Al va Brenn``."""
    strange = [not (is_name(word.folded) or is_ordinary(word.folded)) for word in words]
    for number, (one, two, three) in enumerate(zip(words, words[1:], words[2:], strict=False)):
        if not any(strange[number : number + 3]):
            continue
        gaps = (text[one.end : two.start], text[two.end : three.start])
        if not all(map(BROKEN_GAP.fullmatch, gaps)):
            continue
        pairs = ((one.folded + two.folded, three.folded), (one.folded, two.folded + three.folded))
        for first, pair in enumerate(pairs, number):
            if any(strange[first : first + 2]):
                for form in spelled(pair):
                    yield Reading(one.start, three.end, "full", " ".join(sorted(form)))


def _run(run: Sequence[_Piece]) -> Iterator[Reading]:
    for first, piece in enumerate(run):
        value = piece.folded
        for number, other in enumerate(run[first + 1 :], 2):
            value += other.folded
            if len(value) > MOST_JOINED:
                break
            if number >= LEAST_SHORT and len(value) >= LEAST_JOINED:
                yield from _joined(piece.start, other.end, value)


def _unspaced(text: str) -> Iterator[Reading]:
    """Names in scripts without spaces that have something between their letters all the same."""
    found = [match.start() for match in UNSPACED_LETTER.finditer(text)]
    for first, start in enumerate(found):
        value, broken = text[start], False
        for before, n in pairwise(found[first : first + LONGEST_UNSPACED]):
            if not UNSPACED_GAP.fullmatch(text[before + 1 : n]):
                break
            broken |= n > before + 1
            value += text[n]
            if broken:
                yield Reading(start, n + 1, "full", fold(value))
