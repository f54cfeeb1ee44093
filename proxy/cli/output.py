"""Rendering: results on standard output, progress and hints on standard error."""

import json
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import click
from rich.console import Console
from rich.table import Table

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
WORD = "confirmed"
_WIDEST = 10_000
notes = Console(stderr=True, highlight=False)


def confirm_option(
    said: str = f"The word '{WORD}'.", *, required: bool = False, expose_value: bool = True
) -> Callable[[click.decorators.FC], click.decorators.FC]:
    """The option that takes the literal word and no other; ``said`` is its help."""
    return click.option(
        "--confirm", type=click.Choice([WORD]), metavar=WORD, help=said,
        required=required, expose_value=expose_value,
    )  # fmt: skip


def emit(value: Any) -> None:
    """One JSON document on standard output."""
    say(json.dumps(value, ensure_ascii=False, indent=2))


def emit_line(value: Any) -> None:
    """One JSON document on one line."""
    say(json.dumps(value, ensure_ascii=False))


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """A table on standard output; None shows as a dash: not configured.

    Where the terminal is too narrow, one line for each value: an id is never cut in two.
    """
    cells = [["–" if cell is None else str(cell) for cell in row] for row in rows]
    view = Table(header_style="bold")
    for column in columns:
        view.add_column(column, no_wrap=True)
    for row in cells:
        view.add_row(*row)
    wide = Console(highlight=False, width=_WIDEST)
    needed = wide.measure(view).maximum
    if sys.stdout.isatty() and needed > _terminal():
        _records(columns, cells)
    else:
        Console(highlight=False, width=needed).print(view)


def counted(counts: Mapping[str, Any]) -> str:
    """Counts by name as one cell of a table."""
    return ", ".join(f"{name} {count}" for name, count in counts.items()) or "none"


def _terminal() -> int:
    """Columns of the terminal."""
    return shutil.get_terminal_size().columns


def _records(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    width = max(map(len, columns), default=0)
    for row in rows:
        for column, cell in zip(columns, row, strict=True):
            click.echo(f"{column:<{width}}  {cell}")
        click.echo()


def say(text: str) -> None:
    """A line of the result; half a surrogate, which no encoding has, is written as its escape."""
    click.echo(text.encode("utf-8", "backslashreplace").decode("utf-8"))


def note(text: str) -> None:
    """A line for the person at the terminal: standard error."""
    click.echo(text, err=True)
