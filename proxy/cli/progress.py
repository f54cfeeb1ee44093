"""How far long work is: a line on standard error, once a second at most."""

import json
import time
from collections.abc import Callable, Mapping
from typing import Any

from proxy.cli.output import note

_EVERY_SECONDS = 1.0


class Reading:
    """Tells how far the reading of a store is.

    Args:
        as_json: one JSON object a line.
        now: a clock in seconds.
    """

    def __init__(self, *, as_json: bool, now: Callable[[], float] = time.monotonic) -> None:
        self._as_json, self._now = as_json, now
        self._started, self._next, self._stage = now(), 0.0, ("", "")

    def __call__(self, counts: Mapping[str, Any]) -> None:
        """Say so, unless a line was written less than a second ago."""
        now, stage = self._now(), (counts["upstream"], counts["stage"])
        if now < self._next and stage == self._stage:
            return
        self._next, self._stage = now + _EVERY_SECONDS, stage
        note(self._line(counts, counts["memories"] / max(now - self._started, 0.001)))

    def _line(self, counts: Mapping[str, Any], rate: float) -> str:
        if self._as_json:
            return json.dumps({**counts, "per_second": round(rate, 1)})
        store = counts["upstream"]
        if counts["stage"] != "memories":
            return f"{store}: reading the tables beside the memories"
        memories, pages = counts["memories"], counts["pages"]
        return f"{store}: {memories} memories read in {pages} pages, {rate:.0f} a second"


NO_CONNECTOR = "no connector"
# What to do about a layer that was not looked at, by why it was not.
_REMEDIES = {
    NO_CONNECTOR: "Name it in the configuration: upstreams, layers.",
    "the erased words are gone, so bytes cannot be searched for them":
        "Bytes are searched while an erasure runs: its certificate says what was found.",
    "another store was asked for": "Run it without --upstream.",
}  # fmt: skip


def name_unread(done: Mapping[str, Any]) -> None:
    """Name the layers that were not looked at, why, and what can be done about it."""
    for layer, reason in done["not_looked_at"].items():
        remedy = _REMEDIES.get(reason)
        note(f"Not looked at: {layer} ({reason})." + (f" {remedy}" if remedy else ""))


def name_unreachable(done: Mapping[str, Any]) -> bool:
    """Name the stores that could not be read to their end; gives whether there is one."""
    for name in done.get("unreachable", ()):
        note(f"{name}: the store could not be read to its end. Run it again when it answers.")
    return bool(done.get("unreachable"))
