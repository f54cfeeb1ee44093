"""Ledger rows of memories: made from a write's plan, renewed by an update."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from policies.retention import OWN
from proxy import ids
from proxy.gateway.services import GatewayServices
from proxy.ledger import holds, memories, provenance, writes
from proxy.ledger.engine import Tx
from proxy.ledger.memories import Memory
from proxy.ledger.owners import Owner
from proxy.ledger.writes import Write
from proxy.pseudonyms import Pseudonyms

EVENT = {"write": "written", "update": "updated", "batch_update": "updated"}


@dataclass(frozen=True, slots=True)
class Made:
    """One memory that a write brought forth: the store's id and its text."""

    memory_id: str
    text: str


async def record(
    tx: Tx, services: GatewayServices, names: Pseudonyms, write: Write, made: Sequence[Made]
) -> bool:
    """Insert or renew the memories and conclude the write; True, and nothing else, if fenced."""
    found = await writes.owners_unless_fenced(tx, write.id)
    if found is None:
        return True
    now = services.clock.now()
    refs = {memories.ref(names, write.upstream, each.memory_id): each for each in made}
    known = await memories.by_refs(tx, write.tenant_id, write.upstream, list(refs))
    for ref, memory in known.items():
        await _renew(tx, names, write, memory, refs[ref], now)
    new = {ref: each for ref, each in refs.items() if ref not in known}
    fresh = await _insert(tx, services, names, write, *found, new, now) if new else []
    edges = [ref for ref, _ in _edges(write.plan)]
    sources = await provenance.sources(tx, write.tenant_id, edges) if edges else []
    changed = [*fresh, *(memory.id for memory in (*known.values(), *sources))]
    await provenance.spread(tx, write.tenant_id, changed)
    await writes.conclude(tx, write.id, "settled", at=now, event_ref=write.event_ref)
    if made:
        await services.audit.append(
            tx, write.tenant_id, f"memory.{EVENT[write.plan['op']]}", _fields(write, len(made))
        )
    return False


def _fields(write: Write, count: int) -> dict[str, Any]:
    return {
        "write_id": write.id,
        "count": count,
        "tier": write.plan["tier"],
        "categories": list(write.plan["categories"]),
        "quarantined": write.plan["quarantined"],
        "policy_digest": write.policy_digest,
    }


def sealing_owner(rows: Sequence[Owner]) -> Owner:
    """The owner whose key seals what belongs to several."""
    order = {"user": 0, "agent": 1, "run": 2, "app": 3}
    return min(rows, key=lambda row: order.get(row.kind, 9))


def part_for(plan: Mapping[str, Any], content: bytes, ref: bytes = b"") -> Mapping[str, Any]:
    """The part of a plan about one memory or text; the whole where the store rephrased it."""
    memory, text = ref.hex(), content.hex()
    for part in plan["parts"]:
        if part["memory"] == memory if "memory" in part else part["content"] == text:
            found: Mapping[str, Any] = part
            return found
    return plan


async def _insert(
    tx: Tx,
    services: GatewayServices,
    names: Pseudonyms,
    write: Write,
    rows: Sequence[Owner],
    restricted: bool,
    made: Mapping[bytes, Made],
    now: datetime,
) -> list[str]:
    """Rows of what the ledger does not know yet, by pseudonym; their ids."""
    contents = [memories.content_ref(names, each.text) for each in made.values()]
    parts = [
        part_for(write.plan, content, ref) for ref, content in zip(made, contents, strict=True)
    ]
    drafts = [
        Draft(
            write.tenant_id, write.upstream, ref, each.memory_id, "write", content,
            write.policy_digest, write.id,
        )
        for (ref, each), content in zip(made.items(), contents, strict=True)
    ]  # fmt: skip
    pairs = list(zip(drafts, parts, strict=True))
    new = await _new_memories(tx, services, rows, restricted, pairs, now)
    named = [
        (memory, part["entities"], [provenance.id_ref(names, draft.memory_id), *_refs(write.plan)])
        for memory, (draft, part) in zip(new, pairs, strict=True)
    ]
    await memories.insert_all(tx, named, owner_ids=[row.id for row in rows])
    for memory in new:
        await provenance.insert(tx, write.tenant_id, memory.id, _edges(write.plan), now)
    return [memory.id for memory in new]


@dataclass(frozen=True, slots=True)
class Draft:
    """What is known of a memory before its row is made."""

    tenant_id: str
    upstream: str
    ref: bytes
    memory_id: str
    origin: str
    content: bytes
    policy_digest: str
    write_id: str | None = None


async def new_memory(
    tx: Tx,
    services: GatewayServices,
    rows: Sequence[Owner],
    draft: Draft,
    part: Mapping[str, Any],
    now: datetime,
) -> Memory:
    """A memory's row, its id sealed; under a restricted owner it is restricted (GDPR Art. 18)."""
    limits = await holds.in_force(
        tx, draft.tenant_id, owner_ids=[row.id for row in rows], kind=holds.RESTRICTION
    )
    return (await _new_memories(tx, services, rows, bool(limits), [(draft, part)], now))[0]


async def _new_memories(
    tx: Tx,
    services: GatewayServices,
    rows: Sequence[Owner],
    restricted: bool,
    drafts: Sequence[tuple[Draft, Mapping[str, Any]]],
    now: datetime,
) -> list[Memory]:
    tenant_id, dek_id = drafts[0][0].tenant_id, sealing_owner(rows).dek_id
    state = "restricted" if restricted else "live"
    row_ids = [ids.new("mem") for _ in drafts]
    said = [
        (draft.memory_id.encode(), memories.aad(tenant_id, row_id))
        for row_id, (draft, _) in zip(row_ids, drafts, strict=True)
    ]
    sealed = await services.keyring.seal_many(tx, dek_id, said)
    return [
        _row(row_id, dek_id, blob, state, draft, part, now)
        for row_id, blob, (draft, part) in zip(row_ids, sealed, drafts, strict=True)
    ]


def _row(
    row_id: str,
    dek_id: str,
    sealed: bytes,
    state: str,
    draft: Draft,
    part: Mapping[str, Any],
    now: datetime,
) -> Memory:
    return Memory(
        id=row_id,
        tenant_id=draft.tenant_id,
        upstream=draft.upstream,
        ref=draft.ref,
        sealed_id=sealed,
        dek_id=dek_id,
        origin=draft.origin,
        state="quarantined" if part["quarantined"] else state,
        tier=part["tier"],
        policy_digest=draft.policy_digest,
        created_at=now,
        write_id=draft.write_id,
        categories=tuple(part["categories"]),
        tags=tuple(part["tags"]),
        content_ref=draft.content,
        expires_at=moment(part["expires_at"]),
        prompt_at=moment(part["prompt_at"]),
    )


async def _renew(
    tx: Tx,
    names: Pseudonyms,
    write: Write,
    memory: Memory,
    made: Made,
    now: datetime,
) -> None:
    """An update: what it says now; what the memory inherited stays, and what its subject wanted."""
    if memory.state == "erased":
        return
    content = memories.content_ref(names, made.text) if made.text else memory.content_ref
    part = part_for(write.plan, content or b"", memory.ref)
    entities = list(part["entities"])
    inherits = await provenance.sources(
        tx,
        write.tenant_id,
        [edge.source_ref for edge in await provenance.edges_of(tx, [memory.id])],
    )
    categories, expiry = provenance.inherited(inherits)
    replaced = bool(made.text)
    wholly = replaced and _says_all(part, memory)
    ends = [at for at in (_end(part, memory), expiry) if at is not None]
    if wholly:
        await memories.unlink_entities(tx, memory.id)
    else:
        categories, ends = (
            categories | set(memory.categories),
            [at for at in (*ends, memory.expires_at) if at is not None],
        )
    end = min(ends, default=None)
    await memories.link_entities(tx, memory.id, entities)
    await memories.change(
        tx,
        memory.id,
        tier=part["tier"] if replaced else memory.tier,
        categories=sorted(categories | set(part["categories"])),
        tags=sorted(_tags(part, memory) | (set() if wholly else set(memory.tags))),
        expires_at=end,
        **(_asked(part, memory, end) if replaced else {}),
        state="quarantined" if part["quarantined"] else memory.state,
        content_ref=content,
        policy_digest=write.policy_digest,
        write_id=write.id,
        updated_at=now,
    )
    await memories.name(tx, memory, _refs(write.plan))
    await provenance.insert(tx, write.tenant_id, memory.id, _edges(write.plan), now)


def _end(part: Mapping[str, Any], memory: Memory) -> datetime | None:
    """Until when a memory is kept after an update; None: for ever.

    A pin and an extension are its subject's word on the memory, not on its wording: they stay,
    within the bounds of what it says now. (A write of an older release knows no bounds.)
    """
    decided = moment(part["expires_at"])
    bounds = part.get("bounds")
    if bounds is None or not (memory.pinned or memory.extended):
        return decided
    if memory.pinned:
        return moment(bounds["pinned"])
    bound = moment(bounds["extended"])
    given = memory.expires_at
    wanted = None if decided is None or given is None else max(decided, given)
    return min((at for at in (wanted, bound) if at is not None), default=None)


def _asked(part: Mapping[str, Any], memory: Memory, end: datetime | None) -> dict[str, Any]:
    """When the subject is asked about a new text; not before the end that they gave the memory."""
    if memory.pinned:
        return {"prompt_at": None}
    if not memory.extended:
        return {"prompt_at": moment(part["prompt_at"]), "asked_at": None}
    if end == memory.expires_at:
        return {}
    later = end is None or (memory.expires_at is not None and end > memory.expires_at)
    prompt = {"prompt_at": moment(part["prompt_at"])}
    return prompt | ({"asked_at": None} if later else {})


def _tags(part: Mapping[str, Any], memory: Memory) -> set[str]:
    """Tags of a plan; whether its subject's own maximum holds for a memory its pin has decided."""
    if not memory.pinned:
        return set(part["tags"])
    own = {tag for tag in memory.tags if tag.startswith(OWN)}
    return own | {tag for tag in part["tags"] if not tag.startswith(OWN)}


def _says_all(part: Mapping[str, Any], memory: Memory) -> bool:
    """Whether a plan knows all that a memory with a new text says, its metadata too.

    An update read that before it was sent; another one may have changed it meanwhile. Of what a
    store rewrites by itself nobody read it.
    """
    return "after" in part and part["after"] == memory.write_id


def _refs(plan: Mapping[str, Any]) -> list[bytes]:
    return [bytes.fromhex(ref) for ref in plan["refs"]]


def _edges(plan: Mapping[str, Any]) -> list[tuple[bytes, str]]:
    return [(bytes.fromhex(ref), how) for ref, how in plan["edges"]]


def moment(text: str | None) -> datetime | None:
    """An instant of a plan."""
    return None if text is None else datetime.fromisoformat(text)
