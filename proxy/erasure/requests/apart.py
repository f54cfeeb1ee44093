"""What is stated of a request in clear may not say whom or what it is to forget."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import Any

from detectors.words.folding import ascii_form, expand_umlauts, fold
from proxy.erasure.requests.facts import LISTS, NO_CODES, stated
from proxy.erasure.search.target import ALL, NONE, Asked
from proxy.problems import Problem

LONG = 4  # from so many characters on a word is looked for within others: ``AdaPetrov``
SHORT = 2  # from so many on as a word of its own: ``DSAR-Li``
_SECRET = frozenset({"owner", "subject", "entity", "memory"})  # kinds whose values are somebody's
_OF_ANYBODY = frozenset({"user", "agent", "client", "customer", "member", "account", "owner"})
_RUN = re.compile(r"[a-z0-9]+")
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")


def check_apart(
    asked: Asked, reason: str | None, reference: str | None, details: Mapping[str, Any] | None
) -> None:
    """Refuse a reference, or another code, in which a name, an id or a term of the request stands.

    Ledger, audit log and certificate keep it as it is, for good.

    Raises:
        Problem: ``invalid-request`` with one error per such member, which does not repeat it.
    """
    codes = {name: value for name, value in stated(reason, reference, details).items()
             if value is not None and name not in {*LISTS, *NO_CODES}}  # fmt: skip
    if not codes:
        return
    secret = list(dict.fromkeys(_words(asked)))
    errors = [
        {"pointer": f"/{name}",
         "detail": "It holds a word of what is to be forgotten, and is kept in clear: "
         "state a number instead."}
        for name, value in codes.items() if _holds(value, secret)
    ]  # fmt: skip
    if errors:
        raise Problem("invalid-request", "The request states what it may not.", errors=errors)


def _words(asked: Asked) -> Iterator[str]:
    """The words of names, ids and terms as letters and digits of ASCII; ids as a whole, too."""
    target = asked.target
    values = [*(target.values if target.kind in _SECRET else ()), *asked.keep]
    owners = {*filter(None, (target.owner, *(target.owners or ())))} - {*ALL, *NONE}
    for value in (*values, *sorted(owners)):
        named = value.partition("@")[0]  # anybody may have an address there
        for form in {fold(named), expand_umlauts(fold(named))}:
            pieces = [ascii_form(each) for each in re.split(r"[\W_]+", form)]
            if target.kind != "memory":  # parts of random numbers stand in other numbers, too
                yield from (each for each in pieces if each not in _OF_ANYBODY)
            yield "".join(pieces)


def _holds(code: str, secret: Iterable[str]) -> bool:
    """Whether a code holds one of the words, within another one or by itself."""
    runs = _RUN.findall(code.lower())
    spans = combinations(range(len(runs) + 1), 2)
    own = {"".join(runs[first:end]) for first, end in spans}
    own |= {each.lower() for each in _PART.findall(code)}
    return any(
        (len(word) >= SHORT and word in own)
        or (len(word) >= LONG and any(word in run for run in runs))
        for word in secret
    )
