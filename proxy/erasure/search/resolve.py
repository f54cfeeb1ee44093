"""From a request to something that can be looked for: owners, entities, and how they are named."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from detectors.folding import fold
from detectors.identity import (
    HONORIFICS,
    PERSON_TYPES,
    halves_of,
    has_country,
    person_tokens,
    significant,
)
from detectors.namelists import is_name, is_ordinary
from proxy.erasure.search.means import Means
from proxy.erasure.search.places import Holder, holder, holders, spellings
from proxy.erasure.search.target import ALL, Asked, Target
from proxy.erasure.texts.attribute_words import ATTRIBUTE
from proxy.erasure.texts.attributes import Attribute, merged
from proxy.erasure.texts.called import Others
from proxy.erasure.texts.keeping import Keep
from proxy.erasure.texts.mentions import Needles, shape
from proxy.erasure.texts.words import is_full_name
from proxy.erasure.view import CandidateView
from proxy.ledger import blocklist, entities, erasures, tenants
from proxy.ledger.engine import Tx
from proxy.ledger.erasures import Erasure
from proxy.problems import Problem
from proxy.pseudonyms import Pseudonyms
from proxy.tokens.inflection import in_every_case, in_other_cases
from proxy.tokens.resolution import EntityCandidate, Resolution
from proxy.tokens.spelling import Name, block_keys

SHORTEST_SHORT_FORM = 3
MAX_SHORT_FORMS = 40
LEAST_RIVAL = 2
PERSON = "PERSON"
MAX_RESOLVED = 200
ENDED = ("complete", "incomplete", "held")


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
        partly: erasures of the same, or of the same name, that something was to be kept of.
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
    partly: frozenset[str] = frozenset()
    away: frozenset[str] = frozenset()

    @property
    def target(self) -> Target:
        """The request's target."""
        return self.asked.target

    def is_rest(self, stamp: object) -> bool:
        """Whether a memory's stamp says that such an erasure wrote it."""
        return isinstance(stamp, str) and stamp.partition(".")[0] in self.partly

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
    exact = origin in {"client", "sweeper"}
    wholes = await _wholes(means, tenant_id, names, target, exact=exact)
    within = await _within(means, tenant_id, names, target, wholes)
    entity_ids, candidates = await _entities(means, tenant_id, names, target)
    needles = await _needles(means, tenant_id, target, entity_ids)
    rivals = await _rivals(means, tenant_id, names, target)
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
        partly=await partly(means, tenant_id, names, target, needles),
    )


def target_ref(names: Pseudonyms, target: Target) -> bytes:
    """The pseudonym of a target: the same for equal targets, whatever was to be kept."""
    return names.of("erasure-target", json.dumps(target.meant(), sort_keys=True))


async def partly(
    means: Means, tenant_id: str, names: Pseudonyms, target: Target, needles: Needles | None
) -> frozenset[str]:
    """Erasures of the same target, or of whom has one of the same whole names, that kept something.

    The names are known by the blocklist alone.
    """
    if not target.named:
        return frozenset()
    ref = target_ref(names, target)
    whole = [each for each in needles.whole if len(each.split()) > 1] if needles else []
    borne = [Name(each, needles.blocked_as(each)) for each in whole] if needles else []
    keys = [key for name in borne[:MAX_RESOLVED] for key in block_keys(names, name)]

    async def load(tx: Tx) -> list[Erasure]:
        same = await erasures.of_target(tx, tenant_id, ref, ENDED)
        blocked = await blocklist.matching(tx, tenant_id, keys) if keys else []
        found = {each.erasure_id for each in blocked if each.erasure_id} - {
            each.id for each in same
        }
        others = [await erasures.by_id(tx, each) for each in sorted(found)]
        return [*same, *(each for each in others if each and each.state in ENDED)]

    ended = await means.ledger.read(load)
    return frozenset(each.id for each in ended if "keep" in each.details)


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


async def _entities(
    means: Means, tenant_id: str, names: Pseudonyms, target: Target
) -> tuple[tuple[str, ...], tuple[CandidateView, ...]]:
    if not target.named or target.kind == "attribute":
        return (), ()
    if target.entity_ids:
        return target.indexed, ()
    certain: list[str] = []
    possible: list[CandidateView] = []
    for name, found in await _resolutions(means, tenant_id, names, target):
        certain += await _meant_everywhere(means, tenant_id, target, name, found)
        others = [each for each in found.possible if not _is_part_of(each, name)]
        rest = _longer(others, name) if found.certain else others
        possible += [_candidate(each) for each in rest]
    possible = [each for each in possible if each.id not in certain]
    if possible and certain:
        possible += await described(means, tenant_id, certain)
    return tuple(dict.fromkeys(certain)), tuple(dict.fromkeys(possible))


async def _meant_everywhere(
    means: Means, tenant_id: str, target: Target, name: str, found: Resolution
) -> Sequence[str]:
    """The certain ones; of a subject's own owner only whom all who use a shorter name mean by it.

    The owner's own memories go anyway; under others "Kira" may be anybody, whoever she is here.
    """
    if target.kind != "subject" or not found.shared:
        return found.certain
    kind = target.entity_type or shape(name)
    agreed = (await means.vault.resolve(tenant_id, name, entity_type=kind)).certain
    return [
        each
        for each in found.certain
        if each not in found.shared
        or each in agreed
        or not await _is_shorter(means, tenant_id, each, name)
    ]


async def _is_shorter(means: Means, tenant_id: str, entity_id: str, name: str) -> bool:
    """Whether an entity is known only by names of fewer words than the one given."""
    forms = await means.vault.surface_forms(tenant_id, [entity_id])
    return all(len(person_tokens(form)) < len(person_tokens(name)) for form in forms)


async def _resolutions(
    means: Means, tenant_id: str, names: Pseudonyms, target: Target
) -> list[tuple[str, Resolution]]:
    owner_id = await _owner_row(means, tenant_id, names, target)
    return [
        (
            name,
            await means.vault.resolve(
                tenant_id, name, entity_type=target.entity_type or shape(name), owner_id=owner_id
            ),
        )
        for name in await _worth_resolving(means, tenant_id, target.values)
    ]


async def _worth_resolving(means: Means, tenant_id: str, values: Sequence[str]) -> Sequence[str]:
    """Of a long list of aliases only those that the index knows as they stand."""
    if len(values) <= MAX_RESOLVED:
        return values
    known = await means.vault.known_mentions(tenant_id, values)
    return [name for name, found in zip(values, known, strict=True) if found][:MAX_RESOLVED]


def _is_part_of(candidate: EntityCandidate, name: str) -> bool:
    """Whether it is known by fewer words than were given: then the whole name decides."""
    words = set(person_tokens(candidate.name))
    return any(words < every for every in in_every_case(name))


def _longer(candidates: Sequence[EntityCandidate], name: str) -> list[EntityCandidate]:
    """Those of a longer name with the given one in it.

    One seen once may be a slip of detection, unless it is a whole name: ``Theresa May``.
    """
    given = in_every_case(name)
    longer = [e for e in candidates if any({*person_tokens(e.name)} > each for each in given)]
    rivals = _distinct([each.name for each in longer])
    return [
        each
        for each in longer
        if rivals > 1 or each.memories >= LEAST_RIVAL or is_full_name(each.name)
    ]


def _distinct(names: Sequence[str]) -> int:
    """How many people the names may be of: one of them in two cases is one."""
    told = {*map(frozenset, map(person_tokens, names))}
    return len(told - {case for name in names for case in in_every_case(name)[1:]})


async def described(means: Means, tenant_id: str, entity_ids: Sequence[str]) -> list[CandidateView]:
    """The certain ones as candidates too, where there is a choice."""

    async def load(tx: Tx) -> list[CandidateView]:
        counts = await entities.memory_counts(tx, entity_ids)
        rows = await entities.by_id(tx, tenant_id, entity_ids)
        return [
            CandidateView(each.id, each.entity_type, counts.get(each.id, 0), "")
            for each in rows.values()
        ]

    found = await means.ledger.read(load)
    hints = {each.id: await means.vault.surface_forms(tenant_id, [each.id]) for each in found}
    return [replace(each, hint=next(iter(hints[each.id]), "")) for each in found]


async def chosen(means: Means, tenant_id: str, target: Target) -> Target:
    """The target with the candidates that were chosen beforehand, ``all`` read as every one.

    Raises:
        Problem: ``invalid-request`` for an id that nobody has.
    """
    target = target.choose(target.entity_ids)
    if target.entity_ids == ALL:
        names = await means.keyring.tenant(tenant_id)
        found = [one for _, one in await _resolutions(means, tenant_id, names, target)]
        certain = [each for one in found for each in one.certain]
        every = dict.fromkeys([*certain, *(e.entity_id for one in found for e in one.possible)])
        return target.choose(tuple(every) or ALL)
    wanted = target.indexed
    known = await means.ledger.read(lambda tx: entities.by_id(tx, tenant_id, wanted))
    if not {*wanted} <= {*known}:
        raise Problem(
            "invalid-request", "There is no such candidate.",
            hint="Leave the candidates out: those that may be meant are then asked about.",
        )  # fmt: skip
    return target


async def known_as(
    means: Means, tenant_id: str, names: Pseudonyms, target: Target
) -> tuple[str, ...]:
    """Entities of the index that certainly bear a target's names."""
    found = await _resolutions(means, tenant_id, names, target)
    return tuple(dict.fromkeys(each for _, one in found for each in one.certain))


async def _rivals(means: Means, tenant_id: str, names: Pseudonyms, target: Target) -> Others | None:
    """Names of those whom the requester did not choose."""
    if not target.entity_ids or not target.named:
        return None
    others: set[str] = set()
    for _, found in await _resolutions(means, tenant_id, names, target):
        same = () if target.bearers else found.certain
        others |= {*same, *(each.entity_id for each in found.possible)}
    forms = await means.vault.surface_forms(tenant_id, sorted(others - {*target.entity_ids}))
    return Others(Needles.build(forms, entity_type="PERSON")) if forms else None


async def _owner_row(means: Means, tenant_id: str, names: Pseudonyms, target: Target) -> str | None:
    if target.owner is None:
        return None
    found = await holder(means, tenant_id, names, target.owner_kind, target.owner)
    return found.row.id if found.row else None


def _candidate(found: EntityCandidate) -> CandidateView:
    return CandidateView(found.entity_id, found.entity_type, found.memories, found.name)


async def _needles(
    means: Means, tenant_id: str, target: Target, entity_ids: Sequence[str]
) -> Needles | None:
    if not target.named:
        return None
    if target.kind == "attribute":
        return Needles.build(merged(target.attributes).words, entity_type=ATTRIBUTE)
    forms = await means.vault.surface_forms(tenant_id, entity_ids) if entity_ids else []
    tokens = await means.ledger.read(lambda tx: means.vault.tokens_of(tx, tenant_id, entity_ids))
    given = [*target.values, *forms]
    kind = target.entity_type or await _type(means, tenant_id, target, entity_ids)
    if kind in PERSON_TYPES:
        given += await _short_forms(means, tenant_id, given, entity_ids)
    if kind == "PHONE_NUMBER":
        given = [each for each in given if has_country(each)] or given
    return Needles.build(given, tokens=tokens, entity_type=kind)


async def _type(
    means: Means, tenant_id: str, target: Target, entity_ids: Sequence[str]
) -> str | None:
    """What the index takes the names for, if it knows them.

    The same words may be known as several things, one of them by a slip of detection; if one of
    them is a person, they are a person's.
    """
    rows = await means.ledger.read(lambda tx: entities.by_id(tx, tenant_id, entity_ids))
    types = [rows[each].entity_type for each in entity_ids if each in rows]
    if not types:
        known = await means.vault.known_mentions(tenant_id, target.values)
        types = [str(found[0].entity_type) for found in known if found]
    if not types and any(map(is_full_name, target.values)):
        return PERSON
    return next((each for each in types if each in PERSON_TYPES), next(iter(types), None))


async def _short_forms(
    means: Means, tenant_id: str, given: Collection[str], entity_ids: Collection[str]
) -> list[str]:
    """Single words of the full names, unless the index knows someone else by them."""
    words = {word for name in given for word in _words_of(name)}
    halves = halves_of(given)
    words = {word for word in words if fold(word) not in halves}
    usable = []
    for word in sorted(words)[:MAX_SHORT_FORMS]:
        found = await means.vault.resolve(tenant_id, word, entity_type="PERSON")
        others = {*found.certain, *(each.entity_id for each in found.possible)} - {*entity_ids}
        if not others or await _only_called(means, tenant_id, sorted(others), word, given):
            usable.append(word)
    return usable


def _words_of(name: str) -> list[str]:
    """The words of a longer name that name somebody alone: no title, no ``Officer``."""
    told = significant(name)
    written = [word.strip(".,;:") for word in name.split()] if len(told) > 1 else []
    return [
        word for word in written
        if len(word) >= SHORTEST_SHORT_FORM and word[:1].isupper() and fold(word) not in HONORIFICS
        and (word != written[0] or is_name(fold(word)) or not is_ordinary(fold(word)))
    ]  # fmt: skip


async def _only_called(
    means: Means, tenant_id: str, entity_ids: Sequence[str], word: str, given: Collection[str]
) -> bool:
    """Whether nobody among them has more of a name than the word itself, or than was asked for."""
    forms = await means.vault.surface_forms(tenant_id, entity_ids)
    names = (word, *given)
    ours = [significant(each) for each in (*names, *in_other_cases(names))]
    return all(significant(_capitalised(form)) in ours for form in forms)


def _capitalised(form: str) -> str:
    """Without what detection took for a part of a name: ``Kolk fietst``."""
    words = form.split()
    while len(words) > 1 and words[-1].islower():
        words.pop()
    return " ".join(words)


def attribute_of(target: Target) -> Attribute | None:
    """The attribute that a target names, all of them as one if it names several."""
    return merged(target.attributes) if target.kind == "attribute" else None
