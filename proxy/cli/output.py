"""Rendering: results on standard output, progress and hints on standard error."""

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import click
from rich.console import Console
from rich.table import Table

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_WIDE = 160
notes = Console(stderr=True, highlight=False)


def emit(value: Any) -> None:
    """One JSON document on standard output."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def emit_line(value: Any) -> None:
    """One JSON document on one line."""
    click.echo(json.dumps(value, ensure_ascii=False))


def table(
    columns: Sequence[str], rows: Iterable[Sequence[Any]], *, title: str | None = None
) -> None:
    """A table on standard output; None shows as a dash: not configured."""
    view = Table(title=title, title_justify="left", header_style="bold")
    for column in columns:
        view.add_column(column, overflow="fold")
    for row in rows:
        view.add_row(*("–" if cell is None else str(cell) for cell in row))
    Console(highlight=False, width=None if sys.stdout.isatty() else _WIDE).print(view)


def say(text: str) -> None:
    """A line of the result."""
    click.echo(text)


def note(text: str) -> None:
    """A line for the person at the terminal: standard error."""
    click.echo(text, err=True)
