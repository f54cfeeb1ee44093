"""What the policy says about detection, reads, exports, recipients and exceptions."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple

from policies.decision import NO_PREFERENCES, Preferences
from policies.durations import Duration
from policies.gates import purpose_allows
from policies.policy import Policy
from policies.schema.detection import Tier


@dataclass(frozen=True, slots=True)
class Told:
    """A recipient to be told about an event, by webhook or by a person."""

    name: str
    url: str | None
    contact: str | None


def detection_tier(policy: Policy, upstream: str, route: str) -> Tier | None:
    """How much is done to find personal data; None: what the installation loads.

    Args:
        upstream: name of the store.
        route: kind of route, a profile's ``op``.
    """
    rules = policy.detection
    return rules.routes.get(route) or rules.upstreams.get(upstream) or rules.tier


def closed(policy: Policy, purpose: str | None, wishes: Preferences = NO_PREFERENCES) -> str | None:
    """The purpose, if nothing at all may be touched for it, whatever is said there.

    Args:
        purpose: as stated; None takes the policy's default.
        wishes: of the data subject, who may have objected (GDPR Art. 21) or opted out.
    """
    name = purpose or policy.read.default_purpose
    fine = name is None or purpose_allows(policy, name, frozenset(), wishes)
    return None if fine else name


def unlisted(policy: Policy, purposes: Iterable[str]) -> str:
    """What is wrong with purposes that no request can have; empty if nothing is."""
    listed = policy.read.purposes
    strange = [name for name in purposes if name not in listed]
    if not strange or policy.read.unknown_purpose == "allow":
        return ""
    return f"read.purposes does not list {strange[0]}; it lists {', '.join(listed) or 'none'}"


def identifying(policy: Policy, channel: str | None) -> tuple[str, ...]:
    """How the requester of an erasure may be identified; empty: it need not be done.

    Args:
        channel: by which way the request came; None: nobody said, which opens no way around.
    """
    rules = policy.erasure.identify
    listed = (
        rules.get(channel, ()) if channel else [each for some in rules.values() for each in some]
    )
    return tuple(dict.fromkeys(listed))


def only_observes(policy: Policy) -> bool:
    """Whether everything that is found reaches the store in clear: no rule and no tier hides it.

    Every rule counts, whatever it asks for: one that never applies is not told from one that does.
    """
    write, fine = policy.write, {"allow", "tag"}
    actions = {rule.action for rule in write.entities} | {rule.action for rule in write.texts}
    return {write.default_action, *actions} <= fine and not policy.timetable.hiding


def names_owners(policy: Policy) -> bool:
    """Whether any rule asks whose a text is."""
    write = policy.write
    conditions = [*(rule.when for rule in write.entities), *(rule.when for rule in write.texts)]
    return any(when.owners for when in conditions)


def export(
    policy: Policy,
    categories: Iterable[str],
    *,
    purpose: str | None = None,
    confirmed: bool,
    wishes: Preferences = NO_PREFERENCES,
) -> Literal["allow", "confirm", "refuse"]:
    """Whether memories in these categories may be exported for a purpose (GDPR Art. 15, 20).

    A purpose need not be one of ``read.purposes``; what a wish closes there is closed here too.
    """
    rules = policy.read.export
    objected = closed(policy, purpose, wishes) and not closed(policy, purpose)
    if purpose is not None and (objected or purpose in rules.refuse_purposes):
        return "refuse"
    if not confirmed and not set(rules.confirm).isdisjoint(categories):
        return "confirm"
    return "allow"


def recipients(policy: Policy, event: str) -> tuple[Told, ...]:
    """Who is told about an erasure, rectification or restriction (GDPR Art. 19), or a review."""
    return tuple(
        Told(name, recipient.url, recipient.contact)
        for name, recipient in policy.notifications.recipients.items()
        if event in recipient.events
    )


class Budget(NamedTuple):
    """How many distinct memories an owner may see in a sliding window."""

    window: Duration
    distinct_items: int
    refuse: bool


def extraction(policy: Policy) -> Budget | None:
    """The budget against reading a memory empty, or None where it is off."""
    rules = policy.read.extraction
    if rules.action == "off":
        return None
    return Budget(rules.window, rules.distinct_items, rules.action == "refuse")


def exception_allowed(policy: Policy, code: str) -> bool:
    """Whether something may be held back on this ground; codes may carry a regime's prefix.

    ``legal_claims`` in the policy admits ``gdpr.17.3.e_legal_claims``.
    """
    ground = code.rsplit(".", 1)[-1]
    words = (ground, ground.partition("_")[2])
    return any(word in policy.erasure.exceptions for word in words)


def quarantine_ends(policy: Policy, held_since: datetime) -> datetime | None:
    """When a quarantined memory is erased; None: never by itself."""
    limit = policy.poisoning.release_after
    return limit.after(held_since) if limit else None
