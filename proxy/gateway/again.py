"""Requests that come again: found, kept, and their answers shown as they just were."""

import asyncio
from dataclasses import fields, replace
from datetime import datetime
from operator import attrgetter

from proxy.gateway.answers.restore import restore
from proxy.gateway.answers.withhold import take_names
from proxy.gateway.exchange import Asked, Exchange, RawCall, Reply, Shown, Sifted
from proxy.gateway.hop.forward import outgoing, read, reply_headers
from proxy.gateway.identity.callers import names_of
from proxy.gateway.memories.items import sift, tally
from proxy.gateway.services import GatewayServices
from proxy.upstreams.plain_json import dump
from proxy.upstreams.transport import UpstreamReply

LARGEST = 64 * 1024  # bytes of a request or an answer that is kept
REPEATED = frozenset({"search", "list", "pass", "get", "history"})  # whose steps end in `note`


async def in_turn(raw: RawCall, services: GatewayServices) -> Asked | None:
    """As ``asked``; who asks what is being understood for somebody else waits for that, once.

    What holds its body back does not say all that it asks.
    """
    said = None if raw.header("expect") else asked(raw, services)
    if said is None or said.exchange is not None:
        return said
    under_way = services.repeats.under_way(said.key)
    if under_way is not None:
        await under_way.wait()
        said = asked(raw, services)
    if said is not None and said.exchange is None:
        said.leads = services.repeats.begin(said.key)
    return said


def over(said: Asked | None, services: GatewayServices) -> None:
    """Let those go on who wait for a request: it is understood, or will not be kept."""
    if said is not None and said.leads:
        said.leads = False
        services.repeats.over(said.key)


def asked(raw: RawCall, services: GatewayServices) -> Asked | None:
    """The request as it is known, or as it may be noted; None if it is not to be kept.

    Its credential is among its bytes, so who calls is known with it.
    """
    moment = services.repeats.at(services.ledger, services.clock)
    if moment is None or len(raw.body) > LARGEST:
        return None
    names = names_of(raw.certificate) if raw.certificate else None
    key = (names, raw.method, raw.target, raw.origin, raw.headers, raw.body)
    found: Asked | None = services.repeats.known(key, moment)
    return found if found is not None and _holds(found, services) else Asked(key, moment)


def _holds(known: Asked, services: GatewayServices) -> bool:
    """Whether the policy is the one under which the request was understood."""
    before = known.exchange
    if before is None:
        return False
    return services.policies(before.tenant_id).digest == before.policy.digest


def again(known: Asked, raw: RawCall, now: datetime) -> Exchange | None:
    """The exchange of a request that says what one before it said; None if there was none."""
    if known.exchange is None:
        return None
    twin = known.spare.pop() if known.spare else _twin(known.exchange)
    twin.raw, twin.now, twin.asked = raw, now, known
    return twin


def spare(exchange: Exchange) -> None:
    """Keep the copy that was made for a request whose answer was known, for the next of its kind.

    Only what its two steps wrote has to be taken back.
    """
    said = exchange.asked
    if said is not None and exchange.ready is not None and not exchange.flagged:
        exchange.reply = exchange.ready = exchange.asked = None
        exchange.sent, exchange.seconds_upstream = False, 0.0
        said.spare.append(exchange)


async def note(exchange: Exchange, services: GatewayServices) -> None:
    """Keep the request for when it comes again, unless more follows from it than what is sent."""
    said = exchange.asked
    over(said, services)
    if said is None or exchange.route.streams or exchange.flagged or _edited(exchange):
        exchange.asked = None
        return
    said.request, said.exchange = outgoing(exchange), _twin(exchange)
    if said.moment.lasts(services.repeats.at(services.ledger, services.clock)):
        services.repeats.keep(said.key, said, said.moment)


async def show(exchange: Exchange, services: GatewayServices) -> None:
    """Filter and restore the answer, unless the same one just was, or is just being."""
    said = _still(exchange, services)
    known = _judged(said, exchange)
    if known is None and said is not None and said.judging is not None:
        await said.judging.wait()
        said = _still(exchange, services)
        known = _judged(said, exchange)
    if known is not None:
        await _show_again(exchange, services, known)
    elif said is None or said.judging is not None:
        await _judge(exchange, services, said)
    else:
        turn = said.judging = asyncio.Event()
        try:
            await _judge(exchange, services, said)
        finally:
            said.judging = None
            turn.set()


def _still(exchange: Exchange, services: GatewayServices) -> Asked | None:
    """As what the request is known, while the moment lasts."""
    said = exchange.asked
    if said is None or not said.moment.lasts(services.repeats.at(services.ledger, services.clock)):
        return None
    return said


def _judged(said: Asked | None, exchange: Exchange) -> Shown | None:
    """What became of the same answer, if the latest was the same."""
    known, answer = None if said is None else said.shown, exchange.reply
    if known is None or answer is None or not _same(known.answer, answer):
        return None
    return known


async def _show_again(exchange: Exchange, services: GatewayServices, known: Shown) -> None:
    await tally(exchange, services, known.found)
    exchange.ready = _reply(exchange, known)


def _reply(exchange: Exchange, known: Shown) -> Reply:
    """What goes on of an answer that says the same; a store's clock goes on: headers may differ."""
    answer, said = exchange.reply, exchange.asked
    if answer is None or said is None or answer.headers == known.answer.headers:
        return known.reply
    headers = reply_headers(exchange, answer, rewritten=known.rewritten)
    reply = Reply(known.reply.status, headers, known.reply.body)
    said.shown = replace(known, answer=answer, reply=reply)
    return reply


async def _judge(exchange: Exchange, services: GatewayServices, said: Asked | None) -> None:
    answer = exchange.reply
    await read(exchange, services)
    found = await sift(exchange, services)
    await tally(exchange, services, found)
    await restore(exchange, services)
    await take_names(exchange, services)
    if said is not None and answer is not None and exchange.answered:
        _keep(said, answer, found, exchange)


def _keep(said: Asked, answer: UpstreamReply, found: Sifted, exchange: Exchange) -> None:
    if answer.status < 300 and len(answer.body) <= LARGEST:
        rewritten = exchange.rewritten
        body = dump(exchange.answer[0]) if rewritten else answer.body
        headers = reply_headers(exchange, answer, rewritten=rewritten)
        said.shown = Shown(answer, found, Reply(answer.status, headers, body), rewritten)


def _same(one: UpstreamReply, other: UpstreamReply) -> bool:
    """Whether an answer says the same in the same coding."""
    if one.status != other.status:
        return False
    return one.body == other.body and (one.headers == other.headers or _sort(one) == _sort(other))


def _sort(answer: UpstreamReply) -> tuple[str, str]:
    return answer.header("content-type"), answer.header("content-encoding")


def _edited(exchange: Exchange) -> bool:
    return any(text.decision is not None and text.decision.edits for text in exchange.texts)


def _twin(exchange: Exchange) -> Exchange:
    """A copy whose own state can change; what the later steps only read is shared."""
    twin = Exchange(*_state(exchange))
    twin.known, twin.answer, twin.asked = dict(exchange.known), [None], None
    return twin


_state = attrgetter(*(each.name for each in fields(Exchange)))
