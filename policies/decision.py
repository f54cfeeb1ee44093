"""The values a decision is made from and the values it yields."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from policies.durations import Duration


@dataclass(frozen=True, slots=True)
class Preferences:
    """What one data subject asked for; checked against the bounds by ``preferences.check``.

    Args:
        maximum: nothing about the subject is kept longer than this.
        categories: how long each of these categories is kept.
        exceptions: ids of entities that are always remembered.
        pinned: this memory is pinned.
        refused_types: entity types never to be remembered; they are redacted.
        refused_categories: categories never to be remembered; such texts are rejected.
        denied_purposes: purposes the subject objected to (GDPR Art. 21).
        sharing: whether purposes marked external may be served at all (CCPA 1798.120).
        unshared: categories kept from external purposes.
    """

    maximum: Duration | None = None
    categories: Mapping[str, Duration] = field(default_factory=dict)
    exceptions: frozenset[str] = frozenset()
    pinned: bool = False
    refused_types: frozenset[str] = frozenset()
    refused_categories: frozenset[str] = frozenset()
    denied_purposes: frozenset[str] = frozenset()
    sharing: bool = True
    unshared: frozenset[str] = frozenset()


NO_PREFERENCES = Preferences()


@dataclass(frozen=True, slots=True)
class Context:
    """Everything about one text that is not the text.

    Args:
        operation: ``write``, ``update``, ``search`` or ``read``.
        at: now; a time without a zone is UTC.
        purpose: stated purpose; None takes the policy's default.
        consents: names of the consents given.
        region: the data subject's region, e.g. ``EU``.
        source: where the content comes from: ``conversation``, ``tool``, ``document``, ``import``.
        owners: everybody whose text it is, as ``kind:id``, e.g. ``run:r-17``.
        infer: whether the store will draw facts from the text.
        text_length: code points of the text.
        language: ISO 639-1 code.
        preferences: of the data subject.
        inherited_categories: of the sources the text was derived from.
        inherited_expiry: the earliest expiry of those sources.
        upstream_region: the store's region; ``local`` for one on the operator's own machines.
        entities: ids of the known entities the text is about.
        content_at: when the content came to be, if that is not now.
        suspicion: kind of suspicion (``instruction``) and its score.
    """

    operation: str
    at: datetime
    purpose: str | None = None
    consents: frozenset[str] = frozenset()
    region: str | None = None
    source: str | None = None
    owners: frozenset[str] = frozenset()
    infer: bool | None = None
    text_length: int = 0
    language: str = "en"
    preferences: Preferences = NO_PREFERENCES
    inherited_categories: frozenset[str] = frozenset()
    inherited_expiry: datetime | None = None
    upstream_region: str | None = None
    entities: frozenset[str] = frozenset()
    content_at: datetime | None = None
    suspicion: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Edit:
    """One change to a text: code points [start, end) and what is done to them."""

    start: int
    end: int
    action: str
    entity_type: str
    rule: str
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def sealed_for(self) -> str | None:
        """The category under whose key an encrypted value is sealed; None for other actions."""
        return str(self.params["category"]) if self.action == "encrypt" else None


@dataclass(frozen=True, slots=True)
class Decision:
    """What is to be done with one text.

    ``outcome`` is ``allow``, ``quarantine`` or ``reject``; ``edits`` are sorted and do not
    overlap; ``rules`` are the ids of the rules and checks that had a part; ``reason`` says why
    the outcome is not ``allow``; ``expiry_from`` says which setting fixed the expiry; ``held_by``
    are those of the rules that hold the text for review, ``refused_by`` those that reject it.
    """

    outcome: str
    edits: tuple[Edit, ...]
    tier: str
    expires_at: datetime | None
    expires_after: str | None
    prompt_at: datetime | None
    categories: tuple[str, ...]
    tags: tuple[str, ...]
    rules: tuple[str, ...]
    reason: str | None
    expiry_from: str
    held_by: tuple[str, ...] = ()
    refused_by: tuple[str, ...] = ()
