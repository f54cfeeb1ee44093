"""Bodies of the control plane's requests."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AwareDatetime, Field

from policies.schema.erasure import Channel, Method
from proxy.config.section import Role
from proxy.control.routing import Body
from proxy.erasure.requests.facts import CODE
from proxy.ledger.credentials import CONFIGURED, TAKEN_OUT

_OWNERS = (
    "Owners whose id holds the name and more, and that are the person's: owner ids, candidates, "
    "'all' or 'none'; absent: they are asked about."
)


def _free(label: str) -> str:
    if label in (CONFIGURED, TAKEN_OUT):
        raise ValueError("this label is that of credentials in the configuration")
    return label


Label = Annotated[str, Field(max_length=100, description="For people."), AfterValidator(_free)]


class TargetBody(Body):
    """Who or what is to be forgotten."""

    kind: str = Field(description="owner, entity, memory, category, time_range, tenant, subject.")
    value: str | None = Field(default=None, description="One value.")
    values: list[str] = Field(default=[], max_length=10_000, description="Several values.")
    type: str | None = Field(default=None, description="Entity type, such as person.")
    owner: str | None = Field(default=None, description="Only within this owner's memories.")
    owner_kind: str = Field(default="user", description="user, agent, run or app.")
    scope: str = Field(default="any_mention", description="any_mention or primary.")
    upstream: str | None = Field(default=None, description="Name of the store; absent: all.")
    since: str | None = Field(default=None, alias="from", description="First instant, inclusive.")
    until: str | None = Field(default=None, alias="to", description="End, exclusive.")
    entity_ids: list[str] = Field(default=[], description="Chosen candidates, or `all`.")
    owners: list[str] = Field(default=[], max_length=1000, description=_OWNERS)

    def dump(self) -> dict[str, Any]:
        """As the erasure package reads it."""
        body = self.model_dump(by_alias=True, exclude_none=True)
        value = body.pop("value", None)
        if value is not None:
            body["values"] = [value, *body["values"]]
        return body


class IdentityBody(Body):
    """How it was made sure that the request is the data subject's own."""

    method: Method = Field(description="How.")
    by: str | None = Field(
        default=None, min_length=1, max_length=200,
        description="Opaque id of who made sure, kept as a pseudonym; absent: who asks here.",
    )  # fmt: skip
    at: AwareDatetime | None = Field(default=None, description="When; absent: now.")
    evidence_ref: str | None = Field(
        default=None, pattern=f"^{CODE.pattern}$",
        description="Your own reference of the evidence, such as a ticket; never a person's id.",
    )  # fmt: skip


class RequestBody(Body):
    """What is told of a request beside its target."""

    channel: Channel | None = Field(default=None, description="By which way the request came.")
    identity: IdentityBody | None = Field(
        default=None, description="How the requester was identified; absent: not (yet)."
    )

    def details(self) -> dict[str, Any]:
        """As the erasure package takes it."""
        return {
            "channel": self.channel,
            "identity": self.identity.model_dump() if self.identity else None,
        }


class ErasureBody(RequestBody):
    """A request for erasure."""

    target: TargetBody
    keep: list[str] = Field(
        default=[], max_length=100,
        description="Keep what tells these: memory ids, categories, attributes, words.",
    )  # fmt: skip
    reason: str | None = Field(default=None, max_length=60, description="Code of the ground.")
    reference: str | None = Field(default=None, max_length=40, description="Your own reference.")
    dry_run: bool = Field(default=False, description="Only plan; nothing can be confirmed.")
    agent: bool = Field(default=False, description="An agent asks: always two steps.")
    future: bool = Field(
        default=False,
        description="Refuse it from now on as well: a preference of the target's owner is recorded "
        "with the request, for an attribute, a category or a relation; names are blocked anyway.",
    )  # fmt: skip
    # What else an answer of /v1/interpret has, so that it can be passed on as it is.
    action: Literal["forget"] = Field(default="forget", description="As interpreted.")
    scope: str | None = Field(default=None, description="As interpreted; the target's own counts.")
    confidence: float | None = Field(default=None, description="As interpreted; it is not read.")

    def said(self) -> dict[str, Any]:
        """The target as the erasure package reads it."""
        scoped = "scope" in self.target.model_fields_set or self.scope is None
        return self.target.dump() | ({} if scoped else {"scope": self.scope})


class ConfirmBody(Body):
    """The word and the token of the plan."""

    confirm: Literal["confirmed"] = Field(description="The word 'confirmed', not a boolean.")
    token: str = Field(max_length=200, description="From the answer that showed the plan.")
    unseen: bool = Field(
        default=False,
        description="Nobody was shown the plan: what has come since is meant as well.",
    )
    identity: IdentityBody | None = Field(
        default=None, description="How the requester was identified since the request."
    )


class ClarifyBody(Body):
    """Which of the candidates are meant, or answers to the plan's questions."""

    entity_ids: list[str] = Field(default=[], max_length=1000)
    owners: list[str] = Field(default=[], max_length=1000, description=_OWNERS)
    choices: dict[str, str] = Field(
        default={}, max_length=1000,
        description="By a question's id (mixed, derived) one of its options.",
    )  # fmt: skip


class ReasonBody(Body):
    """Why."""

    reason: str = Field(max_length=60, pattern=r"^[A-Za-z0-9_.:-]+$", description="A code.")


class ForgetBody(RequestBody):
    """One-call erasure of an owner or a data subject."""

    owner: str | None = Field(default=None, description="Everything under this owner id.")
    owner_kind: str = Field(default="user", description="user, agent, run or app.")
    subject: str | None = Field(default=None, description="Every mention of this person.")
    owners: list[str] = Field(default=[], max_length=1000, description=_OWNERS)
    confirm: Literal["confirmed"] = Field(description="The word 'confirmed'.")
    reference: str | None = Field(default=None, max_length=40)
    reason: str | None = Field(default=None, max_length=60)


class TenantBody(Body):
    """A new tenant."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")


class TokenBody(Body):
    """A new token of the control plane."""

    roles: list[Role] = Field(min_length=1)
    label: Label = ""
    bound: bool = Field(default=True, description="Bound to the tenant; false: all tenants.")
