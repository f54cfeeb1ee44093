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
from tests.unit.erasure.conftest import Build

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


IDENTIFY = {"email": ["contact_confirmed", "document"], "app": ["signed_in"]}
LETTER_FREE = [
    ("letter", None, ()),
    ("email", None, ("contact_confirmed", "document")),
    ("email", "known_facts", ("contact_confirmed", "document")),
    ("email", "document", ()),
    ("app", "document", ("signed_in",)),
    ("app", "signed_in", ()),
    (None, None, ("contact_confirmed", "document", "signed_in")),
    (None, "in_person", ("contact_confirmed", "document", "signed_in")),
    (None, "signed_in", ()),
]


@pytest.mark.parametrize(("channel", "method", "wanted"), LETTER_FREE)
async def test_an_erasure_starts_once_its_requester_is_identified_as_the_policy_wants(
    build: Build, channel: str | None, method: str | None, wanted: tuple[str, ...]
) -> None:
    """By channel; none that is stated is no way around, and nothing is deleted meanwhile."""
    bench = await build(identify=IDENTIFY)
    told = {"identity": {"method": method}} if method else {}
    view = await request(bench, channel=channel, **told)
    assert view.state == "planned"
    assert view.body()["awaiting"] == ("identification" if wanted else None)
    if not wanted:
        assert (await complete(bench, view))["channel"] == channel
        return
    with pytest.raises(Problem) as caught:
        await complete(bench, view)
    came = f"came by {channel}" if channel else "states no channel"
    body = caught.value.body("req_1")
    assert (body["status"], caught.value.slug) == (409, "identification-required")
    assert body["detail"] == (
        f"The request {came}, and its requester is not identified as the policy wants it. "
        f"/identity/method: One of {', '.join(wanted)}."
    )
    assert body["rules"] == ["erasure.identify"]
    now = (await bench.service.get(bench.tenant_id, view.id)).body()
    assert (now["state"], now["awaiting"], now["due_at"]) == (
        "planned", "identification", view.body()["due_at"],
    )  # fmt: skip
    assert bench.small.rows
    done = await complete(bench, view, method=wanted[0])
    assert done["identity"]["method"] == wanted[0]
    assert (await bench.service.get(bench.tenant_id, view.id)).body()["awaiting"] is None


async def test_a_way_that_does_not_do_is_not_recorded(build: Build) -> None:
    """Told with the confirmation: it is refused, and the request waits as before."""
    bench = await build(identify=IDENTIFY)
    view = await request(bench, channel="email")
    with pytest.raises(Problem, match="identification-required"):
        await complete(bench, view, method="other")
    now = (await bench.service.get(bench.tenant_id, view.id)).body()
    assert (now["identity"], now["awaiting"]) == (None, "identification")
    ended = await bench.service.cancel(bench.tenant_id, view.id, actor=OPERATOR)
    assert (ended.state, ended.awaiting) == ("cancelled", None)


async def test_one_call_is_held_to_it_too(build: Build) -> None:
    """The request stays on record, planned; with the identification the same call erases."""
    bench = await build(identify=IDENTIFY)
    await bench.remember("u-1", "Likes jasmine tea", mentions=[])
    ask: Any = {"actor": OPERATOR, "origin": "control"}
    with pytest.raises(Problem, match="identification-required"):
        await bench.service.forget(bench.tenant_id, OWNER, details={"channel": None}, **ask)
    (waiting,), _ = await bench.service.list(bench.tenant_id)
    assert (waiting.state, waiting.awaiting) == ("planned", "identification")
    assert bench.small.rows
    told = {"channel": "app", "identity": {"method": "signed_in"}}
    view = await bench.service.forget(bench.tenant_id, OWNER, details=told, **ask)
    assert view.state == "complete"


async def test_what_nobody_asked_for_needs_no_identification(build: Build) -> None:
    """A client's own delete, and what is erased again after a backup came back."""
    bench = await build(identify=IDENTIFY)
    for owner, origin, details in (("u-2", "client", {"channel": None}), ("u-3", "control", None)):
        await bench.remember(owner, "Likes jasmine tea", mentions=[])
        view = await bench.service.forget(
            bench.tenant_id, Target(kind="owner", values=(owner,)), actor=OPERATOR,
            origin=origin, details=details,
        )  # fmt: skip
        assert (view.state, view.awaiting) == ("complete", None)
