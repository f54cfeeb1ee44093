"""By which way a request came and how its requester was identified: on record, without ids."""

import base64
import json
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from proxy.audit import leaf
from proxy.erasure.search.target import Target
from proxy.ledger.engine import Tx
from proxy.ledger.schema import audit_entries
from proxy.problems import Problem
from tests.support.erasing import OPERATOR, Erasing

OWNER = Target(kind="owner", values=("u-1",))
CLERK = "clerk.ottoline.braithwood"


async def request(bench: Erasing, **details: Any) -> Any:
    """Ask as an operator, with something to forget."""
    await bench.remember("u-1", "Likes jasmine tea", mentions=[])
    return await bench.service.request(bench.tenant_id, OWNER, actor=OPERATOR, details=details)


async def complete(bench: Erasing, view: Any, **identity: Any) -> dict[str, Any]:
    """Confirm and carry out; gives what the certificate says of the requester."""
    told = {"identity": identity} if identity else {}
    await bench.service.confirm(
        bench.tenant_id, view.id, word="confirmed", token=view.token, actor=OPERATOR, **told
    )
    assert (await bench.service.run(bench.tenant_id, view.id)).state == "complete"
    signed = (await bench.service.certificate(bench.tenant_id, view.id)).dsse
    statement = json.loads(base64.b64decode(json.loads(signed)["payload"]))
    return dict(statement["predicate"]["requester"])


def is_in_a_file(folder: Path, said: str) -> bool:
    """Whether any file below a folder has these bytes."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return any(said.encode() in path.read_bytes() for path in files)


async def logged(bench: Erasing, event: str) -> dict[str, Any]:
    """The fields of the one entry of an event."""

    async def load(tx: Tx) -> list[bytes]:
        return list((await tx.execute(select(audit_entries.c.leaf))).scalars())

    told = [json.loads(each) for each in await bench.ledger.read(load)]
    (found,) = [each["fields"] for each in told if each["event"] == event]
    return dict(found)


async def pseudonym(bench: Erasing, *who: str) -> str:
    """How the record names somebody who acts."""
    names = await bench.means.keyring.tenant(bench.tenant_id)
    return names.of("actor", *who).hex()


async def test_channel_and_identity_stand_in_state_log_and_certificate(
    bench: Erasing, tmp_path: Path
) -> None:
    """The same facts in all three; who made sure is a pseudonym, and their id is nowhere."""
    at = datetime(2026, 1, 5, 10, 15, tzinfo=timezone(timedelta(hours=2)))
    view = await request(
        bench, channel="letter",
        identity={"method": "document", "by": CLERK, "at": at, "evidence_ref": "ticket-77"},
    )  # fmt: skip
    known = {
        "method": "document", "by": await pseudonym(bench, "verifier", CLERK),
        "at": "2026-01-05T08:15:00.000000Z", "evidence_ref": "ticket-77",
    }  # fmt: skip
    assert (view.body()["channel"], view.body()["identity"]) == ("letter", known)
    received = await logged(bench, "erasure.received")
    assert (received["channel"], received["identity"]) == ("letter", known)
    assert await complete(bench, view) == {
        "role": "operator", "channel": "letter", "identity": known,
    }  # fmt: skip
    assert not is_in_a_file(tmp_path, CLERK)


async def test_who_asks_identified_if_nobody_else_is_named(bench: Erasing) -> None:
    """Now, by the caller's own pseudonym."""
    view = await request(bench, identity={"method": "signed_in"})
    assert view.body()["identity"] == {
        "method": "signed_in", "by": await pseudonym(bench, OPERATOR.role, OPERATOR.id),
        "at": leaf.instant(bench.means.clock.now()), "evidence_ref": None,
    }  # fmt: skip


async def test_a_requester_may_be_identified_after_the_request(bench: Erasing) -> None:
    """The confirmation tells it; without one the record says that nobody did."""
    view = await request(bench, channel="email")
    assert view.body()["identity"] is None
    told = await complete(bench, view, method="contact_confirmed", by=CLERK)
    assert told["channel"] == "email"
    assert told["identity"]["method"] == "contact_confirmed"
    assert (await logged(bench, "erasure.confirmed"))["identity"] == told["identity"]
    now = await bench.service.get(bench.tenant_id, view.id)
    assert now.body()["identity"] == told["identity"]


@pytest.mark.parametrize(
    ("details", "pointer"),
    [
        ({"channel": "alva@example.org"}, "/channel"),
        ({"channel": "pigeon"}, "/channel"),
        ({"identity": {"method": "asked"}}, "/identity/method"),
        ({"identity": {"by": CLERK}}, "/identity/method"),
        ({"identity": "document"}, "/identity"),
        ({"identity": {"method": "document", "evidence_ref": "saw her passport"}},
         "/identity/evidence_ref"),
        ({"identity": {"method": "document", "passport": "x"}}, "/identity/passport"),
    ],
)  # fmt: skip
async def test_what_could_be_content_is_refused(
    bench: Erasing, details: dict[str, Any], pointer: str
) -> None:
    """Lists and codes; the refusal says where, and nothing is recorded."""
    with pytest.raises(Problem) as caught:
        await request(bench, **details)
    assert caught.value.slug == "invalid-request"
    assert pointer in {each["pointer"] for each in caught.value.errors}
    assert await bench.service.list(bench.tenant_id) == ([], None)


async def test_an_identification_to_come_is_none(bench: Erasing) -> None:
    """A moment that has not come is refused."""
    at = bench.means.clock.now() + timedelta(days=1)
    with pytest.raises(Problem) as caught:
        await request(bench, identity={"method": "document", "at": at})
    assert caught.value.errors == ({"pointer": "/identity/at", "detail": "Lies in the future."},)
