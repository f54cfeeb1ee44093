"""What a caller may state about a request: codes and references, never free text."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from policies import Policy
from policies.access import exception_allowed
from policies.schema.erasure import CHANNELS, METHODS
from proxy.erasure.requests.deadlines import REGIMES
from proxy.problems import Problem

CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:/+-]{0,59}")
DETAILS = frozenset({"regime", "ground", "channel", "identity"})
IDENTITY = frozenset({"method", "by", "at", "evidence_ref"})
NO_CODES = frozenset({"identity/by", "identity/at"})  # kept as a pseudonym, and a moment
LISTS: Mapping[str, Collection[str]] = {
    "regime": REGIMES,
    "channel": CHANNELS,
    "identity/method": METHODS,
}
CHOICES: Mapping[str, frozenset[str]] = {
    "derived": frozenset({"delete", "redact", "regenerate"}),
    "mixed": frozenset({"delete", "redact", "regenerate"}),
    "shared": frozenset({"delete", "redact"}),
    "include": frozenset({"all", "direct"}),
    "doubtful": frozenset({"delete", "keep"}),
}
# Why a request may be refused beside the policy's exceptions (GDPR Art. 12(2), 12(5), 15(4); CCPA
# § 7022).
REFUSALS = frozenset(
    {"unfounded", "excessive", "not_identifiable", "unverified", "rights_of_others"}
)
# Why an answer may take longer (GDPR Art. 12(3)).
EXTENSIONS = frozenset({"complexity", "number_of_requests"})
INTERNAL = frozenset({"rewrite"})


def check_codes(
    reason: str | None, reference: str | None, details: Mapping[str, Any] | None
) -> None:
    """Refuse anything that could be content: it would be kept in clear and certified.

    Raises:
        Problem: ``invalid-request`` with one error per wrong member.
    """
    said = stated(reason, reference, details)
    errors = [
        {"pointer": f"/{name}", "detail": "A code of letters, digits and _.:/+- (up to 60)."}
        for name, value in said.items()
        if name not in NO_CODES
        and value is not None
        and not (isinstance(value, str) and CODE.fullmatch(value))
    ]
    errors += [
        {"pointer": f"/{name}", "detail": "There is no such member."}
        for name in said
        if not _known(name)
    ]
    errors += [
        {"pointer": f"/{name}", "detail": f"One of {', '.join(known)}."}
        for name, known in LISTS.items()
        if said.get(name) is not None and said[name] not in known
    ]
    if errors:
        raise Problem("invalid-request", "The request states what it may not.", errors=errors)


def stated(
    reason: str | None, reference: str | None, details: Mapping[str, Any] | None
) -> dict[str, Any]:
    """All that is stated of a request in clear, by its pointer."""
    return {"reason": reason, "reference": reference} | dict(_flat(details or {}))


def check_ground(policy: Policy, code: str) -> None:
    """Refuse a ground that nobody knows.

    Raises:
        Problem: ``invalid-request`` unless it is an exception of the policy or one of ``REFUSALS``,
            with or without a regime's prefix (``gdpr.17.3.e_legal_claims``).
    """
    if exception_allowed(policy, code) or _is_one_of(REFUSALS, code):
        return
    known = [*policy.erasure.exceptions, *sorted(REFUSALS)]
    raise _unknown("There is no such ground of refusal.", known, "gdpr.17.3.e_legal_claims")


def check_extension(code: str) -> None:
    """Refuse a ground on which no law lets an answer take longer.

    Raises:
        Problem: ``invalid-request`` unless it is one of ``EXTENSIONS``, with or without a prefix.
    """
    if not _is_one_of(EXTENSIONS, code):
        said = "There is no such ground of extension (GDPR Art. 12(3))."
        raise _unknown(said, sorted(EXTENSIONS), "gdpr.12.3_complexity")


def _is_one_of(grounds: Collection[str], code: str) -> bool:
    ground = code.rsplit(".", 1)[-1]
    return ground in grounds or ground.partition("_")[2] in grounds


def _unknown(said: str, grounds: Sequence[str], example: str) -> Problem:
    known = ", ".join(grounds)
    return Problem(
        "invalid-request", said,
        hint=f"One of: {known}; also with a prefix, as {example}.",
        errors=[{"pointer": "/reason", "detail": f"One of: {known}."}],
    )  # fmt: skip


def check_choices(choices: Mapping[str, str] | None) -> None:
    """Refuse choices that do not exist; raises ``invalid-request``."""
    errors = [
        {"pointer": f"/choices/{name}", "detail": "There is no such choice."}
        for name, value in (choices or {}).items()
        if name not in INTERNAL and value not in CHOICES.get(name, frozenset())
    ]
    if errors:
        raise Problem("invalid-request", "The choices are not valid.", errors=errors)


def _flat(details: Mapping[str, Any]) -> list[tuple[str, Any]]:
    listed = [(name, value) for name, value in details.items() if name != "identity"]
    identity = details.get("identity")
    if isinstance(identity, Mapping):
        told = {"method": "", **identity}  # without a method nothing is said
        return listed + [(f"identity/{name}", value) for name, value in told.items()]
    return listed + ([("identity", "")] if identity is not None else [])


def _known(name: str) -> bool:
    head, _, rest = name.partition("/")
    if name in {"reason", "reference"}:
        return True
    return head in DETAILS and (not rest or rest in IDENTITY)
