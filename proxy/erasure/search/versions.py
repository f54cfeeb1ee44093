"""Older versions and raw messages that are part of an erasure when no memory is any more."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

from detectors.words.folding import fold
from proxy.erasure.search import layers
from proxy.erasure.search.bare import bare_names
from proxy.erasure.search.bygone import KINDS, LABELLED, Times, bygone, made_in_range, of_label
from proxy.erasure.search.found import PERSONAL, Found, Hunt
from proxy.erasure.search.means import Means
from proxy.erasure.search.places import Place, all_places, places_of
from proxy.erasure.search.resolve import Aim
from proxy.erasure.texts.called import Others
from proxy.erasure.texts.halves import Conversations, in_halves
from proxy.erasure.texts.mentions import Needles
from proxy.erasure.texts.within import MOST, Within
from proxy.ledger import memories, reach
from proxy.ledger.engine import Tx
from proxy.tokens.mentions.usage import reads_as_word
from proxy.upstreams.layers.base import Entry, LayerScope, LayerUnavailable, Legible, Owners, Row
from proxy.upstreams.layers.matching import EMBEDDING, ENTITIES
from proxy.upstreams.store import Item, Store

PAGE = 500
CONCURRENCY = 8
SIDES = ("history", "messages")
WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Leftover:
    """Rows of side tables that name whom is forgotten, and the owners they are kept under."""

    rows: tuple[Row, ...] = ()
    owners: Owners = ()

    def joined(self, scope: LayerScope) -> LayerScope:
        """What the side layers are asked about, these rows and their owners included."""
        others = {*scope.within, *self.owners} - {*scope.owners}
        return replace(scope, rows=self.rows, within=tuple(sorted(others)))


@dataclass(frozen=True, slots=True)
class Told:
    """A row that names whom is forgotten: where, and whether it has to go as a whole."""

    layer: str
    entry: Entry
    columns: frozenset[str]
    bare: bool = False  # it only bears a first or family name, which anybody may be called

    @property
    def rows(self) -> list[Row]:
        if self.entry.main in self.columns:
            return [Row(self.layer, self.entry.id)]
        return [Row(self.layer, self.entry.id, column) for column in sorted(self.columns)]


def concerns(aim: Aim) -> bool:
    """Whether an erasure is of all there is of somebody, of a category, a tag or a time."""
    target = aim.target
    if target.kind in KINDS:
        return True
    return target.named and target.scope == "any_mention" and aim.needles is not None


@dataclass(frozen=True, slots=True)
class Sides:
    """What one reading of a store's side tables showed."""

    left: Leftover
    told_by_others: frozenset[str] = frozenset()  # erased texts that others have said too, and keep
    pieces: tuple[str, ...] = ()  # of longer texts of others, each with an erased one in it
    words: frozenset[str] = frozenset()  # names that are words, as which texts that stay have them


async def leftover(
    means: Means, aim: Aim, store: Store, spared: Collection[bytes] = (),
    touched: Collection[tuple[str, str]] = (),
) -> Leftover:  # fmt: skip
    """What the store's side tables still say, whatever the ledger knows of it.

    Args:
        touched: owners who lose some of their memories: they know whom a bare name means.
    """
    scope = LayerScope(within=tuple(sorted(touched)))
    return (await read_sides(means, aim, store, scope, (), spared)).left


async def read_sides(
    means: Means, aim: Aim, store: Store, scope: LayerScope, texts: Collection[str],
    spared: Collection[bytes] = (),
) -> Sides:  # fmt: skip
    """Read the store's side tables to the end, once.

    Args:
        scope: what goes whatever these tables say.
        texts: erased texts. Where others have said one of them word for word, alone or as part of
            a longer text, its bytes stay in the store's files and prove nothing there.
        spared: pseudonyms of memories that the plan keeps; so it does their versions.

    A table that cannot be read now is left out: counting it says so, and the texts then count as
    nobody else's.
    """
    wanted = frozenset(texts) if layers.connector(store, layers.EVIDENCE) else frozenset[str]()
    if not wanted and not concerns(aim):
        return Sides(Leftover())
    ids, touched = frozenset(scope.memory_ids), frozenset(scope.touched)
    erased = Within(wanted)
    told: list[Told] = []
    kept: list[tuple[str, Entry]] = []
    last: Times = {}
    conversations = Conversations()
    for name in SIDES:
        layer = layers.connector(store, name)
        if isinstance(layer, Legible):
            with suppress(LayerUnavailable):
                async for page in pages(layer):
                    told += await telling(means, aim, name, page, last)
                    told += await _told_in_halves(means, aim, name, page, conversations)
                    kept += [(name, e) for e in page if _stays(e, ids, touched, erased)]
    left = await _leftover(means, aim, store, told, spared, touched)
    gone = {(row.layer, row.id) for row in left.rows}
    lost = frozenset(left.owners)
    stay = [
        entry for name, entry in kept
        if (name, entry.id) not in gone and lost.isdisjoint(entry.owners)
    ]  # fmt: skip
    said = {text for entry in stay for text in entry.texts.values()}
    whole = frozenset(scope.owners)
    stays = partial(_stays, ids=ids, touched=whole | lost, erased=erased)
    if stay:
        said |= await _kept_in(store, ENTITIES, stays)
    derived = set[str]()
    if stay or any(map(_of_words, wanted)):
        derived = await _kept_in(store, EMBEDDING, stays)
    stay_there = said | (derived - wanted)  # an erased text that others say has its names in it
    longer = (piece for text in sorted(stay_there) for piece in erased.pieces(text))
    pieces = tuple(dict.fromkeys(islice(longer, MOST)))
    return Sides(left, wanted & said, pieces, _words_in(wanted, said))


async def _kept_in(store: Store, name: str, stays: Callable[[Entry], bool]) -> set[str]:
    """What a store made of texts that stay: names alone, small letters, stems."""
    layer = layers.connector(store, name)
    found: set[str] = set()
    if isinstance(layer, Legible):
        with suppress(LayerUnavailable):
            async for page in pages(layer):
                found.update(text for entry in page if stays(entry) for text in _made(name, entry))
    return found


def _made(name: str, entry: Entry) -> Sequence[str]:
    """What a row holds beside its own text; a row of an entity has its name in the first line."""
    own = entry.texts.get(entry.main, "") if name == ENTITIES else ""
    return (*entry.derived, *filter(None, own.split("\n")[:1]))


def _of_words(name: str) -> bool:
    """Whether a text of others may become it without its small words: ``The bill is short``."""
    return " " in name and all(map(reads_as_word, name.split()))


def _words_in(texts: Collection[str], said: Collection[str]) -> frozenset[str]:
    """Names that are ordinary words (``Will``) and stand in a text that stays.

    A store keeps such texts in other forms too, in small letters or cut to stems: there the bytes
    of the word alone prove nothing.
    """
    names = {each: fold(each) for each in texts if reads_as_word(each)}
    if not names:
        return frozenset()
    used = {fold(word[0]) for text in said for word in WORD.finditer(text)}
    return frozenset(name for name, word in names.items() if word in used)


def _stays(
    entry: Entry, ids: Collection[str], touched: frozenset[tuple[str, str]], erased: Within
) -> bool:
    """Whether a row tells an erased text and is not itself part of what is erased.

    What a store makes of ``Anne, Frank and Otto`` has no commas.
    """
    goes = entry.memory_id in ids or not touched.isdisjoint(entry.owners)
    said = (form for text in entry.texts.values() for form in (text, text.replace(",", "")))
    return not goes and any(map(erased.found_in, (*said, *entry.derived)))


async def _leftover(
    means: Means, aim: Aim, store: Store, told: Sequence[Told], spared: Collection[bytes],
    touched: Collection[tuple[str, str]],
) -> Leftover:  # fmt: skip
    if aim.target.kind in LABELLED:
        told = await _outdated(store, told)
    if not told:
        return Leftover()
    places = await _places(means, aim, store)
    versions = await _owners_of(means, aim, store, told, places, spared)
    mine = _explained(told, _mine(told, places, versions), touched)
    rows = [row for each in told if each.entry.id in mine for row in each.rows]
    owners = sorted({pair for each in told for pair in mine.get(each.entry.id, ())})
    return Leftover(tuple(rows), tuple(owners))


def _explained(
    told: Sequence[Told], mine: Mapping[str, Owners], touched: Collection[tuple[str, str]]
) -> dict[str, Owners]:
    """Without rows that bear a bare name under owners who do not know the whole one."""
    sure = [each.entry.id for each in told if not each.bare]
    know = {*touched, *(pair for each in sure for pair in mine.get(each, ()))}
    known = {pair for pair in know if pair[0] in PERSONAL}
    return {
        row: owners for row, owners in mine.items()
        if row in sure or not (known or know).isdisjoint(owners)
    }  # fmt: skip


async def pages(layer: Legible) -> AsyncIterator[Sequence[Entry]]:
    after = 0
    while page := await layer.entries(after, PAGE):
        after = page[-1].position
        yield page


async def _outdated(store: Store, told: Sequence[Told]) -> list[Told]:
    """What a memory still says is judged with the memory: only older versions count here."""
    gate = asyncio.Semaphore(CONCURRENCY)

    async def current(memory_id: str) -> str | None:
        async with gate:
            item = await store.get(memory_id)
        return item.text if item else None

    asked = sorted({each.entry.memory_id for each in told if each.entry.memory_id})
    today = dict(zip(asked, await asyncio.gather(*map(current, asked)), strict=True))
    found: list[Told] = []
    for each in told:
        now, texts = today.get(each.entry.memory_id or ""), each.entry.texts
        columns = frozenset(name for name in each.columns if texts[name] != now)
        if columns:
            found.append(replace(each, columns=columns))
    return found


async def telling(
    means: Means, aim: Aim, name: str, page: Sequence[Entry], last: Times
) -> list[Told]:
    """Rows of a page that tell what is forgotten.

    Args:
        name: of the layer.
        last: when the version before was made; is carried from page to page.
    """
    if not concerns(aim):
        return []
    if aim.target.kind == "time_range":
        columns = made_in_range(aim, page, last)
    else:
        columns = await _telling(means, aim, page)
    found = [Told(name, *pair) for pair in zip(page, columns, strict=True) if pair[1]]
    bare = bare_names(aim)
    if not bare:
        return found
    said = [[each.entry.texts[column] for column in each.columns] for each in found]
    sure = iter(await mentioned(means, aim, [text for texts in said for text in texts], but=bare))
    return [
        replace(each, bare=not any([*islice(sure, len(texts))]))
        for each, texts in zip(found, said, strict=True)
    ]


async def _told_in_halves(
    means: Means, aim: Aim, name: str, page: Sequence[Entry], conversations: Conversations
) -> list[Told]:
    if not aim.target.named or not concerns(aim):
        return []
    found = await in_halves(
        conversations, page, partial(mentioned, means, aim, but=bare_names(aim))
    )
    return [Told(name, entry, frozenset({entry.main})) for entry in found]


async def _telling(means: Means, aim: Aim, page: Sequence[Entry]) -> list[frozenset[str]]:
    texts = [text for entry in page for text in entry.texts.values()]
    judge = of_label if aim.target.kind in LABELLED else mentioned
    told = dict(zip(texts, await judge(means, aim, texts), strict=True))
    return [frozenset(each for each, text in entry.texts.items() if told[text]) for entry in page]


async def mentioned(
    means: Means, aim: Aim, texts: Sequence[str], *, but: Collection[str] = ()
) -> list[bool]:
    """Which stored texts certainly name whom is forgotten, by name or by token.

    Args:
        but: bare names that do not count.
    """
    needles, rivals = aim.needles, aim.rivals
    if needles is None:
        return [False for _ in texts]
    restored = await means.vault.restore_many(aim.tenant_id, list(texts))
    pairs = [(text, each.text) for text, each in zip(texts, restored, strict=True)]
    return await asyncio.to_thread(_mentioned, needles, rivals, pairs, but)


def _mentioned(
    needles: Needles, rivals: Others | None, texts: Iterable[tuple[str, str]], but: Collection[str]
) -> list[bool]:
    return [
        needles.by_token(stored, shown) or _names(needles, rivals, shown, but)
        for stored, shown in texts
    ]


def _names(needles: Needles, rivals: Others | None, text: str, but: Collection[str]) -> bool:
    spans = needles.sure(text)
    if rivals is not None and spans:
        spans = rivals.outside(spans, text)
    return any(span.certain and span.part not in but for span in spans)


async def _places(means: Means, aim: Aim, store: Store) -> Sequence[Place]:
    if aim.within is not None:
        return places_of(aim.within, aim.names, store)
    return await all_places(means, aim.tenant_id, aim.names, store, aim.alone)


def _mine(
    told: Sequence[Told], places: Sequence[Place], versions: Mapping[str, Owners]
) -> dict[str, Owners]:
    """Of those rows, the ones in the tenant's (or the owner's) reach, with their owners."""
    found: dict[str, Owners] = {}
    known = {(place.kind, place.upstream_id) for place in places}
    for each in told:
        entry = each.entry
        if entry.memory_id is not None:
            owners = versions.get(entry.memory_id)
        else:
            owners = tuple(pair for pair in entry.owners if pair in known) or None
        if owners is not None:
            found[entry.id] = owners
    return found


async def _owners_of(
    means: Means,
    aim: Aim,
    store: Store,
    told: Sequence[Told],
    places: Sequence[Place],
    spared: Collection[bytes],
) -> dict[str, Owners]:
    """Owners of memories in reach: by the ledger, else as the store shows them.

    A memory that neither knows any more belongs to whom nobody can tell, so its versions count
    only where the installation has no other tenant and no owner in particular is meant.
    """
    asked = {each.entry.memory_id for each in told if each.entry.memory_id}
    refs = {memories.ref(aim.names, store.name, each): each for each in sorted(asked)}
    spared = set(spared)  # and what was written anew, because something was to be kept

    async def load(tx: Tx) -> tuple[dict[bytes, str], dict[str, list[str]]]:
        rows = await reach.recorded(tx, aim.tenant_id, store.name, list(refs))
        spared.update(ref for ref, row in rows.items() if aim.keep and row.origin == "regenerated")
        return {ref: row.id for ref, row in rows.items()}, await reach.owners(
            tx, [row.id for row in rows.values()]
        )

    rows, owned = await means.ledger.read(load)
    by_row = {place.row.id: (place.kind, place.upstream_id) for place in places if place.row}
    anybody = aim.alone and aim.within is None
    found: dict[str, Owners] = {}
    for ref, memory_id in refs.items():
        if ref in spared:
            continue
        if ref in rows:
            pairs = tuple(by_row[each] for each in owned.get(rows[ref], ()) if each in by_row)
            reached = bool(pairs) or aim.within is None
        else:
            item = await store.get(memory_id)
            if aim.keep and item and is_rewritten(item.metadata.get(store.profile.stamp)):
                continue
            pairs = shown(item, places)
            reached = bool(pairs) or anybody
        if reached:
            found[memory_id] = pairs
    return found


def is_rewritten(stamp: object) -> bool:
    """Whether a memory's stamp says that an erasure wrote it."""
    return isinstance(stamp, str) and stamp.startswith("era_")


def shown(item: Item | None, places: Sequence[Place]) -> Owners:
    known = {(place.kind, place.upstream_id) for place in places}
    return tuple(pair for pair in (item.owners.items() if item else ()) if pair in known)


# -- where only the store's own history can be asked -----------------------------------------------


async def changed_since(means: Means, aim: Aim, store: Store, looked_at: Hunt) -> list[Found]:
    """Memories that name whom is forgotten no more, but did by the store's own history.

    Raises:
        StoreUnavailable, StoreUnknown: the store gave no usable answer.
    """
    if not asks_api(aim, store):
        return []
    gate, bare = asyncio.Semaphore(CONCURRENCY), bare_names(aim)
    wanted = [
        one for one in (*looked_at.texts.values(), *looked_at.changed.values())
        if one.upstream == store.name and was_changed(one.item)
    ]  # fmt: skip

    async def told(one: Found) -> bool:
        async with gate:
            versions = await store.versions(one.memory_id)
        if aim.target.kind in KINDS:
            return await bygone(means, aim, one.item, versions)
        said = [text for each in versions for text in each.texts]
        but = bare if looked_at.told.isdisjoint(one.scopes) else ()
        return any(await mentioned(means, aim, said, but=but))

    answers = await asyncio.gather(*map(told, wanted))
    return [one for one, named in zip(wanted, answers, strict=True) if named]


def asks_api(aim: Aim, store: Store) -> bool:
    """Whether older versions count and only the store's own history can show them."""
    alone = "history" in store.profile.use and layers.connector(store, "history") is None
    return alone and concerns(aim)


def was_changed(item: Item | None) -> bool:
    """Whether a memory has older versions, as far as its stamps tell."""
    return item is not None and (item.updated_at is None or item.updated_at != item.created_at)
