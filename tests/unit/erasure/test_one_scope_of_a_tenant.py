"""What is said of an erasure that takes one scope of a tenant, and of one that takes all."""

import json
from base64 import b64decode
from typing import Any

from proxy.erasure.search.target import Target
from proxy.erasure.view import ErasureView
from proxy.ledger import audit, erasures
from tests.support.erasing import OPERATOR, Erasing, sequencer

BELOW = "owner_ids_at_or_below_a_path"
SCOPE = Target(kind="tenant", values=("mills/east",))


async def _stored(bench: Erasing) -> None:
    for owner in ("mills/east", "mills/east/u1", "mills/eastern", "mills/west/u1"):
        await bench.remember(owner, "The wheel was oiled in March", mentions=[])


async def _predicate(bench: Erasing, view: ErasureView) -> dict[str, Any]:
    row = await bench.ledger.read(lambda tx: erasures.by_id(tx, view.id))
    assert row is not None
    assert row.certificate is not None
    payload = b64decode(json.loads(row.certificate)["payload"])
    assert b"mills" not in payload
    predicate: dict[str, Any] = json.loads(payload)["predicate"]
    return predicate


async def _told(bench: Erasing, event: str) -> list[Any]:
    await sequencer(bench).run_once()
    entries = await bench.ledger.read(lambda tx: audit.entries(tx, 0, 1000))
    leaves = [json.loads(each.leaf) for each in entries]
    return [leaf["fields"].get("scope_path") for leaf in leaves if leaf["event"] == event]


async def test_a_scope_is_said_to_be_one(bench: Erasing) -> None:
    """Its kind, its path as a pseudonym and its owners; in certificate, log and view."""
    await _stored(bench)
    view = await bench.forget(SCOPE)
    assert (view.state, view.deleted) == ("complete", 2)
    names = await bench.means.keyring.tenant(bench.tenant_id)
    path = names.of("scope-path", "mills/east").hex()
    part = {"kind": BELOW, "paths": [path], "owners": 2}
    predicate = await _predicate(bench, view)
    assert (predicate["target_kind"], predicate["scope"]) == ("tenant", "any_mention")
    assert predicate["scope_path"] == part
    assert view.body()["scope_path"] == part
    assert await _told(bench, "erasure.received") == [part | {"owners": None}]
    assert await _told(bench, "erasure.certified") == [part]
    assert await bench.texts("mills/eastern") != []


async def test_twin_a_whole_tenant_has_no_path(bench: Erasing) -> None:
    """Nothing is said of a part, and everybody's memories are gone."""
    await _stored(bench)
    view = await bench.forget(Target(kind="tenant"))
    assert (view.state, view.deleted) == ("complete", 4)
    assert (await _predicate(bench, view))["scope_path"] is None
    assert view.body()["scope_path"] is None
    assert await _told(bench, "erasure.certified") == [None]


async def test_a_preview_says_it_too(bench: Erasing) -> None:
    """With a slash at its end it is the same path."""
    await _stored(bench)
    shown = [
        await bench.service.request(
            bench.tenant_id, Target(kind="tenant", values=(path,)), actor=OPERATOR, dry_run=True
        )
        for path in ("mills/east", "mills/east/")
    ]
    first, second = (each.body()["scope_path"] for each in shown)
    assert first["kind"] == BELOW
    assert first == second
