"""Recipients are told: signed, without content, again until they answer, or listed as failed."""

import base64
import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

import policies
from proxy.clock import FrozenClock
from proxy.erasure.search.target import Target
from proxy.erasure.service import ErasureService
from proxy.keys.ring import KeyRing
from proxy.ledger import audit, notifications
from proxy.ledger.engine import Ledger
from proxy.rights.holds import Holds, Keeping
from proxy.rights.outbox import SINCE, Outbox
from tests.support.erasing import OPERATOR, Erasing, erasing, small_binding

POLICY = """
apiVersion: expunge/v1
kind: Policy
name: tested
extends: builtin/gdpr-default
notifications:
  recipients:
    crm: {url: "https://crm.example.org/hook"}
    desk: {contact: "the desk"}
    ledgers: {url: "https://ledgers.example.org/in", events: [restriction]}
"""


class Recipient:
    """Takes notices, once it is up."""

    def __init__(self, *, up: bool = True) -> None:
        self.up, self.calls = up, list[tuple[str, bytes, Mapping[str, str]]]()

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> bool:
        """Keep what came."""
        self.calls.append((url, body, headers))
        return self.up


@pytest.fixture
async def bench(
    ledger: Ledger, keyring: KeyRing, tenant_id: str, clock: FrozenClock, tmp_path_factory
) -> Erasing:  # type: ignore[no-untyped-def]
    """A service whose policy names recipients."""
    store, small = small_binding()
    policy = policies.load_text(POLICY.encode(), "tested.yaml")
    folder = tmp_path_factory.mktemp("recipients")
    return await erasing(ledger, keyring, tenant_id, clock, folder, [store], policy, small)


async def test_an_erasure_is_told_once_and_tells_nothing(bench: Erasing) -> None:
    """The webhook gets event, reference and time under a signature that the public key checks."""
    await bench.remember("alva", "Alva Brenn likes jasmine tea", mentions=[])
    view = await bench.forget(Target(kind="owner", values=("alva",)))
    crm = Recipient()
    outbox = Outbox(bench.means, crm.post)
    assert (await outbox.run_once(), await outbox.run_once()) == (1, 0)
    ((url, body, headers),) = crm.calls
    assert url == "https://crm.example.org/hook"
    told = json.loads(body)
    assert (told["event"], told["reference"]) == ("erasure", view.reference)
    assert set(told) == {"id", "event", "reference", "regime", "at"}
    assert b"alva" not in body.lower()
    assert b"jasmine" not in body
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    signature = base64.b64decode(headers["webhook-signature"].removeprefix("v1a,"))
    Ed25519PublicKey.from_public_bytes(bench.means.signer.public_key).verify(signature, signed)


async def test_a_person_tells_whom_no_webhook_reaches(bench: Erasing) -> None:
    """A recipient with a contact alone is listed for a person, and the certificate counts both."""
    await bench.remember("alva", "Likes jasmine tea", mentions=[])
    view = await bench.forget(Target(kind="owner", values=("alva",)))
    owed = await bench.ledger.read(
        lambda tx: notifications.of_erasure(tx, bench.tenant_id, view.id)
    )
    assert sorted((each.kind, each.state) for each in owed) == [
        ("erasure:crm", "pending"), ("erasure:desk", "by_hand"),
    ]  # fmt: skip


async def test_it_is_tried_again_and_then_listed_as_failed(
    bench: Erasing, clock: FrozenClock
) -> None:
    """A recipient that is down is called at growing distances, and the log names the failure."""
    await bench.remember("alva", "Likes jasmine tea", mentions=[])
    view = await bench.forget(Target(kind="owner", values=("alva",)))
    crm = Recipient(up=False)
    outbox, began = Outbox(bench.means, crm.post), clock.now()
    for tries, seconds in enumerate(SINCE, start=1):
        clock.set(began + timedelta(seconds=seconds))
        await outbox.run_once()
        await outbox.run_once()
        assert len(crm.calls) == tries
    entries = await bench.ledger.read(lambda tx: audit.unsequenced(tx, 1_000))
    failed = [json.loads(each.leaf) for each in entries if b"notice.failed" in each.leaf]
    assert [(each["fields"]["erasure"], each["fields"]["attempts"]) for each in failed] == [
        (view.id, len(SINCE))
    ]


async def test_a_recipient_that_comes_back_is_told(bench: Erasing, clock: FrozenClock) -> None:
    """A failure on the way is no failure in the end."""
    await bench.remember("alva", "Likes jasmine tea", mentions=[])
    await bench.forget(Target(kind="owner", values=("alva",)))
    crm = Recipient(up=False)
    outbox = Outbox(bench.means, crm.post)
    assert await outbox.run_once() == 0
    crm.up = True
    clock.advance(timedelta(minutes=2))
    assert await outbox.run_once() == 1


async def test_a_recipient_that_left_the_policy_is_not_called(bench: Erasing) -> None:
    """The policy in force decides where a notice goes."""
    await bench.remember("alva", "Likes jasmine tea", mentions=[])
    await bench.forget(Target(kind="owner", values=("alva",)))
    crm = Recipient()
    plain = policies.load("builtin/gdpr-default")
    assert await Outbox(replace(bench.means, policies=lambda _: plain), crm.post).run_once() == 0
    assert crm.calls == []


async def test_a_client_s_own_delete_tells_nobody(bench: Erasing) -> None:
    """One memory that an application deletes is no erasure that recipients hear of."""
    memory_id = await bench.remember("alva", "Likes jasmine tea", mentions=[])
    await bench.forget(Target(kind="memory", values=(memory_id,)), origin="client")
    assert await Outbox(bench.means, Recipient().post).run_once() == 0


async def test_a_restriction_is_told_to_those_who_want_it(bench: Erasing) -> None:
    """Only the recipient whose events hold it hears of a restriction."""
    await bench.remember("alva", "Likes jasmine tea", mentions=[])
    holds = Holds(bench.means, ErasureService(bench.means))
    await holds.restrict(
        bench.tenant_id, actor=OPERATOR, keeping=Keeping("accuracy_contested"),
        owner=("user", "alva"),
    )  # fmt: skip
    ledgers = Recipient()
    assert await Outbox(bench.means, ledgers.post).run_once() == 1
    assert [url for url, _, _ in ledgers.calls] == ["https://ledgers.example.org/in"]
