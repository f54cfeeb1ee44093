"""Prompts: whom a memory's end is put before, when, in which words, and what "keep" comes to."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import NamedTuple

from policies.decision import Context
from policies.durations import as_utc
from policies.policy import Policy
from policies.retention import Expiry, expiry, own_maximum, prompt

_SENSITIVE: Mapping[str, str] = MappingProxyType({
    "health": "health information",
    "financial": "financial information",
    "biometric": "biometric information",
    "location": "information about where you are",
    "political_religious": "information about your political or religious beliefs",
})  # fmt: skip
_ORDINARY: Mapping[str, str] = MappingProxyType({
    "relationships": "what you told me about people close to you",
    "professional": "what you told me about your work",
    "preferences": "what you like and dislike",
    "conversation": "what we talked about",
    "other": "what you told me",
})  # fmt: skip


def asking(policy: Policy) -> frozenset[str]:
    """The tiers about whose memories the data subject is asked."""
    section = policy.retention
    known = section.tiers.items() if section.automatic else ()
    return frozenset(name for name, tier in known if tier.user_prompted)


def comes(
    policy: Policy,
    tier: str,
    prompt_at: datetime | None,
    expires_at: datetime | None,
    since: datetime,
) -> datetime | None:
    """When a memory's subject is asked; None: never.

    As was decided with the memory, or earlier where its end or the policy has moved since.
    """
    if expires_at is None or tier not in asking(policy):
        return None
    if prompt_at is None and expires_at <= policy.retention.session_limit.after(since):
        return None  # it was for its session
    now_decided = prompt(policy.retention, tier, since, expires_at)
    return min(filter(None, (prompt_at, now_decided)), default=None)


def horizon(policy: Policy, now: datetime) -> datetime:
    """What ends up to here is within the notice."""
    return policy.retention.prompt_before.after(now)


def silence_keeps_after(policy: Policy, now: datetime) -> datetime | None:
    """Where silence keeps, what has ended by now is no question any more."""
    return now if policy.retention.silence.effect == "keep" else None


def again(policy: Policy, tier: str, now: datetime, end: datetime | None) -> datetime | None:
    """When to ask again about what is kept to a later end; None if that is within the notice."""
    found = None if end is None else prompt(policy.retention, tier, now, end)
    return None if found is None or found <= now else found


class Bounds(NamedTuple):
    """How long a memory can be kept at most; None: for ever."""

    pinned: datetime | None
    extended: datetime | None


def bounds(policy: Policy, labels: Iterable[str], tiers: Iterable[str], context: Context) -> Bounds:
    """How long a memory can be kept with a pin, and on its subject's word.

    Both are bounded by the category, the sources and the legal maximum; the subject's word besides
    by their own maximum, also where a pin would override that.
    """
    wishes = context.preferences
    found = expiry(
        policy.timetable, labels, tiers, replace(context, preferences=replace(wishes, pinned=True))
    ).at
    own = own_maximum(policy.retention, replace(wishes, pinned=False))
    if own is None or own.indefinite:
        return Bounds(found, found)
    limit = policy.retention.session_limit if own.session else own
    return Bounds(found, _earlier(found, limit.after(as_utc(context.at))))


def furthest(
    policy: Policy, labels: Iterable[str], tiers: Iterable[str], context: Context
) -> datetime | None:
    """How long a memory can be kept on its subject's word; None: for ever."""
    return bounds(policy, labels, tiers, context).extended


def ruled(policy: Policy, tier: str, labels: Collection[str]) -> Collection[str]:
    """A memory's tier, where a rule and not one of its categories gave it."""
    known = policy.retention.categories
    own = {known[name].tier for name in labels if name in known}
    return () if tier in own or tier not in policy.retention.tiers else {tier}


def kept(
    policy: Policy, labels: Collection[str], tiers: Collection[str], context: Context, now: datetime
) -> Expiry:
    """What a "keep" comes to: the period once more, from now, within all bounds.

    Args:
        context: of the memory, at the instant it was remembered.
    """
    once_more = expiry(policy.timetable, labels, tiers, replace(context, at=now))
    end = _earlier(once_more.at, furthest(policy, labels, tiers, context))
    return once_more._replace(at=end, prompt_at=again(policy, once_more.tier, now, end))


def question(category: str | None) -> str:
    """The question about memories of a category, or of none."""
    name = category or "other"
    if name in _SENSITIVE:
        return f"I still have {_SENSITIVE[name]} stored. Keep or delete?"
    return f"Should I keep remembering {_ORDINARY.get(name, f'what is filed under {name}')}?"


def silence(hidden_at: datetime | None, erased_at: datetime | None) -> str:
    """What happens without an answer, to be said after the question."""
    if hidden_at is None or erased_at is None:
        return "Without an answer it is kept."
    hidden, erased = hidden_at.date().isoformat(), erased_at.date().isoformat()
    if hidden_at >= erased_at:
        return f"Without an answer it is erased on {erased}."
    return f"Without an answer it is hidden on {hidden} and erased on {erased}."


def _earlier(one: datetime | None, other: datetime | None) -> datetime | None:
    return min(filter(None, (one, other)), default=None)
