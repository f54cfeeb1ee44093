"""Whether one word of a name stands for its bearer, or is part of somebody else's longer name."""

import re
from itertools import chain
from string import ascii_lowercase
from typing import Literal

from jellyfish import damerau_levenshtein_distance

from detectors.identity.names import BREAKS, FAMILYS
from detectors.identity.names import PARTICLES as NAME_PARTICLES
from detectors.people.before import is_first_name, may_be_first_name
from detectors.people.foreign import is_foreign
from detectors.words import word_set
from detectors.words.calendar import DAYS, MONTHS
from detectors.words.folding import INVISIBLE, MARKS, fold
from detectors.words.namelists import (
    family_names,
    foreign_verbs,
    german_nouns,
    given_names,
    is_name,
    is_ordinary,
)
from detectors.words.relations import OTHER_LANGUAGES, OTHER_ROLES
from detectors.words.spoken import languages_of, spoken
from detectors.words.titles import HONORIFICS
from proxy.tokens.forms.halves import other_half
from proxy.tokens.mentions.named_after import is_a_family
from proxy.tokens.mentions.specificity import EVERYDAY, begins_sentence

LETTERS = f"[^\\W\\d_](?:[^\\W\\d_]|[{MARKS}{INVISIBLE}])*"
BEFORE = re.compile(f"({LETTERS})(?:[ \\t\\u00a0]{{1,2}}|[-‐‑_]|\\. ?)$")
AFTER = re.compile(f"(?:[ \\t\\u00a0]{{1,2}}|[-‐‑_]|\\.(?=\\w))({LETTERS})")
ACTS = re.compile(f"{LETTERS}(?:[-‐‑]{LETTERS})* ({LETTERS})")
# Without those that stand between other words too: "Kuno das Buch", "Alva y Tom".
PARTICLES = NAME_PARTICLES - word_set("das des las el y e of the and") | {"het"}
ROMANCE = frozenset({"de", "del", "della", "di", "da", "do", "dos", "du", "la", "le", "los"})
ARTICLES = frozenset({"al", "el", "ul"})  # which a hyphen joins to a name: "al-Falk"
NISBA = re.compile(r"\w{2,}ي$")  # behind the article: where somebody's family is from
TO_THE = re.compile(rf" zu[mr] ({LETTERS})")
WITH = re.compile(r"(?<!\w)(?:bei|mit|für|ohne|von|zu|an|nach) $", re.IGNORECASE)
ROLE = re.compile(f"{OTHER_LANGUAGES}|{OTHER_ROLES}", re.IGNORECASE)  # "der Klempner Alva"
MODALS = frozenset({"will", "may"})
CALENDAR = DAYS | MONTHS - word_set("march april may june august")  # who may be somebody
BASES = {"ing": ("", "e"), "s": ("",)}  # what a word without its ending is
OPENERS = frozenset(
    {"fyi", "lol", "omg", "congrats", "convo", "fwiw", "imho", "todo", "yay", "ok", "ah", "hmm",
     "is", "forget", "facetiming", "skyping", "dming", "whatsapping", "venmoing", "doctor",
     "doktor", "cousin", "little", "young", "gestern", "ayer", "fru"}
)  # fmt: skip
BEGINNINGS = frozenset(
    {"tomorrow", "yesterday", "tonight", "today", "apparently", "actually", "remember", "reminder",
     "because", "although", "however", "sometimes", "usually", "recently", "finally", "hopefully",
     "basically", "literally", "obviously", "definitely", "probably", "honestly", "meanwhile",
     "afterwards", "certainly", "perhaps", "maybe", "please", "though", "through", "together",
     "without", "visited", "received", "believe"}
)  # fmt: skip
SLANG = frozenset(
    {"prolly", "legit", "lowkey", "highkey", "kinda", "sorta", "gonna", "wanna", "gotta", "deffo",
     "srsly", "totes", "obvs", "lmao", "aint", "cuz"}
)  # fmt: skip
VOWELS = frozenset("aeiouy")
LEAST_SMALL = 4
REACH = 60

Standing = Literal["alone", "another", "unsure"]


def stands_alone(text: str, start: int, end: int) -> bool:
    """Whether the word at [start, end) is not beside another word of a name.

    ``Alva Smith``, ``Tom Brenn``, ``Alva-Maria`` and ``Alva van Dijk`` are other people;
    ``Met Alva``, ``Aunt Alva`` and ``Alva, Tom`` are not.
    """
    return standing(text, start, end) == "alone"


def standing(text: str, start: int, end: int) -> Standing:
    """How a word of a name stands: alone, in another's name, or behind what may be a first name.

    ``So Falk came by`` may be about Falk or about So Falk, ``the Falk family`` is about several,
    ``Alva zum Felde`` may be a name: ``unsure``. ``Bei Alva zum Kaffee`` is none.
    """
    if is_a_family(text, start, end):
        return "unsure"
    if (to := TO_THE.match(text, end)) and _is_written(text, *to.span(1)):
        return "alone" if WITH.search(text, max(0, start - REACH), start) else "unsure"
    if _named_after(text, start, end) or other_half(text, start, end):
        return "another"
    front = in_front(text, start)
    before = BEFORE.search(text, max(0, front - REACH), front)
    if before and _loose(before[0]) and may_be_first_name(text, *before.span(1), start):
        return "unsure"
    return "another" if _named_before(text, front, start) else "alone"


def name_around(text: str, start: int, end: int) -> tuple[int, int]:
    """Where the whole name begins and ends of which the word at [start, end) is part.

    ``Tom Lloyd Jenkins`` from any of the three; the word itself where it stands alone.
    """
    if _named_after(text, start, end) and (match := AFTER.match(text, end, end + REACH)):
        while fold(match[1]) in PARTICLES and (
            more := AFTER.match(text, match.end(), match.end() + REACH)
        ):
            match = more
        return name_around(text, start, match.end())
    front = in_front(text, start)
    match = BEFORE.search(text, max(0, front - REACH), front)
    if match and _named_before(text, front, start):
        return name_around(text, match.start(), end)
    return start, end


def in_front(text: str, start: int) -> int:
    """Where the particles of a name begin that stand before its word: ``van der`` Meer.

    One with a capital is no given name before another, nor where it never is one: ``Von``.
    """
    match, more = BEFORE.search(text, max(0, start - REACH), start), False
    while match is not None and (folded := fold(match[1])) in PARTICLES:
        if not (match[1].islower() or more or folded in FAMILYS or _begins_family(text, match)):
            break
        start, more = match.start(), True
        match = BEFORE.search(text, max(0, start - REACH), start)
    return start


def _begins_family(text: str, particle: re.Match[str]) -> bool:
    """Whether a particle with a capital begins a family name: ``Signora Di Stefano``, ``Al-Falk``.

    ``Uncle Ben Falk`` and ``Al Falk`` are somebody's first names.
    """
    folded = fold(particle[1])
    if _tight(particle[0]):
        return folded in ARTICLES
    titled = BEFORE.search(text, max(0, particle.start() - REACH), particle.start())
    return folded in ROMANCE and titled is not None and fold(titled[1]) in HONORIFICS


def _named_before(text: str, front: int, start: int) -> bool:
    match = BEFORE.search(text, max(0, front - REACH), front)
    if match is None:
        return False
    word = match[1]
    if ROLE.fullmatch(word) and not begins_sentence(text, match.start()):
        return False
    if match[0].rstrip().endswith("."):
        return len(word) == 1 and word.isupper()
    if not _tight(match[0]) and _is_small_name(word) and _acts(text, start):
        return True
    if _tight(match[0]):
        return is_name(fold(word))
    if is_first_name(text, match.start(1), match.end(1), start):
        return True
    if front < start and _is_written(text, *match.span(1)):
        return False
    if begins_sentence(text, match.start()):
        return _begins_name(text, word, start)
    return _is_name(word, known=False)


def _is_written(text: str, start: int, end: int) -> bool:
    """Whether a word is nobody's name in the language around it: ``Fahrrad von Jorinde``."""
    folded = fold(text[start:end])
    if folded in german_nouns():
        return True
    listed = map(spoken, languages_of(text[max(0, start - REACH) : end + REACH]))
    return any(each.is_word(folded) or folded in each.proper for each in listed)


def _begins_name(text: str, word: str, start: int) -> bool:
    """Whether a word that begins its sentence, right before the one at ``start``, is a first name.

    A known name is one, ``Murilin`` too, that no list knows; ``Texted`` and ``Btw`` are none. In
    other languages, whose words are not all known, only who acts behind it bears an unknown one.
    """
    folded = fold(word)
    if folded in MODALS or folded in OPENERS:
        return False
    if _is_name(word, known=True):
        return True
    if not word[:1].isupper() or not text[start : start + 1].isupper() or _opens(folded):
        return False
    if word.isupper() and not text[start : start + 2].isupper():
        return False
    if is_foreign(text) or _is_slip(folded):
        return _acts(text, start)
    return True


def _opens(folded: str) -> bool:
    """Whether a word that is no known name only begins the sentence."""
    if is_ordinary(folded) or folded in foreign_verbs():
        return True
    if folded in HONORIFICS or folded in CALENDAR or folded in EVERYDAY or len(folded) < 2:
        return True
    unsayable = folded.isascii() and VOWELS.isdisjoint(folded)
    return folded.endswith("ed") or _inflected(folded) or unsayable


def _inflected(folded: str) -> bool:
    """Whether it is a form of a word; the endings in ``-ed`` of new verbs are no names at all."""
    return any(
        folded.endswith(ending) and is_ordinary(folded.removesuffix(ending) + rest)
        for ending, bases in BASES.items() for rest in bases
    )  # fmt: skip


def _is_slip(folded: str) -> bool:
    """Whether it is a word that begins sentences, with one letter wrong: ``Tomorow``."""
    return any(damerau_levenshtein_distance(folded, word) < 2 for word in BEGINNINGS)


def _acts(text: str, start: int) -> bool:
    """Whether the word behind the one at ``start`` says what somebody does: ``lives``, ``habite``.

    Then that word ends the name of who does it.
    """
    match = ACTS.match(text, start)
    folded = fold(match[1]) if match else ""
    english = folded.endswith(("s", "ed")) and is_ordinary(folded) and len(folded) > 1
    if folded in MODALS:
        return False
    return folded in foreign_verbs() or (english and match is not None and match[1].islower())


def _named_after(text: str, start: int, end: int) -> bool:
    if text[end - 2 : end - 1] in ("'", "’"):
        return False  # "Alva's Ford" is hers
    match = AFTER.match(text, end, end + REACH)
    while match is not None and fold(match[1]) in PARTICLES and match[1].islower():
        match = AFTER.match(text, match.end(), match.end() + REACH)
        if match is not None and match[1].islower() and fold(match[1]) not in PARTICLES:
            return False
    if match is None:
        return False
    word = match[1]
    if _tight(text[end : match.start(1)]) and is_name(fold(word)):
        return True
    if len(word) == 1:
        return word.isupper() and text[match.end() : match.end() + 1] == "."
    if _is_small_name(word) and _acts(text, match.start(1)):
        return True
    return _is_name(word, known=text[start:end].isupper() or is_genitive(fold(text[start:end])))


def is_genitive(folded: str) -> bool:
    """Whether a word may be a name with the ending of who owns something: ``Krügers Telefon``."""
    ends = folded.endswith("s") and len(folded) >= LEAST_SMALL
    return ends and not (is_name(folded) or is_ordinary(folded))


def small_names_beside(text: str, start: int, end: int) -> list[str]:
    """Words in small letters that make the one at [start, end) part of another's name, folded.

    ``murilin tahaholm knits`` is about somebody called Tahaholm, ``murilin rarely knits`` is not.
    """
    found = []
    front = in_front(text, start)
    before = BEFORE.search(text, max(0, front - REACH), front)
    after = AFTER.match(text, end, end + REACH)
    if before and before[1].islower() and standing(text, start, end) != "alone":
        found.append(fold(before[1]))
    if after and after[1].islower() and _named_after(text, start, end):
        found.append(fold(after[1]))
    return found


def _is_small_name(word: str) -> bool:
    """Whether a word in small letters is none that anybody knows, nor one misspelt."""
    folded = fold(word)
    if not word.islower() or len(folded) < LEAST_SMALL or folded in SLANG | OPENERS:
        return False
    return not (_opens(folded) or _is_misspelt(folded))


def _is_misspelt(folded: str) -> bool:
    """Whether it is a word with one letter wrong."""
    pairs = [(folded[:n], folded[n:]) for n in range(len(folded) + 1)]
    lost = (head + tail[1:] for head, tail in pairs if tail)
    turned = (head + tail[1::-1] + tail[2:] for head, tail in pairs if len(tail) > 1)
    other = (
        head + letter + rest
        for head, tail in pairs for letter in ascii_lowercase for rest in {tail, tail[1:]}
    )  # fmt: skip
    return any(map(is_ordinary, chain(lost, turned, other)))


def _loose(found: str) -> bool:
    """Whether nothing but space stands behind the word before."""
    return not _tight(found) and not found.rstrip().endswith(".")


def _tight(joint: str) -> bool:
    return not joint[-1:].isspace()


def _is_name(word: str, *, known: bool) -> bool:
    """Whether a word beside a name is one too; ``known``: only if it is known to be."""
    folded = fold(word)
    if folded in HONORIFICS or folded in CALENDAR or folded in EVERYDAY or folded in BREAKS:
        return False
    if word.islower():
        return is_name(folded) and not is_ordinary(folded) and folded not in foreign_verbs()
    if word.lower() == word.upper():
        return is_caseless_name(word)
    return is_name(folded) or not (known or is_ordinary(folded))


def is_caseless_name(word: str) -> bool:
    """Whether a word of a script without capitals is a name: ``خالد``, ``العتيبي``."""
    if word.lower() != word.upper():
        return False
    folded = fold(word)
    rest = folded.removeprefix("ال")
    return _is_listed(folded) or (rest != folded and (_is_listed(rest) or bool(NISBA.match(rest))))


def _is_listed(folded: str) -> bool:
    """Whether a name is known as it is spelled: in Latin letters, vowels are missing."""
    return folded in given_names() or folded in family_names()
