"""Every limit of the configuration reaches the data plane."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from proxy.app.build import _limits
from proxy.config.load import loads
from proxy.gateway.wire.limits import Limits

HEAD = "apiVersion: expunge/v1\nkind: Config\nupstreams: [{name: m, url: 'http://127.0.0.1:1'}]\n"
SETTINGS = [
    pytest.param("body", 9, ("body",), 9, id="body"),
    pytest.param("unpacked", 9, ("decode", "size"), 9, id="unpacked"),
    pytest.param("values", 900, ("values",), 900, id="values"),
    pytest.param("text", 9000, ("text",), 9000, id="text"),
    pytest.param("ratio", 9, ("decode", "ratio"), 9, id="ratio"),
    pytest.param("body_time", "PT9S", ("body_seconds",), 9, id="body_time"),
    pytest.param("idle", "PT9S", ("idle_seconds",), 9, id="idle"),
    pytest.param("headers", 9, ("headers",), 9, id="headers"),
    pytest.param("line", 9, ("line",), 9, id="line"),
    pytest.param("requests", 9, ("concurrent",), 9, id="requests"),
    pytest.param("tenant_requests", 9, ("concurrent_of_tenant",), 9, id="tenant_requests"),
    pytest.param("connections", 9, ("connections",), 9, id="connections"),
]


def limits_of(**settings: Any) -> dict[str, Any]:
    text = HEAD + f"limits: {json.dumps(settings)}\n"
    return asdict(_limits(loads(text.encode(), {}, base=Path("/")).config))


@pytest.mark.parametrize(("name", "given", "path", "expected"), SETTINGS)
def test_a_setting_reaches_its_limit(
    name: str, given: Any, path: tuple[str, ...], expected: Any
) -> None:
    """The value given is the value used, and nothing else changes."""
    found, default = limits_of(**{name: given}), limits_of()
    for step in path[:-1]:
        found, default = found[step], default[step]
    assert found[path[-1]] == expected
    assert default[path[-1]] != expected
    assert {k: v for k, v in found.items() if k != path[-1]} == {
        k: v for k, v in default.items() if k != path[-1]
    }


def test_the_defaults_are_the_same_in_both_places() -> None:
    """A data plane made without a configuration has the limits that the reference names."""
    assert limits_of() == asdict(Limits())
