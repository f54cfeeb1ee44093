"""From a request to something that can be looked for: owners, entities, and how they are named."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from detectors.words.folding import is_unspaced
from proxy.erasure.search.means import Means
from proxy.erasure.search.naming import needles_of
from proxy.erasure.search.places import Holder, holder, holders, spellings
from proxy.erasure.search.target import Asked, Target
from proxy.erasure.search.whom import MAX_RESOLVED, meant, rivals_of
from proxy.erasure.texts.attributes import Attribute, merged
from proxy.erasure.texts.called import Others
from proxy.erasure.texts.keeping import Keep
from proxy.erasure.texts.mentions import Needles
from proxy.erasure.view import CandidateView
from proxy.ledger import blocklist, erasures, tenants
from proxy.ledger.engine import Tx
from proxy.ledger.erasures import Erasure
from proxy.pseudonyms import Pseudonyms
from proxy.tokens.index.spelling import Keyed, Name, recorded_keys

ENDED = ("complete", "incomplete", "held", "cancelled")  # cancelled: closed with something left
BELOW = "owner_ids_at_or_below_a_path"
EXACT = frozenset({"client", "sweeper"})  # origins that mean the very memory, and no other words


@dataclass(frozen=True, slots=True)
class Aim:
    """A resolved target.

    Args:
        wholes: owners all of whose memories go.
        spared: owners whose id holds the name and who are not meant, as was said when asked.
        within: owners that may be read; None means all of the tenant.
        entity_ids: entities of the tenant's index that are meant.
        needles: how mentions are recognised; None if the target is not found by mentions.
        rivals: others of the name, or of a longer one with it, who are not meant.
        keep: what must stay.
        candidates: what an ambiguous name may mean; nothing may be done while there are any.
        unmet: the owners said to be meant are not all among those whose id holds the name.
        alone: no other tenant shares the installation; not asked where memories are named by id.
        before: erasures of the same, or of the same name, and whether something was to be kept.
        person: somebody asks, or an agent for them; no store's client, no sweeper.
        client: a store's own client asks: what is restricted (GDPR Art. 18) stays.
        away: stores that do not answer now, so they are not read.
    """

    tenant_id: str
    names: Pseudonyms
    asked: Asked
    wholes: tuple[Holder, ...] = ()
    spared: tuple[Holder, ...] = ()
    within: tuple[Holder, ...] | None = None
    entity_ids: tuple[str, ...] = ()
    needles: Needles | None = None
    rivals: Others | None = None
    attribute: Attribute | None = None
    keep: Keep | None = None
    candidates: tuple[CandidateView, ...] = ()
    unmet: bool = False
    alone: bool = False
    client: bool = False
    person: bool = False
    before: Mapping[str, bool] = field(default_factory=dict)
    away: frozenset[str] = frozenset()

    @property
    def target(self) -> Target:
        """The request's target."""
        return self.asked.target

    def is_rest(self, stamp: object) -> bool:
        """Whether a memory's stamp says that such an erasure wrote it."""
        return isinstance(stamp, str) and self.before.get(stamp.partition(".")[0], False)

    @property
    def ended(self) -> tuple[Holder, ...]:
        """Owners who end with their memories: none while something of theirs is to be kept."""
        return () if self.keep is not None else self.wholes

    @property
    def crawls(self) -> bool:
        """Whether the store is read through, not only asked for ids."""
        return self.target.kind != "memory"


async def resolve(means: Means, tenant_id: str, asked: Asked, *, origin: str = "control") -> Aim:
    """Find out what is meant; reads the ledger only.

    Args:
        origin: a store's own client means the id exactly as it wrote it; a person who asks for
            an owner's erasure means the owner, however the id is written.
    """
    names = await means.keyring.tenant(tenant_id)
    target = asked.target
    exact = origin in EXACT
    wholes = await _wholes(means, tenant_id, names, target, exact=exact)
    within = await _within(means, tenant_id, names, target, wholes)
    entity_ids, candidates = await meant(means, tenant_id, names, target)
    needles = await needles_of(means, tenant_id, target, entity_ids)
    rivals = await rivals_of(means, tenant_id, names, target)
    alone = target.kind != "memory" and await means.ledger.read(tenants.is_alone)
    return Aim(
        tenant_id,
        names,
        asked,
        wholes=wholes,
        within=within,
        entity_ids=entity_ids,
        needles=needles,
        rivals=rivals,
        attribute=attribute_of(target),
        keep=Keep.of(asked.keep, means.policies(tenant_id)),
        candidates=candidates,
        alone=alone,
        client=origin == "client",
        person=not exact,
        before=await before(means, tenant_id, names, target, needles),
    )


def target_ref(names: Pseudonyms, target: Target) -> bytes:
    """The pseudonym of a target: the same for equal targets, whatever was to be kept."""
    return names.of("erasure-target", json.dumps(target.meant(), sort_keys=True))


def scope_path(names: Pseudonyms, target: Target) -> dict[str, Any] | None:
    """Which part of a tenant a target is, without saying how it is called; None: no part."""
    if target.kind != "tenant" or not target.values:
        return None
    paths = [names.of("scope-path", each.rstrip("/")).hex() for each in target.values]
    return {"kind": BELOW, "paths": paths, "owners": None}


def part_of(details: Mapping[str, Any]) -> dict[str, Any]:
    """Of a request's details what says that it is of a part of a tenant only, for the log."""
    return {"scope_path": details["scope_path"]} if details.get("scope_path") else {}


def blocked_keys(names: Pseudonyms, needles: Needles | None) -> Keyed:
    """What whole names of several words are blocked under, once somebody of the name is erased."""
    if needles is None:
        return []
    whole = [each for each in needles.whole if " " in each or is_unspaced(each)]
    borne = [Name(each, needles.blocked_as(each)) for each in whole]
    return [key for name in borne[:MAX_RESOLVED] for key in recorded_keys(names, name)]


async def before(
    means: Means, tenant_id: str, names: Pseudonyms, target: Target, needles: Needles | None
) -> Mapping[str, bool]:
    """Erasures of the same target, or of whom has one of the same whole names.

    The names are known by the blocklist alone. None where memories go whatever they say.

    Returns:
        By their ids, whether something was to be kept.
    """
    if target.kind in {"owner", "tenant", "memory"}:
        return {}
    ref, keys = target_ref(names, target), blocked_keys(names, needles)

    async def load(tx: Tx) -> list[Erasure]:
        same = await erasures.of_target(tx, tenant_id, ref, ENDED)
        blocked = await blocklist.matching(tx, tenant_id, keys) if keys else []
        found = {each.erasure_id for each in blocked if each.erasure_id} - {
            each.id for each in same
        }
        others = [await erasures.by_id(tx, each) for each in sorted(found)]
        return [*same, *(each for each in others if each and each.state in ENDED)]

    return {each.id: "keep" in each.details for each in await means.ledger.read(load)}


async def _wholes(
    means: Means, tenant_id: str, names: Pseudonyms, target: Target, *, exact: bool
) -> tuple[Holder, ...]:
    match target.kind:
        case "owner":
            ids: Collection[str] = target.values
        case "subject":
            ids = [target.owner] if target.owner else []
        case "tenant":
            return await _tenant_holders(means, tenant_id, target)
        case _:
            return ()
    asked = [await holder(means, tenant_id, names, target.owner_kind, each) for each in ids]
    return tuple(asked if exact else await spellings(means, tenant_id, asked))


def forgets_everywhere(target: Target) -> bool:
    """Whether nothing of somebody is to stay with anybody, what was kept for them included."""
    named = target.kind == "subject" or (target.kind == "entity" and target.owner is None)
    return named and target.scope == "any_mention" and not target.bearers


async def _tenant_holders(means: Means, tenant_id: str, target: Target) -> tuple[Holder, ...]:
    """All owners, or those of a scope path: the id itself and everything below it."""
    known = await holders(means, tenant_id)
    if not target.values:
        return tuple(known)
    return tuple(each for each in known if _below(each.client_id, target.values))


def _below(owner_id: str, paths: Collection[str]) -> bool:
    return any(owner_id == path or owner_id.startswith(path.rstrip("/") + "/") for path in paths)


async def _within(
    means: Means, tenant_id: str, names: Pseudonyms, target: Target, wholes: tuple[Holder, ...]
) -> tuple[Holder, ...] | None:
    if target.kind in {"owner", "tenant"}:
        return wholes if target.kind == "owner" or target.values else None
    if target.owner is None or target.kind == "subject":
        return None
    return (await holder(means, tenant_id, names, target.owner_kind, target.owner),)


def attribute_of(target: Target) -> Attribute | None:
    """The attribute that a target names, all of them as one if it names several."""
    return merged(target.attributes) if target.kind == "attribute" else None
