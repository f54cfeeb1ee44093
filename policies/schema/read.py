"""The `read` section: who gets what back."""

from typing import Literal

from pydantic import Field

from policies.schema.fields import Identifier, LastingSpan, List, Map, Names, Section, field

Role = Literal["app", "operator", "privacy", "auditor"]


class Purpose(Section):
    """What one purpose may see (GDPR Art. 5(1)(b))."""

    deny: Names = field((), "Categories this purpose never touches; `all`: any text.", "decide()")
    external: bool = field(
        False, "Leaves the controller: an opt-out of sharing switches it off.", "decide()"
    )


class Rates(Section):
    """Retrieval limits, in searches and lists a minute."""

    tenant: int | None = field(
        6000, "Searches and lists a minute, for one tenant.", "gateway", ge=1
    )
    owner: int | None = field(600, "Searches and lists a minute, for one owner.", "gateway", ge=1)
    purpose: int | None = field(
        None, "Searches and lists a minute, for one tenant and purpose.", "gateway", ge=1
    )


class Extraction(Section):
    """Defence against reading a memory empty by crafted queries."""

    action: Literal["off", "flag", "refuse"] = field(
        "flag", "What happens above the budget.", "policies.access.extraction()"
    )
    window: LastingSpan = field("PT10M", "Sliding window.", "policies.access.extraction()")
    distinct_items: int = field(
        500,
        "Distinct memories an owner may see in the window.",
        "policies.access.extraction()",
        ge=1,
    )


class Export(Section):
    """Access exports (GDPR Art. 15, 20)."""

    confirm: Names = field(
        ("health",), "Categories exported only after a confirmation.", "policies.access.export()"
    )
    refuse_purposes: Names = field(
        ("training",), "Purposes nothing is exported for.", "policies.access.export()"
    )


class Read(Section):
    """Who gets what back."""

    unknown: Literal["index", "hide", "allow"] = field(
        "index", "Items the ledger does not know: analyse on sight, hide, or pass.", "gateway"
    )
    detokenise_roles: List[Role] = field(
        ("app", "privacy"), "Roles for which tokens are restored.", "gateway"
    )
    max_items: int = field(1000, "Most items one answer holds.", "gateway", ge=1, le=100_000)
    rates: Rates = Field(default_factory=Rates, description="Retrieval limits.")
    extraction: Extraction = Field(default_factory=Extraction, description="Reading empty.")
    export: Export = Field(default_factory=Export, description="Access exports.")
    default_purpose: Identifier | None = field(
        None, "Purpose of a request that names none.", "decide()"
    )
    unknown_purpose: Literal["deny", "allow"] = field(
        "deny", "What happens to a purpose that is not listed.", "decide()"
    )
    purposes: Map[Purpose] = Field(default_factory=dict, description="The purposes there are.")
