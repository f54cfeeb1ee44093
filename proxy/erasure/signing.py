"""Signing the certificate, logging it, and what else falls due when an erasure ends."""

from collections.abc import Mapping, Sequence
from typing import Any

from proxy import ids
from proxy.audit import dsse
from proxy.erasure import certificate, layers, steps
from proxy.erasure.certificate import Evidence
from proxy.erasure.run import GONE, Run
from proxy.erasure.view import LayerView
from proxy.ledger import erasures, reach
from proxy.ledger.engine import Tx
from proxy.ledger.notifications import Notification


def sign(
    run: Run,
    evidence: Evidence,
    views: Sequence[LayerView],
    *,
    state: str,
    held: Mapping[str, int],
    notices: int,
) -> bytes:
    """The signed certificate of an erasure as it stands."""
    facts = certificate.statement(
        run.erasure,
        evidence,
        views,
        state=state,
        now=run.means.clock.now(),
        holds=held,
        notices=notices,
        blocklisted=steps.blocks(run),
    )
    return dsse.envelope(facts, run.means.signer)


async def record(
    tx: Tx,
    run: Run,
    evidence: Evidence,
    views: Sequence[LayerView],
    *,
    state: str,
    signed: bytes,
    **more: Any,
) -> dict[str, Any]:
    """Log a certificate and keep it, in the transaction that gives the erasure its state.

    Args:
        more: further columns to set.
    """
    counts = certificate.counts(evidence.tally)
    entry = await run.audit(
        tx, "erasure.certified",
        {"certificate": dsse.digest(signed), "state": state, "counts": counts,
         "worst_layer_residue": layers.worst(views)},
    )  # fmt: skip
    fields = {
        "state": state,
        "outcome": "erased" if state == "complete" else state,
        "counts": {**run.erasure.counts, **counts},
        "layers": [view.body() for view in views],
        "certificate": signed,
        "audit_entry": entry,
        "completed_at": run.means.clock.now() if state in {"complete", "held"} else None,
        **more,
    }
    await erasures.change(tx, run.erasure.id, **fields)
    return fields


async def owed_notices(tx: Tx, run: Run) -> list[Notification]:
    """Notices to the other owners whose memories were touched: that, never what."""
    if not run.aim.target.named:
        return []
    rows = [item.memory_id for item in await erasures.items(tx, run.erasure.id, actions=GONE)]
    owned = await reach.owners(tx, [row for row in rows if row])
    ours = {each.row.id for each in (*run.aim.wholes, *(run.aim.within or ())) if each.row}
    others = {owner for listed in owned.values() for owner in listed} - ours
    now = run.means.clock.now()
    return [
        Notification(
            ids.new("ntc"), run.tenant_id, run.erasure.id, owner, "shared_context", "pending", now
        )
        for owner in sorted(others)
    ]
