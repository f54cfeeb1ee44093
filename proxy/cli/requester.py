"""Options that tell by which way a request came, and how its requester was identified."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from policies.schema.erasure import CHANNELS, METHODS

channel_option = click.option(
    "--channel", type=click.Choice(CHANNELS), help="By which way the request came."
)


def identity_options(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command the options on identification; it takes them as one ``identity``."""

    @wraps(command)
    def collected(
        *args: Any, identified: str | None, identified_by: str | None, evidence: str | None,
        **given: Any,
    ) -> int:  # fmt: skip
        if identified is None and (identified_by or evidence):
            raise click.UsageError("--identified-by and --evidence go with --identified.")
        told = {"method": identified, "by": identified_by, "evidence_ref": evidence}
        identity = {name: value for name, value in told.items() if value}
        return command(*args, identity=identity, **given)

    for option in (
        click.option("--evidence", metavar="REF",
                     help="Your own reference of the evidence; never a person's id."),
        click.option("--identified-by", metavar="ID",
                     help="Who identified them, kept as a pseudonym; absent: whose token this is."),
        click.option("--identified", type=click.Choice(METHODS),
                     help="How the requester was identified."),
    ):  # fmt: skip
        option(collected)
    return collected
