"""The readings of a text that detection looks at, cheapest first, most texts having just one."""

from dataclasses import dataclass

import re2

from detectors.encodings import decoded
from detectors.obfuscation import AT_WORDS, DIGIT_WORD, DOT_WORDS, deobfuscated, leet
from detectors.unicode import canonical, is_disguise, visual, without_surrogates
from detectors.views import View

ENCODED = (
    r"&#?\w{1,9};?",
    r"%[0-9a-f]{2}",
    r"\\[ux]",
    r"[a-z0-9+/_-]{12}",
    r"(?:[0-9a-f]{2}[ :]?){8}",
)
OBFUSCATED = (
    rf"[\[({{<]\s*(?:{AT_WORDS}|{DOT_WORDS}|@|\.)\s*[\])}}>]",
    rf"\s(?:{DOT_WORDS})\s",
    r"\s@|@\s|\s\.\s?\w",
    r"(?:\d[ \t._*/|-]{1,3}){6}",
    rf"(?:(?:{DIGIT_WORD}|double|triple|\d)[\s,.-]+){{3}}",
    r"(?:^|\s)\S(?:[ \t]{1,3}\S){3}",
    r"\pL[-._*|]\pL[-._*|]\pL[-._*|]\pL",
    r"\d[ \t]*[-.)/]?[ \t]*\r?\n",
    r"\d[ .-]?[li|oqsbz]|[li|oqsbz][ .-]?\d",
)
LEET = (r"[a-z][013457$!|@]|[013457$!|@][a-z]",)


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
    for kind, patterns in (("encoded", ENCODED), ("obfuscated", OBFUSCATED), ("leet", LEET)):
        for pattern in patterns:
            triggers.Add(pattern)
            kinds.append(kind)
    triggers.Compile()
    return triggers, kinds


TRIGGERS, KINDS = _trigger_set()


def readings(text: str) -> Readings:
    """All readings of a text that differ from each other."""
    plain = View(without_surrogates(text))
    clean = canonical(plain)
    opened = canonical(decoded(clean)) if "encoded" in _kinds(clean) else clean
    kinds = _kinds(opened)
    joined = deobfuscated(opened) if "obfuscated" in kinds else opened
    disguised = [*visual(plain)]
    if joined is not clean:
        disguised.append(joined)
    if clean.text != plain.text and is_disguise(plain.text):
        disguised.append(clean)
    return Readings(
        plain,
        others=_distinct(plain, [clean, opened, *disguised]),
        disguised=_distinct(plain, disguised),
        known_only=leet(joined) if "leet" in kinds else (),
    )


def _kinds(view: View) -> set[str]:
    return {KINDS[index] for index in TRIGGERS.Match(view.text) or ()}


def _distinct(plain: View, others: list[View]) -> tuple[View, ...]:
    return tuple({view.text: view for view in others if view.text != plain.text}.values())
