"""Memories that say in other words what is erased, without naming whom: found by their meaning."""

import asyncio
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from detectors.namelists import is_ordinary
from proxy.erasure.found import Found, Hunt
from proxy.erasure.means import Encode
from proxy.erasure.mentions import content_words
from proxy.erasure.near import denies
from proxy.erasure.resolve import Aim

LEAST_LIKENESS = 0.82  # paraphrases measured 0.83 and more, texts on the same things up to 0.80
FEWEST_WORDS = 4
SHARED_STEMS = 2
STEM = 5
MOST = 400  # pairs of texts compared in one plan
SELF = re.compile(r"\b(?:i|i'm|i've|my|mine|me|we|our)\b", re.IGNORECASE)


@cache
def _encoder() -> Any:
    from detectors.encoder import Encoder  # heavy, and most processes never plan an erasure

    return Encoder()


def encode(texts: Sequence[str]) -> Any:
    """Unit vectors of texts; the model is loaded by the first call.

    Raises:
        DetectionUnavailable: the model is missing or is not the one that was tested.
    """
    return _encoder().encode(texts)


async def same_meaning(with_model: Encode | None, aim: Aim, hunt: Hunt) -> list[Found]:
    """Of what was looked at: texts of the same owner that repeat an erased one in other words.

    A text that has a name, a number or a strange word of its own says something else, and so does
    one in which the owner speaks of themselves. Without a model nothing is found by meaning.
    """
    if with_model is None or not _asked(aim):
        return []
    pairs = list(_pairs(hunt, by_id=aim.target.kind == "memory"))[:MOST]
    if not pairs:
        return []
    texts = [text for one, erased in pairs for text in (one.text, _nameless(erased))]
    vectors = await asyncio.to_thread(with_model, texts)
    alike = [
        one
        for number, (one, _) in enumerate(pairs)
        if float(vectors[2 * number] @ vectors[2 * number + 1]) >= LEAST_LIKENESS
    ]
    return list({one.key: one for one in alike}.values())


def _asked(aim: Aim) -> bool:
    target = aim.target
    if target.kind == "memory":
        return aim.person
    named = target.kind in {"entity", "subject"} and aim.needles is not None
    return named and target.scope == "any_mention"


def _pairs(hunt: Hunt, *, by_id: bool) -> Iterator[tuple[Found, Found]]:
    """Texts worth comparing: same store and owners, two stems in common, nothing of their own.

    Args:
        by_id: what is erased was named by its id, and may be what the owner says of themselves.
    """
    where: dict[tuple[Any, ...], list[tuple[Found, frozenset[str]]]] = defaultdict(list)
    for one in hunt.found.values():
        if one.direct and one.item and (one.spans or by_id) and not one.former:
            words = content_words(_nameless(one))
            if len(words) >= FEWEST_WORDS:
                where[one.place].append((one, words))
    for one in hunt.texts.values():
        told = where.get(one.place, ()) if one.item else ()
        theirs = content_words(one.text) if told else frozenset[str]()
        if len(theirs) < FEWEST_WORDS or (SELF.search(one.text) and not by_id):
            continue
        for erased, ours in told:
            if _comparable(theirs, ours) and not denies(one.text, erased.text):
                yield one, erased


def _comparable(theirs: frozenset[str], ours: frozenset[str]) -> bool:
    stems = {word[:STEM] for word in ours}
    shared = {word[:STEM] for word in theirs} & stems
    own = [word for word in theirs if word[:STEM] not in stems]
    return len(shared) >= SHARED_STEMS and all(map(_is_plain, own))


def _is_plain(word: str) -> bool:
    """Whether a word is an ordinary one; the word list spells as Americans do."""
    return is_ordinary(word) or is_ordinary(word.replace("our", "or"))


def _nameless(one: Found) -> str:
    """What a memory says without the name of whom it is about, and without its metadata."""
    text = one.text
    for span in sorted(one.spans, key=lambda each: each.start, reverse=True):
        text = f"{text[: span.start]} {text[span.end :]}"
    return " ".join(text.split("\n", 1)[0].split())
