"""The values that a name is blocked under: every spelling that can mean no one else."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from detectors.identity.keys import NameKey, name_keys
from detectors.identity.marks import NONE, Marks, marks_of
from detectors.identity.names import GENERATIONS, person_tokens
from detectors.identity.windows import EMAIL, PHONE, login_key
from detectors.words.folding import fold, is_unspaced
from detectors.words.namelists import is_name
from proxy.pseudonyms import Pseudonyms
from proxy.tokens.forms.inflection import declined
from proxy.tokens.forms.readings import joined_forms, spelled
from proxy.tokens.forms.things import is_thing, spelled_out
from proxy.tokens.index.keyed import canonical_form, marked
from proxy.tokens.mentions.as_asked import Case, case_of
from proxy.tokens.mentions.capitals import needs_capital
from proxy.tokens.mentions.specificity import is_specific

LEAST_OUTER = 2
NAME, WORD, JOINED, INITIALS, THING, CAPITAL = "full", "tok", "joined", "ini", "thing", "cap"
# A whole name with its marks. Of what older releases blocked, as ``NAME`` and ``INITIALS``, nobody
# knows the marks: it stands for the name with any.
MARKED = {NAME: "name", INITIALS: "initials"}
INITIALLED = frozenset({INITIALS, MARKED[INITIALS]})
CASES: dict[str, Case] = {"acr": "acronym", "plc": "capital"}  # things that need their capitals

Value = tuple[str, str]  # kind and canonical value
Keyed = list[tuple[str, bytes]]


@dataclass(frozen=True, slots=True)
class Name:
    """A name to block, with the type of entity it names.

    Args:
        younger: only with its generation; without it, it is somebody else's.
    """

    text: str
    entity_type: str = "PERSON"
    younger: bool = False


def block_key(names: Pseudonyms, kind: str, value: str, marks: Marks = NONE) -> bytes:
    """The pseudonym a blocked value is kept under."""
    return names.of(f"block:{kind}", marked(value, marks))


def block_keys(names: Pseudonyms, name: Name, *, nicknames: bool = False) -> Keyed:
    """What a name is blocked under: (kind, pseudonym) pairs."""
    return [
        (MARKED[kind] if whole else kind, names.of(f"block:{kind}", value))
        for kind, value, whole in marked_spellings(name, nicknames=nicknames)
    ]


def marked_spellings(name: Name, *, nicknames: bool = False) -> list[tuple[str, str, bool]]:
    """Kinds and values that a name is blocked as; and whether it is a whole one with its marks."""
    marks = marks_of(name.text) if _type_of(name) == "PERSON" else None
    return [
        (kind, marked(value, marks), True)
        if marks is not None and kind in MARKED and " " in value else (kind, value, False)
        for kind, value in spellings(name, nicknames=nicknames)
    ]  # fmt: skip


def recorded_keys(names: Pseudonyms, name: Name) -> Keyed:
    """What a name may be blocked under already, by older releases too."""
    older = [(kind, block_key(names, kind, value)) for kind, value in spellings(name)]
    return list(dict.fromkeys([*block_keys(names, name), *older]))


def spellings(name: Name, *, nicknames: bool = False) -> list[Value]:
    """The canonical values that stand for a name; nicknames only where they cannot hit others."""
    kind = _type_of(name)
    if name.younger:
        return _younger(name.text)
    if kind == THING:
        return [(THING, spelled_out(name.text))]
    case = case_of(name.text.strip(), kind)
    if case is not None:
        return [(kind, fold(name.text.strip())) for kind, each in CASES.items() if each == case]
    if needs_capital(name.text.strip(), kind):
        return [(CAPITAL, fold(name.text.strip()))]
    keys = name_keys(name.text, kind)
    if kind != "PERSON":
        values = [key.value for key in keys if key.kind == NAME or _is_mailbox(key)]
        return [(NAME, value) for value in dict.fromkeys(values)]
    said = [(shape_of(key.value), key.value) for key in keys if key.kind == NAME]
    said += [(NAME, " ".join(sorted(form))) for form in without_initials(name.text)]
    said += _shortened(name.text, keys)
    said += _younger(name.text)
    said += [value for form in declined(name.text).sure for value in _in_case(form)]
    said += [(JOINED, value) for value in joined_forms(name.text)]
    said += [(NAME, login)] if (login := login_key(name.text.strip())) else []
    if nicknames and len(person_tokens(name.text)) == 2:  # "Mary Fletcher" is no Mary Ann
        nicks = [key.value for key in keys if key.kind == "nick" and " " in key.value]
        said += [(NAME, _sorted(value)) for value in nicks]
    return list(dict.fromkeys(said))


def is_bare(name: Name) -> bool:
    """Whether it is a given or family name alone, which many bear."""
    tokens = person_tokens(name.text)
    return _type_of(name) == "PERSON" and len(tokens) == 1 and is_name(tokens[0])


def is_initialled(name: Name) -> bool:
    """Whether it is a family name with initials, which many bear."""
    return any(kind == INITIALS for kind, _ in spellings(name)[:1])


def without_initials(name: str) -> list[list[str]]:
    """First and last name of somebody whose middle names are known by their initials only."""
    tokens = person_tokens(name)
    middle = tokens[1:-1]
    if not middle or any(len(token) > 1 for token in middle):
        return []
    if min(len(tokens[0]), len(tokens[-1])) < LEAST_OUTER:
        return []
    return spelled([tokens[0], tokens[-1]])


def shape_of(value: str) -> str:
    """The kind of a person's canonical value: what others bear too is apart.

    Single names are words (but not in scripts without spaces), a family name with nothing but
    initials is of its own kind.
    """
    words = value.split()
    if len(words) == 1:
        return NAME if is_unspaced(value) else WORD
    return INITIALS if sum(len(word) > 1 for word in words) == 1 else NAME


def _shortened(text: str, keys: Iterable[NameKey]) -> list[Value]:
    """Initials with the family name, and unspaced names with the family name last."""
    tokens = person_tokens(text)
    if len(tokens) < 2:
        return []
    if all(map(is_unspaced, tokens)):
        return [(NAME, "".join([*tokens[1:], tokens[0]]))]
    short = [_sorted(key.value) for key in keys if key.kind == "ini"]
    if len(tokens) > 2:
        short.append(" ".join(sorted([*(token[0] for token in tokens[:-1]), tokens[-1]])))
    return [(INITIALS, value) for value in short]


def _younger(text: str) -> list[Value]:
    """``John Falk Jr.`` with the suffix, which tells him from others."""
    words = [fold(word) for word in re.findall(r"[^\W\d_]+", text)]
    return [(NAME, " ".join(sorted(words)))] if words and words[-1] in GENERATIONS else []


def _in_case(form: str) -> list[Value]:
    """A name in another case, and with initials: ``ольгу кузнецову``, ``о. кузнецову``."""
    keys = name_keys(form)
    said = [(shape_of(key.value), key.value) for key in keys if key.kind == NAME]
    return said + _shortened(form, keys)


def _type_of(name: Name) -> str:
    """Among a person's names there are addresses, numbers and handles as well."""
    if name.entity_type != "PERSON":
        return name.entity_type
    if re.fullmatch(EMAIL, name.text.strip()):
        return "EMAIL_ADDRESS"
    if re.fullmatch(PHONE, name.text.strip()):
        return "PHONE_NUMBER"
    return THING if is_thing(name.text) else "PERSON"


def _is_mailbox(key: NameKey) -> bool:
    return key.kind == "alias" and "@" in key.value


def _sorted(value: str) -> str:
    return " ".join(sorted(value.split()))


def parts_of(names: Iterable[Name]) -> frozenset[str]:
    """The words of all names of people that have more than one."""
    split = (person_tokens(name.text) for name in names if _type_of(name) == "PERSON")
    return frozenset(word for words in split if len(words) > 1 for word in words)


def may_be_blocked(name: Name, owner_id: str | None) -> bool:
    """Whether blocking a name stops nothing but mentions of whom it names."""
    kind = _type_of(name)
    form = canonical_form(name.text, kind)
    return is_specific(form, tenant_wide=owner_id is None)
