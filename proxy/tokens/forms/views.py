"""Every way a text can be read when known names are looked for: as written, decoded, undisguised.

The one place that decides this: what is refused on a write, what an erasure finds and what its
checks look for all read a text through it.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from detectors.readings.normalise import TRIGGER_SET
from detectors.readings.normalise import readings as normal_readings
from detectors.readings.views import View, rewrite
from proxy.tokens.forms.halves import between

NAMING = (
    r"(?:\w{1,20}[_.-])?(?:(?:first|last|given|family|middle|second)[ _-]?(?:name)?"
    r"|(?:fore|sur|vor|nach|f|l|m)name|pr[eé]nom|nom|nombre|apellidos?|nome|cognome|sobrenome)\d?"
)
PART = r"[^\W\d_][\w.'’-]*(?: [^\W\d_][\w.'’-]*){0,2}"
QUOTE = r"\\?[\"']?"
BETWEEN_FIELDS = re.compile(
    rf"(?<=\w)\.?(?P<gap>{QUOTE}\s{{0,4}}[,;&|\n]\s{{0,8}}{QUOTE}{NAMING}{QUOTE}\s{{0,2}}[:=]"
    rf"\s{{0,2}}{QUOTE})(?={PART}(?:\\?[\"'\n,;&|}}]|\s*$))",
    re.IGNORECASE,
)
FIRST_FIELD = re.compile(rf"{NAMING}\\?[\"']?\s{{0,2}}[:=]\s{{0,2}}\\?[\"']?{PART}$", re.IGNORECASE)
FIELD = re.compile(NAMING, re.IGNORECASE)
CONTEXT = 60  # code points around what reads differently; the rest is read as it stands
LONGEST_FIELD = 120
PLAIN = re.compile(r"[\x00-\x7f\u00a0-\u024f\u2010-\u2029\u2030-\u203a\u20ac]*")  # as typed
WRITTEN = re.compile(r"[\W_]+")
LINK = re.compile(r"https?://", re.IGNORECASE)


def views(text: str) -> list[View]:
    """The text, and its other readings that say other letters; mostly there are none."""
    found = [View(text)]
    if TRIGGER_SET.Match(text) or not PLAIN.fullmatch(text):
        said = {WRITTEN.sub("", text)}
        read = normal_readings(text)
        for view in (*read.others, *read.known_only):
            letters = WRITTEN.sub("", view.text)
            if letters not in said:
                said.add(letters)
                found.append(_around_changes(text, _unlinked(view)))
    return found + [joined for view in found for joined in _joined(view)]


def _unlinked(view: View) -> View:
    """A decoded view whose links read as words: one ends where the decoded space is, mid-name."""
    return rewrite(view, [(found.start(), found.end(), " ") for found in LINK.finditer(view.text)])


def _around_changes(text: str, view: View) -> View:
    """The part of a reading that differs from the text, with whole words around it."""
    if view.starts is None or view.ends is None:
        return view
    spans = enumerate(zip(view.starts, view.ends, strict=True))
    changed = [n for n, (start, end) in spans if text[start:end] != view.text[n]]
    if not changed:
        return view
    first = view.text.rfind(" ", 0, max(0, changed[0] - CONTEXT)) + 1
    last = view.text.find(" ", changed[-1] + CONTEXT)
    cut = slice(first, last if last >= 0 else len(view.text))
    return View(view.text[cut], view.starts[cut], view.ends[cut])


def is_name_field(name: str) -> bool:
    """Whether a field holds a part of somebody's name: ``first``, ``lastName``, ``surname``."""
    return FIELD.fullmatch(name) is not None


def beside_each_other(fields: Mapping[str, Any]) -> str | None:
    """The parts of a name that an object keeps in fields of their own, in their order."""
    parts = [
        value for name, value in fields.items()
        if isinstance(value, str) and len(value) < LONGEST_FIELD and is_name_field(str(name))
    ]  # fmt: skip
    return " ".join(parts) if len(parts) > 1 else None


def _joined(view: View) -> Iterator[View]:
    """The view with halves of a name beside each other: ``first: A, last: B``."""
    if told := list(between(view.text)):
        yield rewrite(view, told)
    if ":" not in view.text and "=" not in view.text:
        return
    edits = [
        (match.start("gap"), match.end("gap"), " ")
        for match in BETWEEN_FIELDS.finditer(view.text)
        if FIRST_FIELD.search(_before(view.text, match.start("gap")))
    ]
    if edits:
        yield rewrite(view, edits)


def _before(text: str, end: int) -> str:
    return text[max(0, end - LONGEST_FIELD) : end]
