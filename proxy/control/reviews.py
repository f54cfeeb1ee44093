"""Reviews: what is kept about an owner, or ends soon, is shown in counts, and somebody decides."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import AwareDatetime, Field

from proxy.control.erasures import actor
from proxy.control.keys import time
from proxy.control.queries import cursor_of, one_of
from proxy.control.routing import Ask, Body, Route, roles
from proxy.control.services import ControlServices
from proxy.ledger.reviews import STATES, Review
from proxy.retention.reviews import CHUNK

_SEE = roles("app", "operator", "privacy", "auditor")
_DECIDE = roles("app", "privacy")


class OpenBody(Body):
    """Whose memories are to be reviewed."""

    owner: str = Field(max_length=256)
    owner_kind: str = Field(default="user", pattern="^(user|agent|run|app)$")


class AnswerBody(Body):
    """What was decided."""

    action: Literal["keep_all", "delete", "extend", "apply_defaults", "individual"]
    categories: list[str] = Field(default=[], max_length=100, description="Only these.")
    memory_ids: list[str] = Field(default=[], max_length=10_000, description="Only these.")
    until: AwareDatetime | None = Field(default=None, description="For extend: the new expiry.")


async def open_(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Open a review."""
    body: OpenBody = ask.body
    return _shown(await services.reviews.open(ask.tenant_id, body.owner_kind, body.owner))


async def list_(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Reviews, newest first."""
    found = await services.reviews.listed(
        ask.tenant_id,
        state=one_of(ask, "state", STATES),
        owner_id=ask.query.get("subject"),
        before=cursor_of(ask, "rev"),
    )
    last = found[-1].id if len(found) == CHUNK else None
    return {"items": [_shown(review) for review in found], "next": last}


async def show(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """One review with its questions; whose memories they are only for those who may decide."""
    found = await services.reviews.asked(ask.tenant_id, ask.path["id"])
    listed = found.items if ask.caller.roles & _DECIDE else ()
    return {
        **_shown(found.review),
        "prompts": found.prompts(),
        "memories": [item.body() for item in listed],
    }


async def answer(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Carry out what was decided."""
    body: AnswerBody = ask.body
    done = await services.reviews.answer(
        ask.tenant_id,
        ask.path["id"],
        body.action,
        actor=actor(ask),
        categories=body.categories,
        memory_ids=body.memory_ids,
        until=body.until,
    )
    return done.body()


def _shown(review: Review) -> dict[str, Any]:
    return {
        "id": review.id,
        "subject": review.owner_id,
        "reason": review.reason,
        "state": review.state,
        "summary": review.summary,
        "created_at": time(review.created_at),
        "due_at": time(review.due_at),
        "closed_at": time(review.closed_at),
    }


ROUTES = (
    Route("POST", "/v1/reviews", "openReview", _DECIDE, open_, "Open a review of an owner.",
          body=OpenBody, status=201),
    Route("GET", "/v1/reviews", "listReviews", _SEE, list_, "Reviews, newest first.",
          query={"state": f"Only in this state: {', '.join(STATES)}.",
                 "subject": "Only of this owner: its ref, as POST /v1/subjects gives it.",
                 "cursor": "Continue after this point ('next' of the last answer)."}),
    Route("GET", "/v1/reviews/{id}", "getReview", _SEE, show,
          "What a review asks about now: questions, counts and dates; no content."),
    Route("POST", "/v1/reviews/{id}", "answerReview", _DECIDE, answer,
          "Carry out what was decided.", body=AnswerBody),
)  # fmt: skip
