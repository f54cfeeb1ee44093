"""When two mentions are the same one: canonical forms, and the index keys of a name."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

import jellyfish

from detectors.identity.marks import differ
from detectors.identity.names import (
    PARTICLES,
    RUN_ON,
    joined,
    person_tokens,
    significant,
    tokens_of,
    unordered,
    without_particles,
)
from detectors.identity.phones import digits, phone_forms
from detectors.words import word_set
from detectors.words.abbreviations import dotted
from detectors.words.folding import ascii_form, expand_umlauts, is_unspaced, strip_invisible
from detectors.words.nicknames import canonical_given_names

KeyKind = Literal["full", "ord", "tok", "nick", "ini", "phon", "alias"]
PERSON_TYPES = frozenset({"PERSON", "RELATIONSHIP"})
COMPACT_TYPES = word_set(
    "CREDIT_CARD IBAN_CODE BANK_ACCOUNT US_SSN US_ITIN PASSPORT DRIVER_LICENSE NATIONAL_ID TAX_ID "
    "MEDICAL_LICENSE MAC_ADDRESS POSTCODE"
)
EXACT_TYPES = frozenset({"API_KEY", "PASSWORD", "PRIVATE_KEY", "CRYPTO"})
# A letter with signs, a word with a dot before it: the signs alone tell C, C++ and C# apart.
SIGNED = re.compile(r"(?<![\w@.+#])(?:[^\W\d_][+#]{1,2}(?![\w+#])|\.[^\W\d_]{2,12}(?![\w.]))")


EMPHASISED = re.compile(r"_*(?P<address>[^\W_].*@.*\.[^\W\d_]{2,})_\w*\Z")


class NameKey(NamedTuple):
    """One thing under which a mention can be found; a tuple because a text yields hundreds."""

    kind: KeyKind
    value: str


def canonical(text: str, entity_type: str) -> str:
    """Give the one spelling under which equal values of a type compare equal.

    ``ACME-CORP`` and ``Acme Corp`` are equal; ``TKT-100`` and ``TKT-1000`` are not.
    """
    cleaned = strip_invisible(text).strip()
    match entity_type:
        case "EMAIL_ADDRESS":
            start, end = address_in(cleaned)
            return cleaned[start:end].casefold()
        case "IP_ADDRESS":
            return cleaned.casefold()
        case "URL":
            return canonical_url(cleaned)
        case "USERNAME":
            return "@" + cleaned.lstrip("@").casefold()
        case "PHONE_NUMBER":
            return digits(cleaned)
        case _ if entity_type in COMPACT_TYPES:
            return "".join(char for char in cleaned.casefold() if char.isalnum())
        case _ if entity_type in EXACT_TYPES:
            return cleaned
        case _ if entity_type in PERSON_TYPES:
            return joined(person_tokens(cleaned))
        case _:
            return joined(tokens_of(cleaned))


def address_in(text: str) -> tuple[int, int]:
    """Where an e-mail address lies in what an underscore touches: ``_ada@example.org_``.

    No domain ends in one, so it is emphasis, and the same before it; else a mailbox may begin so.
    """
    found = EMPHASISED.match(text)
    if found is None:
        return 0, len(text)
    return found.span("address")


def canonical_url(url: str) -> str:
    scheme, separator, rest = url.partition("://")
    host, slash, path = (rest if separator else scheme).partition("/")
    return host.casefold().removeprefix("www.") + (slash + path).rstrip("/")


def same_surface(a: str, b: str) -> bool:
    """Whether two names are certainly the same text: same words in any order, however written."""
    ours = {key for key in name_keys(a) if key.kind == "full"}
    return any(key in ours for key in name_keys(b) if key.kind == "full")


def are_namesakes(a: str, b: str) -> bool:
    """Whether only marks tell two names apart: nobody can say whether they are one person's."""
    return differ(a, b) and same_surface(a, b)


def name_keys(name: str, entity_type: str = "PERSON") -> tuple[NameKey, ...]:
    """List the keys under which a mention is indexed, without duplicates.

    Args:
        name: the mention as it stood in a text.
        entity_type: people get every kind; names of other things get ``full``, ``ord`` and
            ``tok``; identifiers get their canonical form as ``full``.
    """
    if SIGNED.fullmatch(name.strip()):
        keys = iter([NameKey("full", name.strip().casefold())])
    elif entity_type in PERSON_TYPES:
        keys = _person_keys(name)
    elif entity_type == "EMAIL_ADDRESS":
        keys = _email_keys(canonical(name, entity_type))
    elif entity_type == "PHONE_NUMBER":
        keys = (NameKey("full", value) for value in phone_forms(name))
    elif entity_type in COMPACT_TYPES | EXACT_TYPES | {"URL", "USERNAME", "IP_ADDRESS"}:
        keys = iter([NameKey("full", canonical(name, entity_type))])
    else:
        keys = _dotted_keys(name, without_particles(tokens_of(strip_invisible(name))))
    return tuple(dict.fromkeys(key for key in keys if key.value))


def _dotted_keys(name: str, tokens: list[str]) -> Iterator[NameKey]:
    yield from _thing_keys(tokens)
    yield NameKey("full", dotted(strip_invisible(name), tokens, RUN_ON))


def _person_keys(name: str) -> Iterator[NameKey]:
    native = significant(name)
    for form in forms_of(native):
        yield from _thing_keys(form)
    yield NameKey("full", dotted(strip_invisible(name), native, RUN_ON))
    yield NameKey("full", _run_together(person_tokens(strip_invisible(name))))
    latin = [ascii_form(token) for token in native if not is_unspaced(token)]
    latin = [token for token in latin if token]
    if not latin:
        return
    given, family = latin[0], latin[-1] if len(latin) > 1 else ""
    for other in canonical_given_names(given):
        yield NameKey("nick", f"{other} {family}".strip())
    if family:
        yield NameKey("ini", f"{given[0]} {family}")
    yield NameKey("phon", " ".join(map(_sound, filter(None, (given, family)))))


def _run_together(tokens: list[str]) -> str:
    """``tilda vanderkolk`` of Tilda van der Kolk; nothing without a particle within the name."""
    family = next((n for n, token in enumerate(tokens) if n and token in PARTICLES), 0)
    return unordered([*tokens[:family], "".join(tokens[family:])]) if family else ""


def forms_of(tokens: list[str]) -> Iterator[list[str]]:
    """The name as written, in Latin letters, and with German umlauts spelled out."""
    yield tokens
    if all(map(str.isascii, tokens)) or any(map(is_unspaced, tokens)):
        return
    for respell in (ascii_form, spelled_out):
        respelled = [respell(token) for token in tokens]
        if all(respelled):
            yield respelled


def spelled_out(token: str) -> str:
    return ascii_form(expand_umlauts(token))


def _thing_keys(tokens: list[str]) -> Iterator[NameKey]:
    yield NameKey("full", unordered(tokens))
    yield NameKey("ord", joined(tokens))
    if len(tokens) > 1:
        yield from (NameKey("tok", token) for token in tokens if len(token) > 1)


def _sound(token: str) -> str:
    return jellyfish.metaphone(token) or token


def _email_keys(address: str) -> Iterator[NameKey]:
    yield NameKey("full", address)
    local, _, domain = address.rpartition("@")
    mailbox, plus, _ = local.partition("+")
    if plus:
        yield NameKey("alias", f"{mailbox}@{domain}")
    names = [part for part in re.split(r"[._-]", mailbox) if part.isalpha()]
    if len(names) > 1:
        yield NameKey("alias", " ".join(sorted(names)))
