"""A private key whose lines are strings of their own is hidden line by line."""

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from tests.support.fault_store import FaultStore, added
from tests.support.gateway import Plane

ADD = "/v3/memories/add/"


@cache
def key_lines(kind: str) -> list[str]:
    """The lines of a private key, made for this run."""
    if kind == "rsa":
        made = rsa.generate_private_key(65537, 2048).private_bytes(
            Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()
        )
    elif kind == "ec":
        made = ec.generate_private_key(ec.SECP256R1()).private_bytes(
            Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
        )
    else:
        made = ed25519.Ed25519PrivateKey.generate().private_bytes(
            Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()
        )
    return made.decode().split("\n")[:-1]


FORMS: dict[str, Callable[[list[str]], dict[str, Any]]] = {
    "list": lambda lines: {"metadata": {"lines": lines}},
    "nested list": lambda lines: {"metadata": {"a": [{"files": [["x"], lines]}]}},
    "lines with breaks": lambda lines: {"metadata": {"lines": [f"{line}\n" for line in lines]}},
    "quoted lines": lambda lines: {"metadata": {"lines": [f"> {line}" for line in lines]}},
    "no end": lambda lines: {"metadata": {"lines": lines[:-1]}},
    "no begin": lambda lines: {"metadata": {"lines": lines[1:]}},
    "no frame": lambda lines: {"metadata": {"lines": lines[1:-1]}},
    "fields": lambda lines: {"metadata": {f"l{n}": line for n, line in enumerate(lines)}},
    "objects": lambda lines: {"metadata": {"lines": [{"n": 1, "said": line} for line in lines]}},
    "messages": lambda lines: {"messages": [{"role": "user", "content": line} for line in lines]},
}


@pytest.mark.parametrize("kind", ["rsa", "ec", "openssh"])
@pytest.mark.parametrize("form", FORMS)
async def test_no_line_of_a_key_reaches_the_store(
    named: Plane, faults: FaultStore, form: str, kind: str
) -> None:
    """Whatever holds the lines apart, and wherever the key is cut off."""
    faults.script = lambda _: added()
    lines = key_lines(kind)
    await _add(named, FORMS[form](lines))
    sent = [request.body.decode() for request in faults.requests]
    assert sent
    body = [line for line in lines if not line.startswith("-")]
    assert [line for line in body if any(line[:40] in said for said in sent)] == []


async def test_what_stands_beside_the_lines_stays(named: Plane, faults: FaultStore) -> None:
    """Sentences among the lines, and values behind them, are no part of the key."""
    faults.script = lambda _: added()
    lines = key_lines("ec")
    metadata = {"lines": [*lines[:2], "the boat leaves at nine", *lines[2:]], "status": "open"}
    await _add(named, {"metadata": metadata})
    stored = faults.requests[-1].json()["metadata"]
    assert stored["lines"][2] == "the boat leaves at nine"
    assert stored["status"] == "open"


async def test_lines_of_a_public_key_stay(named: Plane, faults: FaultStore) -> None:
    """The negative twin: the same list of a public key; and talk about a key's frame."""
    faults.script = lambda _: added()
    public = ec.generate_private_key(ec.SECP256R1()).public_key()
    lines = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    metadata = {"lines": [lines.split("\n")[0], "END", "the private key stays in the vault"]}
    await _add(named, {"metadata": metadata})
    stored = faults.requests[-1].json()["metadata"]
    stored.pop("expunge_w")
    assert stored == metadata


async def _add(plane: Plane, body: dict[str, Any]) -> None:
    said = [{"role": "user", "content": "likes rye bread"}]
    status, _ = await plane.call(
        "POST", ADD, {"messages": said, "user_id": "u-1", "infer": False, **body}
    )
    assert status == 200
