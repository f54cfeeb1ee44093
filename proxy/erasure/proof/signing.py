"""Signing the certificate, logging it, and what else falls due when an erasure ends."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from proxy import ids
from proxy.audit import dsse
from proxy.erasure.plans.planning import REWRITE
from proxy.erasure.proof import certificate, recipients
from proxy.erasure.proof.certificate import Evidence
from proxy.erasure.saga import let_go
from proxy.erasure.saga.run import GONE, Run
from proxy.erasure.search import layers
from proxy.erasure.search.resolve import part_of
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
    blocked: bool,
) -> bytes:
    """The signed certificate of an erasure as it stands.

    Args:
        blocked: whom it is about is on the blocklist; not so a name that others bear too.
    """
    facts = certificate.statement(
        replace(
            run.erasure,
            outcome=outcome_of(run, evidence, views, state),
            details={**run.erasure.details, "roles": run.roles},
        ),
        evidence,
        views,
        state=state,
        now=run.means.clock.now(),
        holds=held,
        notices=notices,
        let_go=let_go.counts(run),
        blocklisted=blocked,
    )
    return dsse.envelope(facts, run.means.signer)


def outcome_of(run: Run, evidence: Evidence, views: Sequence[LayerView], state: str) -> str:
    """What came of an erasure: ``erased``, ``partial`` if something was to be kept,
    ``keys_destroyed`` if keys were all that was left, ``nothing_found``, ``out_of_reach`` if all
    is done but in layers without a connector, or the state in which it rests.
    """
    if state == "incomplete" and certificate.lacks_connectors(evidence, views):
        return erasures.OUT_OF_REACH
    if state != "complete":
        return state
    counts = certificate.counts(evidence.tally)
    changed = sum(counts[name] for name in ("deleted", "cascaded", "regenerated", "redacted"))
    if not changed and not any(view.erased for view in views):
        return "keys_destroyed" if evidence.keys else "nothing_found"
    return "erased" if run.aim.keep is None else "partial"


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
         "worst_layer_residue": layers.worst(views), **part_of(run.erasure.details)},
    )  # fmt: skip
    fields = {
        "state": state,
        "outcome": outcome_of(run, evidence, views, state),
        "counts": certificate.in_all(run.erasure.counts, evidence.tally),
        "layers": [view.body() for view in views],
        "certificate": signed,
        "audit_entry": entry,
        "completed_at": run.means.clock.now() if state in {"complete", "held"} else None,
        **more,
    }
    await erasures.change(tx, run.erasure.id, **fields)
    return fields


async def owed_notices(tx: Tx, run: Run) -> list[Notification]:
    """Notices to other owners and to recipients: that something was touched, never what."""
    return [*await _to_owners(tx, run), *_to_recipients(run)]


def _to_recipients(run: Run) -> list[Notification]:
    """Whom the policy wants told; not for every memory that a client deletes."""
    if not run.lasting:
        return []
    rewritten = REWRITE in (run.brief.asked.choices or {})
    event = "rectification" if rewritten else "erasure"
    return recipients.owed(run.policy, run.tenant_id, event, run.erasure.id, run.means.clock.now())


async def _to_owners(tx: Tx, run: Run) -> list[Notification]:
    if not run.aim.target.named:
        return []
    others: set[str] = set()
    async for rows in erasures.memory_ids(tx, run.erasure.id, actions=GONE):
        others |= {owner for listed in (await reach.owners(tx, rows)).values() for owner in listed}
    others -= {each.row.id for each in (*run.aim.wholes, *(run.aim.within or ())) if each.row}
    now = run.means.clock.now()
    return [
        Notification(
            ids.new("ntc"), run.tenant_id, run.erasure.id, owner, "shared_context", "pending", now
        )
        for owner in sorted(others)
    ]
