"""What a client that writes a name learns of whether its bearer was erased."""

from typing import Any

import pytest

from policies import load_text
from proxy.tokens.index.spelling import Name
from tests.support.fault_store import FaultStore, added
from tests.support.gateway import Plane

ADD = "/v3/memories/add/"
ERASED, OTHER = "Orla Quist", "Tilda Moss"
HEAD = b"apiVersion: expunge/v1\nkind: Policy\nname: tested\nextends: builtin/gdpr-default\n"


async def write(plane: Plane, name: str) -> tuple[int, Any]:
    """Status and members of the answer to a write about somebody."""
    body = {"messages": [{"role": "user", "content": f"{name} came for soup"}], "user_id": "u-1",
            "infer": False}  # fmt: skip
    status, said = await plane.call("POST", ADD, body)
    return status, sorted(said)


@pytest.mark.parametrize(
    ("action", "status"),
    [pytest.param("reject", 422, id="default"), pytest.param("redact", 200, id="redact")],
)
async def test_a_write_about_an_erased_person_answers_as_the_policy_says(
    opened_plain: Any, faults: FaultStore, action: str, status: int
) -> None:
    """Refused in the open, or stored without the name and answered like any other write."""
    asked = load_text(HEAD + f"blocklist: {{action: {action}}}\n".encode(), "tested.yaml")
    faults.script = lambda _: added()
    async with opened_plain(change=lambda _: asked) as plane:
        tenant, blocklist = plane.tenants["acme"], plane.services.blocklist
        await plane.services.ledger.write(lambda tx: blocklist.add(tx, tenant, [Name(ERASED)]))
        erased, other = await write(plane, ERASED), await write(plane, OTHER)
        assert (erased[0], other[0]) == (status, 200)
        assert (erased == other) is (status == 200)
        assert not any(ERASED.encode() in request.body for request in faults.requests)
