"""The retention section prepared for `decide`: what each category and tier asks for."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from policies.durations import INDEFINITE, Duration
from policies.schema.fields import FrozenMap
from policies.schema.retention import CategoryRetention, Retention


class Period(NamedTuple):
    """A tier and a duration, and the setting they come from."""

    tier: str
    duration: Duration
    source: str


class Candidate(NamedTuple):
    """What one category, rule or the default asks for; ``maximum`` bounds the subject's wishes."""

    category: str | None
    with_consent: Period
    without_consent: Period
    maximum: Duration


@dataclass(frozen=True, slots=True)
class Timetable:
    """The retention section prepared for `decide`."""

    section: Retention
    categories: Mapping[str, Candidate]
    tiers: Mapping[str, Candidate]
    default: Candidate
    category_of: Mapping[str, str]
    hiding: Mapping[str, frozenset[str]]
    session_tier: str | None


def compile_retention(section: Retention) -> Timetable:
    """Prepare the retention section."""
    categories = {name: _category(section, name, c) for name, c in section.categories.items()}
    tiers = {name: _tier(section, name, f"tier:{name}") for name in section.tiers}
    default = _tier(section, section.default_tier, "default_tier")
    category_of = {t: name for name, c in section.categories.items() for t in c.types}
    return Timetable(
        section,
        FrozenMap(categories),
        FrozenMap(tiers),
        default,
        FrozenMap(category_of),
        FrozenMap(_hiding(section)),
        next((n for n, t in section.tiers.items() if t.duration.session and t.auto_delete), None),
    )


def _hiding(section: Retention) -> dict[str, frozenset[str]]:
    """By category: the types that its encrypted tier keeps out of sight."""
    return {
        name: frozenset(rule.types)
        for name, rule in section.categories.items()
        if rule.types and section.tiers[rule.tier].encrypted
    }


def _category(section: Retention, name: str, rule: CategoryRetention) -> Candidate:
    tier = section.tiers[rule.tier]
    period = Period(rule.tier, rule.default or tier.duration, f"category:{name}")
    needs = tier.explicit_consent if rule.explicit_consent is None else rule.explicit_consent
    without = _fallback(section, rule.tier) if needs else period
    if without.duration.rank > rule.maximum.rank:
        without = without._replace(duration=rule.maximum)
    return Candidate(name, period, without, rule.maximum)


def _tier(section: Retention, name: str, source: str) -> Candidate:
    tier = section.tiers[name]
    period = Period(name, tier.duration, source)
    without = _fallback(section, name) if tier.explicit_consent else period
    return Candidate(None, period, without, INDEFINITE if tier.user_extendable else tier.duration)


def _fallback(section: Retention, name: str) -> Period:
    """The first tier down the chain that needs no consent."""
    while section.tiers[name].explicit_consent:
        name = section.tiers[name].fallback or name
    return Period(name, section.tiers[name].duration, "consent-missing")
