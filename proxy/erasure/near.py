"""Near-duplicates: memories that say nothing beyond one that is to be erased."""

import re
from collections import defaultdict
from collections.abc import Iterator

from detectors.namelists import is_given_name
from proxy.erasure.found import Found, Hunt
from proxy.erasure.mentions import content_words

FEWEST_WORDS = 6
LEAST_SHARE = 0.75
LEAST_EQUAL = 2  # content words of a short text that repeats another word for word
WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
DENIALS = frozenset(
    {"not", "no", "never", "without", "nor", "neither", "nobody", "nothing", "nicht", "kein",
     "keine", "ohne", "pas", "jamais", "sans", "nunca", "sin", "non", "senza", "não", "sem", "niet",
     "geen", "nooit", "zonder"}
)  # fmt: skip
# With these, small words turn what is said round: "moved to Lund", "moved from Lund".
TURNS = DENIALS | {"from", "before", "after", "off", "against", "unlike"}


def near_duplicates(hunt: Hunt) -> Iterator[Found]:
    """Of what was looked at: texts of the same owner whose words all stand in an erased one.

    A text that has a single name or number of its own says something else and is left; so does a
    short one unless it has the very words of an erased one, whatever their case and order.
    """
    if not hunt.texts:
        return
    erased = [one for one in hunt.found.values() if one.direct and one.item and not one.former]
    words = [content_words(one.text) for one in erased]
    where: dict[str, set[int]] = defaultdict(set)
    for index, each in enumerate(words):
        for word in each:
            where[word].add(index)
    for one in hunt.texts.values():
        theirs = content_words(one.text)
        if len(theirs) < LEAST_EQUAL:
            continue
        holders = set.intersection(*(where.get(word, set()) for word in theirs))
        if any(_same(one, erased[i], theirs, words[i]) for i in holders):
            one.near = True
            yield one


def _same(one: Found, erased: Found, theirs: frozenset[str], ours: frozenset[str]) -> bool:
    """Whether its words are those of an erased one: all of them where it has only a few."""
    if one.item is None or erased.item is None or one.place != erased.place:
        return False
    if len(theirs) < FEWEST_WORDS:
        return theirs == ours and not differ(one.text, erased.text)
    return len(theirs) >= LEAST_SHARE * len(ours)


def differ(one: str, other: str) -> bool:
    """Whether small words turn round what a text says, or its names stand in another order."""
    ours, theirs = _names(one), _names(other)
    reordered = ours != theirs and sorted(ours) == sorted(theirs)
    return reordered or _turns(one, TURNS) != _turns(other, TURNS)


def denies(one: str, other: str) -> bool:
    """Whether one of two texts says that something is not so, and the other does not."""
    return bool(_turns(one, DENIALS)) != bool(_turns(other, DENIALS))


def _turns(text: str, words: frozenset[str]) -> list[str]:
    return [word for word in _words(text) if word in words or word.endswith("n't")]


def _words(text: str) -> list[str]:
    return [match[0].casefold().replace("’", "'") for match in WORD.finditer(text)]


def _names(text: str) -> list[str]:
    """Words with a capital, in their order."""
    found = (match[0] for match in WORD.finditer(text))
    return [word.casefold() for word in found if is_given_name(word.casefold())]


def states_the_same(text: str, erased: str) -> bool:
    """Whether a text still says, word for word or nearly, what an erased one said."""
    theirs, ours = content_words(text), content_words(erased)
    return len(theirs) >= FEWEST_WORDS and theirs <= ours and len(theirs) >= LEAST_SHARE * len(ours)
