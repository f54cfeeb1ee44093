"""``expunge db``: the ledger's schema, and going on with another ledger."""

import asyncio
import os
from pathlib import Path

import click

from proxy.cli.output import confirm_option, note, say
from proxy.problems import EXIT_OK

_config = click.option(
    "--config",
    "path",
    type=click.Path(path_type=Path, dir_okay=False),
    envvar="EXPUNGE_CONFIG",
    default="expunge.yaml",
    show_default=True,
    help="The configuration file.",
)


@click.group()
def db() -> None:
    """Maintain the ledger's database.

    \b
    Examples:
      expunge db upgrade --config expunge.yaml
      expunge db accept --config expunge.yaml
    """


@db.command("upgrade")
@_config
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


@db.command("accept")
@_config
@confirm_option()
def accept(path: Path, confirm: str | None) -> int:
    """Go on with a ledger that is empty or older than the last one, or without its signing key.

    'serve' refuses such a ledger: it knows nothing of erasures since, and whom they block. Where a
    newer ledger exists, put that back instead. Acceptance is recorded in the audit log, and the
    checkpoint that contradicts it is renamed, not lost. Afterwards forget again what was forgotten
    since, then run 'expunge reconcile'. With several replicas do it on each.

    'serve' also refuses a signing key that has not signed the ledger's audit log: put the right one
    back. If it is lost, acceptance makes the new key's first checkpoint; what the lost key signed
    stays valid under its own verifier key.

    What 'expunge dev' keeps below DIR has its configuration in DIR/expunge/config.json.

    \b
    Examples:
      expunge db accept --config expunge.yaml
      expunge db accept --config ./data/expunge/config.json
      expunge db accept --config expunge.yaml --confirm confirmed
    """
    from proxy.app import accept_ledger
    from proxy.clock import SystemClock
    from proxy.config import load

    config, really = load(path, os.environ).config, confirm is not None
    found = asyncio.run(accept_ledger(config, SystemClock(), really=really))
    if found.trouble is None:
        say("Ledger and signing key are those that were used last; there is nothing to accept.")
        return EXIT_OK
    say(found.trouble)
    if not found.done:
        note("A preview: nothing was changed. Repeat with --confirm confirmed to go on with it.")
        return EXIT_OK
    say("Accepted, on record in the audit log.")
    if found.aside is not None:
        say(f"The checkpoint until now: {found.aside}")
    return EXIT_OK


async def _upgrade(url: str) -> None:
    from proxy.ledger.engine import Ledger

    ledger = await Ledger.open(url)
    await ledger.close()
