"""Rules compiled for speed: by entity type, with conditions as small tests."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from policies.decision import Context
from policies.durations import as_utc
from policies.schema import ENTITY_TYPES
from policies.schema.fields import FrozenMap
from policies.schema.write import Condition, EntityRule, TextRule, Write

Labels = frozenset[str]
Test = Callable[[Context, Labels], bool]
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
STORING = frozenset({"write", "update"})
SENDING = frozenset({"write", "update", "search"})
EVERY_OPERATION = SENDING | {"read"}
EDITS = frozenset({"replace", "generalise", "tokenise", "encrypt", "mask", "redact"})


@dataclass(frozen=True, slots=True)
class Choice:
    """One rule for one entity type (or for whole texts)."""

    rule: str
    action: str
    min_score: float
    operations: frozenset[str]
    tests: tuple[Test, ...]
    params: Mapping[str, Any]
    tier: str | None
    strength: int
    tag: str
    categories: Labels = frozenset()


@dataclass(frozen=True, slots=True)
class RuleBook:
    """All rules of a policy; ``by_type`` ends each list with the default."""

    by_type: Mapping[str, tuple[Choice, ...]]
    texts: tuple[Choice, ...]
    write: Write
    default_purpose: str | None

    def choices(self, entity_type: str) -> tuple[Choice, ...]:
        """The rules that may apply to a type, in order; never empty."""
        found = self.by_type.get(entity_type)
        if found is None:
            return entity_choices(self.write, entity_type, self.default_purpose)
        return found


# What comes back from the store is left as it is unless a rule speaks about reading.
UNJUDGED = Choice("", "allow", 0.0, EVERY_OPERATION, (), FrozenMap({}), None, 0, "")


def compile_rules(write: Write, default_purpose: str | None) -> RuleBook:
    """Prepare the rules of a policy for `decide`."""
    types = dict.fromkeys((*ENTITY_TYPES, *write.custom_types))
    by_type = {name: entity_choices(write, name, default_purpose) for name in types}
    texts = tuple(_text_choice(write, rule, default_purpose) for rule in write.texts)
    return RuleBook(FrozenMap(by_type), texts, write, default_purpose)


def entity_choices(
    write: Write, entity_type: str, default_purpose: str | None
) -> tuple[Choice, ...]:
    """The rules for one entity type, in order, the policy's default last."""
    named = (r for r in write.entities if {entity_type, "*"} & set(r.when.entities))
    rules = [_entity_choice(write, rule, entity_type, default_purpose) for rule in named]
    return (*rules, _default(write, entity_type), UNJUDGED)


def marker(write: Write, entity_type: str) -> str:
    """What is left of a redacted detection, e.g. ``[credit_card]``."""
    return write.mark.replace("{type}", entity_type.lower())


def _default(write: Write, entity_type: str) -> Choice:
    action = write.default_action
    params = FrozenMap({"mark": marker(write, entity_type)})
    strength, tag = STRENGTH[action], _tag(entity_type)
    return Choice("default", action, 0.0, SENDING, (), params, None, strength, tag)


def _tag(entity_type: str) -> str:
    return f"pii:{entity_type.lower()}"


def _entity_choice(
    write: Write, rule: EntityRule, entity_type: str, default_purpose: str | None
) -> Choice:
    return Choice(
        rule.id,
        rule.action,
        rule.when.min_score,
        frozenset(rule.when.operations),
        tuple(tests(rule.when, default_purpose)),
        _params(write, rule, entity_type),
        rule.tier,
        STRENGTH[rule.action],
        _tag(entity_type),
    )


def _params(write: Write, rule: EntityRule, entity_type: str) -> Mapping[str, Any]:
    params: dict[str, Any] = {"mark": marker(write, entity_type)}
    if rule.replacement is not None:
        params["replacement"] = rule.replacement
    if rule.mask is not None:
        params["mask"] = rule.mask
    if rule.to is not None:
        params["to"] = rule.to
    return FrozenMap(params)


def _text_choice(write: Write, rule: TextRule, default_purpose: str | None) -> Choice:
    params = FrozenMap({"mark": marker(write, "TEXT")})
    return Choice(
        rule.id,
        rule.action,
        0.0,
        frozenset(rule.when.operations),
        tuple(tests(rule.when, default_purpose)),
        params,
        rule.tier,
        STRENGTH[rule.action],
        "",
        frozenset(rule.categories),
    )


def tests(when: Condition, default_purpose: str | None) -> Iterable[Test]:
    """The conditions of a rule as functions; none for conditions that are not given."""
    if when.categories:
        categories = frozenset(when.categories)
        yield lambda _, labels: not categories.isdisjoint(labels)
    if when.consent:
        given = frozenset(when.consent)
        yield lambda context, _: given <= context.consents
    if when.no_consent:
        absent = frozenset(when.no_consent)
        yield lambda context, _: absent.isdisjoint(context.consents)
    yield from _word_tests(when, default_purpose)
    yield from _other_tests(when)


def _word_tests(when: Condition, default: str | None) -> Iterable[Test]:
    if when.purposes:
        purposes = frozenset(when.purposes)
        yield lambda context, _: (context.purpose or default) in purposes
    if when.regions:
        regions = frozenset(when.regions)
        yield lambda context, _: context.region in regions
    if when.sources:
        sources = frozenset(when.sources)
        yield lambda context, _: context.source in sources
    if when.languages:
        languages = frozenset(when.languages)
        yield lambda context, _: context.language in languages
    if when.owners:
        yield _owner_test(when.owners)


def _owner_test(owners: tuple[str, ...]) -> Test:
    exact = frozenset(owner for owner in owners if not owner.endswith(":*"))
    kinds = tuple(owner[:-1] for owner in owners if owner.endswith(":*"))

    def test(context: Context, _: Labels) -> bool:
        owner = context.owner
        return owner is not None and (owner in exact or owner.startswith(kinds))

    return test


def _other_tests(when: Condition) -> Iterable[Test]:
    if when.infer is not None:
        infer = when.infer
        yield lambda context, _: context.infer is infer
    if when.older_than is not None:
        age = when.older_than

        def old(context: Context, _: Labels) -> bool:
            made = context.content_at
            return made is not None and age.after(made) < as_utc(context.at)

        yield old
