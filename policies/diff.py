"""What changed between two policies, in words."""

from collections.abc import Iterator
from typing import Any

from policies.policy import Policy, resolved
from policies.schema.write import EntityRule, TextRule

Rule = EntityRule | TextRule


def diff(a: Policy, b: Policy) -> list[str]:
    """One sentence for each change from ``a`` to ``b``; empty when they do the same."""
    if a.digest == b.digest:
        return []
    return [
        *_rules("entity rule", a.write.entities, b.write.entities),
        *_rules("text rule", a.write.texts, b.write.texts),
        *_values(_without_rules(a), _without_rules(b), ""),
    ]


def _without_rules(policy: Policy) -> dict[str, Any]:
    plain = resolved(policy)
    for name in ("entities", "texts"):
        plain["write"].pop(name, None)
    return {key: value for key, value in plain.items() if key not in ("apiVersion", "kind")}


def _rules(kind: str, a: tuple[Rule, ...], b: tuple[Rule, ...]) -> Iterator[str]:
    before, after = {rule.id: rule for rule in a}, {rule.id: rule for rule in b}
    for name in (name for name in before if name not in after):
        yield f"{kind} {name} is gone: it did {before[name].action} {_what(before[name])}"
    for name in (name for name in after if name not in before):
        yield f"{kind} {name} is new: {after[name].action} {_what(after[name])}"
    for name, rule in after.items():
        if name in before and rule != before[name]:
            yield from _changes(kind, before[name], rule)
    yield from _order(kind, a, b)


def _what(rule: Rule) -> str:
    """What a rule is about, as a clause."""
    subject = ", ".join(rule.when.entities) if isinstance(rule, EntityRule) else "the text"
    conditions = [
        f"{name} {_words(value)}"
        for name, value in rule.when.model_dump(mode="json", exclude_defaults=True).items()
        if name != "entities"
    ]
    return f"{subject} when {' and '.join(conditions)}" if conditions else subject


def _changes(kind: str, a: Rule, b: Rule) -> Iterator[str]:
    old, new = (rule.model_dump(mode="json", exclude={"description"}) for rule in (a, b))
    if a.action != b.action:
        yield f"{kind} {b.id} does {b.action} instead of {a.action}: {_what(b)}"
    old.pop("action"), new.pop("action")
    for sentence in _values(old, new, ""):
        yield f"{kind} {b.id}: {sentence}"


def _order(kind: str, a: tuple[Rule, ...], b: tuple[Rule, ...]) -> Iterator[str]:
    shared = {rule.id for rule in a} & {rule.id for rule in b}
    before = [rule.id for rule in a if rule.id in shared]
    after = [rule.id for rule in b if rule.id in shared]
    if before != after:
        yield f"the {kind}s are tried in another order: {', '.join(after)}"


def _values(a: dict[str, Any], b: dict[str, Any], path: str) -> Iterator[str]:
    for key in [*a, *(key for key in b if key not in a)]:
        here = f"{path}.{key}" if path else key
        old, new = a.get(key), b.get(key)
        if isinstance(old, dict) and isinstance(new, dict):
            yield from _values(old, new, here)
        elif old != new:
            yield from _value(here, old, new)


def _value(path: str, old: Any, new: Any) -> Iterator[str]:
    if isinstance(old, list) and isinstance(new, list):
        added = [x for x in new if x not in old]
        gone = [x for x in old if x not in new]
        yield (
            "; ".join(
                f"{path} {verb} {_words(part)}"
                for verb, part in (("gains", added), ("loses", gone))
                if part
            )
            or f"{path} is in another order"
        )
    elif old is None or new is None:
        yield f"{path} is new: {_words(new)}" if old is None else f"{path} is gone: {_words(old)}"
    else:
        yield f"{path} changes from {_words(old)} to {_words(new)}"


def _words(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "nothing"
    if isinstance(value, dict):
        said = (f"{key} {_words(each)}" for key, each in value.items() if each is not None)
        return ", ".join(said) or "nothing"
    return str(value)
