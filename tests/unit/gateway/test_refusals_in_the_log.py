"""A problem's ``instance`` is found in the log, and nothing of the request beside it."""

from typing import Any

import pytest
from structlog.testing import capture_logs

from proxy.ledger import health
from proxy.telemetry.names import ALLOWED_KEYS
from tests.support.fault_store import FaultStore, answer
from tests.support.gateway import Plane

NAME = "alva-brenn"
ADD = "/v3/memories/add/"
ALVA = {"role": "user", "content": "write to alva.brenn@example.org"}
WRITE = {"messages": [ALVA], "user_id": NAME, "infer": False}


async def refused(plane: Plane, *request: Any, **more: Any) -> tuple[int, str, dict[str, Any]]:
    """Status, slug, and the one line that bears the answer's id, without what is its own."""
    with capture_logs() as told:
        status, problem = await plane.call(*request, **more)
    slug = problem["type"].rpartition(":")[2]
    assert NAME not in str(told)
    [line] = [each for each in told if each.get("request_id") == problem["instance"]]
    assert line.keys() - {"log_level"} <= ALLOWED_KEYS
    assert (line.pop("event"), line.pop("component")) == ("request.refused", "expunge.refusals")
    assert (line.pop("slug"), line.pop("status")) == (slug, status)
    del line["request_id"]
    return status, slug, line


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ((("POST", ADD, WRITE), None), (401, "unauthenticated")),
        ((("PATCH", f"/{NAME}/", None), "acme"), (403, "route-not-covered")),
        ((("GET", f"/v1/profiles/{NAME}/", None), "acme"), (403, "route-not-covered")),
    ],
    ids=["no key", "no such method and path", "a route that no profile lists"],
)
async def test_without_a_route_the_line_says_what_it_was(
    faulty: Plane, request_: Any, expected: tuple[int, str]
) -> None:
    """At level info; of a path or a method that is none of ours nothing is told."""
    call, tenant = request_
    assert await refused(faulty, *call, tenant=tenant) == (*expected, {"log_level": "info"})


async def test_with_a_route_its_template_and_our_id_of_the_tenant_are_told(
    faulty: Plane, faults: FaultStore
) -> None:
    """Refused by us, or failed by the store: each is found, with its level."""
    tenant = {"tenant_id": faulty.tenants["acme"], "upstream": "mem0"}
    add = {"method": "POST", "route": ADD, "operation": "write", **tenant}
    got = await refused(faulty, "POST", ADD, {**WRITE, "user_id": None})
    assert got == (400, "invalid-request", {"log_level": "info", **add})
    faults.script = lambda _: answer({"detail": f"no {NAME}"}, 500)
    got = await refused(faulty, "POST", ADD, WRITE)
    assert got == (500, "upstream-failed", {"log_level": "warning", **add})


async def test_why_the_ledger_is_away_is_told_with_it(
    faulty: Plane, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "_free", lambda _: health.LEAST - 1)
    status, slug, line = await refused(faulty, "DELETE", f"/v1/memories/?user_id={NAME}")
    assert (status, slug, line["log_level"]) == (503, "ledger-unavailable", "warning")
    assert line["reason_code"] == "the_disk_is_full"
    assert line["route"] == "/v1/memories/"
