"""What a data subject may ask for: reading it, and checking it against the policy's bounds."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from policies import suggest
from policies.checks import known_categories
from policies.decision import Preferences
from policies.durations import Duration, DurationError, parse
from policies.policy import Policy, document
from policies.schema import ENTITY_TYPES

_NAME_SETS = (
    "exceptions",
    "refused_types",
    "refused_categories",
    "denied_purposes",
    "unshared",
)
_FLAGS = ("pinned", "sharing")
KEYS = ("maximum", "categories", *_FLAGS, *_NAME_SETS)


@dataclass(frozen=True, slots=True)
class PreferenceIssue:
    """One wish that cannot be granted; ``bound`` is the longest that could."""

    path: str
    message: str
    bound: str | None = None


class PreferenceError(Exception):
    """Wishes that are not well formed or beyond the bounds; ``errors`` holds all of them."""

    def __init__(self, errors: tuple[PreferenceIssue, ...]) -> None:
        super().__init__("; ".join(f"{e.path}: {e.message}" for e in errors))
        self.errors = errors


def check(policy: Policy, wishes: Preferences) -> tuple[PreferenceIssue, ...]:
    """Every wish the policy does not grant (durations beyond a category's maximum, names)."""
    return tuple(_issues(policy, wishes))


def granted(policy: Policy, category: str | None, duration: Duration) -> bool:
    """Whether a memory in the category (or in none) may be kept this long."""
    return duration.rank <= bound(policy, category).rank


def bound(policy: Policy, category: str | None) -> Duration:
    """The longest a preference, an exception or a pin can keep something in a category."""
    found = policy.timetable.categories.get(category or "", policy.timetable.default)
    return found.maximum


def _issues(policy: Policy, wishes: Preferences) -> Iterator[PreferenceIssue]:
    known = known_categories(document(policy))
    for name, duration in wishes.categories.items():
        if name not in policy.retention.categories:
            hint = suggest.nearest(name, policy.retention.categories)
            yield PreferenceIssue(f"categories.{name}", f"no such category; {hint}".strip("; "))
        elif not granted(policy, name, duration):
            longest = str(bound(policy, name))
            message = f"{duration} is longer than the policy allows, {longest}"
            yield PreferenceIssue(f"categories.{name}", message, longest)
    yield from _strange("refused_categories", wishes.refused_categories, known)
    yield from _strange("unshared", wishes.unshared, known)
    yield from _strange("denied_purposes", wishes.denied_purposes, set(policy.read.purposes))
    types = {*ENTITY_TYPES, *policy.write.custom_types}
    yield from _strange("refused_types", wishes.refused_types, types)


def _strange(path: str, words: frozenset[str], known: set[str]) -> Iterator[PreferenceIssue]:
    for word in sorted(words - known):
        yield PreferenceIssue(path, f"not known here; {suggest.nearest(word, known)}".strip("; "))


def read(policy: Policy, wishes: Mapping[str, Any]) -> Preferences:
    """Preferences from JSON, durations as ISO 8601 text.

    Raises:
        PreferenceError: for unknown keys, wrong types, and wishes beyond the policy's bounds.
    """
    issues = list(_malformed(wishes))
    if issues:
        raise PreferenceError(tuple(issues))
    found = granted_once(wishes)
    if refused := check(policy, found):
        raise PreferenceError(refused)
    return found


def granted_once(wishes: Mapping[str, Any]) -> Preferences:
    """Preferences that were read before, whatever the policy allows since.

    A decision cuts to the bounds what goes beyond them; objections and refusals count on.
    """
    return Preferences(
        maximum=parse(wishes["maximum"]) if wishes.get("maximum") is not None else None,
        categories={name: parse(text) for name, text in wishes.get("categories", {}).items()},
        exceptions=frozenset(wishes.get("exceptions", ())),
        pinned=wishes.get("pinned", False),
        refused_types=frozenset(wishes.get("refused_types", ())),
        refused_categories=frozenset(wishes.get("refused_categories", ())),
        denied_purposes=frozenset(wishes.get("denied_purposes", ())),
        sharing=wishes.get("sharing", True),
        unshared=frozenset(wishes.get("unshared", ())),
    )


def stricter(one: Preferences, other: Preferences) -> Preferences:
    """What two data subjects of one memory ask for: refusals add up, the shorter period counts."""
    shared = {
        name: min(one.categories[name], other.categories[name], key=_rank)
        for name in one.categories.keys() & other.categories.keys()
    }
    return Preferences(
        maximum=min(filter(None, (one.maximum, other.maximum)), key=_rank, default=None),
        categories={**one.categories, **other.categories, **shared},
        pinned=one.pinned or other.pinned,
        sharing=one.sharing and other.sharing,
        **{name: getattr(one, name) | getattr(other, name) for name in _NAME_SETS},
    )


def _rank(period: Duration) -> float:
    return period.rank


def _malformed(wishes: Mapping[str, Any]) -> Iterator[PreferenceIssue]:
    for name, value in wishes.items():
        if name not in KEYS:
            yield PreferenceIssue(name, f"unknown key; {suggest.nearest(name, KEYS)}".strip("; "))
        elif name in _FLAGS and not isinstance(value, bool):
            yield PreferenceIssue(name, "must be true or false")
        elif name in _NAME_SETS and not _is_words(value):
            yield PreferenceIssue(name, "must be a list of words")
    yield from _durations(wishes)


def _is_words(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) for word in value)


def _durations(wishes: Mapping[str, Any]) -> Iterator[PreferenceIssue]:
    categories = wishes.get("categories", {})
    if not isinstance(categories, dict):
        yield PreferenceIssue("categories", "must be a mapping of category to duration")
        categories = {}
    asked = {f"categories.{name}": text for name, text in categories.items()}
    if wishes.get("maximum") is not None:
        asked["maximum"] = wishes["maximum"]
    for path, text in asked.items():
        try:
            duration = parse(text if isinstance(text, str) else "")
        except DurationError:
            yield PreferenceIssue(path, f"not a duration; {suggest.duration(text)}")
        else:
            if duration.rank == 0:
                yield PreferenceIssue(path, "nothing can be kept for no time")


def write(wishes: Preferences) -> dict[str, Any]:
    """Preferences as JSON, the inverse of `read`."""
    plain: dict[str, Any] = {name: sorted(getattr(wishes, name)) for name in _NAME_SETS}
    plain |= {name: getattr(wishes, name) for name in _FLAGS}
    plain["maximum"] = str(wishes.maximum) if wishes.maximum else None
    plain["categories"] = {name: str(d) for name, d in wishes.categories.items()}
    return plain
