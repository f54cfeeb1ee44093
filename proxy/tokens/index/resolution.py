"""Whom a name means: certain, possible, or in need of a question.

The same words in any order are certain. Initials, single names and aliases are certain only under
owners who know the person by the whole name, and without a competitor there; nicknames only where
nobody goes by the name asked for. Sound and typing errors are only possible.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from rapidfuzz.distance import DamerauLevenshtein

from detectors.identity.given import given_name, is_called_otherwise, may_be_one
from detectors.identity.marks import differ
from detectors.identity.names import (
    generation_of,
    has_half_of,
    is_of_another_generation,
    leaves_out_a_word,
    significant,
)
from detectors.identity.phones import may_be_same_number
from proxy.keys.ring import KeyRing
from proxy.ledger import blocklist, entities
from proxy.ledger.engine import Ledger, Tx
from proxy.ledger.entities import Entity, Form
from proxy.pseudonyms import Pseudonyms
from proxy.tokens.forms.inflection import nominative
from proxy.tokens.index import keyed
from proxy.tokens.index.spelling import INITIALLED, Name, recorded_keys

STRONG = frozenset({"full"})
WEAK = frozenset({"nick", "ini", "tok", "alias"})
NAMES = frozenset({*keyed.PEOPLE, "ORGANIZATION", "LOCATION"})  # that detection takes for another
ORDER = ("full", "alias", "tok", "nick", "ini", "typo", "phon")
RELATION = "RELATIONSHIP"
MAX_TYPO_NAMES = 2000
LETTERS_PER_TYPO = 8
LEAST_TYPO_LETTERS = 3

# Under which kinds of an entity's keys each kind of key of the asked name is looked for, and what
# that says. A word of the name may be all of another mention (tok, full), the whole name one word
# of a longer one (full, tok). Two longer names that share one word are different people.
CROSSINGS: Mapping[str, Mapping[str, str]] = {
    "full": {"full": "full", "tok": "tok", "alias": "alias"},
    "ord": {"nick": "nick"},
    "tok": {"full": "tok"},
    "nick": {"ord": "nick"},
    "alias": {"full": "alias", "alias": "alias"},
    "ini": {"ini": "ini"},
    "phon": {"phon": "phon"},
}
SHORT_CROSSINGS = {**CROSSINGS, "nick": {"ord": "nick", "tok": "nick"}}  # "Bob" of Robert Hale

Mentioned = dict[str, bool]  # entity → whether it is named wholly


@dataclass(frozen=True, slots=True)
class EntityCandidate:
    """An entity that a name may mean.

    Args:
        match: why: ``nick``, ``ini``, ``tok``, ``alias``, ``phon`` or ``typo``.
        memories: in how many memories (of the owner, if one was given) it is mentioned.
        owners: under how many owners it is mentioned.
        first_seen: when it was first mentioned.
        name: clear name for the person who asked; not shown in ``repr``, never logged.
        alike: an owner who knows the one asked for knows this one too, by a given name that may be
            the same person's or another's: nobody can tell.
    """

    entity_id: str
    entity_type: str
    match: str
    memories: int
    owners: int
    first_seen: datetime
    name: str = field(default="", repr=False)
    alike: bool = False


@dataclass(frozen=True, slots=True)
class Resolution:
    """Entities that a name means.

    Args:
        certain: ids of entities that are meant.
        possible: entities that may be meant; never erased without an answer.
        shared: those of ``certain`` that are mentioned under other owners too: this owner's
            memories of them are meant, but their key serves others.
    """

    certain: tuple[str, ...] = ()
    possible: tuple[EntityCandidate, ...] = ()
    shared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Asked:
    """The question."""

    tenant_id: str
    name: str = field(repr=False)
    entity_type: str | None = None
    owner_id: str | None = None


@dataclass(frozen=True, slots=True)
class _Found:
    """Entities that share a key with the name: why, whose, and their clear names."""

    kinds: dict[str, set[str]]
    rows: dict[str, Entity]
    owners: dict[str, set[str]]
    names: dict[str, str] = field(repr=False)

    def matched(self, kinds: Collection[str]) -> list[str]:
        return [entity_id for entity_id in self.rows if self.kinds[entity_id] & set(kinds)]

    def is_whole(self, entity_id: str) -> bool:
        """Whether it has a name of several words: such names compete for a short one."""
        return len(significant(self.names.get(entity_id, ""))) > 1

    def is_initialled(self, entity_id: str) -> bool:
        """Whether it has but an initial for a given name, which may be several people's."""
        return self.is_whole(entity_id) and len(given_name(self.names[entity_id])) == 1

    def is_called_otherwise(self, entity_id: str, asked: str) -> bool:
        """Whether nothing but a nickname or the sound joins its given name to the one asked for."""
        shares = not self.kinds[entity_id].isdisjoint({*STRONG, "tok", "alias"})
        return not shares and is_called_otherwise(self.names.get(entity_id, ""), asked)

    def is_longer_or_shorter(self, entity_id: str, asked: str) -> bool:
        """Whether it has half of the name, or fewer words: somebody else's, or in doubt anyway."""
        name = self.names.get(entity_id, "")
        return has_half_of(asked, name) or leaves_out_a_word(name, asked)

    def is_another(self, entity_id: str, asked: str) -> bool:
        """Whether a generation or a particle may tell its name from the one asked for."""
        name = self.names.get(entity_id, "")
        if is_of_another_generation(name, asked):
            return True
        return self.rows[entity_id].entity_type in keyed.PEOPLE and differ(name, asked)


class Resolver:
    """Looks names up in the keyed index."""

    def __init__(self, ledger: Ledger, keyring: KeyRing) -> None:
        self._ledger, self._keyring = ledger, keyring

    async def resolve(
        self, tenant_id: str, name: str, entity_type: str | None, owner_id: str | None
    ) -> Resolution:
        """Entities that ``name`` means; nothing for a name without letters or digits."""
        asked = _Asked(tenant_id, name, entity_type, owner_id)
        names = await self._keyring.tenant(tenant_id)
        return await self._ledger.read(lambda tx: self._resolve(tx, names, asked))

    async def mentioned(
        self, tenant_id: str, named: Sequence[tuple[str, str]], owner_ids: Collection[str]
    ) -> list[Mentioned]:
        """For each (type, text) whom it may mean of those mentioned under the owners.

        By the whole name or a part of it, not by sound or with typing errors.

        Returns:
            For each the ids of the entities, and whether one bears all of a name of several words.
        """
        names = await self._keyring.tenant(tenant_id)
        asked = [_Asked(tenant_id, text, None if kind in NAMES else kind) for kind, text in named]

        async def unit(tx: Tx) -> list[Mentioned]:
            return [await self._mentioned(tx, names, one, owner_ids) for one in asked]

        return await self._ledger.read(unit)

    async def _mentioned(
        self, tx: Tx, names: Pseudonyms, asked: _Asked, owner_ids: Collection[str]
    ) -> Mentioned:
        found = await self._among(tx, asked, await _kinds(tx, names, asked, owner_ids))
        several = len(keyed.words_of(asked.name, asked.entity_type)) > 1
        sure = {e for e in found.matched(STRONG) if several and not found.is_another(e, asked.name)}
        return {entity_id: entity_id in sure for entity_id in found.matched(STRONG | WEAK)}

    async def _resolve(self, tx: Tx, names: Pseudonyms, asked: _Asked) -> Resolution:
        found = await self._find(tx, names, asked, typos=True)
        bearers = [e for e in found.matched(STRONG) if not found.is_another(e, asked.name)]
        elders = _elders(found, asked, bearers)
        certain = [e for e in bearers if e not in elders]
        if asked.owner_id is None:
            weak = await self._uncontested_everywhere(tx, names, asked, found, certain)
        else:
            weak = await self._uncontested(tx, names, asked, found, certain)
        meant = (*certain, *(e for e in weak if e not in elders))
        mine = {asked.owner_id} - {None}
        shared = tuple(e for e in meant if mine and found.owners[e] - mine)
        rest = [e for e in found.rows if e not in meant]
        listed = await _candidates(tx, found, rest, asked.owner_id)
        alike = elders | _alike(found, asked, certain)
        possible = tuple(replace(one, alike=one.entity_id in alike) for one in listed)
        return Resolution(meant, possible, shared)

    async def _uncontested(
        self, tx: Tx, names: Pseudonyms, asked: _Asked, found: _Found, certain: Collection[str]
    ) -> list[str]:
        """Weak matches under the owner by which no one else there could be meant."""
        weak = [
            e for e in found.matched(WEAK)
            if e not in certain and not found.is_longer_or_shorter(e, asked.name)
            and not found.is_another(e, asked.name)
        ]  # fmt: skip
        others = [e for e in weak if found.is_called_otherwise(e, asked.name)]
        called = {given_name(found.names[e]) for e in others}
        if others and (certain or len(called) > 1 or await _was_forgotten(tx, names, asked)):
            weak = [e for e in weak if e not in others]
        short = [e for e in weak if not found.is_whole(e) or found.is_initialled(e)]
        whole = [e for e in weak if e not in short]
        chosen = whole if len(whole) == 1 else []
        people = {*chosen, *(e for e in certain if found.is_whole(e))}
        for each in short:
            called_so = nominative(found.names.get(each, ""), asked.name)
            other = _Asked(asked.tenant_id, called_so, None, asked.owner_id)
            denoted = await self._find(tx, names, other, typos=False)
            if all(e in people or e == each for e in denoted.rows if denoted.is_whole(e)):
                chosen = [*chosen, each]
        return chosen

    async def _uncontested_everywhere(
        self, tx: Tx, names: Pseudonyms, asked: _Asked, found: _Found, certain: Collection[str]
    ) -> list[str]:
        """Weak matches that mean a certain person under every single owner who uses them."""
        agreed: dict[str, set[str]] = {}
        for owner in _knowing(found, certain):
            there = replace(asked, owner_id=owner)
            known = await self._find(tx, names, there, typos=False)
            present = [e for e in certain if owner in found.owners[e]]
            for short in await self._uncontested(tx, names, there, known, present):
                agreed.setdefault(short, set()).add(owner)
        return [e for e, owners in agreed.items() if found.owners.get(e, {""}) <= owners]

    async def _find(self, tx: Tx, names: Pseudonyms, asked: _Asked, *, typos: bool) -> _Found:
        kinds = await _kinds(tx, names, asked)
        if typos and asked.owner_id is not None:
            for entity_id in await self._typos(tx, asked):
                kinds.setdefault(entity_id, {"typo"})
        return await self._among(tx, asked, kinds)

    async def _among(self, tx: Tx, asked: _Asked, kinds: dict[str, set[str]]) -> _Found:
        """Those of the entities that share a key with the name which it may mean."""
        rows = await entities.by_id(tx, asked.tenant_id, list(kinds))
        owners = await entities.owners_of(tx, list(rows))
        kept = {e: row for e, row in rows.items() if _concerns(asked, row, kinds[e], owners[e])}
        clear = await self._names(tx, list(kept.values()))
        told = {e: _telling(asked, row.entity_type, kinds[e], clear.get(e, ""))
                for e, row in kept.items()}  # fmt: skip
        return _Found(told, {e: row for e, row in kept.items() if told[e]}, owners, clear)

    async def _names(self, tx: Tx, rows: Sequence[Entity]) -> dict[str, str]:
        """By entity; those known only as values of a category have no name but their first form."""
        named = [row for row in rows if row.sealed_name is not None]
        sealed = [(row.dek_id, row.sealed_name or b"", keyed.name_aad(row.id)) for row in named]
        found = [row.id for row in named]
        nameless = [row for row in rows if row.sealed_name is None]
        for form in reversed(await self._forms(tx, nameless)):
            found.append(form.entity_id)
            sealed.append(
                (form.dek_id, form.sealed, keyed.form_aad(form.entity_id, form.surface_ref))
            )
        clear = await self._keyring.unseal_many(tx, sealed)
        return {
            entity_id: text.decode("utf-8", "surrogatepass")
            for entity_id, text in zip(found, clear, strict=True)
            if text is not None
        }

    async def _forms(self, tx: Tx, rows: Sequence[Entity]) -> list[Form]:
        living = [row for row in rows if row.state != "erased"]
        if not living:
            return []
        return await entities.forms(tx, living[0].tenant_id, [row.id for row in living])

    async def _typos(self, tx: Tx, asked: _Asked) -> list[str]:
        mine = await entities.of_owner(tx, asked.tenant_id, asked.owner_id or "", MAX_TYPO_NAMES)
        clear = await self._names(tx, mine)
        return [entity_id for entity_id, text in clear.items() if is_typo(asked.name, text)]


def is_typo(asked: str, name: str) -> bool:
    """Whether two different names look like one with a typing error: one letter in about eight."""
    one, two = keyed.words_of(asked, None), keyed.words_of(name, None)
    shortest = min(map(len, one + two), default=0)
    if len(one) != len(two) or sorted(one) == sorted(two) or shortest < LEAST_TYPO_LETTERS:
        return False
    allowed = max(1, sum(map(len, one)) // LETTERS_PER_TYPO)
    return any(_is_near(one, order, allowed) for order in (two, two[::-1]))


def _is_near(one: Sequence[str], two: Sequence[str], allowed: int) -> bool:
    distances = [DamerauLevenshtein.distance(a, b) for a, b in zip(one, two, strict=True)]
    return max(distances) <= 1 and sum(distances) <= allowed


async def _kinds(
    tx: Tx, names: Pseudonyms, asked: _Asked, owner_ids: Collection[str] | None = None
) -> dict[str, set[str]]:
    """Which entities share a key with the name, and of which kind the sharing is."""
    pairs: dict[tuple[str, bytes], str] = {}
    short = len(keyed.words_of(asked.name, asked.entity_type)) == 1
    crossings = SHORT_CROSSINGS if short else CROSSINGS
    for key in keyed.sought(asked.name, asked.entity_type):
        for kind, why in crossings[key.kind].items():
            pairs.setdefault((kind, names.of(f"entity:{kind}", key.value)), why)
    found: dict[str, set[str]] = {}
    for match in await entities.matches(tx, asked.tenant_id, list(pairs), owner_ids):
        found.setdefault(match.entity_id, set()).add(pairs[match.kind, match.key])
    return found


def _concerns(asked: _Asked, row: Entity, kinds: set[str], owners: set[str]) -> bool:
    """A weaker match than the name itself never shows one owner what another one knows."""
    if row.state == "erased" or asked.entity_type not in (None, row.entity_type):
        return False
    return asked.owner_id is None or asked.owner_id in owners or bool(kinds & STRONG)


def _telling(asked: _Asked, entity_type: str, kinds: set[str], name: str) -> set[str]:
    """Those of the kinds that say something of this name; none if it is somebody else's.

    ``J. Smith`` may be John Smith, but Joan Smith is not, though her initial is the same. Nor is a
    number of one country that of another, though the rest is the same. What somebody is to others
    is no short name: ``my boss`` may be anybody, also where ``Boss Ada Falk`` is meant.
    """
    if entity_type == RELATION:
        return kinds & {"full"}
    if entity_type == "PHONE_NUMBER" and name:
        return kinds if may_be_same_number(asked.name, name) else set()
    ours, theirs = keyed.words_of(asked.name, None), keyed.words_of(name, None)
    initial = 1 in (len(words[0]) for words in (ours, theirs) if words)
    as_long = len(ours) == len(theirs) > 1
    return {kind for kind in kinds if {"ini": initial, "phon": as_long}.get(kind, True)}


def _knowing(found: _Found, certain: Collection[str]) -> set[str]:
    """The owners who know one of these by the whole name."""
    return {owner for e in certain if found.is_whole(e) for owner in found.owners[e]}


def _elders(found: _Found, asked: _Asked, bearers: Collection[str]) -> set[str]:
    """Who has no generation where one of that asked for is known too: the father."""
    younger = generation_of(asked.name)
    same = [e for e in bearers if younger and generation_of(found.names.get(e, "")) == younger]
    knowing = {asked.owner_id} if asked.owner_id and same else _knowing(found, same)
    return {e for e in {*bearers} - {*same} if not knowing.isdisjoint(found.owners[e])}


def _alike(found: _Found, asked: _Asked, certain: Collection[str]) -> set[str]:
    """Who may be the one asked for by another given name, under an owner who knows that one."""
    knowing = {asked.owner_id} if asked.owner_id else _knowing(found, certain)
    return {
        e for e in found.rows
        if certain and not knowing.isdisjoint(found.owners[e])
        and found.is_called_otherwise(e, asked.name)
        and may_be_one(found.names[e], asked.name)
        and not found.is_longer_or_shorter(e, asked.name)
        and not found.is_another(e, asked.name)
    }  # fmt: skip


async def _was_forgotten(tx: Tx, names: Pseudonyms, asked: _Asked) -> bool:
    """Whether who went by the name asked for was erased: others there are somebody else."""
    keys = recorded_keys(names, Name(asked.name))
    whole = [key for key in keys if key[0] not in INITIALLED]
    return bool(await blocklist.matching(tx, asked.tenant_id, whole))


async def _candidates(
    tx: Tx, found: _Found, entity_ids: Sequence[str], owner_id: str | None
) -> tuple[EntityCandidate, ...]:
    counts = await entities.memory_counts(tx, entity_ids, owner_id)
    listed = [
        EntityCandidate(
            entity_id,
            found.rows[entity_id].entity_type,
            _strongest(found.kinds[entity_id]),
            counts[entity_id],
            len(found.owners[entity_id]),
            found.rows[entity_id].created_at,
            found.names.get(entity_id, ""),
        )
        for entity_id in entity_ids
    ]
    return tuple(sorted(listed, key=lambda one: (ORDER.index(one.match), -one.memories)))


def _strongest(kinds: Iterable[str]) -> str:
    return min(kinds, key=ORDER.index)
