"""Rules that can never fire because an earlier one always fires first."""

from collections.abc import Callable, Iterator, Sequence

from policies.schema.write import Condition, EntityRule, TextRule

Shadow = tuple[int, str]
_ANY = "*"
# Conditions that a rule sets by listing what is enough: more words, more texts.
_ANY_OF = ("categories", "owners", "purposes", "regions", "sources", "languages")
# Conditions that a rule sets by listing what must all hold: more words, fewer texts.
_ALL_OF = ("consent", "no_consent")


Together = Callable[[int, int], bool]


def shadowed_entities(rules: Sequence[EntityRule], together: Together) -> Iterator[Shadow]:
    """Index of each rule with entity types that never reach it, and words about them.

    ``together(i, j)`` tells whether two rules stand in one file: a rule that hides an
    inherited one does so on purpose.
    """
    for index, rule in enumerate(rules):
        earlier = [r for i, r in enumerate(rules[:index]) if together(i, index)]
        lost = {
            name: first.id
            for name in rule.when.entities
            if (first := next((r for r in earlier if _takes(r, rule, name)), None)) is not None
        }
        if lost:
            which = "no type" if len(lost) == len(rule.when.entities) else "not every type"
            by = ", ".join(f"{name} always goes to {first}" for name, first in lost.items())
            yield index, f"{which} can reach this rule: {by}"


def shadowed_texts(rules: Sequence[TextRule], together: Together) -> Iterator[Shadow]:
    """Index of each text rule that an earlier one hides, and words about it."""
    for index, rule in enumerate(rules):
        for i, first in enumerate(rules[:index]):
            if together(i, index) and wider(first.when, rule.when):
                yield index, f"no text can reach this rule: all go to {first.id}"
                break


def _takes(first: EntityRule, later: EntityRule, entity_type: str) -> bool:
    names = first.when.entities
    return (
        (entity_type in names or _ANY in names)
        and first.when.min_score <= later.when.min_score
        and wider(first.when, later.when)
    )


def wider(first: Condition, later: Condition) -> bool:
    """Whether every text that meets ``later`` also meets ``first``."""
    return (
        set(later.operations) <= set(first.operations)
        and all(_any_of(getattr(first, n), getattr(later, n)) for n in _ANY_OF)
        and all(set(getattr(first, n)) <= set(getattr(later, n)) for n in _ALL_OF)
        and first.infer in (None, later.infer)
        and (
            first.older_than is None
            or (later.older_than is not None and first.older_than.rank <= later.older_than.rank)
        )
    )


def _any_of(first: tuple[str, ...], later: tuple[str, ...]) -> bool:
    return not first or (bool(later) and set(later) <= set(first))
