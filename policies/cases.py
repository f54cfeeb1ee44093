"""The language of policy fixtures (``kind: PolicyTest``)."""

from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from policies.schema.fields import EntityType, Map, Names, Score, Section, Words, _tuple
from policies.schema.write import Operation


def _instant(value: str) -> str:
    try:
        datetime.fromisoformat(value)
    except ValueError as error:
        raise PydanticCustomError("instant", "{why}", {"why": "not an ISO 8601 time"}) from error
    return value


def _one_or_more(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


Instant = Annotated[str, AfterValidator(_instant)]
Texts = Annotated[tuple[str, ...], BeforeValidator(_tuple)]


class Stated(Section):
    """A detection the case states instead of having it found."""

    type: EntityType
    text: Annotated[str, Field(min_length=1)]
    score: Score = 1.0
    recogniser: str = "stated"


class Given(Section):
    """The text and its circumstances."""

    text: str
    detections: Annotated[tuple[Stated, ...], BeforeValidator(_tuple)] | None = None
    categories: Map[Score] | None = None
    operation: Operation = "write"
    at: Instant | None = None
    purpose: str | None = None
    consents: Words = ()
    region: str | None = None
    upstream_region: str | None = None
    source: str | None = None
    owner: Annotated[Words, BeforeValidator(_one_or_more)] = ()
    infer: bool | None = None
    language: str | None = None
    preferences: dict[str, Any] | None = None
    inherited_categories: Names = ()
    inherited_expiry: Instant | None = None
    about: Words = ()
    content_at: Instant | None = None
    suspicion: Map[Score] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _stated_texts_occur(self) -> Self:
        for stated in self.detections or ():
            if stated.text not in self.text:
                why = "a stated detection does not occur in the text"
                raise PydanticCustomError("stated", "{why}", {"why": why})
        return self


class Expect(Section):
    """What must come out; only what is given is compared, lists in any order."""

    decision: Literal["allow", "quarantine", "reject"] | None = None
    reason: str | None = None
    text: str | None = None
    tier: str | None = None
    expires_after: str | None = None
    expires_at: Instant | None = None
    prompt_at: Instant | None = None
    won: str | None = None
    rules: Texts | None = None
    categories: Texts | None = None
    tags: Texts | None = None


class Case(Section):
    """One case; ``fails`` says why it is known to fail."""

    name: Annotated[str, Field(min_length=1)]
    given: Given
    expect: Expect
    fails: str | None = None


class PolicyTest(Section):
    """A whole fixture file."""

    api_version: Literal["expunge/v1"] = Field(alias="apiVersion")
    kind: Literal["PolicyTest"]
    policy: str | None = None
    cases: Annotated[tuple[Case, ...], BeforeValidator(_tuple), Field(min_length=1)]
