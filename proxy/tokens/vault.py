"""The token vault: entities, their surface forms, and the tokens that stand for them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from detectors.detection import Detection
from detectors.identity.marks import NONE, marks_of
from proxy import ids
from proxy.clock import Clock
from proxy.keys.ring import DestroyedKey, KeyRing
from proxy.ledger import counters, entities
from proxy.ledger.engine import Ledger, Tx
from proxy.ledger.entities import Entity, Form
from proxy.pseudonyms import Pseudonyms
from proxy.tokens import surrogate
from proxy.tokens.index import keyed
from proxy.tokens.index.known import KIND, KnownIndex
from proxy.tokens.index.resolution import Mentioned, Resolution, Resolver
from proxy.tokens.restore import Restored, Words, restore_text

Key = tuple[str, bytes]
LOST_FORMS = 4  # in which a name may have been written that the ledger does not know


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity as it stands in a text.

    Args:
        owner_ids: row ids of the owners of that text.
        category: seal the words under this category's key instead of the entity's, so that they
            become unreadable with it.
    """

    entity_type: str
    text: str
    owner_ids: tuple[str, ...] = ()
    category: str | None = None


@dataclass(frozen=True, slots=True)
class Minted:
    """The token for a mention and the entity it stands for."""

    token: str
    entity_id: str


class TokenVault:
    """Clear words under their entity's data key, and the keyed index over them."""

    def __init__(self, ledger: Ledger, keyring: KeyRing, clock: Clock) -> None:
        self._ledger, self._keyring, self._clock = ledger, keyring, clock
        self._known = KnownIndex(ledger, keyring)
        self._resolver = Resolver(ledger, keyring)

    async def tokenise(self, tx: Tx, tenant_id: str, mentions: Sequence[Mention]) -> list[Minted]:
        """The token of each mention: equal for equal words of a tenant, now and after a restart.

        Different words for one entity ("Quist, Orla") share the stem and differ in the number, so
        that each is restored exactly, and so do equal words under a category's key, which read
        ``[erased]`` once that is destroyed. An entity that was erased and is mentioned again, by
        consent, gets a new key and a new stem; its old tokens stay ``[erased]``.
        """
        admitted = await self._admit(tx, tenant_id, mentions)
        return [Minted(surrogate.spell(e.code, form.form), e.id) for e, form in admitted]

    async def index(self, tx: Tx, tenant_id: str, mentions: Sequence[Mention]) -> list[str]:
        """Index mentions that stay in the clear, so that they can be found and erased later."""
        return [entity.id for entity, _ in await self._admit(tx, tenant_id, mentions)]

    async def add_alias(self, tx: Tx, tenant_id: str, entity_id: str, mention: Mention) -> None:
        """Let an entity also be found under another name ("Ollie", an e-mail address)."""
        names = await self._keyring.tenant(tenant_id, tx)
        keys = keyed.index_keys(names, mention.text, mention.entity_type)
        await entities.add_keys(tx, tenant_id, entity_id, keys)
        await entities.touch(tx, entity_id, await self._raise_version(tx, tenant_id))
        entity = (await entities.by_id(tx, tenant_id, [entity_id]))[entity_id]
        await self._form(tx, entity, mention, *_place(names, mention, None))

    async def restore(self, tenant_id: str, text: str) -> Restored:
        """Clear words for tokens; unknown tokens stay, destroyed ones read ``[erased]``."""
        return (await self.restore_many(tenant_id, [text]))[0]

    async def restore_many(
        self, tenant_id: str, texts: Sequence[str], *, owners: Collection[str] | None = None
    ) -> list[Restored]:
        """``restore`` for many texts with one look-up.

        Args:
            owners: row ids; only tokens of what is mentioned under one of these are restored: who
                writes down a token has not written what it stands for. None: of all owners.
        """
        wanted = {(f.code, f.form) for text in texts for f in surrogate.find(text)}
        if not wanted:
            return [Restored(text, changed=False, erased=0) for text in texts]
        words = await self._ledger.read(lambda tx: self._words(tx, tenant_id, wanted, owners))
        return [restore_text(text, words) for text in texts]

    async def erased_in(
        self, tenant_id: str, texts: Sequence[str], *, deks: Collection[str] | None = None
    ) -> list[bool]:
        """Which texts hold a token of somebody or something that was erased on request.

        What ended because nothing mentioned it any more was not.

        Args:
            deks: only of entities that one of these data keys sealed.
        """
        held = [{found.code for found in surrogate.find(text)} for text in texts]
        every = sorted(set().union(*held))
        if not every:
            return [False] * len(texts)
        known = await self._ledger.read(lambda tx: entities.by_code(tx, tenant_id, every))
        erased = {
            code
            for code, entity in known.items()
            if entity.state == "erased" and entity.ended_by is None
            if deks is None or entity.dek_id in deks
        }
        return [not erased.isdisjoint(codes) for codes in held]

    async def unrecorded_tokens(self, tenant_id: str, mentions: Sequence[Mention]) -> set[str]:
        """Tokens that mentions would get and that the ledger does not know.

        A store has them where an older ledger was put back: a token follows from the name.
        """
        names = await self._keyring.tenant(tenant_id)
        codes = {
            surrogate.code_for(
                names, each.entity_type, keyed.canonical_form(each.text, each.entity_type),
                surrogate.SHORTEST_CODE,
            ) for each in mentions
        }  # fmt: skip
        known = await self._ledger.read(lambda tx: entities.by_code(tx, tenant_id, sorted(codes)))
        free = codes - known.keys()
        return {surrogate.spell(code, form) for code in free for form in range(LOST_FORMS)}

    def tokens_in(self, text: str) -> list[tuple[int, int, str]]:
        """Code-point spans of everything that looks like a token, with its canonical spelling."""
        return [
            (found.start, found.end, surrogate.spell(found.code, found.form))
            for found in surrogate.find(text)
        ]

    async def known_mentions(self, tenant_id: str, texts: Sequence[str]) -> list[list[Detection]]:
        """Mentions of entities that the tenant's index knows already, per text."""
        return await self._known.mentions(tenant_id, texts)

    async def named(
        self, tenant_id: str, mentions: Sequence[tuple[str, str]]
    ) -> list[frozenset[str]]:
        """For each (type, text) the ids of the known entities that bear this very name."""
        names = await self._keyring.tenant(tenant_id)
        asked = [
            [key for key in keyed.index_keys(names, text, kind) if key[0] == KIND]
            for kind, text in mentions
        ]
        every = [key for keys in asked for key in keys]
        found = await self._ledger.read(lambda tx: entities.matches(tx, tenant_id, every))
        return [
            frozenset(each.entity_id for each in found if (each.kind, each.key) in keys)
            for keys in asked
        ]

    async def resolve(
        self,
        tenant_id: str,
        name: str,
        *,
        entity_type: str | None = None,
        owner_id: str | None = None,
    ) -> Resolution:
        """Which entities a name certainly, and which it possibly means; see ``resolution``."""
        return await self._resolver.resolve(tenant_id, name, entity_type, owner_id)

    async def mentioned(
        self, tenant_id: str, named: Sequence[tuple[str, str]], owner_ids: Collection[str]
    ) -> list[Mentioned]:
        """For each (type, text) whom it may mean under the owners; see ``resolution``."""
        return await self._resolver.mentioned(tenant_id, named, owner_ids)

    async def surface_forms(self, tenant_id: str, entity_ids: Sequence[str]) -> list[str]:
        """Every spelling under which entities were mentioned; nothing of erased ones."""
        return await self._ledger.read(lambda tx: self.surfaces(tx, tenant_id, entity_ids))

    async def tokens_of(self, tx: Tx, tenant_id: str, entity_ids: Sequence[str]) -> list[str]:
        """Every token that stands for the entities."""
        found = await entities.by_id(tx, tenant_id, entity_ids)
        rows = await entities.forms(tx, tenant_id, entity_ids)
        spelled = [surrogate.spell(found[row.entity_id].code, row.form) for row in rows]
        return list(dict.fromkeys([*(entity.code for entity in found.values()), *spelled]))

    async def erase(
        self, tx: Tx, tenant_id: str, entity_ids: Sequence[str], *, ended_by: str | None = None
    ) -> list[DestroyedKey]:
        """Erase entities: their names, keys and forms go, their data keys are destroyed.

        Args:
            ended_by: the erasure after which nothing mentions them any more.

        Their tokens read ``[erased]`` from now on, in every text of every owner. Repeating it
        changes nothing and returns the same keys.
        """
        found = await entities.by_id(tx, tenant_id, entity_ids)
        living = [entity.id for entity in found.values() if entity.state != "erased"]
        if living:
            version = await self._raise_version(tx, tenant_id)
            now = self._clock.now()
            await entities.erase(tx, tenant_id, living, now, version, ended_by=ended_by)
        return await self._keyring.destroy(tx, [entity.dek_id for entity in found.values()])

    # -- inside ------------------------------------------------------------------------------------

    async def _admit(
        self, tx: Tx, tenant_id: str, mentions: Sequence[Mention]
    ) -> list[tuple[Entity, Form]]:
        if not mentions:
            return []
        names = await self._keyring.tenant(tenant_id, tx)
        deks = await self._category_keys(tx, tenant_id, names, mentions)
        places = [_place(names, m, deks.get(m.category)) for m in mentions]
        refs = [ref for ref, _ in places]
        found, known = await self._entities(tx, tenant_id, names, mentions, refs)
        older = [ref for e, ref in zip(found, refs, strict=True) if (e.id, ref) not in known]
        known |= await entities.forms_by_surface(tx, tenant_id, older)
        admitted = []
        for entity, mention, (ref, dek) in zip(found, mentions, places, strict=True):
            form = known.get((entity.id, ref)) or await self._form(tx, entity, mention, ref, dek)
            known[entity.id, ref] = form
            admitted.append((entity, form))
        pairs = [(e.id, o) for e, m in zip(found, mentions, strict=True) for o in m.owner_ids]
        await entities.add_owners(tx, pairs)
        return admitted

    async def _category_keys(
        self, tx: Tx, tenant_id: str, names: Pseudonyms, mentions: Sequence[Mention]
    ) -> dict[str | None, str]:
        """The living key of each category; after it was destroyed a new one, with new tokens."""
        wanted = sorted({m.category for m in mentions if m.category is not None})
        return {
            category: await self._keyring.ensure_dek(
                tx, tenant_id, "category", keyed.category_ref(names, category), renew=True
            )
            for category in wanted
        }

    async def _entities(
        self,
        tx: Tx,
        tenant_id: str,
        names: Pseudonyms,
        mentions: Sequence[Mention],
        refs: Sequence[bytes],
    ) -> tuple[list[Entity], dict[Key, Form]]:
        """The entity of each mention, and the first forms of those that are new."""
        keys = [_identity(names, mention) for mention in mentions]
        known = await entities.by_canonical(tx, tenant_id, [key for _, key in keys], kept=True)
        forms: dict[Key, Form] = {}
        for key, mention, ref in zip(keys, mentions, refs, strict=True):
            if key in known:
                continue
            older = await self._older(tx, tenant_id, names, mention)
            known[key], first = (
                (older, None)
                if older
                else await self._create(tx, tenant_id, names, mention, key[1], ref)
            )
            if first is not None:
                forms[first.entity_id, ref] = first
        return [known[key] for key in keys], forms

    async def _older(
        self, tx: Tx, tenant_id: str, names: Pseudonyms, mention: Mention
    ) -> Entity | None:
        """Whom an older release knows by this name: its keys held no marks, and its tokens stay."""
        marks = marks_of(mention.text) if mention.entity_type in keyed.PEOPLE else NONE
        if not marks:
            return None
        form = keyed.unmarked(keyed.canonical_form(mention.text, mention.entity_type))
        key = mention.entity_type, keyed.canonical_key(names, mention.entity_type, form)
        entity = (await entities.by_canonical(tx, tenant_id, [key[1]], kept=True)).get(key)
        if entity is None or entity.sealed_name is None:
            return None
        sealed = entity.dek_id, entity.sealed_name, keyed.name_aad(entity.id)
        [name] = await self._keyring.unseal_many(tx, [sealed])
        return entity if name is not None and marks_of(_text(name)) == marks else None

    async def _create(
        self, tx: Tx, tenant_id: str, names: Pseudonyms, mention: Mention, key: bytes, ref: bytes
    ) -> tuple[Entity, Form | None]:
        """A new entity with its first form, but for a value of a category.

        What a category's key protects must not lie under another.
        """
        form = keyed.canonical_form(mention.text, mention.entity_type)
        version = await self._raise_version(tx, tenant_id)
        entity_id, text = ids.new("ent"), _bytes(mention.text)
        aads = [keyed.name_aad(entity_id), keyed.form_aad(entity_id, ref)]
        said = [(text, aad) for aad in aads if mention.category is None]
        dek, sealed = await self._keyring.seal_anew(tx, tenant_id, "entity", key, said)
        name, first = sealed or (None, None)
        for code in surrogate.codes_for(names, mention.entity_type, form, entity_id):
            offered = Entity(
                entity_id, tenant_id, mention.entity_type, code, key, name, dek, "active", 0,
                version, self._clock.now(),
            )  # fmt: skip
            if await entities.offer_entity(tx, offered):
                await self._add_keys(tx, names, offered, mention)
                if first is None:
                    return offered, None
                return offered, await self._offer(tx, offered, 0, ref, first, dek)
            won = await entities.by_canonical(tx, tenant_id, [key], kept=True)
            if (entity := won.get((mention.entity_type, key))) is not None:
                return entity, None
        raise RuntimeError("no code is free")

    async def _add_keys(self, tx: Tx, names: Pseudonyms, entity: Entity, mention: Mention) -> None:
        keys = keyed.index_keys(names, mention.text, mention.entity_type)
        await entities.add_keys(tx, entity.tenant_id, entity.id, keys)

    async def _form(
        self, tx: Tx, entity: Entity, mention: Mention, ref: bytes, category_key: str | None
    ) -> Form:
        text, dek = _bytes(mention.text), category_key or entity.dek_id
        sealed = await self._keyring.seal(tx, dek, text, keyed.form_aad(entity.id, ref))
        while True:
            number = await entities.next_form(tx, entity.id)
            if offered := await self._offer(tx, entity, number, ref, sealed, dek):
                return offered
            won = await entities.forms_by_surface(tx, entity.tenant_id, [ref])
            if (entity.id, ref) in won:
                return won[entity.id, ref]

    async def _offer(
        self, tx: Tx, entity: Entity, number: int, ref: bytes, sealed: bytes, dek: str
    ) -> Form | None:
        offered = Form(ids.new("frm"), entity.tenant_id, entity.id, number, ref, sealed, dek)
        return offered if await entities.offer_form(tx, offered) else None

    async def _words(
        self,
        tx: Tx,
        tenant_id: str,
        wanted: set[tuple[str, int]],
        owners: Collection[str] | None = None,
    ) -> Words:
        found = await entities.by_code(tx, tenant_id, sorted({code for code, _ in wanted}))
        if owners is not None:
            found = await _of_owners(tx, found, set(owners))
        codes = {entity.id: entity.code for entity in found.values()}
        rows = await entities.forms(tx, tenant_id, list(codes))
        asked = [row for row in rows if (codes[row.entity_id], row.form) in wanted]
        clear = await self._keyring.unseal_many(tx, [_sealed(row) for row in asked])
        words = {
            (codes[row.entity_id], row.form): surrogate.ERASED if text is None else _text(text)
            for row, text in zip(asked, clear, strict=True)
        }
        gone = {entity.code for entity in found.values() if entity.state == "erased"}
        return words | {(code, n): surrogate.ERASED for code, n in wanted if code in gone}

    async def surfaces(self, tx: Tx, tenant_id: str, entity_ids: Sequence[str]) -> list[str]:
        """The same within a transaction."""
        rows = await entities.forms(tx, tenant_id, entity_ids)
        clear = await self._keyring.unseal_many(tx, [_sealed(row) for row in rows])
        return list(dict.fromkeys(_text(text) for text in clear if text is not None))

    async def _raise_version(self, tx: Tx, tenant_id: str) -> int:
        return await counters.raise_by(tx, entities.version_name(tenant_id))


async def _of_owners(tx: Tx, found: Mapping[str, Entity], owners: set[str]) -> dict[str, Entity]:
    """Those that are mentioned under one of the owners; of erased ones nobody knows any more."""
    linked = await entities.owners_of(tx, [entity.id for entity in found.values()])
    return {
        code: entity
        for code, entity in found.items()
        if entity.state == "erased" or not owners.isdisjoint(linked[entity.id])
    }


def _identity(names: Pseudonyms, mention: Mention) -> Key:
    form = keyed.canonical_form(mention.text, mention.entity_type)
    return mention.entity_type, keyed.canonical_key(names, mention.entity_type, form)


def _place(
    names: Pseudonyms, mention: Mention, category_key: str | None
) -> tuple[bytes, str | None]:
    """The pseudonym under which a form is kept, and the category's key that seals it, if any."""
    if category_key is None:
        return keyed.surface_ref(names, mention.entity_type, mention.text), None
    ref = keyed.sealed_surface_ref(names, mention.entity_type, mention.text, category_key)
    return ref, category_key


def _sealed(row: Form) -> tuple[str, bytes, bytes]:
    return row.dek_id, row.sealed, keyed.form_aad(row.entity_id, row.surface_ref)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _text(clear: bytes) -> str:
    return clear.decode("utf-8", "surrogatepass")
