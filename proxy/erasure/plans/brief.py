"""What a worker needs to carry out an erasure, sealed with it: the request, what it resolved to."""

import base64
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from proxy.erasure.plans.compose import Draft
from proxy.erasure.search.find import searchable
from proxy.erasure.search.means import Means
from proxy.erasure.search.places import Holder, holder
from proxy.erasure.search.resolve import Aim, attribute_of, before
from proxy.erasure.search.target import Asked
from proxy.erasure.texts.called import Others
from proxy.erasure.texts.keeping import Keep
from proxy.erasure.texts.mentions import Needles
from proxy.erasure.texts.surfaces import is_person
from proxy.keys import aead
from proxy.ledger import erasures, tenants
from proxy.ledger.engine import Tx
from proxy.ledger.erasures import Erasure, PlanItem
from proxy.pseudonyms import Pseudonyms
from proxy.upstreams.store import Item

Named = tuple[str, ...]  # an owner: kind, id, and the store that alone knows it by this very id


@dataclass(frozen=True, slots=True)
class Brief:
    """The sealed part of an erasure; ``key`` seals its items and dies with the erasure's DEK."""

    asked: Asked
    key: bytes = field(repr=False)
    surfaces: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()
    rivals: tuple[str, ...] = ()
    meant: tuple[str, ...] | None = None  # what is said of those meant of the same name
    entity_type: str | None = None
    entity_ids: tuple[str, ...] = ()
    wholes: tuple[Named, ...] = ()
    spared: tuple[Named, ...] = ()
    within: tuple[Named, ...] | None = None

    @classmethod
    def of(cls, aim: Aim, key: bytes) -> "Brief":
        """What has to be remembered of a resolved target."""
        needles = aim.needles
        return cls(
            aim.asked,
            key,
            surfaces=needles.surfaces if needles else (),
            tokens=tuple(sorted(needles.tokens)) if needles else (),
            rivals=aim.rivals.names.surfaces if aim.rivals and aim.rivals.names else (),
            meant=tuple(sorted(aim.rivals.meant)) if aim.rivals and aim.rivals.meant else None,
            entity_type=needles.entity_type if needles else None,
            entity_ids=aim.entity_ids,
            wholes=_named(aim.wholes),
            spared=_named(aim.spared),
            within=None if aim.within is None else _named(aim.within),
        )

    def dump(self) -> bytes:
        """Plaintext for sealing."""
        body = {
            "asked": json.loads(self.asked.seal_bytes()),
            "key": base64.b64encode(self.key).decode(),
            "surfaces": self.surfaces,
            "tokens": self.tokens,
            "rivals": self.rivals,
            "meant": self.meant,
            "entity_type": self.entity_type,
            "entity_ids": self.entity_ids,
            "wholes": self.wholes,
            "spared": self.spared,
            "within": self.within,
        }
        return json.dumps(body, ensure_ascii=False).encode()

    @classmethod
    def load(cls, plaintext: bytes) -> "Brief":
        """Read ``dump`` back."""
        body = json.loads(plaintext)
        within, meant = body["within"], body.get("meant")
        return cls(
            Asked.unseal(json.dumps(body["asked"]).encode()),
            base64.b64decode(body["key"]),
            surfaces=tuple(body["surfaces"]),
            tokens=tuple(body["tokens"]),
            rivals=tuple(body["rivals"]),
            meant=None if meant is None else tuple(meant),
            entity_type=body["entity_type"],
            entity_ids=tuple(body["entity_ids"]),
            wholes=tuple(map(tuple, body["wholes"])),
            spared=tuple(map(tuple, body.get("spared", ()))),
            within=None if within is None else tuple(map(tuple, within)),
        )


@dataclass(frozen=True, slots=True)
class Payload:
    """What is sealed with one item of a plan."""

    memory_id: str
    owners: Mapping[str, str] = field(default_factory=dict)
    stored: str | None = None  # the text as the store has it
    text: str | None = None  # the same with tokens restored
    draft: str | None = None  # what replaces it
    metadata: Mapping[str, Any] = field(default_factory=dict)
    sources: tuple[str, ...] = ()  # row ids of the sources that survive
    called: tuple[str, ...] = ()  # short names that mean whom is forgotten under its owner
    said: str | None = None  # digest of all that it said when it was decided on

    def seal(self, key: bytes, erasure_id: str, seq: int) -> bytes:
        """Encrypt for one place."""
        body = {name: getattr(self, name) for name in Payload.__slots__}
        body |= {"owners": dict(self.owners), "metadata": dict(self.metadata)}
        plaintext = json.dumps(body, ensure_ascii=False, default=str).encode()
        return aead.seal(key, plaintext, aead.bind("item", erasure_id, str(seq)))

    @classmethod
    def unseal(cls, key: bytes, item: PlanItem) -> "Payload":
        """Decrypt an item's payload; raises ``SealBroken``."""
        where = aead.bind("item", item.erasure_id, str(item.seq))
        body = orjson.loads(aead.unseal(key, item.sealed or b"", where))
        listed = {name: tuple(body.get(name, ())) for name in ("sources", "called")}
        return cls(**{**body, **listed})


def payload_of(draft: Draft) -> Payload:
    """What an item's execution and verification need."""
    found = draft.found
    rows = tuple(s.removeprefix("row:") for s in draft.decided.sources if s.startswith("row:"))
    if found.item is None:
        return Payload(found.memory_id, sources=rows)
    return Payload(
        found.memory_id,
        dict(found.item.owners),
        stored=found.item.text,
        text=found.text,
        draft=draft.text,
        metadata=dict(draft.metadata),
        sources=rows,
        called=found.called,
        said=digest_of(found.item),
    )


def digest_of(item: Item) -> str:
    """A digest of all that a memory says; it never leaves what is sealed with it."""
    return hashlib.sha256(searchable(item).encode()).hexdigest()


async def seal(
    means: Means, tx: Tx, erasure_id: str, tenant_id: str, brief: Brief
) -> tuple[str, bytes]:
    """Seal a brief under the erasure's own data key; gives (dek id, blob)."""
    names = await means.keyring.tenant(tenant_id)
    ref = names.of("erasure", erasure_id)
    dek_id = await means.keyring.ensure_dek(tx, tenant_id, "erasure", ref)
    where = erasures.aad(tenant_id, erasure_id)
    return dek_id, await means.keyring.seal(tx, dek_id, brief.dump(), where)


async def seal_first(
    means: Means, tx: Tx, erasure_id: str, tenant_id: str, brief: Brief
) -> tuple[str, bytes]:
    """The same for an erasure that has no key yet: one is made with it."""
    names = await means.keyring.tenant(tenant_id)
    ref = names.of("erasure", erasure_id)
    value = brief.dump(), erasures.aad(tenant_id, erasure_id)
    return await means.keyring.seal_first(tx, tenant_id, "erasure", ref, value)


async def unseal(means: Means, erasure: Erasure) -> Brief:
    """Open an erasure's brief; raises ``KeyDestroyed`` once it is closed."""
    dek_id, blob = erasure.dek_id or "", erasure.sealed_request or b""
    where = erasures.aad(erasure.tenant_id, erasure.id)
    return Brief.load(
        await means.ledger.read(lambda tx: means.keyring.unseal(tx, dek_id, blob, where))
    )


async def aim_of(means: Means, tenant_id: str, brief: Brief) -> Aim:
    """The resolved target again, exactly as it was planned."""
    names = await means.keyring.tenant(tenant_id)

    async def load(listed: tuple[Named, ...]) -> tuple[Holder, ...]:
        return tuple([await _holder(means, tenant_id, names, *each) for each in listed])

    needles = None
    if brief.surfaces or brief.tokens:
        words = {*brief.asked.target.words}.intersection(brief.surfaces)
        needles = Needles.build(
            brief.surfaces, tokens=brief.tokens, entity_type=brief.entity_type,
            relations=words if is_person(brief.entity_type) else (),
        )  # fmt: skip
    return Aim(
        tenant_id,
        names,
        brief.asked,
        wholes=await load(brief.wholes),
        spared=await load(brief.spared),
        within=None if brief.within is None else await load(brief.within),
        entity_ids=brief.entity_ids,
        needles=needles,
        rivals=_others(brief),
        attribute=attribute_of(brief.asked.target),
        keep=Keep.of(brief.asked.keep, means.policies(tenant_id)),
        alone=await means.ledger.read(tenants.is_alone),
        before=await before(means, tenant_id, names, brief.asked.target, needles),
    )


def _others(brief: Brief) -> Others | None:
    names = Needles.build(brief.rivals, entity_type="PERSON") if brief.rivals else None
    meant = None if brief.meant is None else frozenset(brief.meant)
    return Others(names, meant) if names or meant else None


def _named(given: tuple[Holder, ...]) -> tuple[Named, ...]:
    return tuple(
        (each.kind, each.client_id, *((each.upstream,) if each.upstream else ())) for each in given
    )


async def _holder(
    means: Means, tenant_id: str, names: Pseudonyms, kind: str, name: str,
    upstream: str | None = None,
) -> Holder:  # fmt: skip
    if upstream is not None:
        return Holder(kind, name, None, upstream)
    return await holder(means, tenant_id, names, kind, name)
