"""Taking over a store that was filled before Expunge: every memory gets its row in the ledger."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

from detectors.detection import Analysis
from policies import Context, Decision, decide
from proxy import ids
from proxy.erasure.search.found import Found
from proxy.erasure.search.means import Means
from proxy.erasure.search.walk import Batch, Progress, each_store, silent, walk
from proxy.ledger import held, memories, owners, provenance, reach
from proxy.ledger.engine import Tx
from proxy.ledger.memories import Memory
from proxy.ledger.owners import Owner
from proxy.pseudonyms import Pseudonyms
from proxy.tokens.owners import ensure
from proxy.tokens.turns import portions
from proxy.tokens.vault import Mention
from proxy.upstreams.store import Store

AT_ONCE = 100_000  # characters that are scanned in one deadline


@dataclass(frozen=True, slots=True)
class Adopted:
    """How far the index of a store has come; running it again goes on where it stands."""

    seen: int = 0
    adopted: int = 0
    known: int = 0
    foreign: int = 0  # kept under owner ids that no client of this tenant can have
    unreachable: tuple[str, ...] = ()  # stores that could not be read to their end

    def body(self) -> dict[str, Any]:
        """JSON form."""
        counts = {name: getattr(self, name) for name in ("seen", "adopted", "known", "foreign")}
        return {**counts, "unreachable": list(self.unreachable)}


async def adopt(
    means: Means,
    tenant_id: str,
    *,
    upstream: str | None = None,
    progress: Progress = silent,
) -> Adopted:
    """Index what the stores hold and the ledger does not know; texts stay as they are.

    Each batch is committed by itself, so what was interrupted goes on where it stood.

    Raises:
        Problem: ``upstream-unreachable`` if no store can be read to its end; what was indexed so
            far stays indexed.
    """
    result = Adopted()

    async def read(store: Store) -> None:
        nonlocal result
        async for batch in walk(means, tenant_id, upstream=store.name, progress=progress):
            result = await _batch(means, tenant_id, batch, result)

    unreachable = await each_store(means, upstream, read)
    return replace(result, unreachable=tuple(unreachable))


async def _batch(means: Means, tenant_id: str, batch: Batch, result: Adopted) -> Adopted:
    shown = batch.counted
    new = [one for one in shown if one.strange]
    counted = replace(
        result, seen=result.seen + len(shown), known=result.known + len(shown) - len(new)
    )
    if not new:
        return counted
    owner = await _owner(means, tenant_id, batch)
    if owner is None:
        return replace(counted, foreign=counted.foreign + len(new))
    analyses: list[Analysis] = []
    for portion in portions([one.text for one in new], AT_ONCE):
        analyses += await means.detectors.analyse(portion, scope=tenant_id)
    await means.ledger.write(partial(_record, means, tenant_id, owner, new, analyses))
    return replace(counted, adopted=counted.adopted + len(new))


async def _owner(means: Means, tenant_id: str, batch: Batch) -> Owner | None:
    """The owner's row; an opaque id of unknown origin cannot be given one."""
    if batch.place.row is not None or batch.store.owner_form != "keep":
        return batch.place.row
    names = await means.keyring.tenant(tenant_id)
    return await means.ledger.write(partial(_make_owner, means, tenant_id, names, batch))


async def _make_owner(
    means: Means, tenant_id: str, names: Pseudonyms, batch: Batch, tx: Tx
) -> Owner:
    kind, client_id = batch.place.kind, batch.place.upstream_id
    known = await owners.find(tx, tenant_id, kind, owners.ref(names, kind, client_id))
    if known is not None:  # an erased one too: adopting brings nobody back
        return known
    pair = kind, client_id
    return await ensure(tx, means.keyring, means.clock, names, tenant_id, pair, client_id)


async def _record(
    means: Means,
    tenant_id: str,
    owner: Owner,
    new: Sequence[Found],
    analyses: Sequence[Analysis],
    tx: Tx,
) -> None:
    names = await means.keyring.tenant(tenant_id, tx)
    refs = [one.ref for one in new]
    known = await reach.recorded(tx, tenant_id, new[0].upstream, refs)
    for one, analysis in zip(new, analyses, strict=True):
        if one.ref not in known:
            await asyncio.sleep(0)  # others get their turn
            await _row(tx, means, names, owner, one, analysis)
    fields = {"upstream": new[0].upstream, "count": len(new) - len(known)}
    await means.audit.append(tx, tenant_id, "memories.adopted", fields)


def foresee(
    means: Means, tenant_id: str, owner_kind: str, one: Found, analysis: Analysis
) -> tuple[Decision, datetime]:
    """What the policy makes of a memory from before Expunge, and since when it counts as kept."""
    at = _created(one) or means.clock.now()
    context = Context(
        operation="read", at=at, text_length=len(one.text), language=analysis.language,
        owners=frozenset({f"{owner_kind}:"}),
    )  # fmt: skip
    policy = means.policies(tenant_id)
    return decide(policy, analysis.detections, analysis.categories, context), at


async def _row(
    tx: Tx, means: Means, names: Pseudonyms, owner: Owner, one: Found, analysis: Analysis
) -> None:
    tenant_id = owner.tenant_id
    made, at = foresee(means, tenant_id, owner.kind, one, analysis)
    mentions = [Mention(d.entity_type, d.text, (owner.id,)) for d in analysis.detections]
    entity_ids = await means.vault.index(tx, tenant_id, mentions)
    row_id = ids.new("mem")
    memory = _memory(row_id, owner, one, made, means.policies(tenant_id).digest, at)
    sealed = await means.keyring.seal(
        tx, owner.dek_id, one.memory_id.encode(), memories.aad(tenant_id, row_id)
    )
    content = memories.content_ref(names, one.item.text) if one.item else None
    await memories.insert(
        tx,
        replace(memory, sealed_id=sealed, content_ref=content),
        owner_ids=[owner.id],
        entity_ids=dict.fromkeys(entity_ids),
        refs=[provenance.id_ref(names, one.memory_id)],
    )


def _memory(
    row_id: str, owner: Owner, one: Found, made: Decision, digest: str, at: datetime
) -> Memory:
    return Memory(
        row_id,
        owner.tenant_id,
        one.upstream,
        one.ref,
        b"",
        owner.dek_id,
        "adopted",
        "live" if made.outcome != "quarantine" else held.STATE,
        made.tier,
        digest,
        at,
        categories=made.categories,
        tags=(*made.tags, *sorted(held.marks(made.held_by))),
        expires_at=made.expires_at,
        prompt_at=made.prompt_at,
    )


def _created(one: Found) -> datetime | None:
    stated: Any = one.item.created_at if one.item else None
    try:
        moment = datetime.fromisoformat(stated or "")
    except ValueError:
        return None
    return moment if moment.tzinfo else None
