"""The outbox: recipients' webhooks are called until they answer, or for three days."""

import base64
import json
from collections.abc import Awaitable, Callable, Mapping

from policies import access
from proxy.audit.leaf import instant
from proxy.erasure.proof.recipients import kind_of
from proxy.erasure.search.means import Means
from proxy.ledger import erasures, notifications
from proxy.ledger.engine import Tx
from proxy.ledger.notifications import Notification
from proxy.telemetry import get_logger

Post = Callable[[str, bytes, Mapping[str, str]], Awaitable[bool]]

SINCE = (0, 60, 360, 2_160, 9_360, 38_160, 124_560, 259_200)  # seconds from queueing to each try
BATCH = 50

log = get_logger("notices")


class Outbox:
    """Delivers what recipients are to be told, at least once."""

    def __init__(self, means: Means, post: Post) -> None:
        self._means, self._post = means, post

    async def run_once(self) -> int:
        """Try what is due; gives how many were delivered."""
        now = self._means.clock.now()
        waiting = await self._means.ledger.read(lambda tx: notifications.outgoing(tx, now, SINCE))
        delivered = [await self._try(each) for each in waiting[:BATCH]]
        return sum(delivered)

    async def _try(self, notice: Notification) -> bool:
        url = self._url(notice)
        body = await self._means.ledger.read(lambda tx: _body(tx, notice))
        taken = url is not None and await self._post(url, body, self._headers(notice.id, body))
        last = url is None or notice.attempts + 1 >= len(SINCE)
        await self._record(notice, "sent" if taken else "failed" if last else "pending")
        return taken

    def _url(self, notice: Notification) -> str | None:
        """The recipient's webhook as the policy in force has it."""
        event = notice.kind.partition(":")[0]
        told = access.recipients(self._means.policies(notice.tenant_id), event)
        return next((each.url for each in told if kind_of(event, each.name) == notice.kind), None)

    def _headers(self, notice_id: str, body: bytes) -> dict[str, str]:
        """Id, time and signature as the Standard Webhooks specification has them (``v1a``)."""
        stamp = str(int(self._means.clock.now().timestamp()))
        signed = self._means.signer.sign(f"{notice_id}.{stamp}.".encode() + body)
        return {
            "Content-Type": "application/json",
            "webhook-id": notice_id,
            "webhook-timestamp": stamp,
            "webhook-signature": f"v1a,{base64.b64encode(signed).decode()}",
        }

    async def _record(self, notice: Notification, state: str) -> None:
        attempts, now = notice.attempts + 1, self._means.clock.now()

        async def unit(tx: Tx) -> None:
            sent_at = now if state == "sent" else None
            await notifications.mark(tx, notice.id, state, attempts=attempts, sent_at=sent_at)
            if state != "pending":
                told = {"notice": notice.id, "erasure": notice.erasure_id, "to": notice.kind,
                        "attempts": attempts}  # fmt: skip
                told |= {"review": notice.review_id} if notice.review_id else {}
                await self._means.audit.append(tx, notice.tenant_id, f"notice.{state}", told)

        await self._means.ledger.write(unit)
        if state == "failed":
            log.warning("notice.failed", attempt=attempts, kind=notice.kind.partition(":")[0])


async def _body(tx: Tx, notice: Notification) -> bytes:
    """What is told: that something happened and under which reference, never of whom or what."""
    erasure = await erasures.by_id(tx, notice.erasure_id) if notice.erasure_id else None
    told = {
        "id": notice.id,
        "event": notice.kind.partition(":")[0],
        "reference": erasure.reference if erasure else notice.review_id,
        "regime": erasure.details.get("regime") if erasure else None,
        "at": instant(notice.created_at),
    }
    return json.dumps(told, sort_keys=True, separators=(",", ":")).encode()
