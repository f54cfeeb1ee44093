"""How much a value looks like a secret, whatever names it."""

import re

from detectors.recognisers.base import words
from detectors.recognisers.no_secrets import NAMES_OF_METHODS

_SECRETIVE = re.compile(
    r"(?=.*[^\W\d_])(?=.*\d)[^\s]{5,}|(?=.*[^\W_])(?=\S*[!#$%^&*+?=~@])\S{5,}"
    r"|(?=\S*[a-z][A-Z])(?=\S*[A-Z]\S*[a-z]\S*[A-Z])\S{12,}"
)
_ADDRESS = re.compile(
    r"[^\s@:/]+@[^\s@:/]+\.\w+|\w+://[^\s@]*|[\w.-]+\.(?:com|org|net|json|ya?ml|py|js|ts|md|txt)"
)
_DATE = re.compile(
    r"\d{4}-\d\d-\d\d.*|\d+(?:\.\d+)+|\d+[ /]\d+|\d+(?:ms|s|m|h|d|px|kb|mb|gb|k?hz|%)",
    re.IGNORECASE,
)


_DOTTED = re.compile(r"[A-Za-z_]+(?:\.[A-Za-z_]+)+")  # ``header.payload.signature``
_PART = re.compile(r"[A-Z]{1,5}[_-]?\d{1,3}")  # of a device: ``GPIO17``
# Things that are numbered: ``server2``, ``iOS18``, ``user-42``, ``v1.27``.
_NUMBERED = re.compile(
    r"(?:user|server|host|router|node|db|web|app|step|page|line|room|floor|chapter|section|level|tier|ticket"
    r"|issue|port|slot|disk|rack|zone|site|team|group|test|dev|prod|stage|cluster|region|build|release|version"
    r"|konto|seite|zimmer|raum|zeile|android|windows|win|ios|iphone|ipad|galaxy|pixel|macos|ubuntu|debian"
    r"|fedora|python|java|node|php|postgres|postgresql|mysql|redis|office|outlook|firefox|chrome|eth|wlan"
    r"|usb|com|ttyusb|id|no|nr|q|v|x|h|a|b|c|d|p)[ _-]?\d[\d.]{0,6}(?:-\w{1,12})?",
    re.IGNORECASE,
)
_PROGRAM = re.compile(
    r"[A-Za-z_][\w.]*[(\[].*|\*{1,2}\w+|[A-Za-z_-]{2,}=(?!=?\Z).*|[A-Za-z_-]{2,}=|/[A-Za-z-]*[/{].*"
)
_GENERATED = re.compile(
    r"(?=\S*[^\W\d_])(?=\S*\d\S*\d)\S{8,}"  # ``hunter22``
    r"|(?=\S*[a-z])(?=\S+[A-Z]|\S*\d\D*[^\W\d_])(?=\S*\d)\S{6,}"  # ``tulip9X``
    r"|(?=\S*[^\W_])(?=\S*[!#$%^&*+?=~@€£§])\S{6,}"  # ``Kettle!nine``
)
_CHOSEN = re.compile(r"(?=\S*[^\W\d_])(?=\S*[\d!@#$%^&*+?])\S{5,}")
_COMPOUND = re.compile(r"[^\W\d_]{2,16}(?:[-_][^\W\d_]{2,16}){2,8}")
_OF_GRAMMAR = words(
    r"and|or|of|to|in|on|by|for|the|at|up|end|per|self|non|case|based|und|oder|de|la|le|du|des|y|et|e"
    r"|www|com|org|net|key|token|password|secret|api|auth|login|user|reset|policy|manager|service|server"
)


def looks_secret(value: str) -> bool:
    """Whether a value behind a name of several meanings is a secret rather than a word."""
    if len(value) < 12 and NAMES_OF_METHODS.fullmatch(value):
        return False
    if any(none.fullmatch(value) for none in (_ADDRESS, _DATE, _DOTTED, _PART)):
        return False
    return _SECRETIVE.fullmatch(value) is not None or len(value) >= 20


def looks_generated(value: str) -> bool:
    """Whether nobody would write this in a sentence, were it no secret: ``tulip9X``, ``a!b3c9``."""
    none = (NAMES_OF_METHODS, _ADDRESS, _DATE, _DOTTED, _PART, _NUMBERED, _PROGRAM)
    if any(pattern.fullmatch(value) for pattern in none):
        return False
    return _GENERATED.fullmatch(value) is not None


def may_be_chosen(value: str) -> bool:
    """Whether somebody may have taken it as a password, if a login stands before: ``Welcome1``."""
    none = (NAMES_OF_METHODS, _ADDRESS, _DATE, _DOTTED, _PART, _NUMBERED, _PROGRAM)
    return _CHOSEN.fullmatch(value) is not None and not any(each.fullmatch(value) for each in none)


def is_compound(value: str) -> bool:
    """Whether it is some words joined as in a passphrase: ``correct-horse-battery``."""
    return _COMPOUND.fullmatch(value) is not None and not _OF_GRAMMAR.search(
        re.sub(r"[-_.]", " ", value)
    )
