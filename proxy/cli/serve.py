"""``expunge serve``: both planes in front of your store."""

import asyncio
import os
from pathlib import Path

import click

from proxy.cli.output import note


@click.command()
@click.option("--config", "path", type=click.Path(path_type=Path, dir_okay=False),
              envvar="EXPUNGE_CONFIG", default="expunge.yaml", show_default=True,
              help="The configuration file.")  # fmt: skip
def serve(path: Path) -> None:
    """Serve in front of the store that the configuration names; SIGTERM drains.

    \b
    Example:
      expunge serve --config expunge.yaml
    """
    from proxy import telemetry
    from proxy.app import run
    from proxy.app.loop import event_loop
    from proxy.app.preflight import refused
    from proxy.config import ConfigError, load

    found = load(path, os.environ)
    issues = refused(found)
    if issues:
        raise ConfigError(issues)
    loaded = found.config
    telemetry.configure(level=loaded.telemetry.level, pretty=loaded.telemetry.format == "console")
    work = run(
        loaded,
        lambda at: note(f"Ready. Data plane {at.data_url}, control plane {at.control_url}"),
    )
    with asyncio.Runner(loop_factory=event_loop) as runner:
        runner.run(work)
