"""The command tree: names to modules, loaded when used, and the meaning of exit codes."""

import importlib
import sys
from collections.abc import Mapping
from typing import Any

import click

from proxy.cli.failures import exit_code_of, explain

EXIT_CODES = """\b
Exit codes:
  0  done
  1  an error; nothing is claimed
  2  wrong usage
  3  invalid policy or configuration
  4  erasure incomplete: something is left, the layer is named
  5  a certificate or log does not verify
  6  a checked text mentions somebody blocked
"""

COMMANDS: Mapping[str, str] = {
    "dev": "dev:dev",
    "serve": "serve:serve",
    "demo": "demo:demo",
    "doctor": "doctor:doctor",
    "forget": "forget:forget",
    "erasure": "erasure:erasure",
    "verify": "verify:verify",
    "policy": "policy:policy",
    "subject": "subject:subject",
    "blocklist": "blocklist:blocklist",
    "tenant": "tenant:tenant",
    "adopt": "store:adopt",
    "scan": "store:scan",
    "reconcile": "store:reconcile",
    "retention": "retention:retention",
    "quarantine": "quarantine:quarantine",
    "keys": "keys:keys",
    "audit": "audit:audit",
    "config": "config:config",
    "db": "db:db",
    "openapi": "openapi:openapi",
}


class Tree(click.Group):
    """A group whose commands are imported when they are needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        target = COMMANDS.get(cmd_name)
        if target is None:
            return None
        module, _, name = target.partition(":")
        command: click.Command = getattr(importlib.import_module(f"proxy.cli.{module}"), name)
        return command


@click.group(
    cls=Tree,
    context_settings={"max_content_width": 100},
    epilog=EXIT_CODES,
)
@click.version_option(package_name="expunge")
def tree() -> None:
    """Expunge: a forgetting proxy for AI memory.

    \b
    Start here:
      expunge dev --data-dir ./data                      a store and the proxy on this machine
      expunge forget entity "Alva Brenn" --dev ./data    what would go (a preview)
      expunge forget entity "Alva Brenn" --dev ./data --confirm confirmed
      expunge verify DEL-2026-0001.dsse.json             check the certificate, offline
    """


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    try:
        result: Any = tree.main(arguments, prog_name="expunge", standalone_mode=False)
    except click.exceptions.Abort:
        click.echo("Aborted.", err=True)
        sys.exit(1)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except Exception as error:  # noqa: BLE001  (a command never ends in a stack trace)
        explain(error)
        sys.exit(exit_code_of(error))
    sys.exit(result if isinstance(result, int) else 0)
