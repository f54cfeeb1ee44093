"""What each memory found means for the plan: its role, its sources, who else has a part in it."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from detectors.detection import Analysis
from detectors.identity.keys import PERSON_TYPES
from proxy.erasure.plans import roles
from proxy.erasure.plans.owned import with_told
from proxy.erasure.plans.plan import REWRITTEN, Edge, Finding
from proxy.erasure.search.bare import takes_doubtful
from proxy.erasure.search.found import Found, Hunt
from proxy.erasure.search.means import Means
from proxy.erasure.search.places import Holder, places_of
from proxy.erasure.search.resolve import Aim, forgets_everywhere
from proxy.erasure.search.sparing import tell
from proxy.erasure.texts.rows import lists_others
from proxy.erasure.texts.surfaces import TERM_TYPES
from proxy.erasure.texts.topic import is_mainly_about
from proxy.ledger import entities, holds, provenance, reach
from proxy.ledger.engine import Tx

ROW = "row:"
RESTRICTED = "restricted"
WHOLES = frozenset({"owner", "tenant", "memory", "time_range", "tag"})  # not for what they say
Ids = Mapping[str, Collection[tuple[str, str]]]  # owner ids in each store; empty: nobody's

NAMED = frozenset({"PERSON"})
PARTIES = PERSON_TYPES | {"ORGANIZATION"}


@dataclass(frozen=True, slots=True)
class Links:
    """What the ledger knows around the findings, by row id.

    Args:
        entities: whom or what else each mentions.
        held: codes of holds; of what the ledger does not know by the finding's key.
        restricted: likewise.
    """

    edges: Mapping[str, tuple[Edge, ...]]
    owners: Mapping[str, list[str]]
    entities: Mapping[str, list[str]]
    held: Mapping[str, str]
    restricted: Collection[str]


async def assess(means: Means, aim: Aim, hunt: Hunt) -> list[Finding]:
    """One finding for the planner per memory."""
    links = await means.ledger.read(lambda tx: _links(tx, means, aim, hunt))
    ours = _ids(means, aim, [*aim.wholes, *(aim.within or ())])
    spared = _ids(means, aim, aim.spared)
    people = await _people(means, aim, hunt)
    if aim.keep is not None:
        told = [one for one in hunt.found.values() if one.direct]
        person = about_a_person(aim)
        await tell(means, aim.tenant_id, aim.target, aim.keep, told, person=person)
    findings = [_finding(aim, one, links, ours, people) for one in hunt.found.values()]
    pairs = zip(findings, hunt.found.values(), strict=True)
    return [replace(each, namesake=_of_namesake(one, ours, spared)) for each, one in pairs]


async def _links(tx: Tx, means: Means, aim: Aim, hunt: Hunt) -> Links:
    rows = hunt.rows()
    owners = await reach.owners(tx, rows)
    told = {_known_by(one): one.item.owners for one in hunt.found.values() if one.item}
    owned = await with_told(tx, aim.tenant_id, aim.names, owners, told)
    held, restricted = await holds.held_and_restricted(tx, aim.tenant_id, owned)
    return Links(
        edges=await _edges(tx, aim, hunt),
        owners=owners,
        entities=await _parties(tx, means, aim, await reach.entities(tx, rows))
        if aim.target.named
        else {},
        held=held,
        restricted=restricted if aim.client else (),
    )


def _known_by(one: Found) -> str:
    return one.row.id if one.row else one.key


async def _parties(
    tx: Tx, means: Means, aim: Aim, listed: Mapping[str, list[str]]
) -> Mapping[str, list[str]]:
    """What counts as another: beside a person only others and organisations.

    An illness or a place is a person's own; ``diabetic`` is no other thing than ``diabetes``.
    """
    wanted = sorted({each for ids in listed.values() for each in ids} - {*aim.entity_ids})
    known = await entities.by_id(tx, aim.tenant_id, wanted)
    if about_a_person(aim):
        others = {each for each, row in known.items() if row.entity_type in PARTIES}
    else:
        terms = [each for each, row in known.items() if row.entity_type in TERM_TYPES]
        others = {*wanted} - {each for each in terms if await _is_the_same(tx, means, aim, each)}
    return {row: [each for each in ids if each in others] for row, ids in listed.items()}


async def _is_the_same(tx: Tx, means: Means, aim: Aim, entity_id: str) -> bool:
    """Whether the index knows what is forgotten by another form of the word as well."""
    forms = await means.vault.surfaces(tx, aim.tenant_id, [entity_id])
    return bool(forms) and aim.needles is not None and all(map(aim.needles.mentioned, forms))


async def _edges(tx: Tx, aim: Aim, hunt: Hunt) -> dict[str, tuple[Edge, ...]]:
    rows = hunt.rows()
    recorded = await reach.edges(tx, rows)
    if not recorded:
        return {}
    inside = {provenance.id_ref(aim.names, one.memory_id): one.key for one in hunt.found.values()}
    for row_id, refs in (await reach.names(tx, rows)).items():
        inside |= dict.fromkeys(refs, rows[row_id].key)
    outside = {edge.source_ref for edge in recorded} - inside.keys()
    living = await reach.living_sources(tx, aim.tenant_id, outside)
    found: dict[str, dict[str, Edge]] = defaultdict(dict)
    for edge in recorded:
        source = inside.get(edge.source_ref) or _outside(living.get(edge.source_ref))
        if source is not None and source != rows[edge.memory_id].key:
            found[edge.memory_id].setdefault(source, Edge(source, edge.contribution))
    ages = {one.key: row_id for row_id, one in rows.items()}
    return {
        row_id: tuple(sorted(edges.values(), key=lambda edge: _age(edge, ages)))
        for row_id, edges in found.items()
    }


def _age(edge: Edge, ages: Mapping[str, str]) -> str:
    """Row ids are time-ordered: sources are told in the order in which they came."""
    return ages.get(edge.source, edge.source.removeprefix(ROW))


def _outside(row_id: str | None) -> str | None:
    return None if row_id is None else ROW + row_id


def _ids(means: Means, aim: Aim, holders: Sequence[Holder]) -> Ids:
    return {
        name: {(place.kind, place.upstream_id) for place in places_of(holders, aim.names, store)}
        for name, store in means.stores.items()
    }


async def _people(means: Means, aim: Aim, hunt: Hunt) -> dict[str, list[tuple[int, int]]]:
    """Where other people are named, for those findings whose fate depends on it."""
    asked = [one for one in hunt.found.values() if one.item and _needs_people(aim, one)]
    texts = [one.text for one in asked]
    analyses = await means.detectors.analyse(texts, scope=aim.tenant_id) if texts else []
    pairs = zip(asked, analyses, strict=True)
    return {
        one.key: people_in(analysis, PERSON_TYPES if one.direct or one.alike else NAMED)
        for one, analysis in pairs
    }


def _needs_people(aim: Aim, one: Found) -> bool:
    if not aim.target.named or aim.target.kind == "attribute":
        return False
    if not one.direct:
        return about_a_person(aim)
    return one.row is None or aim.target.scope == "primary"


def about_a_person(aim: Aim) -> bool:
    """Whether it is a person who is forgotten by name."""
    return aim.needles is not None and aim.needles.entity_type in PERSON_TYPES


def people_in(analysis: Analysis, types: Collection[str] = PERSON_TYPES) -> list[tuple[int, int]]:
    """Where people are spoken of.

    Args:
        types: of whom; ``her husband`` is no ``PERSON``.
    """
    return [(d.start, d.end) for d in analysis.detections if d.entity_type in types]


def _finding(
    aim: Aim,
    one: Found,
    links: Links,
    ours: Ids,
    people: Mapping[str, Sequence[tuple[int, int]]],
) -> Finding:
    row_id = one.row.id if one.row else ""
    own = _own(aim, one, links, ours)
    others, rest = _others(one, links, people), _is_rest(one)
    others = others or (about_a_person(aim) and lists_others(one.text, one.spans))
    return Finding(
        one.key,
        direct=one.direct,
        near_duplicate=one.near,
        alike=one.alike,
        primary=_is_primary(aim, one, people.get(one.key, ())) if one.spans else own is True,
        role=roles.role(one.text, one.spans, own=own is True and forgets_everywhere(aim.target)),
        mixed=one.direct and aim.target.named and others and not rest,
        shared=own is False and not rest,
        independent=not one.direct and _is_of_another(aim, one, people.get(one.key, ())),
        former=one.former,
        whole=aim.target.kind in WHOLES or (aim.target.kind == "subject" and own is True),
        kept=one.telling is not None and one.telling.any,
        entire=one.telling is not None and one.telling.entire,
        edges=links.edges.get(row_id, ()),
        held=links.held.get(_known_by(one)),
        restricted=_known_by(one) in links.restricted
        or (aim.client and one.row is not None and one.row.state == RESTRICTED),
    )


def _is_primary(aim: Aim, one: Found, people: Sequence[tuple[int, int]]) -> bool:
    """Whether a memory is mainly about whom it mentions; asked of its text, not of its metadata."""
    if aim.target.scope != "primary":
        return True
    lines = one.text.split("\n")
    told = "\n".join(lines[: one.item.text.count("\n") + 1] if one.item else lines)
    ours = [(each.start, each.end) for each in one.spans]
    return is_mainly_about(told, ours, people)


def _is_of_another(aim: Aim, one: Found, people: Sequence[tuple[int, int]]) -> bool:
    """Whether a memory that does not mention the forgotten one stays as another person's.

    Args:
        people: where people are spoken of; what only means the same as an erased memory stays
            where there is anybody, what derives from one where it opens with a name.
    """
    if one.alike:
        return bool(people)
    return not takes_doubtful(aim) and roles.is_of_another(one.text, people)


def _is_rest(one: Found) -> bool:
    """Whether it is what an earlier erasure kept of somebody: all about them, without a name."""
    return not one.spans and one.row is not None and REWRITTEN in one.row.tags


def _of_namesake(one: Found, ours: Ids, spared: Ids) -> bool:
    """Whether it belongs to an owner of the same name who was not chosen, and to none who was."""
    owners = set(one.item.owners.items()) if one.item else set()
    here = spared.get(one.upstream, set()), ours.get(one.upstream, set())
    return not owners.isdisjoint(here[0]) and owners.isdisjoint(here[1])


def _own(aim: Aim, one: Found, links: Links, ours: Ids) -> bool | None:
    """Whether the memory is kept under the data subject; None if there is nobody in particular.

    Who is forgotten by name asked for nothing themselves: others' memories of them are no shared
    ones, even where they have an owner id of their own.
    """
    mine = ours.get(one.upstream)
    if not mine:
        return None
    theirs = _is_theirs(aim, one, links, mine)
    named = aim.target.kind == "entity" and aim.within is None
    return None if named and not theirs else theirs


def _is_theirs(aim: Aim, one: Found, links: Links, mine: Collection[tuple[str, str]]) -> bool:
    if one.item is not None:
        return any(pair in mine for pair in one.item.owners.items())
    rows = {each.row.id for each in (*aim.wholes, *(aim.within or ())) if each.row}
    return not rows.isdisjoint(links.owners.get(one.row.id, ())) if one.row else False


def _others(one: Found, links: Links, people: Mapping[str, Collection[tuple[int, int]]]) -> bool:
    """Whether anybody or anything else is named in it."""
    if one.row is not None and links.entities.get(one.row.id):
        return True
    ours = {(span.start, span.end) for span in one.spans}
    return any(
        not any(start < e and s < end for s, e in ours) for start, end in people.get(one.key, ())
    )
