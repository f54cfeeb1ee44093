"""What the rows of a throughput run say beside each other, and how it is shown."""

import json
from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table

WORKERS, SCALED = (1, 2), ("pass", "read", "list")  # how many, and the routes they are tried on


def with_ratios(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each row beside nginx's and the bare store's of the same route and connections."""
    by = {(row["front"], row["route"], row["connections"]): row for row in rows}
    for row in rows:
        plain = by.get(("nginx", row["route"], row["connections"]))
        bare = by.get(("bare", row["route"], row["connections"]))
        if plain is not None:
            row["throughput_to_nginx"] = round(row["per_second"] / plain["per_second"], 3)
            row["own_to_nginx"] = round(row["own_us"] / max(plain["own_us"], 0.1), 2)
            row["p99_to_nginx"] = round(row["p99_us"] / plain["p99_us"], 2)
        if bare is not None and row["connections"] == 1:
            row["added_p50_us"] = round(row["p50_us"] - bare["p50_us"], 1)
    return rows


def scaling(rows: list[dict[str, Any]], cores: int) -> list[dict[str, Any]]:
    """Two workers beside one, of us and of nginx, and the most that the machine has room for.

    ``ceiling``: all processors at work on nothing else, a request costing what it costs with one
    worker, the load and the store included: they take part of the same processors. It is true
    of a machine that does nothing else.
    """
    by = {(row["front"], row["route"]): row for row in rows}
    found = []
    for front in ("expunge", "nginx"):
        for route in SCALED:
            one, two = (by[f"{front} x{count}", route] for count in WORKERS)
            room = cores * 1e6 / (one["busy_us"] * one["per_second"])
            found.append({
                "front": front, "route": route, "ceiling": round(room, 2),
                "ratio": round(two["per_second"] / one["per_second"], 2),
                "busy_us": [one["busy_us"], two["busy_us"]],
            })  # fmt: skip
    return found


def show(found: Mapping[str, Any]) -> None:
    """A table."""
    table = Table(title="Medians of the rounds; times in microseconds")
    columns = (
        "route", "front", "connections", "per_second", "throughput_to_nginx", "own_us",
        "own_to_nginx", "p50_us", "added_p50_us", "p99_us", "p99_to_nginx", "errors",
    )  # fmt: skip
    for column in columns:
        table.add_column(column, justify="left" if column in columns[:2] else "right")
    for row in sorted(found["rows"], key=lambda row: (row["route"], row["connections"])):
        table.add_row(*(str(row.get(column, "")) for column in columns))
    Console(width=140).print(table)
    print(json.dumps({name: found[name] for name in found if name != "rows"}))
