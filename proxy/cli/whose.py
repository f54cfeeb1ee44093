"""How a command names an owner: an id, and its kind beside it, in one way everywhere."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

OWNER_KINDS = ("user", "agent", "run", "app")


def owner_kind_option(default: str = "user") -> Callable[[F], F]:
    """The option for the kind of an owner id.

    Args:
        default: what the control plane takes where none is given.
    """
    return click.option(
        "--owner-kind", type=click.Choice(OWNER_KINDS),
        help=f"Kind of the owner id; {default} if absent. With it an id that looks like one with "
        "a kind (user:kim) is taken as it stands.",
    )  # fmt: skip


def whose(owner: str | None, owner_kind: str | None) -> dict[str, Any]:
    """The owner in a body: without what was not given."""
    given = {"owner": owner, "owner_kind": owner_kind}
    return {name: value for name, value in given.items() if value is not None}
