"""Secrets whose name heads their column, or stands in the element or on the line before."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from detectors.detection import Detection
from detectors.recognisers.base import Recogniser
from detectors.recognisers.no_secrets import is_no_secret, is_sentence
from detectors.recognisers.secret_names import CORE, CORE_WORDS, LONGEST, SecretName, secret_name
from detectors.recognisers.secret_values import is_compound, looks_generated

RECOGNISER = "secret_table"
SCORE = 0.8
LONGEST_HEAD = 1000  # code points of a line that heads a table
SIGNS = "\t|;,"
_CELLS = {sign: re.compile(rf"\s*\"(?:[^\"\n]|\"\")*\"\s*|[^{sign}\n]*") for sign in SIGNS}
_HEADING = re.compile(r"[\"'`*_ ]*(?:[\w$][\w.$/'-]*(?: [\w.$/'-]+){0,3})?[\"'`*_ \r]*")
_RULE = re.compile(r"[\s|:+=-]*-[\s|:+=-]*")  # between the head of a table and its rows
_AROUND = " \t\r\"'`*_#:>|-•"
_ELEMENTS = re.compile(
    r"<(?P<one>dt|th|td|label|key|name|strong|b|span|div|p|h\d)(?:\s[^<>]{0,80})?>\s{0,40}"
    rf"(?P<name>[^<>\n]{{2,{LONGEST}}})</(?P=one)>\s{{0,40}}"
    r"<(?P<two>dd|td|span|string|value|code|kbd|div|p|em|i|pre|data|samp)(?:\s[^<>]{0,80})?>\s{0,40}"
    r"(?:<(?:code|kbd|b|span|pre)>)?(?P<value>[^<>\n]{3,200})</"
)
_PLAIN = re.compile(r"[^\W\d_]{5,}|\d{6,12}")


class _Head(NamedTuple):
    """The head of a table: its sign between cells, how many these are, and which hold secrets."""

    sign: str
    width: int
    columns: dict[int, SecretName]


def find_in_tables(text: str) -> Iterator[Detection]:
    """Values below a secret's name in a column, and in the element or on the line behind one."""
    done = 0
    for core in CORE.finditer(text):
        if core.start() < done:
            continue
        start, done = _line(text, core.start())
        line = text[start:done]
        if len(line) > LONGEST_HEAD:
            continue
        if head := _head(line):
            for at, end in _rows(text, done + 1, head):
                yield from _in_row(text, at, end, head)
                done = end
        elif name := _alone(line):
            yield from _below(text, done + 1, name)
    for match in _ELEMENTS.finditer(text):
        if name := secret_name(match["name"].strip(_AROUND)):
            named = match["one"] != match["two"]  # else it may be the head of the next column
            yield from _found(text, *match.span("value"), name, plain=named)


def _line(text: str, at: int) -> tuple[int, int]:
    end = text.find("\n", at)
    return text.rfind("\n", 0, at) + 1, len(text) if end < 0 else end


def _head(line: str) -> _Head | None:
    """What heads the columns, if a line is nothing but names of columns."""
    for sign in SIGNS:
        if sign in line:
            cells = [line[start:end] for start, end in _cells(line, sign)]
            named = (
                all(map(_HEADING.fullmatch, cells)) and sum(map(bool, map(str.strip, cells))) > 1
            )
            if not named or (sign == "," and not all(map(str.strip, cells))):
                return None
            names = ((index, secret_name(cell.strip(_AROUND))) for index, cell in enumerate(cells))
            columns = {index: name for index, name in names if name}
            return _Head(sign, len(cells), columns) if columns else None
    return None


def _cells(line: str, sign: str) -> list[tuple[int, int]]:
    """Where the cells of a line stand; a quoted one may hold the sign."""
    cells, at = [], 0
    while at <= len(line):
        match = _CELLS[sign].match(line, at)
        end = match.end() if match else at
        cells.append((at, end))
        at = end + 1
    return cells


def _rows(text: str, at: int, head: _Head) -> Iterator[tuple[int, int]]:
    """Where the rows stand below a head, up to the first line of another kind."""
    while at < len(text):
        _, end = _line(text, at)
        line = text[at:end]
        if not _RULE.fullmatch(line) and len(_cells(line, head.sign)) != head.width:
            return
        yield at, end
        at = end + 1


def _in_row(text: str, at: int, end: int, head: _Head) -> Iterator[Detection]:
    cells = _cells(text[at:end], head.sign)
    plain = head.sign != "," or ", " not in text[at:end]  # else it may be a sentence
    for index, name in head.columns.items():
        if index < len(cells):
            start, stop = cells[index]
            yield from _found(text, at + start, at + stop, name, plain=plain)


def _alone(line: str) -> SecretName | None:
    """The name on a line that holds nothing else."""
    return secret_name(line.strip(_AROUND)) if len(line) <= LONGEST else None


def _below(text: str, at: int, name: SecretName) -> Iterator[Detection]:
    """The next line that is not empty, if it is one word."""
    while at < len(text):
        start, end = _line(text, at)
        if text[start:end].strip():
            yield from _found(text, start, end, name, plain=False)
            return
        at = end + 1


def _found(
    text: str, start: int, end: int, name: SecretName, *, plain: bool
) -> Iterator[Detection]:
    """A value between two places, without the marks around it.

    Args:
        plain: it may be a word as well.
    """
    value = text[start:end].strip(" \t\r\"'`,")
    if len(value) < 3 or re.search(r"\s", value) or is_no_secret(value, quoted=False):
        return
    told = plain and name.sure and (is_compound(value) or _PLAIN.fullmatch(value))
    if looks_generated(value) or (told and not is_sentence(value, 0, len(value))):
        at = text.index(value, start)
        yield Detection(name.entity_type, at, at + len(value), SCORE, RECOGNISER)


RECOGNISERS = (Recogniser(RECOGNISER, (CORE_WORDS,), find_in_tables),)
