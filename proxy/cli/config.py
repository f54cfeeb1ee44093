"""``expunge config``: what is configured, where each value came from, and the schema."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from proxy.cli.output import emit, json_option, say, table
from proxy.config import Config, ConfigError, load

_file = click.option(
    "--config", "path", type=click.Path(path_type=Path, dir_okay=False), envvar="EXPUNGE_CONFIG",
    default="expunge.yaml", show_default=True, help="The configuration file.",
)  # fmt: skip


@click.group()
def config() -> None:
    """Check and show the configuration.

    \b
    Examples:
      expunge config check --config expunge.yaml
      expunge config show --origin
    """


@config.command("check")
@_file
def check(path: Path) -> None:
    """Check the configuration file and what it names; exit 3 with every mistake.

    Secrets must be set and long enough, policies, profiles and layers must load, the files and
    layer paths must be there, those of TLS must fit each other, purposes must be ones that the
    tenant's policy lists: run it where 'serve' runs.

    \b
    Example:
      expunge config check --config expunge.yaml
    """
    from proxy.app.preflight import absent_layers, closed_purposes, refused

    loaded = load(path, os.environ)
    issues = [*refused(loaded), *absent_layers(loaded), *closed_purposes(loaded)]
    if issues:
        raise ConfigError(issues)
    say(f"{path}: valid")


@config.command("show")
@_file
@click.option("--origin", is_flag=True, help="Also say where each value came from.")
@json_option
def show(path: Path, origin: bool, as_json: bool) -> None:
    """Show the configuration with every default filled in; secrets stay references.

    \b
    Example:
      expunge config show --origin
    """
    loaded = load(path, os.environ)
    document = loaded.config.model_dump(mode="json")
    if as_json:
        emit({"config": document, "origins": dict(loaded.origins)} if origin else document)
        return
    values = dict(_leaves(document, ""))
    if origin:
        rows = [[name, values.get(name, ""), place] for name, place in loaded.origins.items()]
        table(("setting", "value", "origin"), rows)
    else:
        table(("setting", "value"), [[name, values.get(name, "")] for name in loaded.origins])


@config.command("schema")
def schema() -> None:
    """Print the JSON Schema of the configuration, for editors.

    \b
    Example:
      expunge config schema > expunge.schema.json
    """
    emit(Config.model_json_schema())


def _leaves(node: Any, path: str) -> Iterator[tuple[str, Any]]:
    yield path.lstrip("."), node
    children: Iterable[tuple[str, Any]] = node.items() if isinstance(node, dict) else ()
    if isinstance(node, list):
        children = [(str(index), item) for index, item in enumerate(node)]
    for key, value in children:
        yield from _leaves(value, f"{path}.{key}")
