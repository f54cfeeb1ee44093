"""What the author of a policy probably meant."""

import difflib
import re
from collections.abc import Iterable
from typing import Any

_UNITS = {"s": "PT{}S", "min": "PT{}M", "h": "PT{}H", "d": "P{}D", "w": "P{}W", "m": "P{}M"}
_UNITS |= {"mo": "P{}M", "y": "P{}Y"}
_LOOSE = re.compile(r"\s*(\d+)\s*(min|mo|[shdwmy])[a-z]*\s*", re.IGNORECASE)
_WORDS = {
    "forever": "indefinite",
    "never": "indefinite",
    "unlimited": "indefinite",
    "infinite": "indefinite",
    "none": "indefinite",
}
_TRUE = frozenset({"yes", "on", "y", "1", "enabled"})
_FALSE = frozenset({"no", "off", "n", "0", "disabled"})


def nearest(word: str, known: Iterable[str]) -> str:
    """``did you mean ...?``, or nothing when nothing is near."""
    names = list(known)
    folded = {name.casefold().replace("-", "_"): name for name in names}
    found = difflib.get_close_matches(word.casefold().replace("-", "_"), folded, n=1, cutoff=0.6)
    return f"did you mean {folded[found[0]]}?" if found else ""


def duration(value: Any) -> str:
    """How a duration would be written."""
    if isinstance(value, int) and not isinstance(value, bool):
        return f"write P{value}D for {value} days"
    found = _LOOSE.fullmatch(str(value))
    if found:
        return "write " + _UNITS[found[2].lower()].format(int(found[1]))
    word = _WORDS.get(str(value).casefold())
    return f"write {word}" if word else "write P30D, P1Y, PT12H, session or indefinite"


def truth(value: Any) -> str:
    """Which truth value a word stands for."""
    word = str(value).casefold()
    if word in _TRUE | _FALSE:
        return f"write {'true' if word in _TRUE else 'false'}"
    return "write true or false"


def described(value: Any) -> str:
    """What kind of value was found, without its content."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"the number {value}"
    for kind, words in _KINDS.items():
        if isinstance(value, kind):
            return words
    return "something else"


_KINDS: dict[type, str] = {dict: "a mapping", list: "a list", str: "a word"}
