"""An answer whose head is that of the one before is what it would be if it were the first."""

import asyncio
from collections.abc import Sequence

import pytest

from proxy.background import spawn
from proxy.problems import Problem
from proxy.upstreams.places import Places
from proxy.upstreams.transport import UpstreamRequest
from tests.unit.upstreams.test_transports import (
    BROKEN,
    GET,
    OK,
    POST,
    WHOLE,
    Way,
    opened,
    sized,
    wire,
)

__all__ = ["opened"]  # the fixture
SAME = [sized(b"{}")]
HEAD = OK + b"Content-Length: 2\r\n\r\n"


@pytest.mark.parametrize(("pieces", "status", "body"), WHOLE)
async def test_every_framing_is_read_behind_others(
    opened: Way, pieces: Sequence[bytes | None], status: int, body: bytes
) -> None:
    """Twice each, with equal answers before and after."""
    async with wire(SAME, SAME, pieces, pieces, SAME, SAME) as store:
        transport = opened(store.url)
        found = [await transport.send(GET) for _ in range(6)]
    plain = [(reply.status, reply.body) for reply in found]
    assert plain == [(200, b"{}")] * 2 + [(status, body)] * 2 + [(200, b"{}")] * 2


@pytest.mark.parametrize(("pieces", "slug", "sent"), BROKEN)
async def test_what_is_broken_is_broken_behind_others(
    opened: Way, pieces: Sequence[bytes | None], slug: str, sent: str
) -> None:
    """An answer is not believed because those before it were good."""
    async with wire(SAME, SAME, pieces, SAME) as store:
        transport = opened(store.url)
        for _ in range(2):
            await transport.send(POST)
        with pytest.raises(Problem) as raised:
            await transport.send(POST)
        assert (raised.value.slug, raised.value.upstream) == (slug, sent)
        assert (await transport.send(POST)).body == b"{}"
        assert store.connections == 2


PIECES = {
    "whole": [HEAD + b"[]"],
    "head and body": [HEAD, b"[]"],
    "within the body": [HEAD + b"[", b"]"],
    "within the head": [HEAD[:20], HEAD[20:] + b"[]"],
}


@pytest.mark.parametrize("name", sorted(PIECES))
async def test_the_same_head_in_pieces_has_its_own_body(opened: Way, name: str) -> None:
    """However the bytes arrive."""
    async with wire(SAME, SAME, PIECES[name], SAME) as store:
        transport = opened(store.url)
        assert [(await transport.send(GET)).body for _ in range(4)] == [b"{}", b"{}", b"[]", b"{}"]
        assert store.connections == 1


async def test_more_than_an_answer_ends_the_connection(opened: Way) -> None:
    """What stands behind an answer belongs to nobody."""
    async with wire(SAME, SAME, [HEAD + b"[]" + HEAD + b"{}"], SAME) as store:
        transport = opened(store.url)
        bodies = [(await transport.send(GET)).body for _ in range(4)]
        assert bodies == [b"{}", b"{}", b"[]", b"{}"]
        assert store.connections == 2


async def test_a_head_alone_is_no_answer_to_another_method(opened: Way) -> None:
    """What the same head means depends on what was asked."""
    async with wire(SAME, SAME, [HEAD], SAME) as store:
        transport = opened(store.url)
        for _ in range(2):
            await transport.send(GET)
        assert (await transport.send(UpstreamRequest("HEAD", "/memories"))).body == b""
        assert (await transport.send(GET)).body == b"{}"


async def test_a_place_that_nobody_comes_for_goes_to_the_next() -> None:
    """Who gives up, before or after a place was given, keeps none."""
    places = Places(1)
    assert places.take()
    assert not places.take()
    first, second, third = (spawn(places.wait(), name="place") for _ in range(3))
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    places.give()
    second.cancel()  # it was given the place in this very turn
    await asyncio.gather(second, return_exceptions=True)
    async with asyncio.timeout(60):
        await third
    assert not places.take()
    places.give()
    assert places.take()
