"""Known mentions: which words of a text the tenant's entity index knows, by keyed look-up.

A set of short keys in memory rules out almost everything; what is left is asked of the ledger, so
a stale set costs time but never a wrong answer.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain

from detectors.detection import Detection
from detectors.identity.keys import PERSON_TYPES, KeyKind, NameKey
from detectors.identity.names import generation_end
from detectors.identity.windows import candidate_keys
from detectors.people.unheard import is_certainly_none
from detectors.words.folding import without_possessive
from proxy.keys.ring import KeyRing
from proxy.ledger import counters, entities
from proxy.ledger.engine import Ledger, Tx
from proxy.pseudonyms import Pseudonyms
from proxy.tokens import surrogate
from proxy.tokens.index import keyed
from proxy.tokens.index.spans import Span, apart, count_words
from proxy.tokens.mentions.capitals import is_called_by_word, is_the_firm
from proxy.tokens.mentions.handles import decorated, together
from proxy.tokens.mentions.longer_names import is_list
from proxy.tokens.mentions.named_after import names_two
from proxy.tokens.mentions.specificity import is_common, stands_as_name
from proxy.tokens.mentions.standing import standing
from proxy.tokens.mentions.usage import means
from proxy.tokens.mentions.within_names import is_within_a_name
from proxy.tokens.turns import in_turns

KIND: KeyKind = "full"
MAX_TENANTS = 64
MAX_KEYS = 300_000
SCORE = 0.95
RECOGNISER = "known-entity"

Look = Callable[[str], bytes | None]


@dataclass(slots=True)
class _Filter:
    """Leading bytes of a tenant's keys as numbers; ``full`` means: too many, ask for every word."""

    version: int = 0
    keys: set[int] = field(default_factory=set)
    full: bool = False

    def may_hold(self, key: bytes) -> bool:
        return self.full or _short(key) in self.keys


class KnownIndex:
    """The entity index of the tenants in use, as filters that follow the ledger's version."""

    def __init__(self, ledger: Ledger, keyring: KeyRing) -> None:
        self._ledger, self._keyring = ledger, keyring
        self._filters: OrderedDict[str, _Filter] = OrderedDict()

    async def mentions(self, tenant_id: str, texts: Sequence[str]) -> list[list[Detection]]:
        """Detections of known entities per text, sorted and apart."""
        known = await self._current(tenant_id)
        if not known.keys and not known.full:
            return [[] for _ in texts]
        names = await self._keyring.tenant(tenant_id)
        found = await in_turns(tenant_id, texts, partial(_candidates, names, known))
        keys = sorted({span.key for spans in found for span in spans})
        if not keys:
            return [[] for _ in texts]
        types = await self._ledger.read(lambda tx: _types(tx, tenant_id, keys))
        return [_detections(text, spans, types) for text, spans in zip(texts, found, strict=True)]

    async def _current(self, tenant_id: str) -> _Filter:
        known = self._filters.setdefault(tenant_id, _Filter())
        self._filters.move_to_end(tenant_id)
        if len(self._filters) > MAX_TENANTS:
            self._filters.popitem(last=False)

        async def follow() -> int:
            if known.version == self._ledger.recall.counter(entities.version_name(tenant_id)):
                return known.version
            await self._ledger.read(lambda tx: _follow(tx, tenant_id, known))
            return known.version

        if await self._ledger.recall.one(("known", id(self), tenant_id), follow) > known.version:
            await follow()  # the set was dropped meanwhile, and started anew
        return known


async def _follow(tx: Tx, tenant_id: str, known: _Filter) -> None:
    version = await counters.value_of(tx, entities.version_name(tenant_id))
    if version <= known.version:
        return
    if not known.full:
        room = MAX_KEYS - len(known.keys)
        fresh = await entities.keys_since(tx, tenant_id, KIND, known.version, room + 1)
        known.keys.update(map(_short, fresh))
        known.full = len(fresh) > room
    if known.full:
        known.keys.clear()
    known.version = version


def _short(key: bytes) -> int:
    return int.from_bytes(key[:7])


def _candidates(names: Pseudonyms, known: _Filter, texts: list[str]) -> list[list[Span]]:
    cache: dict[str, bytes | None] = {}

    def look(value: str) -> bytes | None:
        """The key of a word or name that may be known; made once for each of them."""
        if value not in cache:
            key = keyed.key_of(names, NameKey(KIND, value))
            cache[value] = key if known.may_hold(key) else None
        return cache[value]

    return [list(_hits(text, look)) for text in texts]


def _hits(text: str, look: Look) -> Iterable[Span]:
    for start, end, key in candidate_keys(text):
        if key.kind != KIND:
            continue
        found = look(key.value)
        if found is not None and _is_used_as_name(text, start, end, key):
            yield Span(start, end, count_words(key.value), found)
    yield from _in_handles(text, look)


def _in_handles(text: str, look: Look) -> Iterator[Span]:
    """``falk.berta``, ``bertafalk99`` and ``x_Berta_x``, which are no words of a sentence."""
    bare = decorated(text, lambda value: not is_common(value) and look(value) is not None)
    for part in chain(bare, together(text)):
        key = look(part.value)
        if key is not None:
            yield Span(part.start, part.end, count_words(part.value), key)


def _is_used_as_name(text: str, start: int, end: int, key: NameKey) -> bool:
    """Whether a known word is used as a name, and not as one word of somebody else's."""
    if " " in key.value:
        return not is_list(text, start, end)
    return stands_as_name(text, start, text[start:end]) and standing(text, start, end) != "another"


async def _types(tx: Tx, tenant_id: str, keys: list[bytes]) -> dict[bytes, str]:
    """What each key is known as: a person, if the same words are known as several things."""
    found = await entities.matches(tx, tenant_id, [(KIND, key) for key in keys])
    rows = await entities.by_id(tx, tenant_id, [match.entity_id for match in found])
    active = [(m.key, rows[m.entity_id]) for m in found if rows[m.entity_id].state == "active"]
    people_last = sorted(active, key=lambda pair: (pair[1].entity_type in PERSON_TYPES, pair[1].id))
    return {key: row.entity_type for key, row in people_last}


def _is_meant(text: str, span: Span, entity_type: str) -> bool:
    """Whether a name that is a word or a place too is surely used as whose it is known to be.

    Where nothing tells, detection does, which sees the same text.
    """
    if entity_type not in PERSON_TYPES:
        if is_within_a_name(text, span.start, span.end):
            return False
        is_word = is_called_by_word(text[span.start : span.end], entity_type)
        return not is_word or is_the_firm(text, span.start, span.end) is True
    if generation_end(text, span.end) > span.end:
        return False  # the father's name, where the son is named
    if is_certainly_none(text, span.start, span.end):
        return False  # what was a doubtful reading in one text, hides no word in another
    two = names_two(text, span.start, span.end)
    return not two and means(text, span.start, span.end) == "person"


def _detections(text: str, spans: list[Span], types: dict[bytes, str]) -> list[Detection]:
    """What is known, without the ending of a possessive, which stays where the name goes.

    What stands in a login is known as all of it, since its token stands for all of it.
    """
    found = []
    known = (span for span in spans if span.key in types)
    for span in apart(span for span in known if _is_meant(text, span, types[span.key])):
        end = without_possessive(text, span.start, span.end)
        start, end = surrogate.place_for(text, span.start, end)
        covered = text[start:end]
        found.append(Detection(types[span.key], start, end, SCORE, RECOGNISER, covered))
    return found
