"""A loaded policy: frozen sections and what was compiled from them."""

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

from policies.rules import RuleBook, compile_rules
from policies.schema import (
    Blocklist,
    Consent,
    Detection,
    Document,
    Erasure,
    Notifications,
    Poisoning,
    Read,
    Residency,
    Retention,
    Write,
)
from policies.timetable import Timetable, compile_retention

_NO_EFFECT: dict[str, Any] = {
    "description": True,
    "extends": True,
    "write": {
        "entities": {"__all__": {"description": True}},
        "texts": {"__all__": {"description": True}},
    },
}


@dataclass(frozen=True, slots=True)
class Policy:
    """A valid, resolved policy; ``digest`` names exactly what it does."""

    name: str
    digest: str
    detection: Detection
    write: Write
    blocklist: Blocklist
    retention: Retention
    read: Read
    erasure: Erasure
    residency: Residency
    consent: Consent
    notifications: Notifications
    poisoning: Poisoning
    rules: RuleBook = field(repr=False, compare=False)
    timetable: Timetable = field(repr=False, compare=False)

    def __reduce__(self) -> tuple[Any, tuple[Document]]:
        return (from_document, (document(self),))


def from_document(found: Document) -> Policy:
    """Compile a document that has passed every check."""
    sections = {name: getattr(found, name) for name in SECTIONS}
    return Policy(
        name=found.name,
        digest=digest(found),
        rules=compile_rules(found.write, found.read.default_purpose),
        timetable=compile_retention(found.retention),
        **sections,
    )


SECTIONS = (
    "detection",
    "write",
    "blocklist",
    "retention",
    "read",
    "erasure",
    "residency",
    "consent",
    "notifications",
    "poisoning",
)


def document(policy: Policy) -> Document:
    """The resolved policy as one document that extends nothing."""
    sections = {name: getattr(policy, name) for name in SECTIONS}
    return Document(
        apiVersion="expunge/v1", kind="Policy", name=policy.name, extends="none", **sections
    )


def resolved(policy: Policy) -> dict[str, Any]:
    """The policy with all that it extends and every default filled in; see ``load_resolved``."""
    return document(policy).model_dump(mode="json", by_alias=True)


def digest(found: Document) -> str:
    """``sha256:`` over the canonical JSON of the resolved policy, descriptions left out."""
    plain = found.model_dump(mode="json", by_alias=True, exclude=_NO_EFFECT)
    canonical = json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(canonical.encode()).hexdigest()
