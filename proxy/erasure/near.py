"""Near-duplicates: memories that say nothing beyond one that is to be erased."""

from collections import defaultdict
from collections.abc import Iterator

from proxy.erasure.found import Found, Hunt
from proxy.erasure.mentions import content_words

FEWEST_WORDS = 6
LEAST_SHARE = 0.75


def near_duplicates(hunt: Hunt) -> Iterator[Found]:
    """Of what was looked at: texts of the same owner whose words all stand in an erased one.

    A text that has a single name or number of its own says something else and is left.
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
        if len(theirs) < FEWEST_WORDS:
            continue
        holders = set.intersection(*(where.get(word, set()) for word in theirs))
        if any(_same(one, erased[i], len(theirs), len(words[i])) for i in holders):
            one.near = True
            yield one


def _same(one: Found, erased: Found, ours: int, theirs: int) -> bool:
    if one.item is None or erased.item is None:
        return False
    return one.place == erased.place and ours >= LEAST_SHARE * theirs


def states_the_same(text: str, erased: str) -> bool:
    """Whether a text still says, word for word or nearly, what an erased one said."""
    theirs, ours = content_words(text), content_words(erased)
    return len(theirs) >= FEWEST_WORDS and theirs <= ours and len(theirs) >= LEAST_SHARE * len(ours)
