"""When two mentions are the same one: canonical forms, index keys of a name, windows of a text."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

import jellyfish
import phonenumbers

from detectors.abbreviations import abbreviated, dotted, dotted_windows, without_titles
from detectors.folding import (
    UNSPACED,
    WORD,
    ascii_form,
    expand_umlauts,
    fold,
    is_unspaced,
    strip_invisible,
)
from detectors.namelists import is_name
from detectors.nicknames import canonical_given_names
from detectors.titles import FIRST_NAMES_TOO, HONORIFICS

KeyKind = Literal["full", "ord", "tok", "nick", "ini", "phon", "alias"]

LONGEST_NAME = 5
LEAST_FIRST = 2  # letters of a first name without what is joined to it
LONGEST_WINDOW = 10  # words, with the particles between them
SHORTEST_PHONE = 7
ABROAD = "~"  # before a national number that some country's, nobody knows which, may be


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


GENERATIONS = _set("jr sr ii iii iv")
SUFFIXES = _set("jr sr ii iii iv phd md esq bsc msc mba")
RUN_ON = HONORIFICS | SUFFIXES  # a name goes on behind their full stop
PARTICLES = _set(
    "de del della di da das do dos du des der den van von zu zum zur la le los las el al ul bin "
    "ibn binti bint ben bat ter ten af av y e of the and"
)
FAMILYS = _set("von vom zu zum zur de della da dos do du den der ter ten af av")  # no given names
BREAKS = _set(
    "is was are were be been has had have that this these those with from they their them there "
    "what when which would could should because about into then than your our its it not"
)
JOINED_LETTERS = frozenset("وبلفكובלמהשכ")  # Arabic and Hebrew words of one letter
PERSON_TYPES = frozenset({"PERSON", "RELATIONSHIP"})
COMPACT_TYPES = _set(
    "CREDIT_CARD IBAN_CODE BANK_ACCOUNT US_SSN US_ITIN PASSPORT DRIVER_LICENSE NATIONAL_ID TAX_ID "
    "MEDICAL_LICENSE MAC_ADDRESS POSTCODE"
)
EXACT_TYPES = frozenset({"API_KEY", "PASSWORD", "PRIVATE_KEY", "CRYPTO"})

# No pattern looks at a run of signs twice: texts come from strangers.
EMAIL = r"(?<![\w.+%-])[\w.+%-]++@[\w-]++(?:\.[\w-]++)+"
URL = r"https?://[^\s<>\"']+"
# A letter with signs, a word with a dot before it: the signs alone tell C, C++ and C# apart.
SIGNED = re.compile(r"(?<![\w@.+#])(?:[^\W\d_][+#]{1,2}(?![\w+#])|\.[^\W\d_]{2,12}(?![\w.]))")
HANDLE = r"(?<![\w@])@[\w.]*\w"
PHONE = r"(?<![\w.-])\(?\+?\d[\d ()./‐‑–-]{5,40}\d(?![\w-])"
IDENTIFIER = r"(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[^\W\d_])[^\W_]+(?:[_-][^\W_]+)*(?![\w-])"
USERNAME = r"\b[^\W_]+(?:_[^\W_]+)+\b"
ATOM = re.compile(
    f"(?P<email>{EMAIL})|(?P<url>{URL})|(?P<handle>{HANDLE})|(?P<phone>{PHONE})"
    f"|(?P<username>{USERNAME})|(?P<id>{IDENTIFIER})|(?P<word>{WORD})"
)
TRUNK = re.compile(r"(?<=\d)[ ./-]*\(0\)")
DIALLED_ABROAD = re.compile(r"[ (]*(?:\+|00[ ]?(?=[1-9])|011[ ](?=[1-9]))")
JOINT = re.compile(r"[ \t\u00a0]{1,2}|[-‐‑]|\n|, ?|\. ?|['’·・･]")
COUPLED = re.compile(r"(?<![\w-])([^\W\d_]+)[-‐‑]([^\W\d_]+)(?![\w-])")
BETWEEN = " ·・･"  # given and family name may stand apart where sentences do not
UNSPACED_RUN = re.compile(f"[{UNSPACED}]+(?:[{BETWEEN}][{UNSPACED}]+)*")


class NameKey(NamedTuple):
    """One thing under which a mention can be found; a tuple because a text yields hundreds."""

    kind: KeyKind
    value: str


class _Word(NamedTuple):
    start: int
    end: int
    folded: str
    glued: bool  # whether a name may run on from the word before
    small: bool = False  # "than" and "van" are no names, "Than" and "Van" may be


def canonical(text: str, entity_type: str) -> str:
    """Give the one spelling under which equal values of a type compare equal.

    ``ACME-CORP`` and ``Acme Corp`` are equal; ``TKT-100`` and ``TKT-1000`` are not.
    """
    cleaned = strip_invisible(text).strip()
    match entity_type:
        case "EMAIL_ADDRESS" | "IP_ADDRESS":
            return cleaned.casefold()
        case "URL":
            return _canonical_url(cleaned)
        case "USERNAME":
            return "@" + cleaned.lstrip("@").casefold()
        case "PHONE_NUMBER":
            return _digits(cleaned)
        case _ if entity_type in COMPACT_TYPES:
            return "".join(char for char in cleaned.casefold() if char.isalnum())
        case _ if entity_type in EXACT_TYPES:
            return cleaned
        case _ if entity_type in PERSON_TYPES:
            return _joined(person_tokens(cleaned))
        case _:
            return _joined(_tokens(cleaned))


def same_surface(a: str, b: str) -> bool:
    """Whether two names are certainly the same text: same words in any order, however written."""
    ours = {key for key in name_keys(a) if key.kind == "full"}
    return any(key in ours for key in name_keys(b) if key.kind == "full")


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
        keys = (NameKey("full", value) for value in _phone_forms(name))
    elif entity_type in COMPACT_TYPES | EXACT_TYPES | {"URL", "USERNAME", "IP_ADDRESS"}:
        keys = iter([NameKey("full", canonical(name, entity_type))])
    else:
        keys = _dotted_keys(name, _significant(_tokens(strip_invisible(name))))
    return tuple(dict.fromkeys(key for key in keys if key.value))


def _dotted_keys(name: str, tokens: list[str]) -> Iterator[NameKey]:
    yield from _thing_keys(tokens)
    yield NameKey("full", dotted(strip_invisible(name), tokens, RUN_ON))


def candidate_keys(text: str) -> list[tuple[int, int, NameKey]]:
    """List every key that a known mention inside a text could have, with its code-point span.

    Windows of one to five words (name particles such as "van der" do not count), all windows of
    two to six characters in scripts without spaces, and e-mails, phones, handles and identifiers
    as wholes: a name is never looked for inside an address.
    """
    found: list[tuple[int, int, NameKey]] = []
    words: list[_Word] = []
    last_end = -1
    for match in ATOM.finditer(text):
        if match.lastgroup == "word":
            glued = last_end >= 0 and _joins(text, last_end, match.start(), words)
            small = match[0].islower()
            words.append(_Word(match.start(), match.end(), fold(match[0]), glued, small))
            last_end = match.end()
        else:
            found += _atom_keys(match, words)
            last_end = match.end() if match.lastgroup == "id" else -1
    found += _word_windows(words)
    across = dotted_windows(text, words, LONGEST_NAME, RUN_ON, PARTICLES)
    found += [(start, end, NameKey("full", value)) for start, end, value in across]
    found += _unspaced_windows(text)
    signed = {match.start(): match for match in SIGNED.finditer(text)}
    if not signed:
        return found
    found = [each for each in found if each[0] not in signed or each[1] > each[0] + 1]
    return found + [
        (start, match.end(), NameKey("full", match[0].casefold()))
        for start, match in signed.items()
    ]


def halves_of(names: Iterable[str]) -> frozenset[str]:
    """Folded halves of what a hyphen couples in names: ``jean`` and ``luc`` of ``Jean-Luc``.

    Nobody shortens such a name to half of it for certain, and who bears the half is another. So
    it is with what is abbreviated: ``mohd`` of ``Mohd. Falk``.
    """
    known = list(names)
    pairs = (pair for name in known for pair in _coupled(name))
    short = (word for name in known for word in abbreviated(name, RUN_ON))
    return frozenset([*(fold(half) for pair in pairs for half in pair), *short])


def _coupled(name: str) -> list[tuple[str, str]]:
    """What a hyphen couples, but for an article: ``al-Falk`` is one name."""
    return [pair for pair in COUPLED.findall(name) if PARTICLES.isdisjoint(map(fold, pair))]


def has_half_of(one: str, other: str) -> bool:
    """Whether one of two names has only half of what a hyphen couples in the other."""
    for coupled, name in ((one, other), (other, one)):
        words = {*person_tokens(name)}
        for pair in _coupled(coupled):
            if len(words.intersection(map(fold, pair))) == 1:
                return True
    return False


def generation_of(name: str) -> str:
    """``iii`` of ``John Falk III``: what tells a person from another of the same name."""
    words = _tokens(strip_invisible(name))
    return words[-1] if len(words) > 2 and words[-1] in GENERATIONS else ""


def is_of_another_generation(known: str, asked: str) -> bool:
    """Whether a known name has a generation that was not asked for."""
    return generation_of(known) not in ("", generation_of(asked))


def person_tokens(name: str) -> list[str]:
    """The folded words of a person's name, given name first, without titles and suffixes."""
    parts = name.split(",")
    if len(parts) == 2 and fold(parts[1].strip()) not in SUFFIXES:
        name = f"{parts[1]} {parts[0]}"
    tokens = _tokens(without_titles(name, HONORIFICS))
    kept = list(tokens)
    while len(kept) > 1 and kept[0] in HONORIFICS:
        if len(kept) == 2 and kept[0] in FIRST_NAMES_TOO:
            break
        kept.pop(0)
    while len(kept) > 1 and kept[-1] in SUFFIXES:
        kept.pop()
    return kept


def _tokens(text: str) -> list[str]:
    return [folded for match in re.finditer(WORD, text) if (folded := fold(match[0]))]


def _joined(tokens: list[str]) -> str:
    """Words with spaces between, or without where the script has none."""
    glue = "" if tokens and all(map(is_unspaced, tokens)) else " "
    return glue.join(tokens)


def significant(name: str) -> list[str]:
    """The folded words that tell a person's name: ``kolk`` of ``Mevrouw Van der Kolk``."""
    tokens = person_tokens(strip_invisible(name))
    several = len(tokens) > 2 and PARTICLES.issuperset(
        tokens[:2]
    )  # "Van der Kolk", no "Ben Carter"
    leads = several or name.lstrip()[:1].islower() or not FAMILYS.isdisjoint(tokens[:1])
    return _significant(tokens, first=0 if leads else 1)


def _significant(tokens: list[str], first: int = 0) -> list[str]:
    """Without particles, which are only looked for after the ``first`` words."""
    kept = [token for token in tokens[first:] if token not in PARTICLES]
    return tokens[:first] + kept or tokens


def _unordered(tokens: list[str]) -> str:
    if tokens and all(map(is_unspaced, tokens)):
        return "".join(tokens)
    return " ".join(sorted(tokens))


def _person_keys(name: str) -> Iterator[NameKey]:
    native = significant(name)
    for form in _forms(native):
        yield from _thing_keys(form)
    yield NameKey("full", dotted(strip_invisible(name), native, RUN_ON))
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


def _forms(tokens: list[str]) -> Iterator[list[str]]:
    """The name as written, in Latin letters, and with German umlauts spelled out."""
    yield tokens
    if all(map(str.isascii, tokens)) or any(map(is_unspaced, tokens)):
        return
    for respell in (ascii_form, _spelled_out):
        respelled = [respell(token) for token in tokens]
        if all(respelled):
            yield respelled


def _spelled_out(token: str) -> str:
    return ascii_form(expand_umlauts(token))


def _thing_keys(tokens: list[str]) -> Iterator[NameKey]:
    yield NameKey("full", _unordered(tokens))
    yield NameKey("ord", _joined(tokens))
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


def _canonical_url(url: str) -> str:
    scheme, separator, rest = url.partition("://")
    host, slash, path = (rest if separator else scheme).partition("/")
    return host.casefold().removeprefix("www.") + (slash + path).rstrip("/")


def _digits(phone: str) -> str:
    digits = "".join(char for char in phone if char.isdecimal())
    return f"+{digits}" if phone.lstrip(" (").startswith("+") else digits


def _phone_forms(phone: str) -> Iterator[str]:
    """What a given number is known by: as dialled, with its country, and the national number.

    Without a country it is whatever country's number ends so: ``ABROAD`` and the number.
    """
    yield from _dialled(phone)
    abroad = _abroad(phone)
    if abroad is not None:
        yield f"+{abroad.country_code}{_national(abroad)}"
        yield _national(abroad)
    if not has_country(phone):
        home = _at_home(phone)
        yield from (home, f"{ABROAD}{home}")


def _number_forms(text: str) -> Iterator[str]:
    """What a number in a text may be known by: one with its country is no other country's."""
    digits = "".join(char for char in text if char.isdecimal())
    yield digits
    if len(digits) < SHORTEST_PHONE:
        return
    yield from _dialled(text)
    abroad = _abroad(text)
    if abroad is not None:
        yield f"+{abroad.country_code}{_national(abroad)}"
        yield f"{ABROAD}{_national(abroad)}"
    if not has_country(text):
        yield _at_home(text)


def may_be_same_number(number: str, other: str) -> bool:
    """Whether two telephone numbers may be one: with two countries written they are two."""
    return not set(_phone_forms(number)).isdisjoint(_number_forms(other))


def _dialled(phone: str) -> Iterator[str]:
    """Its digits as they stand, and without the ``(0)`` that is dialled at home only."""
    cleaned = strip_invisible(phone)
    yield _digits(cleaned)
    if has_country(cleaned):
        yield _digits(TRUNK.sub("", cleaned))


def has_country(phone: str) -> bool:
    """Whether it is written with its country: ``+49``, ``0049``, ``00 49``, ``011 49``."""
    return DIALLED_ABROAD.match(phone) is not None


@lru_cache(maxsize=1024)
def _abroad(phone: str) -> phonenumbers.PhoneNumber | None:
    """The number with its country, where one is written; ``49 170 …`` if there is such a number."""
    cleaned = TRUNK.sub("", strip_invisible(phone))
    prefix = DIALLED_ABROAD.match(cleaned)
    digits = _digits(cleaned[prefix.end() :] if prefix else cleaned).lstrip("+")
    try:
        parsed = phonenumbers.parse(f"+{digits}")
    except phonenumbers.NumberParseException:
        return None
    fits = phonenumbers.is_possible_number if prefix else phonenumbers.is_valid_number
    return parsed if fits(parsed) or (prefix and "+" in prefix[0]) else None


def _national(parsed: phonenumbers.PhoneNumber) -> str:
    return str(parsed.national_number)


def _at_home(phone: str) -> str:
    return _digits(strip_invisible(phone)).lstrip("0")


def _atom_keys(match: re.Match[str], words: list[_Word]) -> Iterator[tuple[int, int, NameKey]]:
    start, end, text = match.start(), match.end(), match[0]
    match match.lastgroup:
        case "email":
            values: Iterable[str] = (text.casefold(),)
        case "url":
            values = (_canonical_url(text.rstrip(".,;:!?)")),)
        case "handle" | "username":
            values = (canonical(text, "USERNAME"),)
        case "phone":
            values = _number_forms(text)
        case _:
            values = _identifier_forms(text)
            _add_identifier_words(match, words)
    for value in dict.fromkeys(values):
        yield start, end, NameKey("full", value)


def _identifier_forms(text: str) -> Iterator[str]:
    folded = fold(text)
    yield "".join(char for char in folded if char.isalnum())
    yield _unordered(_tokens(text))
    yield "@" + text.casefold()


def _add_identifier_words(match: re.Match[str], words: list[_Word]) -> None:
    """Let the words of ``Studio-54`` take part in windows, as one indivisible word."""
    tokens = _tokens(match[0])
    words.append(_Word(match.start(), match.end(), " ".join(tokens), glued=False))


def _joins(text: str, end: int, start: int, words: list[_Word]) -> bool:
    joint = text[end:start]
    if not JOINT.fullmatch(joint):
        return False
    if joint.startswith("."):
        previous = words[-1].folded if words else ""
        return len(previous) == 1 or previous in RUN_ON
    return True


def _word_windows(words: list[_Word]) -> Iterator[tuple[int, int, NameKey]]:
    for index, word in enumerate(words):
        folded = word.folded
        if not folded:
            continue
        for value in _spellings(folded):
            yield word.start, word.end, NameKey("full", value)
            yield word.start, word.end, NameKey("tok", value)
        title = folded in HONORIFICS - FIRST_NAMES_TOO
        if title or (word.small and folded in BREAKS | PARTICLES):
            continue
        yield from _longer_windows(words, index)


def _longer_windows(words: list[_Word], index: int) -> Iterator[tuple[int, int, NameKey]]:
    tokens = words[index].folded.split(" ")
    start = words[index].start
    joined = tokens[0][:1] in JOINED_LETTERS
    firsts = list(_unjoined(tokens[0], LEAST_FIRST)) if joined else ()
    for word in words[index + 1 : index + LONGEST_WINDOW]:
        if not word.glued or (word.small and word.folded in BREAKS):
            return
        if word.folded in PARTICLES or not word.folded:
            continue
        tokens.append(word.folded)
        if len(tokens) > LONGEST_NAME:
            return
        yield start, word.end, NameKey("full", " ".join(sorted(tokens)))
        yield start, word.end, NameKey("ord", " ".join(tokens))
        for first in firsts:
            yield start, word.end, NameKey("full", " ".join(sorted([first, *tokens[1:]])))
        for form in list(_forms(tokens))[1:]:
            yield start, word.end, NameKey("full", " ".join(sorted(form)))


def _spellings(folded: str) -> Iterable[str]:
    if folded.isascii():
        return (folded,)
    if is_unspaced(folded):
        return ()
    forms = [folded, ascii_form(folded), _spelled_out(folded), *_unjoined(folded)]
    return dict.fromkeys(filter(None, forms))


def spelled_apart(folded: str) -> list[str]:
    """A folded word, and what is left of it without what is written joined to it: ``وخالد``."""
    return [folded, *_unjoined(folded)] if folded and not folded.isascii() else [folded]


def _unjoined(folded: str, least: int = 3) -> Iterator[str]:
    """A word without the one-letter words "and", "to", "in" that are written joined to it.

    Nothing for what is a name as it is: ``كريم`` is not ``ك`` and ``ريم``.
    """
    rest = folded
    while rest[0] in JOINED_LETTERS and not is_name(rest):
        if rest.startswith("لل"):  # "to the": the article loses its first letter
            yield f"ال{rest[2:]}"
        rest = rest[1:]
        if len(rest) < least:
            return
        yield rest


def _unspaced_windows(text: str) -> Iterator[tuple[int, int, NameKey]]:
    if text.isascii():
        return
    for run in UNSPACED_RUN.finditer(text):
        for start in range(run.start(), run.end()):
            if text[start] in BETWEEN:
                continue
            longest = min(run.end(), start + _longest_unspaced(text[start]))
            for end in range(start + 2, longest + 1):
                if text[end - 1] not in BETWEEN:
                    parts = re.split(f"[{BETWEEN}]", text[start:end])
                    yield start, end, NameKey("full", "".join(map(fold, parts)))


def _longest_unspaced(char: str) -> int:
    """Characters of the longest name looked for: South-East Asian names are spelled out."""
    return 12 if char < "\u1800" else 6
