"""Refusals by policy: what the client is told, and the audit log."""

from collections.abc import Sequence

from policies.access import closed
from policies.decision import Preferences
from proxy.gateway.exchange import Exchange
from proxy.gateway.services import GatewayServices
from proxy.problems import Problem

REFUSED = "request.refused"
STATED = "read.purposes."  # what follows may be a word of the client's
DENIED = "purpose-denied"
_ASK_OPERATOR = (
    "Leave out what the rules name. The operator sees why with 'expunge policy explain' and "
    "'expunge blocklist check'; whoever was forgotten and agrees to be remembered is let in again "
    "with 'expunge blocklist remove'."
)


def refusal(slug: str = "write-rejected", rules: Sequence[str] = ()) -> Problem:
    """A refusal by policy; whether somebody is blocked cannot be told from it."""
    hint = _ASK_OPERATOR if slug == "write-rejected" else ""
    return Problem(slug, "The policy does not let this through.", hint=hint, rules=rules)


async def note(
    exchange: Exchange, services: GatewayServices, reason: str | None, rules: Sequence[str]
) -> None:
    """Refusals are in the audit log: by which rules, never of what."""
    fields = {
        "operation": exchange.operation,
        "reason": reason,
        "rules": [rule for rule in rules if not rule.startswith(STATED)],
        "policy_digest": exchange.policy.digest,
    }
    await services.ledger.write(
        lambda tx: services.audit.append(tx, exchange.tenant_id, REFUSED, fields)
    )


async def refuse_closed(exchange: Exchange, services: GatewayServices, wishes: Preferences) -> None:
    """Stop what is done for a purpose that is closed by the policy or by a data subject.

    Raises:
        Problem: ``purpose-denied``: an empty answer would look like lost data.
    """
    name = closed(exchange.policy, exchange.purpose, wishes)
    if name is not None:
        rules = (f"{STATED}{name}",)
        await note(exchange, services, DENIED, rules)
        raise refusal(DENIED, rules)
