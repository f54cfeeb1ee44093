"""``expunge serve``: both planes in front of your store."""

import asyncio
import os
from pathlib import Path

import click

from proxy.cli.output import note
from proxy.problems import EXIT_OK


@click.command()
@click.option("--config", "path", type=click.Path(path_type=Path, dir_okay=False),
              envvar="EXPUNGE_CONFIG", default="expunge.yaml", show_default=True,
              help="The configuration file.")  # fmt: skip
@click.option("--workers", type=click.IntRange(1, 64), default=1, show_default=True,
              help="Processes that serve the data plane.")  # fmt: skip
def serve(path: Path, workers: int) -> int:
    """Serve in front of the store that the configuration names; SIGTERM drains.

    With several workers each has detection processes of its own (detection.workers), and rates of a
    policy count per worker. The first one also has the control plane and all other work.

    \b
    Examples:
      expunge serve --config expunge.yaml
      expunge serve --config expunge.yaml --workers 2
    """
    from proxy import telemetry
    from proxy.app import Addresses, run
    from proxy.app.loop import event_loop
    from proxy.app.preflight import refused
    from proxy.app.supervisor import Supervisor
    from proxy.config import ConfigError, load

    found = load(path, os.environ)
    issues = refused(found)
    if issues:
        raise ConfigError(issues)
    loaded = found.config
    telemetry.configure(level=loaded.telemetry.level, pretty=loaded.telemetry.format == "console")

    def announce(at: Addresses) -> None:
        note(f"Ready. Data plane {at.data_url}, control plane {at.control_url}")

    if workers > 1:
        return asyncio.run(Supervisor(path, loaded, workers).run(announce))
    with asyncio.Runner(loop_factory=event_loop) as runner:
        runner.run(run(loaded, announce))
    return EXIT_OK
