"""Entities as pseudonyms: canonical key, index keys, surface, and the keys of a name asked for."""

from collections.abc import Iterable

from detectors.identity.keys import NameKey, canonical, name_keys
from detectors.identity.marks import Marks, marks_of
from detectors.identity.names import generation_of, person_tokens
from detectors.people.before import BOTH
from detectors.words.folding import fold
from detectors.words.titles import HONORIFICS
from proxy.keys.aead import bind
from proxy.pseudonyms import Pseudonyms
from proxy.tokens.forms.inflection import declined

PEOPLE = frozenset({"PERSON", "RELATIONSHIP"})
IDENTIFIERS = ("EMAIL_ADDRESS", "PHONE_NUMBER", "URL", "USERNAME", "NATIONAL_ID", "ORGANIZATION")

DECLINED = frozenset({"full", "tok", "ini"})  # keys of a name in its other cases

GIVEN_AND_FAMILY = 2

Keys = list[tuple[str, bytes]]


def canonical_form(text: str, entity_type: str) -> str:
    """One spelling per entity: for names the first full key, so that word order does not matter.

    A generation stands behind it, and marks: ``John Falk Jr.`` is not John Falk, ``Anna von Berg``
    not Anna Berg.
    """
    full = next((key.value for key in name_keys(text, entity_type) if key.kind == "full"), "")
    form = full or canonical(text, entity_type) or text
    if entity_type not in PEOPLE:
        return form
    younger = generation_of(text)
    form = f"{form} {younger}".strip() if younger not in form.split() else form
    return marked(form, marks_of(text))


def unmarked(form: str) -> str:
    """A canonical form without marks."""
    return form.partition("|")[0]


def marked(form: str, marks: Marks) -> str:
    """A form with the marks of the name, which no key of it holds."""
    return f"{form}|{' '.join(sorted(marks))}" if marks else form


def canonical_key(names: Pseudonyms, entity_type: str, form: str) -> bytes:
    """Pseudonym of an entity's canonical form."""
    return names.of("entity:canonical", entity_type, form)


def surface_ref(names: Pseudonyms, entity_type: str, surface: str) -> bytes:
    """Pseudonym of an exact surface form."""
    return names.of("surface", entity_type, surface)


def sealed_surface_ref(names: Pseudonyms, entity_type: str, surface: str, dek_id: str) -> bytes:
    """Pseudonym of an exact surface form under one category's key."""
    return names.of("surface:sealed", entity_type, surface, dek_id)


def category_ref(names: Pseudonyms, category: str) -> bytes:
    """Pseudonym under which a category's key is kept."""
    return names.of("category", category)


def name_aad(entity_id: str) -> bytes:
    """What binds an entity's sealed name to its row."""
    return bind("name", entity_id)


def form_aad(entity_id: str, ref: bytes) -> bytes:
    """What binds a sealed surface form to its row."""
    return bind("form", entity_id, ref)


def index_keys(names: Pseudonyms, text: str, entity_type: str) -> Keys:
    """Everything a mention is indexed under."""
    return keyed(names, [*name_keys(text, entity_type), *_given_alone(text, entity_type)])


def keyed(names: Pseudonyms, keys: Iterable[NameKey]) -> Keys:
    """Name keys as pseudonyms."""
    return list(dict.fromkeys((key.kind, key_of(names, key)) for key in keys))


def key_of(names: Pseudonyms, key: NameKey) -> bytes:
    """The pseudonym of one name key."""
    return names.of(f"entity:{key.kind}", key.value)


def sought(text: str, entity_type: str | None) -> list[NameKey]:
    """The name keys of a name someone asks for, whose type may be unknown.

    The title before a name is not a word of it either, though it may be one of a firm's.
    """
    types = (entity_type,) if entity_type else ("PERSON", *IDENTIFIERS)
    keys = [key for kind in types for key in name_keys(text, kind)]
    keys = [key for key in keys if key.kind != "tok" or key.value not in HONORIFICS]
    if not entity_type and _begins_with_a_name(text):
        keys = [key for key in keys if key.kind != "full" or key.value != fold(text.split()[1])]
    keys += [key for kind in types for key in _given_alone(text, kind)]
    if PEOPLE.intersection(types):
        cases = (name_keys(form) for form in declined(text).sure)
        keys += [key for each in cases for key in each if key.kind in DECLINED]
    return [key for key in dict.fromkeys(keys) if key.value]


def words_of(text: str, entity_type: str | None) -> list[str]:
    """The words of a person's name; none for other types."""
    return person_tokens(text) if entity_type is None or entity_type in PEOPLE else []


def _begins_with_a_name(text: str) -> bool:
    """Whether it is no particle that leads two words: ``Ben Falk`` is no firm called Falk."""
    words = text.split()
    return len(words) == GIVEN_AND_FAMILY and fold(words[0]) in BOTH


def _given_alone(text: str, entity_type: str) -> list[NameKey]:
    """A full name is also found by the nicknames of its given name alone."""
    tokens = words_of(text, entity_type)
    if len(tokens) < 2:
        return []
    return [key for key in name_keys(tokens[0], entity_type) if key.kind == "nick"]
