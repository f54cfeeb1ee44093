"""What a token looks like: a name-like stem per entity, a number per further surface form."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from string import ascii_letters, digits

from proxy.pseudonyms import Pseudonyms

WORD_SIGNS = frozenset(f"{ascii_letters}{digits}_")  # none of them touches a token
SHORTEST_CODE = 6
LONGEST_CODE = 32
ERASED = "[erased]"

_WORDS = {
    "PERSON": "Person",
    "EMAIL_ADDRESS": "Email",
    "PHONE_NUMBER": "Phone",
    "ORGANIZATION": "Org",
    "LOCATION": "Place",
    "STREET_ADDRESS": "Address",
    "NRP": "Group",
    "USERNAME": "Handle",
    "IP_ADDRESS": "Ip",
    "URL": "Link",
    "DATE_OF_BIRTH": "Birthday",
    "MEDICAL_CONDITION": "Condition",
    "MEDICATION": "Medication",
    "CREDIT_CARD": "Card",
    "IBAN_CODE": "Iban",
    "BANK_ACCOUNT": "Account",
    "API_KEY": "Secret",
    "PASSWORD": "Secret",
    "PRIVATE_KEY": "Secret",
}
_OTHER = "Item"
_PROPER = {word.lower(): word for word in (*_WORDS.values(), _OTHER)}
_STEM = "|".join(sorted(_PROPER.values()))
_TOKEN = re.compile(
    rf"(?<![A-Za-z0-9_])({_STEM})_([0-9a-f]{{{SHORTEST_CODE},{LONGEST_CODE}}})(?:_([1-9]\d{{0,4}}))?"
    r"(?![A-Za-z0-9_])",
    re.IGNORECASE,
)
_CODE = re.compile(rf"_[0-9a-f]{{{SHORTEST_CODE}}}", re.IGNORECASE)
_TAIL = re.compile(r"[A-Za-z0-9_]+\Z")
_BEGUN = re.compile(
    rf"({_STEM})_(?:[0-9a-f]{{0,{LONGEST_CODE}}}|[0-9a-f]{{{SHORTEST_CODE},{LONGEST_CODE}}}_\d{{0,5}})",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Found:
    """A token in a text: code points [start, end), the entity's stem, the number of the form."""

    start: int
    end: int
    code: str
    form: int

    @property
    def is_person(self) -> bool:
        """Whether it stands for somebody's name."""
        return self.code.partition("_")[0] == _WORDS["PERSON"]


def code_for(names: Pseudonyms, entity_type: str, canonical: str, length: int) -> str:
    """The stem of an entity's tokens; a longer one when the shorter is taken by another entity."""
    code = names.of("token", entity_type, canonical).hex()
    return f"{_WORDS.get(entity_type, _OTHER)}_{code[:length]}"


def codes_for(names: Pseudonyms, entity_type: str, canonical: str, entity_id: str) -> Iterator[str]:
    """Codes to try in order: the shortest that no other entity of the tenant has is taken.

    A name that was erased often has used up its own; the last one is of this entity alone.
    """
    for length in range(SHORTEST_CODE, LONGEST_CODE + 1, 2):
        yield code_for(names, entity_type, canonical, length)
    yield code_for(names, entity_type, f"{canonical}\0{entity_id}", LONGEST_CODE)


def spell(code: str, form: int) -> str:
    """The token of a surface form; forms count from 0, and the first has no number."""
    return code if form == 0 else f"{code}_{form + 1}"


def place_for(text: str, start: int, end: int) -> tuple[int, int]:
    """Where a token for [start, end) goes: it takes the signs that touch it.

    A token is a word of its own: a reader of ``Person_06a379`` with a number or an underscore
    joined to it could not tell where it ends.
    """
    while start and text[start - 1] in WORD_SIGNS:
        start -= 1
    while end < len(text) and text[end] in WORD_SIGNS:
        end += 1
    return start, end


def may_hold(text: str) -> bool:
    """Whether a text may hold a token; False if it certainly holds none. Cheaper than ``find``."""
    return _CODE.search(text) is not None


def find(text: str) -> Iterator[Found]:
    """Every token in a text; a model may have changed its case."""
    if "_" not in text:
        return
    for match in _TOKEN.finditer(text):
        form = int(match[3] or 1) - 1
        yield Found(*match.span(), f"{_PROPER[match[1].lower()]}_{match[2].lower()}", form)


def held_back(text: str) -> int:
    """How many characters at the end of ``text`` may be the beginning of a token.

    Everything before them can be passed on at once (a stream must not wait for its end).
    """
    tail = _TAIL.search(text)
    if tail is None:
        return 0
    run = tail[0]
    begins_stem = "_" not in run and any(word.startswith(run.lower()) for word in _PROPER)
    return len(run) if begins_stem or _BEGUN.fullmatch(run) else 0


def has_begun(held: str) -> bool:
    """Whether what a stream holds back is a token that was cut, and hardly a word.

    A whole one is none, though another sign might follow it; and a small letter may begin any word.
    """
    return (held[:1].isupper() or "_" in held) and _TOKEN.fullmatch(held) is None
