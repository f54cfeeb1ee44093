"""Closing an erasure that was given up: a certificate of what is left, from the ledger alone."""

from collections import Counter
from dataclasses import replace

from proxy.audit import dsse
from proxy.erasure.proof import certificate
from proxy.erasure.proof.certificate import Evidence
from proxy.erasure.proof.digest import digest_matches
from proxy.erasure.saga import let_go, mentioned
from proxy.erasure.search import layers
from proxy.erasure.search.means import Means
from proxy.erasure.search.target import Actor
from proxy.ledger import blocklist, erasures, jobs, reach
from proxy.ledger.engine import Tx
from proxy.ledger.erasures import Erasure
from proxy.ledger.jobs import Job

GIVEN_UP = "needs_operator"
LEFT = "incomplete"  # the outcome of what is closed, as of its certificate


def is_given_up(erasure: Erasure) -> bool:
    """Whether an erasure broke so often that it does not go on by itself."""
    return erasure.state == "incomplete" and erasure.outcome == GIVEN_UP


async def close(means: Means, erasure: Erasure, job: Job, actor: Actor) -> None:
    """End an erasure that was given up, with what it did and what is left.

    No store is asked and nothing sealed is opened, for that may be what is broken. What it hid
    stays hidden and whom it blocked stays blocked, until an erasure of the same target is complete.
    No key but its own is destroyed.

    Args:
        job: its job, as it was read together with it.

    Raises:
        LostLease: somebody took the job up in the meantime.
    """
    signed, evidence = await _sign(means, erasure, job)
    counts, now = certificate.counts(evidence.tally), means.clock.now()

    async def unit(tx: Tx) -> None:
        named = {"erasure": erasure.id, "reference": erasure.reference}
        certified = {"certificate": dsse.digest(signed), "state": LEFT, "counts": counts}
        append, tenant_id = means.audit.append, erasure.tenant_id
        entry = await append(tx, tenant_id, "erasure.certified", named | certified)
        await append(tx, tenant_id, "erasure.closed", named | {"role": actor.role})
        await jobs.release(tx, job, state="done", run_after=now)
        await _let_go(tx, erasure)
        await erasures.unseal_items(tx, erasure.id)
        if erasure.dek_id:
            await means.keyring.discard(tx, [erasure.dek_id])
        await erasures.change(
            tx, erasure.id, state="cancelled", outcome=LEFT, certificate=signed,
            audit_entry=entry, sealed_request=None, confirm_digest=None,
            counts=certificate.in_all(erasure.counts, evidence.tally),
        )  # fmt: skip

    await means.ledger.write(unit)
    await means.ledger.checkpoint()


async def _let_go(tx: Tx, erasure: Erasure) -> None:
    """What only erased memories mentioned ends with the sweeper: no store is asked any more.

    What one showed again is none of them.
    """
    gone = await erasures.items(tx, erasure.id, states=("done", "gone"))
    stores = {item.upstream for item in gone}
    for name in sorted(stores):
        items = [item for item in gone if item.upstream == name]
        rows = await mentioned.rows_of(tx, erasure.tenant_id, name, items)
        await reach.clear_mentions(tx, rows)


async def _sign(means: Means, erasure: Erasure, job: Job) -> tuple[bytes, Evidence]:
    tally = await means.ledger.read(lambda tx: erasures.tally(tx, erasure.id))
    blocked = await means.ledger.read(
        lambda tx: blocklist.of_erasure(tx, erasure.tenant_id, erasure.id)
    )
    held = await means.ledger.read(lambda tx: erasures.items(tx, erasure.id, actions=("hold",)))
    done = await means.ledger.read(lambda tx: jobs.recorded(tx, job.id))
    ended, mentions = await means.ledger.read(lambda tx: mentioned.ended(tx, erasure))
    destroyed = await means.ledger.read(lambda tx: means.keyring.destroyed(tx, ended))
    evidence = Evidence(
        tally,
        digest_matches=await digest_matches(means.ledger, erasure),
        started="begin" in done,
        keys=[key.facts() for key in destroyed],
        keys_expected=len(destroyed) + 1 if destroyed else 0,
        keys_needed=1,  # no other was destroyed, and nobody looked how many there are
        mentions_ended=mentions,
    )
    facts = certificate.statement(
        replace(erasure, outcome=LEFT),
        evidence,
        layers.load(erasure.layers),
        state=LEFT,
        now=means.clock.now(),
        holds=Counter(erasures.hold_code(item.reason) for item in held),
        notices=0,
        let_go=let_go.Waiting().counts,
        blocklisted=bool(blocked),
    )
    return dsse.envelope(facts, means.signer), evidence
