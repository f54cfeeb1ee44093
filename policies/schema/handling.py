"""The sections about consent, residency, notifications and poisoning."""

from typing import Literal

from pydantic import Field

from policies.schema.fields import (
    LastingSpan,
    List,
    Map,
    Names,
    Score,
    Section,
    Text,
    Webhook,
    Words,
    field,
)

Event = Literal["erasure", "rectification", "restriction", "review"]
Suspicion = Literal["instruction"]
_HERE = "decide()"


class ConsentRule(Section):
    """What one category needs (GDPR Art. 9(2)(a))."""

    consent: Names = field(..., "Every one of these must be given.", _HERE, min_length=1)
    without: Literal["reject", "quarantine", "session"] = field(
        "reject",
        "Without it: refuse (reading too), hold for review, or keep for the session only.",
        _HERE,
    )


class Consent(Section):
    """Which consents there are, and what needs them."""

    names: Names = field((), "The consents that can be given; others are refused.", "load()")
    threshold: Score = field(
        0.75,
        "Category score from which a category counts that needs a consent or must stay local: "
        "acting on a guess would refuse or shorten what has nothing to do with it.",
        _HERE,
    )
    required: Map[ConsentRule] = Field(
        default_factory=dict, description="By category: the consent it needs."
    )


class Residency(Section):
    """Where data may go."""

    stay: Map[Words] = field(
        {},
        "By the subject's region, in lower case: the store regions allowed, beside `local`.",
        _HERE,
    )
    local_only: Names = field(
        (), "Categories that only go to a store whose region is `local`.", _HERE
    )
    unknown_region: Literal["allow", "reject"] = field(
        "allow", "A bound subject, and a store whose region is not configured.", _HERE
    )


class Recipient(Section):
    """Someone who is told, such as a recipient of data (GDPR Art. 19)."""

    url: Webhook | None = field(
        None,
        "Webhook that is called: HTTPS at a public address; others are refused.",
        "policies.access.recipients()",
    )
    contact: Text | None = field(
        None, "Whom a person tells, when there is no webhook.", "policies.access.recipients()"
    )
    events: List[Event] = field(
        ("erasure",),
        "Which events they are told of; `review`: a data subject is asked what is to be kept.",
        "policies.access.recipients()",
        min_length=1,
    )


class Notifications(Section):
    """Who is told about erasures, rectifications, restrictions and reviews."""

    recipients: Map[Recipient] = Field(
        default_factory=dict, description="Recipients the data was disclosed to."
    )


class Poisoning(Section):
    """Writes that try to steer later sessions."""

    action: Literal["off", "flag", "quarantine", "reject"] = field(
        "quarantine", "What happens to a suspicious write.", _HERE
    )
    threshold: Score = field(0.7, "Suspicion from which a write counts.", _HERE)
    checks: List[Suspicion] = field(
        ("instruction",),
        "Which suspicions count; `instruction`: reads like a standing order to the assistant.",
        _HERE,
    )
    trusted_sources: Words = field((), "Sources that are not suspected.", _HERE)
    release_after: LastingSpan | None = field(
        None,
        "Quarantined memories are erased so long after they were held.",
        "policies.access.quarantine_ends()",
    )
