"""Input that no client means to send: defined, and never forwarded unscanned."""

import json
from typing import Any

import pytest

from tests.support.fault_store import FaultStore, added
from tests.support.gateway import Plane

ADD = "/v3/memories/add/"
CARD = 4111111111111111
MAIL = "alva@example.org"


def about(text: str = "hello", **metadata: Any) -> bytes:
    """A memory with metadata."""
    said = [{"role": "user", "content": text}]
    body = {"messages": said, "user_id": "u-1", "infer": False, "metadata": metadata}
    return json.dumps(body).encode()


def nested(depth: int) -> bytes:
    """An address within that many lists."""
    value = b"[" * depth + f'"{MAIL}"'.encode() + b"]" * depth
    return about(place="here").replace(b'"here"', value)


def metadata_of(faults: FaultStore) -> dict[str, Any]:
    """What the store got as metadata, without our own mark."""
    found: dict[str, Any] = faults.requests[-1].json()["metadata"]
    return {name: value for name, value in found.items() if name != "expunge_w"}


@pytest.mark.parametrize(
    ("sent", "twin"),
    [
        pytest.param({"n": CARD}, {"n": 1234567890123456}, id="number"),
        pytest.param({"n": [[CARD]]}, {"n": [[31], True, None]}, id="number in lists"),
        pytest.param({"n": -CARD}, {"n": -12}, id="negative number"),
        pytest.param({"n": float(CARD)}, {"n": 12.5}, id="number with a fraction"),
        pytest.param({MAIL: 1}, {"colour": 1}, id="key"),
        pytest.param({"a": {str(CARD): True}}, {"a": {"4111": True}}, id="number as a key"),
        pytest.param({"t": f"\x00\x07{MAIL}\x1b"}, {"t": "\ttab\n"}, id="control characters"),
        pytest.param({"t": f"\u202e{MAIL}\u2066"}, {"t": "\u202eabc"}, id="directions"),
    ],
)
async def test_odd_places_are_scanned(
    faulty: Plane, faults: FaultStore, sent: dict[str, Any], twin: dict[str, Any]
) -> None:
    """What is personal does not arrive; what is not arrives as it was."""
    faults.script = lambda _: added()
    status, _ = await faulty.call("POST", ADD, raw=about(**sent))
    assert status == 200
    assert str(CARD) not in faults.requests[-1].body.decode()
    assert MAIL not in faults.requests[-1].body.decode()
    assert metadata_of(faults) != sent
    await faulty.call("POST", ADD, raw=about(**twin))
    assert metadata_of(faults) == twin


@pytest.mark.parametrize(
    ("body", "status", "twin"),
    [
        pytest.param(about(f"x\ud800 {MAIL}"), 400, about(f"x😀 {MAIL}"), id="half a surrogate"),
        pytest.param(about("ab " * 340_000), 413, about("ab " * 30_000), id="a million characters"),
        pytest.param(nested(1_000), 413, nested(40), id="deep"),
        pytest.param(nested(100_000), 413, nested(1), id="deeper than a parser recurses"),
        pytest.param(b"\x89PNG\r\n\x1a\n" + bytes(64), 400, about(), id="binary"),
        pytest.param(b"", 400, about(""), id="empty"),
        pytest.param(about()[:-1], 400, about(), id="half"),
    ],
)
async def test_what_cannot_be_scanned_is_refused(
    faulty: Plane, faults: FaultStore, body: bytes, status: int, twin: bytes
) -> None:
    """A refusal without a request to the store; its twin within the limits is scanned and sent."""
    faults.script = lambda _: added()
    found, _ = await faulty.call("POST", ADD, raw=body)
    assert (found, faults.requests) == (status, [])
    found, _ = await faulty.call("POST", ADD, raw=twin)
    assert found == 200
    assert MAIL not in faults.requests[-1].body.decode()
