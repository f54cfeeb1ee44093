"""The `blocklist` and `erasure` sections: how forgetting is done."""

from typing import Literal, get_args

from policies.schema.fields import Map, Names, Section, Span, field

Channel = Literal["app", "web", "chat", "email", "phone", "letter", "in_person", "agent",
                  "authority", "other"]  # fmt: skip
Method = Literal["signed_in", "contact_confirmed", "known_facts", "document", "in_person",
                 "authorisation", "other"]  # fmt: skip
CHANNELS: tuple[str, ...] = get_args(Channel)
METHODS: tuple[str, ...] = get_args(Method)


class Blocklist(Section):
    """What happens when an erased subject or entity is written again."""

    action: Literal["reject", "redact"] = field(
        "reject", "A mention of a blocked entity rejects the write, or is redacted.", "decide()"
    )
    after_erasure: Literal["on", "ask", "off"] = field(
        "on", "Whether an erasure blocks its subject or entity from coming back.", "erasure"
    )


class Erasure(Section):
    """How forgetting is done."""

    client_deletes: Literal["erase", "confirm", "refuse"] = field(
        "erase", "What a delete sent by the store's own client does.", "gateway"
    )
    reset: Literal["refuse", "erase"] = field(
        "refuse", "What a reset of the whole store does.", "gateway"
    )
    confirmation: Literal["none", "token"] = field(
        "token", "Whether a request needs the plan's token besides the word.", "erasure"
    )
    identify: Map[Names] = field(
        {},
        "By the channel of a request: how its requester must be identified, by one of these, "
        "before it is confirmed. One without a channel is held to all that is listed.",
        "policies.access.identifying()",
    )
    grace: Span = field(
        "PT0S",
        "What people and agents ask for is hidden at once and erased after this; up to P30D. "
        "A client's own delete and what expires do not wait.",
        "erasure",
    )
    derived: Literal["delete", "redact", "regenerate", "ask"] = field(
        "delete", "Memories derived from erased ones.", "erasure"
    )
    mixed: Literal["delete", "redact", "regenerate", "ask"] = field(
        "delete", "Memories that hold other things too.", "erasure"
    )
    inferences: Literal["strict", "explicit", "keep"] = field(
        "explicit", "Inferences: all, those that mention or derive directly, or none.", "erasure"
    )
    shared: Literal["delete", "redact"] = field(
        "delete", "Memories another owner shares.", "erasure"
    )
    max_items: int = field(
        10_000, "Plans above this need an operator.", "erasure", ge=1, le=100_000_000
    )
    regime: Literal["gdpr", "ccpa", "lgpd", "uk"] = field(
        "gdpr", "Whose clock and codes apply.", "rights"
    )
    exceptions: Names = field(
        ("legal_obligation", "legal_claims", "public_health", "expression", "archiving"),
        "Grounds on which something may be held back (GDPR Art. 17(3)).",
        "policies.access.exception_allowed()",
    )
    status_after: Literal["reference", "nothing"] = field(
        "reference", "What the subject is told about an erased topic.", "rights"
    )
