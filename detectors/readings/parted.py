"""A text with a gap where a value meets letters of another script: ``卡号4111…``, ``ghp_…です``.

Chinese, Japanese and Thai put no spaces between words, Korean joins particles to them. No value
that patterns look for mixes its letters with theirs, so such a change ends it on either side.
"""

import re
from collections.abc import Iterator

import re2

from detectors.readings.views import Edit, View, rewrite

# RE2: letters that are not Latin, beside what a value may begin or end with.
TRIGGER = re2.compile(r"[^\P{L}\p{Latin}][+(]{0,2}[0-9A-Za-z]|[0-9A-Za-z=_-][^\P{L}\p{Latin}]")
RUN = re.compile(r"(?=[!-~ ]{0,80}[\d@])[!-~](?:[!-~ ]*[!-~])?")
SHORTEST = 7
LATIN = ((0x0, 0x24F), (0x1E00, 0x1EFF))


def parted(view: View) -> View:
    """The view with a gap on either side of a value that hangs on to letters of another script."""
    if view.text.isascii() or not TRIGGER.search(view.text):
        return view
    edits = list(_gaps(view.text))
    return rewrite(view, edits) if edits else view


def _gaps(text: str) -> Iterator[Edit]:
    """The letters beside values, each with a gap: what is read stems from something."""
    done = 0
    for run in RUN.finditer(text):
        start, end = run.span()
        if end - start < SHORTEST:
            continue
        if start > done and _is_foreign(text[start - 1]):
            yield start - 1, start, f"{text[start - 1]} "
        if _is_foreign(text[end : end + 1]):
            yield end, end + 1, f" {text[end]} "
            done = end + 1


def _is_foreign(char: str) -> bool:
    """Whether a character, or none, is a letter of another script than Latin."""
    return char.isalpha() and not any(first <= ord(char) <= last for first, last in LATIN)
