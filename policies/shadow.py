"""Rules that can never fire because an earlier one always fires first."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from policies.schema.write import Condition, EntityRule, TextRule

Shadow = tuple[int, str]
FileOf = Callable[[int], str]
_ANY = "*"
# Conditions that a rule sets by listing what is enough: more words, more texts.
_ANY_OF = ("sources", "purposes", "categories", "regions", "languages")
# Conditions that a rule sets by listing what must all hold: more words, fewer texts.
_ALL_OF = ("consent", "no_consent")


class Reach(NamedTuple):
    """What a rule takes, in a form that is quick to compare; ``age`` is -1 without a condition."""

    rule: str
    file: str
    types: frozenset[str]
    min_score: float
    operations: frozenset[str]
    any_of: tuple[frozenset[str], ...]
    owners: frozenset[str]
    all_of: tuple[frozenset[str], ...]
    infer: bool | None
    age: float


def shadowed_entities(rules: Sequence[EntityRule], file_of: FileOf) -> Iterator[Shadow]:
    """Index of each rule with entity types that never reach it, and words about them.

    ``file_of(i)`` tells where a rule stands: one that hides an inherited one does so on purpose.
    """
    earlier: list[Reach] = []
    for index, rule in enumerate(rules):
        reach = _reach(rule.id, rule.when, file_of(index), rule.when.entities, rule.when.min_score)
        lost = {
            name: first for name in rule.when.entities if (first := _taker(earlier, reach, name))
        }
        if lost:
            which = "no type" if len(lost) == len(rule.when.entities) else "not every type"
            by = ", ".join(f"{name} always goes to {first}" for name, first in lost.items())
            yield index, f"{which} can reach this rule: {by}"
        earlier.append(reach)


def shadowed_texts(rules: Sequence[TextRule], file_of: FileOf) -> Iterator[Shadow]:
    """Index of each text rule that an earlier one hides, and words about it."""
    earlier: list[Reach] = []
    for index, rule in enumerate(rules):
        reach = _reach(rule.id, rule.when, file_of(index), (_ANY,), 0.0)
        if first := _taker(earlier, reach, _ANY):
            yield index, f"no text can reach this rule: all go to {first}"
        earlier.append(reach)


def _has_owners(first: frozenset[str], later: frozenset[str]) -> bool:
    """Whether every owner of ``later`` is in ``first``, by name or as one of its kind."""
    if not first or not later:
        return not first
    return all({owner, f"{owner.partition(':')[0]}:*"} & first for owner in later)


def _reach(
    rule: str, when: Condition, file: str, types: tuple[str, ...], min_score: float
) -> Reach:
    return Reach(
        rule,
        file,
        frozenset(types),
        min_score,
        frozenset(when.operations),
        tuple(frozenset(getattr(when, name)) for name in _ANY_OF),
        frozenset(when.owners),
        tuple(frozenset(getattr(when, name)) for name in _ALL_OF),
        when.infer,
        -1.0 if when.older_than is None else when.older_than.rank,
    )


def _taker(earlier: Sequence[Reach], later: Reach, entity_type: str) -> str | None:
    """The first rule of the same file that takes everything of this type."""
    for first in earlier:
        if (entity_type in first.types or _ANY in first.types) and wider(first, later):
            return first.rule
    return None


def wider(first: Reach, later: Reach) -> bool:
    """Whether everything that meets the conditions of ``later`` also meets those of ``first``."""
    return (
        first.file == later.file
        and first.min_score <= later.min_score
        and all(not a or (b and b <= a) for a, b in zip(first.any_of, later.any_of, strict=True))
        and _has_owners(first.owners, later.owners)
        and all(a <= b for a, b in zip(first.all_of, later.all_of, strict=True))
        and later.operations <= first.operations
        and first.infer in (None, later.infer)
        and first.age <= later.age
    )
