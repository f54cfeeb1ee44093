"""Rules compiled for speed: by entity type, with conditions as small tests."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from policies.conditions import Conditions, Labels
from policies.schema import ENTITY_TYPES
from policies.schema.fields import FrozenMap
from policies.schema.write import EntityRule, TextRule, Write

# What wins where detections overlap, or several verdicts meet: the higher, the stricter.
STRENGTH = {
    "allow": 0,
    "tag": 1,
    "replace": 2,
    "generalise": 3,
    "tokenise": 4,
    "encrypt": 5,
    "mask": 6,
    "redact": 7,
    "quarantine": 8,
    "reject": 9,
}
WHOLE_TEXT = "TEXT"
STORING = frozenset({"write", "update"})
SENDING = frozenset({"write", "update", "search"})
EVERY_OPERATION = SENDING | {"read"}
EDITS = frozenset({"replace", "generalise", "tokenise", "encrypt", "mask", "redact"})


@dataclass(frozen=True, slots=True)
class Choice:
    """What one rule does with one entity type (or with whole texts)."""

    rule: str
    action: str
    params: Mapping[str, Any]
    tier: str | None
    strength: int
    tag: str
    categories: Labels = frozenset()


# The least score, the mask of conditions, and the choice.
Entry = tuple[float, int, Choice]
# The least score and the choice, of rules whose conditions hold.
Applying = tuple[tuple[float, Choice], ...]
MOST_KEPT = 4096  # selections that are remembered; contexts are few, types a client may invent


@dataclass(frozen=True, slots=True)
class RuleBook:
    """All rules of a policy, by operation and entity type; each list ends with the default."""

    entities: Mapping[str, Mapping[str, tuple[Entry, ...]]]
    texts: Mapping[str, tuple[Entry, ...]]
    conditions: Conditions
    write: Write
    _kept: dict[tuple[str, str, int], Applying] = field(
        default_factory=dict, repr=False, compare=False
    )

    def applying(self, operation: str, entity_type: str, held: int) -> Applying:
        """The rules about a type, or about texts as a whole (``""``), whose conditions hold.

        In order, up to the first that takes any score; selected once per set of conditions.
        """
        key = operation, entity_type, held
        found = self._kept.get(key)
        if found is None:
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            entries = self.about(operation, entity_type) if entity_type else self.texts[operation]
            found = self._kept[key] = _select(entries, held)
        return found

    def about(self, operation: str, entity_type: str) -> tuple[Entry, ...]:
        """The rules that may apply, in order; never empty."""
        found = self.entities[operation].get(entity_type)
        if found is None:
            return entity_entries(self.write, operation, entity_type, self.conditions)
        return found


def _select(entries: tuple[Entry, ...], held: int) -> Applying:
    chosen: list[tuple[float, Choice]] = []
    for min_score, needed, choice in entries:
        if needed & held == needed:
            chosen.append((min_score, choice))
            if min_score <= 0.0:
                break
    return tuple(chosen)


# What comes back from the store is left as it is unless a rule speaks about reading.
UNJUDGED = Choice("", "allow", FrozenMap({}), None, 0, "")


def compile_rules(write: Write, default_purpose: str | None) -> RuleBook:
    """Prepare the rules of a policy for `decide`."""
    conditions = Conditions(default_purpose)
    types = dict.fromkeys((*ENTITY_TYPES, *write.custom_types))
    entities = {
        operation: FrozenMap(
            {name: entity_entries(write, operation, name, conditions) for name in types}
        )
        for operation in sorted(EVERY_OPERATION)
    }
    texts = {
        operation: tuple(
            (0.0, conditions.mask(rule.when), _text_choice(write, rule))
            for rule in write.texts
            if operation in rule.when.operations
        )
        for operation in sorted(EVERY_OPERATION)
    }
    return RuleBook(FrozenMap(entities), FrozenMap(texts), conditions, write)


def entity_entries(
    write: Write, operation: str, entity_type: str, conditions: Conditions
) -> tuple[Entry, ...]:
    """The rules for one operation and entity type, in order, the policy's default last."""
    entries: list[Entry] = [
        (
            rule.when.min_score,
            conditions.mask(rule.when),
            _entity_choice(write, rule, entity_type),
        )
        for rule in write.entities
        if operation in rule.when.operations and {entity_type, "*"} & set(rule.when.entities)
    ]
    last = _default(write, entity_type) if operation in SENDING else UNJUDGED
    return (*entries, (0.0, 0, last))


def marker(write: Write, entity_type: str) -> str:
    """What is left of a redacted detection, e.g. ``[credit_card]``."""
    return write.mark.replace("{type}", entity_type.lower())


def built_in(write: Write, rule: str, action: str, entity_type: str) -> Choice:
    """A choice that no rule of the policy's author made."""
    params = FrozenMap({"mark": marker(write, entity_type)})
    return Choice(rule, action, params, None, STRENGTH[action], tag_of(entity_type))


def _default(write: Write, entity_type: str) -> Choice:
    return built_in(write, "default", write.default_action, entity_type)


def tag_of(entity_type: str) -> str:
    """The tag of what a detected entity is: ``pii:email_address``."""
    return f"pii:{entity_type.lower()}"


def _entity_choice(write: Write, rule: EntityRule, entity_type: str) -> Choice:
    params = _params(write, rule, entity_type)
    strength = STRENGTH[rule.action]
    return Choice(rule.id, rule.action, params, rule.tier, strength, tag_of(entity_type))


def _params(write: Write, rule: EntityRule, entity_type: str) -> Mapping[str, Any]:
    params: dict[str, Any] = {"mark": marker(write, entity_type)}
    if rule.replacement is not None:
        params["replacement"] = rule.replacement
    if rule.mask is not None:
        params["mask"] = rule.mask
    if rule.to is not None:
        params["to"] = rule.to
    return FrozenMap(params)


def _text_choice(write: Write, rule: TextRule) -> Choice:
    params = FrozenMap({"mark": marker(write, WHOLE_TEXT)})
    given = frozenset(rule.categories)
    return Choice(rule.id, rule.action, params, rule.tier, STRENGTH[rule.action], "", given)
