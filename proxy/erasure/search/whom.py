"""Which entities of the index a target names: for certain, perhaps, and who is not meant."""

from collections.abc import Sequence
from dataclasses import replace

from detectors.identity.keys import are_namesakes
from detectors.identity.names import person_tokens
from proxy.erasure.search.means import Means
from proxy.erasure.search.places import holder
from proxy.erasure.search.target import ALL, Target
from proxy.erasure.texts.called import Others
from proxy.erasure.texts.mentions import Needles
from proxy.erasure.texts.surfaces import shape
from proxy.erasure.texts.words import is_full_name
from proxy.erasure.view import CandidateView
from proxy.ledger import entities
from proxy.ledger.engine import Tx
from proxy.problems import Problem
from proxy.pseudonyms import Pseudonyms
from proxy.tokens.forms.inflection import in_every_case
from proxy.tokens.index.resolution import EntityCandidate, Resolution

LEAST_RIVAL = 2
MAX_RESOLVED = 200


async def meant(
    means: Means, tenant_id: str, names: Pseudonyms, target: Target
) -> tuple[tuple[str, ...], tuple[CandidateView, ...]]:
    """Ids of the entities that a target certainly names, and candidates that it may name."""
    if not target.named or target.kind == "attribute":
        return (), ()
    if target.entity_ids:
        return target.indexed, ()
    certain: list[str] = []
    possible: list[CandidateView] = []
    for name, found in await _resolutions(means, tenant_id, names, target):
        certain += await _meant_everywhere(means, tenant_id, target, name, found)
        namesakes = [each for each in found.possible if _is_namesake(each, name)]
        others = [each for each in found.possible if not _is_part_of(each, name)]
        if found.certain:
            others = [*_longer(others, name), *(each for each in others if each.alike)]
        rest = [*namesakes, *others]
        possible += [_candidate(each) for each in rest]
    possible = [each for each in possible if each.id not in certain and not target.relation]
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


def _is_namesake(candidate: EntityCandidate, name: str) -> bool:
    """Whether only a particle tells it from the name: ``Anna von Berg`` may be Anna Berg."""
    return are_namesakes(candidate.name, name)


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


async def described(
    means: Means, tenant_id: str, entity_ids: Sequence[str], owner_id: str | None = None
) -> list[CandidateView]:
    """The certain ones as candidates too, where there is a choice.

    Args:
        owner_id: row of the owner whose memories alone are counted.
    """

    async def load(tx: Tx) -> list[CandidateView]:
        counts = await entities.memory_counts(tx, entity_ids, owner_id)
        rows = await entities.by_id(tx, tenant_id, entity_ids)
        return [
            CandidateView(each.id, each.entity_type, counts.get(each.id, 0), "")
            for each in rows.values()
        ]

    found = await means.ledger.read(load)
    hints = {each.id: await means.vault.surface_forms(tenant_id, [each.id]) for each in found}
    return [replace(each, hint=next(iter(hints[each.id]), "")) for each in found]


def _candidate(found: EntityCandidate) -> CandidateView:
    return CandidateView(found.entity_id, found.entity_type, found.memories, found.name)


async def of_longer_names(
    means: Means, tenant_id: str, names: Pseudonyms, target: Target
) -> tuple[CandidateView, ...]:
    """Who bears a longer name with all words of the one given: ``Carmen Ruiz Ortega``."""
    found: dict[str, CandidateView] = {}
    owner_id = await _owner_row(means, tenant_id, names, target)
    for value in target.values[:MAX_RESOLVED]:
        words = person_tokens(value)
        if len(words) < 2 or shape(value) is not None:
            continue
        bearers = await means.vault.resolve(
            tenant_id, words[0], entity_type="PERSON", owner_id=owner_id
        )
        every = [*bearers.certain, *(each.entity_id for each in bearers.possible)]
        found |= {
            each.id: each
            for each in await described(means, tenant_id, every)
            if {*person_tokens(each.hint)} > {*words}
        }
    return tuple(found.values())


async def chosen(means: Means, tenant_id: str, target: Target) -> Target:
    """The target with the candidates that were chosen beforehand, ``all`` read as every one.

    Raises:
        Problem: ``invalid-request`` for an id that nobody has.
    """
    target = target.choose(target.entity_ids)
    if target.entity_ids == ALL and not target.relation:
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


async def rivals_of(
    means: Means, tenant_id: str, names: Pseudonyms, target: Target
) -> Others | None:
    """Names of those whom the requester did not choose."""
    if not target.entity_ids or not target.named or target.relation:
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
