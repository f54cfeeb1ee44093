"""References to erased memories in what others say: an id that is gone proves what there was."""

import re
from collections.abc import Sequence
from typing import Any

from proxy.gateway.answers.look_up import Known, look_up
from proxy.gateway.exchange import Exchange
from proxy.gateway.request.detect import READS
from proxy.gateway.services import GatewayServices
from proxy.tokens.surrogate import ERASED

OPAQUE = 16  # letters from which an id is nobody's word or number
_UUID = "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_GONE = frozenset({"erasing", "erased"})


async def strike(
    exchange: Exchange, services: GatewayServices, strings: Sequence[tuple[Any, Any]]
) -> None:
    """Put ``[erased]`` where a string of an answer names a memory that was erased.

    Args:
        strings: where the answer's strings stand: container and key.
    """
    if exchange.route.op not in READS:
        return
    ids = exchange.profile.ids
    dashes = 4 if ids.pattern == _UUID else 0  # seen sooner than the whole form
    likely = [
        at for at in strings if len(said := at[0][at[1]]) >= OPAQUE and said.count("-") >= dashes
    ]
    found = [(at, key, _named(ids, at[key])) for at, key in likely]
    named = set().union(*(each for _, _, each in found))
    if not named:
        return
    known = await look_up(exchange, services, named)
    gone = {each for each in named if _is_gone(known[each])}
    for at, key in [(at, key) for at, key, each in found if each & gone]:
        at[key] = ids.sub(lambda match: ERASED if match[0] in gone else match[0], at[key])
        exchange.rewritten = True


def _named(ids: re.Pattern[str], text: str) -> set[str]:
    return {match[0] for match in ids.finditer(text) if len(match[0]) >= OPAQUE}


def _is_gone(known: Known) -> bool:
    memory, erased = known
    return erased or (memory is not None and memory.state in _GONE)
