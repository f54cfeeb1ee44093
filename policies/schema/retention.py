"""The `retention` section: how long what is remembered is kept."""

from typing import Literal

from pydantic import Field

from policies.schema.fields import (
    EntityType,
    Identifier,
    LastingSpan,
    List,
    Map,
    Period,
    Section,
    Span,
    field,
)

_HERE = "decide()"


class Tier(Section):
    """A named class of retention."""

    duration: Period = field(..., "How long; `session` and `indefinite` are words.", _HERE)
    auto_delete: bool = field(
        False, "Erased at its end without asking.", "policies.retention.fate()"
    )
    user_extendable: bool = field(
        False,
        "The data subject may keep longer what a rule puts in it; a category has its `maximum`.",
        "policies.preferences.read()",
    )
    user_prompted: bool = field(False, "The data subject is asked before its end.", _HERE)
    explicit_consent: bool = field(
        False, "Needs the consent named by `retention.consent`; else `fallback`.", _HERE
    )
    encrypted: bool = field(
        False, "Detections of the category's own types never stay in clear.", _HERE
    )
    fallback: Identifier | None = field(None, "Tier used while the consent is missing.", _HERE)


class CategoryRetention(Section):
    """What one category of memory gets, and the bounds of what its subject may choose."""

    tier: Identifier = field(..., "Tier the category is kept in.", _HERE)
    default: Period | None = field(None, "How long, instead of the tier's duration.", _HERE)
    maximum: Period = field(
        ..., "The longest a preference, an exception or a pin can make it.", _HERE
    )
    explicit_consent: bool | None = field(None, "Instead of the tier's `explicit_consent`.", _HERE)
    types: List[EntityType] = field((), "Entity types that an encrypted tier hides.", _HERE)


class Silence(Section):
    """What happens when a prompt is not answered."""

    effect: Literal["hide", "erase", "keep"] = field(
        "hide", "At the end: hide and erase later; erase; or keep.", "policies.retention.fate()"
    )
    after: Span = field("P7D", "From hiding to erasure.", "policies.retention.fate()")


class Decay(Section):
    """Forgetting under a budget; `none` leaves everything to the tiers."""

    strategy: Literal["none", "fifo", "random"] = field(
        "none",
        "Which memories are erased when an owner has too many: the oldest, or any.",
        "policies.decay.evict()",
    )
    budget: int = field(
        10_000,
        "Memories that may be kept; each counts for its user or, without one, for its agent, "
        "run or app.",
        "policies.decay.evict()",
        ge=1,
        le=10_000_000,
    )


class Retention(Section):
    """How long what is remembered is kept."""

    automatic: bool = field(
        True, "Whether anything is erased without a request; false: nothing is.", _HERE
    )
    legal_maximum: LastingSpan | None = field(
        None, "Nothing is kept longer than this, whatever else says so.", _HERE
    )
    session_limit: LastingSpan = field(
        "P1D", "A session that nobody ends is over after this.", _HERE
    )
    default_tier: Identifier = field(
        "long_term", "Tier of a text in no category that has its own.", _HERE
    )
    consent: Identifier = field(
        "long_term", "The consent that tiers with `explicit_consent` need.", _HERE
    )
    prompt_before: Span = field("P7D", "How long before the end the prompt comes.", _HERE)
    pin_overrides_maximum: bool = field(
        False, "Whether a pin also overrides the subject's own global maximum.", _HERE
    )
    silence: Silence = Field(default_factory=Silence, description="Unanswered prompts.")
    tiers: Map[Tier] = Field(default_factory=dict, description="The named classes of retention.")
    categories: Map[CategoryRetention] = Field(
        default_factory=dict, description="Retention by category."
    )
    decay: Decay = Field(default_factory=Decay, description="Forgetting under a budget.")
