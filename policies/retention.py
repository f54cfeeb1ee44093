"""How long a text is kept: tiers, category defaults, preferences, bounds; strictest wins."""

from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from functools import reduce
from typing import NamedTuple

from policies.decision import NO_PREFERENCES, Context, Preferences
from policies.durations import INDEFINITE, SESSION, Duration, as_utc, parse
from policies.policy import Policy
from policies.schema.retention import Retention, Tier
from policies.timetable import Candidate, Period, Timetable

_NEVER = datetime.max.replace(tzinfo=UTC)
OWN = "own-maximum:"  # how the tag begins that tells the subject's own maximum
SILENT = "kept-by-silence"  # the tag of a memory of which it was said that silence keeps it


class Expiry(NamedTuple):
    """When a text ends; ``source`` names the setting that won."""

    tier: str
    at: datetime | None
    after: str | None
    prompt_at: datetime | None
    source: str


def _wish(section: Retention, candidate: Candidate, context: Context, at: datetime) -> Expiry:
    """What one candidate comes to after the subject's preferences, within its bound."""
    consented = section.consent in context.consents
    period = candidate.with_consent if consented else candidate.without_consent
    if context.preferences is not NO_PREFERENCES:
        period = _preferred(period, candidate, context)
    tier, wished, source = period
    if wished.outlasts(candidate.maximum, at):
        return _dated(section, Period(tier, candidate.maximum, f"{source}:bound"), at)
    found = _dated(section, period, at)
    return (
        _capped(section, found, candidate.maximum, f"{source}:bound", at)
        if wished.session
        else found
    )


def _preferred(period: Period, candidate: Candidate, context: Context) -> Period:
    """What the subject asks for instead, not yet bounded."""
    preferences = context.preferences
    tier, wished, source = period
    if candidate.category is not None and candidate.category in preferences.categories:
        wished = preferences.categories[candidate.category]
        source = f"preference:category:{candidate.category}"
    if preferences.exceptions and not preferences.exceptions.isdisjoint(context.entities):
        wished, source = INDEFINITE, "preference:exception"
    if preferences.pinned:
        wished, source = INDEFINITE, "preference:pin"
    return Period(tier, wished, source)


def _strictest(
    timetable: Timetable, labels: Iterable[str], tiers: Iterable[str], context: Context
) -> Expiry:
    """What all the text's categories and the fired rules allow."""
    known, at = timetable.categories, as_utc(context.at)
    candidates = [known[label] for label in labels if label in known]
    candidates += [timetable.tiers[tier] for tier in tiers]
    section = timetable.section
    return reduce(
        _both, [_wish(section, c, context, at) for c in candidates or (timetable.default,)]
    )


def _both(one: Expiry, other: Expiry) -> Expiry:
    """The stricter of two, ending when the first of them does; a session also ends with itself."""
    first, second = sorted((one, other), key=_by_strictness)
    if second.at is None or (first.at is not None and first.at <= second.at):
        return first
    return first._replace(at=second.at, source=second.source)


def _by_strictness(found: Expiry) -> tuple[bool, datetime, str]:
    return found.after != SESSION.text, found.at or _NEVER, found.source


def expiry(
    timetable: Timetable,
    labels: Iterable[str],
    tiers: Iterable[str],
    context: Context,
    *,
    session: bool = False,
) -> Expiry:
    """When the text ends; ``session`` keeps it for the session at most.

    Strongest first: the legal maximum, what was inherited, the subject's global maximum, the
    category's bound, a pin, an entity exception, a category preference, the policy itself.
    """
    section, at = timetable.section, as_utc(context.at)
    found = _strictest(timetable, labels, tiers, context)
    if session:
        period = Period(timetable.session_tier or found.tier, SESSION, "consent-missing")
        found = _both(_dated(section, period, at), found)
    if not section.automatic:
        found = Expiry(found.tier, None, None, None, "automatic")
    elif (maximum := own_maximum(section, context.preferences)) is not None:
        found = _capped(section, found, maximum, "preference:maximum", at)
    if section.legal_maximum is not None:
        found = _capped(section, found, section.legal_maximum, "legal_maximum", at)
    return _inherit(section, found, context)


def own_maximum(section: Retention, preferences: Preferences) -> Duration | None:
    """The subject's global maximum, where a pin does not override it."""
    overridden = preferences.pinned and section.pin_overrides_maximum
    return None if overridden else preferences.maximum


def _capped(
    section: Retention, found: Expiry, maximum: Duration, source: str, at: datetime
) -> Expiry:
    """What is found, or what the maximum allows where that is less."""
    if maximum.indefinite:
        return found
    return _both(found, _dated(section, Period(found.tier, maximum, source), at))


def _dated(section: Retention, period: Period, at: datetime) -> Expiry:
    duration = period.duration
    if duration.indefinite:
        return Expiry(period.tier, None, None, None, period.source)
    if duration.session:
        end = section.session_limit.after(at)
        return Expiry(period.tier, end, duration.text, None, period.source)
    end = duration.after(at)
    return Expiry(
        period.tier, end, duration.text, prompt(section, period.tier, at, end), period.source
    )


def prompt(section: Retention, tier: str, at: datetime, end: datetime) -> datetime | None:
    """When the data subject is asked about what is kept from an instant to its end; None: never."""
    asks = tier in section.tiers and section.tiers[tier].user_prompted
    if not asks or not section.automatic:
        return None
    notice = section.prompt_before.after(at) - at
    return max(at, end - notice)


def _inherit(section: Retention, found: Expiry, context: Context) -> Expiry:
    limit = context.inherited_expiry
    if limit is None or not section.automatic:
        return found
    end, at = as_utc(limit), as_utc(context.at)
    if found.at is not None and found.at <= end:
        return found
    left = max(0, round((end - at).total_seconds()))
    return Expiry(found.tier, end, f"PT{left}S", prompt(section, found.tier, at, end), "inherited")


class Fate(NamedTuple):
    """From when a memory is unreadable and from when it is erased; None: never by itself."""

    hidden_at: datetime | None
    erased_at: datetime | None


def marks(section: Retention, preferences: Preferences) -> tuple[str, ...]:
    """The tag by which a memory knows its subject's own maximum when its end has come."""
    maximum = own_maximum(section, preferences) if section.automatic else None
    return () if maximum is None or maximum.indefinite else (OWN + maximum.text,)


def hidden_at(
    policy: Policy, tier: str, expires_at: datetime | None, since: datetime,
    tags: Collection[str] = (),
) -> datetime | None:  # fmt: skip
    """From when a memory is unreadable, as in its ``fate``; None: never by itself.

    What silence keeps stays readable when the policy says otherwise, until it is asked about anew.
    """
    section = policy.retention
    if expires_at is None or not (section.automatic or section.legal_maximum):
        return None
    kept = section.silence.effect == "keep" or SILENT in tags
    if kept and not _ends_by_itself(section, tier):
        return _latest(section, since, tags)
    return expires_at


def silence_keeps(policy: Policy, tier: str) -> bool:
    """Whether a memory that nobody answers about is kept by the policy in force."""
    section = policy.retention
    return section.silence.effect == "keep" and not _ends_by_itself(section, tier)


def end_anew(
    policy: Policy, tier: str, since: datetime, tags: Collection[str], now: datetime
) -> datetime | None:
    """When a memory ends that silence has kept and keeps no more; None: it is not such a one.

    Its subject has the notice of any prompt before, but nothing is kept beyond a maximum.
    """
    section = policy.retention
    if SILENT not in tags or silence_keeps(policy, tier) or _ends_by_itself(section, tier):
        return None
    end, latest = section.prompt_before.after(now), _latest(section, since, tags)
    return end if latest is None else min(end, latest)


def _latest(section: Retention, since: datetime, tags: Iterable[str]) -> datetime | None:
    """Beyond this nothing is kept, asked for or not: what the law and what its subject allows."""
    own = [parse(tag.removeprefix(OWN)) for tag in tags if tag.startswith(OWN)]
    bounds = [*own, section.legal_maximum] if section.legal_maximum else own
    ends = (section.session_limit if bound.session else bound for bound in bounds)
    return min((bound.after(since) for bound in ends), default=None)


def _ends_by_itself(section: Retention, tier: str) -> bool:
    return not section.automatic or section.tiers.get(tier, _GONE).auto_delete


def fate(
    policy: Policy, tier: str, expires_at: datetime | None, since: datetime,
    tags: Collection[str] = (), *, answer_by: datetime | None = None,
) -> Fate:  # fmt: skip
    """What happens to a memory at its end, if nobody answers a prompt about it.

    Args:
        since: when it was remembered; from then the legal maximum and the subject's own count.
        tags: of the memory, as it was decided.
        answer_by: until then its subject, who was asked late, has the notice that was promised.
    """
    section = policy.retention
    hidden = hidden_at(policy, tier, expires_at, since, tags)
    if expires_at is None or hidden is None:
        return Fate(None, None)
    if _ends_by_itself(section, tier):
        return Fate(hidden, hidden)
    wait = section.silence.effect == "hide"
    silent = section.silence.after.after(hidden) if wait else hidden
    erased, latest = max(silent, answer_by or silent), _latest(section, since, tags)
    return Fate(hidden, erased if latest is None else max(hidden, min(erased, latest)))


# A memory whose tier the present policy no longer knows ends as the shortest-lived do.
_GONE = Tier(duration=INDEFINITE, auto_delete=True)
