"""Near-duplicates: memories that say nothing beyond one that is to be erased, in the same words."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from proxy.erasure.search.found import Found, Hunt
from proxy.erasure.texts.wording import Wording, Words, denies, same_words, wording

FEWEST_WORDS = 6  # of a text that repeats an erased one but for the name
LEAST_EQUAL = 2  # words of one that repeats it as it stands
FEWEST_QUOTED = 3  # words of an erased text that is found within a longer one
SPEAKERS = {"I", "you"}


def near_duplicates(hunt: Hunt) -> Iterator[Found]:
    """Of what was looked at: texts of the same owner that have the very words of an erased one.

    The name of whom is forgotten may be missing. A text with a single word more, less or of its
    own says something else and is left.
    """
    if not hunt.texts:
        return
    erased = _erased(hunt)
    for one in hunt.texts.values():
        said = wording(told(one))
        if len(said.words) < LEAST_EQUAL or one.item is None:
            continue
        known = erased.get((one.place, said.bag), ())
        if any(_repeats(said, each, other) and adds_nothing(one, other) for each, other in known):
            one.near = True
            yield one


def quoting(hunt: Hunt) -> Iterator[Found]:
    """Of what was looked at: texts of the same owner that hold the words of an erased one and more.

    Unless they deny them: with "never" or "no longer" before, it says something else.
    """
    erased: dict[Any, list[Words]] = defaultdict(list)
    for one in goes_for_itself(hunt):
        words = wording(told(one)).words
        if len(words) >= FEWEST_QUOTED:
            erased[one.place, words[:FEWEST_QUOTED]].append(words)
    for one in hunt.texts.values() if erased else ():
        if one.item is not None and _holds_one(wording(told(one)).words, one.place, erased):
            yield one


def _holds_one(words: Words, place: Any, erased: Mapping[Any, Sequence[Words]]) -> bool:
    return any(
        len(known) < len(words) and words[start : start + len(known)] == known
        for start in range(len(words) - FEWEST_QUOTED + 1)
        if not any(map(denies, words[max(0, start - 2) : start]))
        for known in erased.get((place, words[start : start + FEWEST_QUOTED]), ())
    )


def _repeats(said: Wording, known: Wording, erased: Found) -> bool:
    """Whether the words are the same, and not the owner's of themselves where a name stood."""
    own = {person for person, _ in {*said.persons} - {*known.persons}}
    return same_words(said, known) and not (erased.spans and own & SPEAKERS)


def _erased(hunt: Hunt) -> dict[Any, list[tuple[Wording, Found]]]:
    """What goes for itself, by its owners and words: as it stands, and without the name."""
    where: dict[Any, list[tuple[Wording, Found]]] = defaultdict(list)
    for one in goes_for_itself(hunt):
        whole, rest = wording(told(one)), wording(nameless(one))
        where[one.place, whole.bag].append((whole, one))
        if one.spans and len(rest.words) >= FEWEST_WORDS:
            where[one.place, rest.bag].append((rest, one))
    return where


def goes_for_itself(hunt: Hunt) -> Iterator[Found]:
    """Findings whose text of today is what is to be forgotten."""
    return (one for one in hunt.found.values() if one.direct and one.item and not one.former)


def told(one: Found) -> str:
    """The text of a memory without its metadata."""
    lines = one.text.split("\n")
    return "\n".join(lines[: _lines(one)])


def nameless(one: Found) -> str:
    """The same without the name of whom it is about."""
    text, end = one.text, len(told(one))
    for span in sorted(one.spans, key=lambda each: each.start, reverse=True):
        if span.end <= end:
            text = f"{text[: span.start]} {text[span.end :]}"
            end += 1 - (span.end - span.start)
    return text[:end]


def adds_nothing(one: Found, erased: Found) -> bool:
    """Whether the metadata of a memory says nothing that an erased one does not say."""
    own = one.text.split("\n")[_lines(one) :]
    return {*own} <= {*erased.text.split("\n")}


def _lines(one: Found) -> int:
    """How many lines of what a memory says are its text."""
    return one.item.text.count("\n") + 1 if one.item else 1


def states_the_same(text: str, erased: str) -> bool:
    """Whether a text still says, word for word, what an erased one said."""
    ours, theirs = wording(erased), wording(text)
    return len(theirs.words) >= FEWEST_WORDS and same_words(ours, theirs)
