"""How a policy changes the one it extends.

Mappings are merged key by key. Scalars and lists replace. In the lists of rules, a rule with
the id of an inherited one takes its place, `{id: X, remove: true}` removes it, and new rules
stand before the inherited ones, in the order of the file. In the maps of named things (tiers,
categories, purposes, required, stay, recipients, upstreams, routes,
identify), `NAME: null` removes the
inherited entry.
"""

from dataclasses import dataclass
from typing import Any

from policies.errors import PolicyIssue
from policies.suggest import nearest
from policies.yaml_tree import Path, Place, Tree, dotted

RULE_LISTS: frozenset[Path] = frozenset({("write", "entities"), ("write", "texts")})
NAMED_MAPS: frozenset[Path] = frozenset(
    {
        ("detection", "upstreams"),
        ("detection", "routes"),
        ("retention", "tiers"),
        ("retention", "categories"),
        ("read", "purposes"),
        ("erasure", "identify"),
        ("consent", "required"),
        ("residency", "stay"),
        ("notifications", "recipients"),
    }
)
_OWN_KEYS = frozenset({"name", "description", "extends", "apiVersion", "kind"})


@dataclass(frozen=True, slots=True)
class Located:
    """A value and the place of its key."""

    value: Any
    place: Place


def locate(tree: Tree, data: Any, path: Path = ()) -> Located:
    """A tree's data with the place beside each value."""
    if isinstance(data, dict):
        data = {key: locate(tree, value, (*path, key)) for key, value in data.items()}
    elif isinstance(data, list):
        data = [locate(tree, value, (*path, i)) for i, value in enumerate(data)]
    return Located(data, tree.place(path))


def plain(found: Located, places: dict[Path, Place], path: Path = ()) -> Any:
    """The bare data; fills ``places``."""
    places[path] = found.place
    if isinstance(found.value, dict):
        return {key: plain(v, places, (*path, key)) for key, v in found.value.items()}
    if isinstance(found.value, list):
        return [plain(v, places, (*path, i)) for i, v in enumerate(found.value)]
    return found.value


def merge(base: Located, top: Located, issues: list[PolicyIssue], path: Path = ()) -> Located:
    """``top`` over ``base``; faults of the merging itself go to ``issues``."""
    if isinstance(base.value, dict) and isinstance(top.value, dict):
        return Located(_mapping(base.value, top.value, issues, path), top.place)
    if path in RULE_LISTS and isinstance(base.value, list) and isinstance(top.value, list):
        return Located(_rules(base.value, top.value, issues, path), top.place)
    return top


def _mapping(
    base: dict[str, Located], top: dict[str, Located], issues: list[PolicyIssue], path: Path
) -> dict[str, Located]:
    merged = dict(base)
    if not path:
        merged = {key: value for key, value in base.items() if key not in _OWN_KEYS}
    for key, value in top.items():
        here = (*path, key)
        if path in NAMED_MAPS and value.value is None:
            _remove(merged, key, value.place, issues, here)
        else:
            merged[key] = merge(base[key], value, issues, here) if key in merged else value
    return merged


def _remove(
    merged: dict[str, Any], key: str, place: Place, issues: list[PolicyIssue], path: Path
) -> None:
    if merged.pop(key, None) is None:
        issues.append(
            PolicyIssue(
                place.file,
                place.line,
                place.column,
                dotted(path),
                "there is no inherited entry of this name to remove",
                nearest(key, merged),
            )
        )


def _rules(
    base: list[Located], top: list[Located], issues: list[PolicyIssue], path: Path
) -> list[Located]:
    inherited = {rule_id(rule): rule for rule in base}
    new: list[Located] = []
    seen: dict[str, int] = {}
    for index, rule in enumerate(top):
        name = rule_id(rule)
        if name in seen and name in inherited:
            issues.append(_twice(rule.place, (*path, index), seen[name]))
        seen[name] = rule.place.line
        if _is_removal(rule):
            _remove(inherited, name, rule.place, issues, (*path, index))
        elif name in inherited:
            inherited[name] = rule
        else:
            new.append(rule)
    return [*new, *inherited.values()]


def _twice(place: Place, path: Path, first: int) -> PolicyIssue:
    message = f"the rule stands twice, in lines {first} and {place.line}"
    return PolicyIssue(place.file, place.line, place.column, dotted(path), message, "keep one")


def rule_id(rule: Located) -> str:
    """The id of a rule; a rule without one gets a name no rule can have."""
    found = rule.value.get("id") if isinstance(rule.value, dict) else None
    return found.value if found and isinstance(found.value, str) else f"@{id(rule)}"


def _is_removal(rule: Located) -> bool:
    if not isinstance(rule.value, dict) or rule.value.keys() != {"id", "remove"}:
        return False
    return rule.value["remove"].value is True
