"""The `write` section: what may be remembered, and in which form."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from detectors.settings import DEFAULT_LANGUAGES
from policies.schema.fields import (
    EntityType,
    Identifier,
    Language,
    LastingSpan,
    List,
    Mark,
    Names,
    OwnerPattern,
    Score,
    Section,
    Text,
    Words,
    _tuple,
    field,
)

Operation = Literal["write", "update", "search", "read"]
EntityAction = Literal[
    "allow",
    "tag",
    "redact",
    "mask",
    "replace",
    "generalise",
    "tokenise",
    "encrypt",
    "quarantine",
    "reject",
]
TextAction = Literal["allow", "tag", "redact", "tokenise", "encrypt", "quarantine", "reject"]
Operations = Annotated[List[Operation], Field(min_length=1)]
_HERE = "decide()"


class Condition(Section):
    """When a rule applies: every condition given must hold; within a list, one is enough."""

    operations: Operations = field(
        ("write", "update", "search"),
        "The operations the rule applies to. `read` judges what comes back from the store.",
        _HERE,
    )
    categories: Names = field((), "The text is (or inherited being) in one of these.", _HERE)
    owners: List[OwnerPattern] = field(
        (),
        "One of the owners, written `kind:id`, is one of these, letter by letter; `run:*` means"
        " every owner of that kind.",
        _HERE,
    )
    purposes: Names = field((), "The stated purpose is one of these.", _HERE)
    consent: Names = field((), "All of these consents are given.", _HERE)
    no_consent: Names = field((), "None of these consents is given.", _HERE)
    regions: Words = field((), "The data subject's region is one of these.", _HERE)
    sources: Words = field((), "The content comes from one of these, e.g. `tool`.", _HERE)
    languages: List[Language] = field((), "The text's language (ISO 639-1) is one of these.", _HERE)
    infer: bool | None = field(
        None, "Whether the store will draw facts from the text with a model.", _HERE
    )
    older_than: LastingSpan | None = field(
        None, "The content is older than this (imports, adoption, reads).", _HERE
    )


class EntityCondition(Condition):
    """When an entity rule applies."""

    entities: List[EntityType] = field(
        ..., 'Entity types the rule is about; `"*"` means every type.', _HERE, min_length=1
    )
    min_score: Score = field(0.0, "The detection's score is at least this.", _HERE)


class Mask(Section):
    """How `mask` covers a detection."""

    keep: int = field(
        4,
        "How many characters stay visible; never more than a third of the detection.",
        "apply_edits()",
        ge=0,
        le=64,
    )
    side: Literal["start", "end"] = field("end", "Which end stays visible.", "apply_edits()")
    character: str = field(
        "*", "The covering character.", "apply_edits()", min_length=1, max_length=1
    )


class Rule(Section):
    """What entity rules and text rules share."""

    id: Identifier = field(..., "Unique name; decisions, audit and merging refer to it.", _HERE)
    description: Text | None = Field(None, description="For the reader; no effect.")
    tier: Identifier | None = field(
        None, "Retention tier the match asks for; the strictest of all wins.", _HERE
    )


class EntityRule(Rule):
    """Judges detections: the first rule that matches a detection decides about it."""

    when: EntityCondition = Field(description="Which detections the rule is about.")
    action: EntityAction = field(..., "What happens to the detection.", _HERE)
    replacement: Text | None = field(
        None, "For `replace`: the text put in its place.", "apply_edits()"
    )
    mask: Mask | None = Field(None, description="For `mask`: how it is covered.")
    to: Literal["city", "month", "year", "band", "area"] | None = field(
        None,
        "For `generalise`: how coarse; without it, what is usual for the type.",
        "apply_edits()",
    )


class TextRule(Rule):
    """Judges the text as a whole: the first rule that matches decides."""

    when: Condition = Field(description="Which texts the rule is about.")
    action: TextAction = field(
        ..., "What happens; redact, tokenise and encrypt cover the whole text.", _HERE
    )
    categories: Names = field((), "Categories the rule gives to the text.", _HERE)


class Write(Section):
    """What may be remembered, and in which form."""

    default_action: EntityAction = field(
        "redact", "What happens to a detection that no entity rule matches.", _HERE
    )
    category_threshold: Score = field(
        0.5, "Score from which a text counts as being in a category.", _HERE
    )
    max_characters: int = field(
        100_000, "Longer texts are rejected (code points).", _HERE, ge=1, le=10_000_000
    )
    languages: List[Language] = field(
        DEFAULT_LANGUAGES, "Languages detection is trusted in; `*`: any.", _HERE, min_length=1
    )
    unsupported_language: Literal["index", "quarantine", "reject"] = field(
        "index", "What happens to a text in another language.", _HERE
    )
    mark: Mark = field(
        "[{type}]", "What `redact` leaves; `{type}` is the entity type.", "apply_edits()"
    )
    custom_types: List[EntityType] = field(
        (), "Entity types of your own recognisers; others are refused as typing errors.", "load()"
    )
    entities: Annotated[tuple[EntityRule, ...], BeforeValidator(_tuple)] = Field(
        (), description="Rules about detections, tried in order."
    )
    texts: Annotated[tuple[TextRule, ...], BeforeValidator(_tuple)] = Field(
        (), description="Rules about whole texts, tried in order."
    )
