"""Every error a caller can meet: one table of slugs, one exception, one body (RFC 9457)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Upstream = Literal["not_sent", "sent", "unknown"]

EXIT_OK, EXIT_ERROR, EXIT_USAGE, EXIT_INVALID, EXIT_INCOMPLETE, EXIT_UNVERIFIED = range(6)
EXIT_BLOCKED = 6


@dataclass(frozen=True, slots=True)
class Kind:
    """What a slug means: HTTP status, title, process exit code, and what to do by default."""

    status: int
    title: str
    hint: str
    exit_code: int = EXIT_ERROR


SLUGS: Mapping[str, Kind] = {
    # input
    "malformed-body": Kind(400, "The body cannot be read", "Send valid UTF-8 JSON."),
    "duplicate-key": Kind(400, "A JSON key stands twice", "Send each key once."),
    "invalid-request": Kind(
        400, "The request is not valid", "See the errors and the documentation."
    ),
    "unsupported-coding": Kind(
        415, "Content type or coding not supported", "Send application/json, plain or gzip."
    ),
    "too-large": Kind(413, "The request is too large", "Split it, or raise the limit."),
    "request-timeout": Kind(
        408, "The request did not arrive in time", "Send it faster, or raise the limit."
    ),
    "invalid-policy": Kind(422, "The policy is not valid", "Fix the listed errors.", EXIT_INVALID),
    "invalid-config": Kind(
        422, "The configuration is not valid", "Fix the listed errors.", EXIT_INVALID
    ),
    # access
    "unauthenticated": Kind(401, "No valid credential", "Send your Expunge client key."),
    "forbidden": Kind(403, "Not allowed for this credential", "Use a credential with the role."),
    "route-not-covered": Kind(
        403, "This route is not covered", "Only the routes of the store's profile pass."
    ),
    "not-found": Kind(404, "Not found", "Check the id."),
    "rate-limited": Kind(429, "Too many requests", "Wait and retry."),
    "expectation-failed": Kind(
        417, "The expectation cannot be met", "Only 'Expect: 100-continue' is understood."
    ),
    # policy
    "write-rejected": Kind(422, "The policy rejects this write", "Leave the rejected data out."),
    "purpose-denied": Kind(403, "The policy denies this purpose", "State an allowed purpose."),
    "identification-required": Kind(
        409, "The requester is not identified", "Tell how the requester was identified."
    ),
    "confirmation-required": Kind(
        409, "Confirmation required", "Repeat with the header 'confirm: confirmed'."
    ),
    # conflict
    "plan-changed": Kind(409, "The plan changed since it was shown", "Ask for a new plan."),
    "confirmation-expired": Kind(410, "The confirmation is no longer valid", "Ask for a new plan."),
    "confirmation-invalid": Kind(
        409, "The confirmation does not match", "Send the word 'confirmed' and the plan's token."
    ),
    "subject-locked": Kind(
        409, "An erasure of this data subject is running", "Retry when it ended."
    ),
    "held": Kind(409, "Under a legal hold", "Release the hold first."),
    "invalid-state": Kind(409, "Not possible in this state", "Look at the state first."),
    "precondition-failed": Kind(412, "It changed in between", "Read it again."),
    # unavailable: fail closed
    "detection-unavailable": Kind(503, "Detection is unavailable", "Nothing was sent. Retry."),
    "overloaded": Kind(503, "Too much work queued", "Nothing was sent. Retry later."),
    "ledger-unavailable": Kind(503, "The ledger is unavailable", "Check its database and disk."),
    "ledger-lost": Kind(
        503,
        "The ledger is not the one that was used last",
        "Put the newest ledger back. If this is the newest there is, see 'expunge db accept'.",
    ),
    "signing-key-lost": Kind(
        503,
        "The signing key is not the one of this audit log",
        "Put the key back (audit.signing_key). If it is lost for good, see 'expunge db accept'.",
    ),
    "ledger-taken": Kind(
        503,
        "Another service uses this ledger",
        "Stop it first. For more processes use 'serve --workers N', for more services PostgreSQL.",
    ),
    "keys-sealed": Kind(503, "The keys are unavailable", "Check the key provider."),
    "policy-missing": Kind(503, "No valid policy is loaded", "Run 'expunge policy check'."),
    "starting": Kind(503, "Still starting", "Nothing was sent. Retry."),
    "identity-unavailable": Kind(
        503, "The issuer of tokens cannot be reached", "Nothing was sent. Retry."
    ),
    "draining": Kind(503, "Shutting down", "Retry against another replica."),
    # upstream
    "erasure-unfinished": Kind(
        502, "Not everything is deleted yet", "It goes on by itself. Ask again in some seconds."
    ),
    "upstream-unreachable": Kind(
        502, "The store cannot be reached", "Check its address and state."
    ),
    "upstream-timeout": Kind(
        504, "The store did not answer in time", "Retry, or raise the timeout."
    ),
    "upstream-garbled": Kind(502, "The store's answer cannot be read", "Check the store's logs."),
    "upstream-failed": Kind(
        502, "The store failed", "Look for the time and X-Request-ID in the store's logs."
    ),
    "upstream-refused": Kind(502, "The store refused our credential", "Check the upstream key."),
    # outcome
    "erasure-incomplete": Kind(
        200, "Something is left", "See the layers named as residual.", EXIT_INCOMPLETE
    ),
    "verification-failed": Kind(422, "The certificate is not valid", "Do not rely on it.", 5),
    # bug
    "internal": Kind(500, "Internal error", "Report the request id."),
}


class Problem(Exception):
    """A failure the caller is told about.

    Args:
        slug: a key of ``SLUGS``.
        detail: what happened, without content or identifiers.
        hint: what to do; the slug's default when empty.
        upstream: whether anything reached the store.
        errors: RFC 9457 style ``{"pointer", "detail"}`` members.
        rules: ids of the policy rules that decided.
        retry_after: seconds, where a retry helps.
    """

    def __init__(
        self,
        slug: str,
        detail: str,
        *,
        hint: str = "",
        upstream: Upstream = "not_sent",
        errors: Sequence[Mapping[str, str]] = (),
        rules: Sequence[str] = (),
        retry_after: int | None = None,
    ) -> None:
        super().__init__(slug)
        self.kind = SLUGS[slug]
        self.slug, self.detail, self.upstream = slug, detail, upstream
        self.hint = hint or self.kind.hint
        self.errors, self.rules, self.retry_after = tuple(errors), tuple(rules), retry_after

    @property
    def status(self) -> int:
        """HTTP status."""
        return self.kind.status

    @property
    def told(self) -> str:
        """The detail with the first of the errors: all that many clients show of a problem."""
        first = self.errors[0] if self.errors else {}
        if not first.get("detail"):
            return self.detail
        where = f"{first['pointer']}: " if first.get("pointer") else ""
        return f"{self.detail} {where}{first['detail']}"

    @property
    def exit_code(self) -> int:
        """Exit code of a command that ends with this problem."""
        return self.kind.exit_code

    def body(self, request_id: str) -> dict[str, Any]:
        """The problem+json object; ``request_id`` becomes ``instance``."""
        body: dict[str, Any] = {
            "type": f"urn:expunge:problem:{self.slug}",
            "title": self.kind.title,
            "status": self.status,
            "detail": self.told,
            "instance": request_id,
            "hint": self.hint,
            "upstream": self.upstream,
        }
        if self.errors:
            body["errors"] = [dict(error) for error in self.errors]
        if self.rules:
            body["rules"] = list(self.rules)
        return body
