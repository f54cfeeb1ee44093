"""Query parameters of lists: what they may be, said where they are something else."""

import re
from collections.abc import Collection

from proxy.control.routing import Ask
from proxy.problems import Problem

_ID = r"_[0-9a-z]{26}"


def one_of(ask: Ask, name: str, allowed: Collection[str]) -> str | None:
    """A parameter that is one of a few words; None if it was not given.

    Raises:
        Problem: ``invalid-request`` that names them.
    """
    given = ask.query.get(name)
    if given is not None and given not in allowed:
        raise Problem("invalid-request", f"{name} is one of: {', '.join(allowed)}.")
    return given


def cursor_of(ask: Ask, prefix: str) -> str | None:
    """Where a list goes on; None at its beginning.

    Args:
        prefix: how the ids of what it lists begin.

    Raises:
        Problem: ``invalid-request`` for what no answer gave.
    """
    given = ask.query.get("cursor")
    if given is not None and not re.fullmatch(prefix + _ID, given):
        raise Problem(
            "invalid-request", "The cursor is none that an answer gave.",
            hint="Take 'next' of the last answer, or leave it out to begin.",
        )  # fmt: skip
    return given
