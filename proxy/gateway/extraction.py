"""Reading a memory empty: how many different items an owner sees, and queries that ask for all.

The attack is a search that says it lost its examples and asks for every earlier record (MEXTRA);
its defence is a budget of distinct items in a sliding window and a look at the query's words.
"""

import re
from collections.abc import Collection

from policies.access import Budget, extraction
from proxy.gateway.exchange import Exchange
from proxy.gateway.services import GatewayServices
from proxy.problems import Problem

EVENT = "read.extraction_suspected"
SUSPICIOUS = 0.6

_ALL = re.compile(
    r"(?i)\b(?:all|every|each|entire|whole|complete|full|any|everything|as many)\b|"
    r"\b(?:list|dump|enumerate|export|repeat|print|output|show|return|reveal|recite)\b"
)
_STORE = re.compile(
    r"(?i)\b(?:memor(?:y|ies)|records?|examples?|quer(?:y|ies)|conversations?|messages?|entries|"
    r"instructions?|history|context|stored|retrieved|saved|database|demonstrations?|prompts?)\b"
)
_BEFORE = re.compile(
    r"(?i)\b(?:previous|prior|earlier|above|past|former|other (?:users?|people|persons?)|"
    r"in your (?:memory|context)|you (?:have|were|know|remember)|before (?:this|me))\b"
)
_TURN = re.compile(
    r"(?i)\b(?:i (?:have )?(?:lost|forgot|need)|please (?:only |just )?(?:enter|save|put|write)|"
    r"ignore|instead of answering|do not answer|don't answer|verbatim|word for word|"
    r"exactly as|into the (?:search|answer|response))\b"
)
_WEIGHTS = ((_ALL, 0.2), (_STORE, 0.2), (_BEFORE, 0.25), (_TURN, 0.25))


def asks_for_everything(query: str) -> float:
    """How much a query reads like an attempt to get at the stored records, in [0, 1]."""
    return min(1.0, sum(weight for pattern, weight in _WEIGHTS if pattern.search(query)))


async def check_query(exchange: Exchange, services: GatewayServices) -> None:
    """Look at a search before it is sent.

    Raises:
        Problem: ``rate-limited`` where the policy refuses such reads.
    """
    budget = extraction(exchange.policy)
    words = " ".join(text.text for text in exchange.texts if text.role == "query")
    if budget is not None and asks_for_everything(words) >= SUSPICIOUS:
        await _suspect(exchange, services, budget, "query")


async def check_items(
    exchange: Exchange, services: GatewayServices, refs: Collection[bytes]
) -> None:
    """Count what an answer shows against the budget of each reader; as ``check_query``."""
    budget = extraction(exchange.policy)
    if budget is None or not refs:
        return
    readers = [(exchange.tenant_id, owner.upstream_id) for owner in exchange.owners]
    for reader in readers or [(exchange.tenant_id, exchange.caller.key_id)]:
        if services.seen.add(reader, refs, budget, exchange.now) > budget.distinct_items:
            await _suspect(exchange, services, budget, "budget")


async def _suspect(
    exchange: Exchange, services: GatewayServices, budget: Budget, sign: str
) -> None:
    fields = {"sign": sign, "refused": budget.refuse, "upstream": exchange.binding.name}
    await services.ledger.write(
        lambda tx: services.audit.append(tx, exchange.tenant_id, EVENT, fields)
    )
    exchange.flagged = True
    if budget.refuse:
        raise Problem(
            "rate-limited",
            "More of the memory was asked for than the policy lets one reader see.",
            retry_after=60,
            upstream="sent" if exchange.sent else "not_sent",
        )
