"""Instruments as Prometheus reads them; those of several workers in one text, labelled."""

import re
from collections.abc import Mapping

from prometheus_client import generate_latest

from proxy.telemetry.metrics import REGISTRY

_SAMPLE = re.compile(r"([A-Za-z_:][A-Za-z0-9_:]*)(?:\{(.*)\})? (\S+.*)")


async def exposition() -> bytes:
    """The instruments of this process."""
    return generate_latest(REGISTRY)


def merged(texts: Mapping[int, str]) -> bytes:
    """The instruments of several workers, each sample with the label ``worker``."""
    families: dict[str, list[str]] = {}
    for worker, text in texts.items():
        name = ""
        for line in text.splitlines():
            if line.startswith("# HELP "):
                name = line.split(" ", 3)[2]
            lines = families.setdefault(name, [])
            if not line.startswith("#"):
                lines.append(_labelled(line, worker))
            elif line not in lines:
                lines.append(line)
    return "".join(f"{line}\n" for lines in families.values() for line in lines).encode()


def _labelled(line: str, worker: int) -> str:
    found = _SAMPLE.fullmatch(line)
    if found is None:
        return line
    name, labels, value = found.groups()
    return f'{name}{{{labels + "," if labels else ""}worker="{worker}"}} {value}'
