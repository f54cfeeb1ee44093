"""A token is a word of its own, so that whatever touches a name is read back as it was written."""

import pytest

from proxy.erasure.search.target import Actor, load
from tests.support.fault_store import FaultStore, added
from tests.support.gateway import Plane

ADD = "/v3/memories/add/"
WRITTEN = [
    "Team: @priya, @ola-k, @jens_m; channel #release-42",
    "@henrik_l and @henrik",
    "Anna_",
    "_Anna_ said so",
    "__Priya__ agrees",
    "assigned to anna_k and tom_b",
    "see reports/anna_k/2026.csv",
    "call me: tel030 901820, or 0171_5550134_",
]


@pytest.mark.parametrize("text", WRITTEN)
async def test_it_is_read_back_as_it_was_written(
    named: Plane, faults: FaultStore, text: str
) -> None:
    """Whatever the store got, the answer to the write and a read say what the client said."""
    faults.script = lambda asked: added(text=asked.json()["messages"][0]["content"])
    body = {"messages": [{"role": "user", "content": text}], "user_id": "u-1", "infer": False}
    status, answer = await named.call("POST", ADD, body)
    assert (status, answer["results"][0]["data"]["memory"]) == (200, text)


async def test_no_token_touches_a_sign(named: Plane, faults: FaultStore) -> None:
    """What stands beside the name goes into the token."""
    faults.script = lambda asked: added(text=asked.json()["messages"][0]["content"])
    body = {"messages": [{"role": "user", "content": "Ask @jens_m."}], "user_id": "u-1",
            "infer": False}  # fmt: skip
    assert (await named.call("POST", ADD, body))[0] == 200
    (sent,) = [each for each in faults.requests if each.method == "POST"]
    stored = sent.json()["messages"][0]["content"]
    assert stored.startswith("Ask @Person_")
    assert stored.rstrip(".").rpartition("_")[2].isalnum()
    assert "jens" not in stored
    assert not stored.rstrip(".").endswith("_m")


EMPHASISED = [
    pytest.param("mila.voss@example.org", "Mail _mila.voss@example.org_ today.", id="e-mail"),
    pytest.param("mila.voss@example.org", "to=mila.voss@example.org_2", id="e-mail-numbered"),
    pytest.param("0171 6667778", "Call _0171 6667778_ today.", id="phone"),
    pytest.param("finn_k", "Ask @finn_k about it.", id="handle"),
    pytest.param("finn_k", "_finn_k_ wrote", id="login"),
    pytest.param("10.20.30.40", "From _10.20.30.40_ today.", id="ip"),
]


@pytest.mark.parametrize(("name", "text"), EMPHASISED)
async def test_what_is_erased_is_found_and_refused_between_underscores(
    plane: Plane, name: str, text: str
) -> None:
    """Signs of emphasis hide nothing from an erasure, nor from the blocklist."""
    await plane.add(text)
    target = load({"kind": "entity", "value": name})
    view = await plane.services.erasure.forget(
        plane.tenants["acme"], target, actor=Actor("operator", "op-1"), origin="control"
    )
    assert (view.counts["found"], view.counts["deleted"]) == (1, 1)
    body = {"messages": [{"role": "user", "content": text}], "user_id": "u-1", "infer": False}
    assert (await plane.call("POST", ADD, body))[0] == 422
