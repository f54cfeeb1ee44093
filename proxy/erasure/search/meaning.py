"""Memories that say in other words what is erased, without naming whom: found by their meaning."""

import asyncio
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from proxy.erasure.search.found import Found, Hunt
from proxy.erasure.search.means import Encode
from proxy.erasure.search.near import adds_nothing, goes_for_itself, nameless, told
from proxy.erasure.search.resolve import Aim
from proxy.erasure.texts.wording import Sense, same_sense, senses

LEAST_LIKENESS = 0.82  # paraphrases measured 0.83 and more, texts on the same things up to 0.80
FEWEST_WORDS = 4
MOST = 400  # pairs of texts compared in one plan
SELF = re.compile(r"\b(?:i|i'm|i've|my|mine|me|we|our)\b", re.IGNORECASE)


@cache
def _encoder() -> Any:
    from detectors.categories.encoder import (
        Encoder,  # heavy, and most processes never plan an erasure
    )

    return Encoder()


def encode(texts: Sequence[str]) -> Any:
    """Unit vectors of texts; the model is loaded by the first call.

    Raises:
        DetectionUnavailable: the model is missing or is not the one that was tested.
    """
    return _encoder().encode(texts)


async def same_meaning(with_model: Encode | None, aim: Aim, hunt: Hunt) -> list[Found]:
    """Of what was looked at: texts of the same owner that repeat an erased one in other words.

    A text that has a word of its own says something else (see ``wording``), and so does one in
    which the owner speaks of themselves. Without a model nothing is found by meaning.
    """
    if with_model is None or not _asked(aim):
        return []
    pairs = list(_pairs(hunt, by_id=aim.target.kind == "memory"))[:MOST]
    if not pairs:
        return []
    texts = [text for one, erased in pairs for text in (told(one), nameless(erased))]
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
    """Texts worth comparing: same store and owners, and no word of their own.

    Args:
        by_id: what is erased was named by its id, and may be what the owner says of themselves.
    """
    where: dict[Any, list[tuple[Sense, Found]]] = defaultdict(list)
    for one in goes_for_itself(hunt):
        said = next(senses(nameless(one)))
        if (one.spans or by_id) and len(said.words) >= FEWEST_WORDS:
            where[one.place, said.bag].append((said, one))
    if not where:
        return
    for one in hunt.texts.values():
        if one.item is None or (SELF.search(one.text) and not by_id):
            continue
        for said in senses(told(one)):
            for ours, erased in where.get((one.place, said.bag), ()):
                named = erased.spans or not said.bearer
                if named and same_sense(said, ours) and adds_nothing(one, erased):
                    yield one, erased
