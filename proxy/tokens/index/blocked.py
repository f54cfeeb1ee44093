"""Where blocked names stand in a text: in every reading of it, and as nobody else's."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from detectors.detection import Detection
from detectors.identity.keys import PERSON_TYPES, NameKey, name_keys
from detectors.identity.marks import NONE, Marks, marker
from detectors.identity.windows import candidate_keys
from detectors.words.folding import is_unspaced
from proxy.pseudonyms import Pseudonyms
from proxy.tokens.forms.readings import readings
from proxy.tokens.forms.things import things
from proxy.tokens.forms.views import views
from proxy.tokens.index.keyed import marked
from proxy.tokens.index.spans import Span, count_words
from proxy.tokens.index.spelling import (
    CAPITAL,
    CASES,
    INITIALS,
    JOINED,
    NAME,
    THING,
    WORD,
    Name,
    block_key,
    marked_spellings,
    shape_of,
)
from proxy.tokens.mentions.as_asked import is_as_asked
from proxy.tokens.mentions.capitals import FIRM, is_the_firm
from proxy.tokens.mentions.handles import decorated
from proxy.tokens.mentions.longer_names import are_words, is_list, is_longer
from proxy.tokens.mentions.named_after import is_called_after, names_two
from proxy.tokens.mentions.specificity import is_common, stands_as_name
from proxy.tokens.mentions.standing import stands_alone
from proxy.tokens.mentions.usage import may_be_a_word, means
from proxy.tokens.mentions.within_names import is_within_a_name

RECOGNISER = "blocklist"
ADDRESSES = ("EMAIL_ADDRESS", "PHONE_NUMBER", "USERNAME")
INITIAL = re.compile(r"(?<!\w)(?:([^\W\d_])\.|([^\W\d_AI])(?!\w))")

Scopes = frozenset[tuple[str | None, str | None]]  # (owner id, erasure id)
Keys = dict[bytes, Scopes]


@dataclass(frozen=True, slots=True)
class Asked:
    """For which owners (None: for all) and of which erasure (None: of any) it is asked.

    Args:
        without: scopes of erasures whose names do not count.
        anybodys: whether it is asked for every owner.
    """

    owners: frozenset[str | None]
    erasure_id: str | None
    initials: bool
    without: Scopes = frozenset()
    anybodys: bool = False

    def concerns(self, kind: str, scopes: Scopes) -> bool:
        owners = self.owners if self.initials or kind != INITIALS else self.owners - {None}
        return any(
            (owner in owners or (self.anybodys and owner)) and self.erasure_id in (None, erasure)
            for owner, erasure in scopes - self.without
        )


@dataclass(frozen=True, slots=True)
class Known:
    """What is blocked, by key.

    Args:
        loose: those that count whatever marks a name has in a text, see ``spelling``.
    """

    names: Keys
    loose: Keys

    def __bool__(self) -> bool:
        return bool(self.names)


Look = Callable[[str, str, Marks], bytes | None]


def search(names: Pseudonyms, known: Known, asked: Asked, texts: list[str]) -> list[list[Span]]:
    """Where blocked names stand in each text."""
    blocked = _look(names, known, asked)
    return [list(_all_hits(text, blocked)) for text in texts]


def would_be_found(names: Iterable[Name], texts: Iterable[str]) -> list[bool]:
    """Whether each text would be one with a blocked name, if these names were blocked.

    What only detection could tell from words does not count.
    """
    spelled = [each for name in names for each in marked_spellings(name)]
    wanted = {(kind, value) for kind, value, _ in spelled}
    loose = {(kind, value) for kind, value, whole in spelled if not whole}

    def look(kind: str, value: str, marks: Marks) -> bytes | None:
        known = (kind, marked(value, marks)) in wanted or (kind, value) in loose
        return value.encode() if known else None

    return [any(not hit.unsure for hit in _all_hits(text, look)) for text in texts]


def _look(names: Pseudonyms, known: Known, asked: Asked) -> Look:
    cache: dict[tuple[str, str, Marks], bytes | None] = {}

    def look(kind: str, value: str, marks: Marks) -> bytes | None:
        key = block_key(names, kind, value, marks)
        if asked.concerns(kind, known.names.get(key, frozenset())):
            return key
        key = block_key(names, kind, value) if marks else key
        return key if asked.concerns(kind, known.loose.get(key, frozenset())) else None

    def blocked(kind: str, value: str, marks: Marks) -> bytes | None:
        asked_for = kind, value, marks
        if asked_for not in cache:
            cache[asked_for] = look(*asked_for)
        return cache[asked_for]

    return blocked


def names_somebody(names: Pseudonyms, known: Known, owner_id: str, asked: Asked) -> bool:
    """Whether an owner's id is the whole name or the address of somebody blocked."""
    blocked = _look(names, known, asked)

    def sure(kind: str, value: str, marks: Marks) -> bytes | None:
        several = kind == JOINED or (kind == NAME and " " in value)
        return blocked(kind, value, marks) if several or value in exact else None

    exact = {key.value for type_ in ADDRESSES for key in name_keys(owner_id, type_)}
    return any(True for _ in _all_hits(owner_id, sure))


def _all_hits(text: str, blocked: Look) -> Iterator[Span]:
    """Hits in every reading of a text, where they stand in the text itself."""
    for view in views(text):
        for hit in _hits(view.text, blocked):
            start, end = view.span(hit.start, hit.end)
            yield replace(hit, start=start, end=end)


def _hits(text: str, blocked: Look) -> Iterator[Span]:
    """What counts in a text; no word of a list of people that looks like one of the names."""
    hits: list[Span] = []
    lists: list[tuple[int, int]] = []
    for start, end, kind, value, key in _found(text, blocked):
        hits += _used_as_name(text, start, end, kind, value, key)
        if " " in value and is_list(text, start, end):
            lists.append((start, end))
    yield from (
        hit for hit in hits
        if not any(start <= hit.start and hit.end <= end for start, end in lists)
    )  # fmt: skip


def _found(text: str, blocked: Look) -> Iterator[tuple[int, int, str, str, bytes]]:
    """What is spelled like something blocked: where, as what, its value and its key."""
    marks_at = marker(text)
    for start, end, key in candidate_keys(text):
        for kind in _kinds(key):
            marks = marks_at(start, end) if " " in key.value else NONE
            found = blocked(kind, key.value, marks)
            if found is not None and _is_meant(text, start, end, kind, key.value):
                yield start, end, kind, key.value, found
    for start, end, kind, value in _unspoken(text, blocked):
        marks = marks_at(start, end) if " " in value and kind == NAME else NONE
        if (found := blocked(kind, value, marks)) is not None:
            yield start, end, kind, value, found


def _used_as_name(
    text: str, start: int, end: int, kind: str, value: str, key: bytes
) -> Iterator[Span]:
    """What was found there, unless it is a single name that is a word too and stands as one.

    Nor what is called by the name (``Rose Hill Street``): an erasure leaves that.
    """
    meant, types = _meant(text, start, end, kind, value)
    if meant is not False:
        words = count_words(value) if kind != THING else 1
        yield Span(start, end, words, key, types if meant is None else frozenset())


def _meant(
    text: str, start: int, end: int, kind: str, value: str
) -> tuple[bool | None, frozenset[str]]:
    """Whether who or what is blocked is meant there; None where detection has to find such."""
    if kind == CAPITAL:
        return is_the_firm(text, start, end), FIRM
    if kind in CASES:
        sure = is_as_asked(text, start, end, CASES[kind]) is True
        return sure and is_within_a_name(text, start, end) is False, PERSON_TYPES
    if kind == THING:
        return True, PERSON_TYPES
    if names_two(text, start, end) or (kind == NAME and _goes_on(text, start, end, value)):
        return False, PERSON_TYPES
    used = means(text, start, end)
    if kind == WORD or (kind == NAME and " " in value):
        return used and used == "person", PERSON_TYPES
    if kind == NAME and may_be_a_word(value) and used == "person":
        return False, PERSON_TYPES  # a place is blocked: "Isaiah Berlin" is somebody
    return not is_called_after(text, start, end), PERSON_TYPES


def _goes_on(text: str, start: int, end: int, value: str) -> bool:
    """Whether the name is only part of somebody else's there, or mere words."""
    if " " not in value and not is_unspaced(value):
        return is_within_a_name(text, start, end) is not False
    return is_longer(text, start, end, value.split()) or are_words(text, start, end)


def _unspoken(text: str, blocked: Look) -> Iterator[tuple[int, int, str, str]]:
    """What is no words of a sentence: things, single names in handles, unusual spellings."""
    yield from ((start, end, THING, value) for start, end, value in things(text))
    bare = decorated(text, lambda value: not is_common(value) and bool(blocked(WORD, value, NONE)))
    yield from ((start, end, WORD, value) for start, end, value in bare)
    yield from readings(text)


def _kinds(key: NameKey) -> tuple[str, ...]:
    """What a key of a text is looked up as."""
    if key.kind == NAME:
        if " " not in key.value:
            return (NAME, CAPITAL, *CASES)
        return (NAME, INITIALS) if shape_of(key.value) == INITIALS else (NAME,)
    return (WORD,) if key.kind == WORD else ()


def _is_meant(text: str, start: int, end: int, kind: str, value: str) -> bool:
    """Whether what is spelled like a blocked name is used as one, and as nobody else's."""
    if kind == CAPITAL or kind in CASES:
        return True
    if kind == WORD:
        return stands_alone(text, start, end)
    if kind == INITIALS:
        said = text[start : end + 1]  # with the full stop of an initial
        return any(char.isupper() for pair in INITIAL.findall(said) for char in pair if char)
    return " " in value or not is_common(value) or stands_as_name(text, start, text[start:end])


def detections(text: str, spans: Iterable[Span]) -> list[Detection]:
    """The same as what detection finds."""
    return [
        Detection("BLOCKED", span.start, span.end, 1.0, RECOGNISER, text[span.start : span.end])
        for span in spans
    ]
