"""``expunge db``: the ledger's schema."""

import asyncio
import os
from pathlib import Path

import click

from proxy.cli.output import say


@click.group()
def db() -> None:
    """Maintain the ledger's database.

    \b
    Example:
      expunge db upgrade --config expunge.yaml
    """


@db.command("upgrade")
@click.option("--config", "path", type=click.Path(path_type=Path, dir_okay=False),
              envvar="EXPUNGE_CONFIG", default="expunge.yaml", show_default=True,
              help="The configuration file.")  # fmt: skip
def upgrade(path: Path) -> None:
    """Bring the ledger's schema to this release ('serve' does it too).

    \b
    Example:
      expunge db upgrade
    """
    from proxy.app import ledger_url
    from proxy.config import load

    asyncio.run(_upgrade(ledger_url(load(path, os.environ).config)))
    say("The ledger is up to date.")


async def _upgrade(url: str) -> None:
    from proxy.ledger.engine import Ledger

    ledger = await Ledger.open(url)
    await ledger.close()
