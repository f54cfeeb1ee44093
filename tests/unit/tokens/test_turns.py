"""Looking up names: tenants and calls take turns, and whoever gives up wastes one piece at most."""

import asyncio
import threading

import pytest

from proxy.tokens.turns import PIECE, SHORT, Turns, in_turns

LONG = "x" * PIECE
pytestmark = pytest.mark.asyncio


class Slow:
    """Looks texts through only when it is let; notes whose text it was."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.began, self.go = threading.Event(), threading.Event()

    def of(self, name: str, texts: list[str]) -> list[str]:
        self.began.set()
        assert self.go.wait(60)
        self.seen += [name] * len(texts)
        return [name] * len(texts)

    async def call(self, tenant: str, name: str, texts: list[str]) -> list[str]:
        return await in_turns(tenant, texts, lambda piece: self.of(name, piece))


async def _begun(slow: Slow) -> None:
    assert await asyncio.to_thread(slow.began.wait, 60)


@pytest.mark.parametrize("bigs", [1, 6])
@pytest.mark.parametrize("small", [[LONG], ["x" * (SHORT + 1)] * 3])
async def test_another_tenants_small_call_goes_before_what_is_left_of_big_ones(
    bigs: int, small: list[str]
) -> None:
    """However many big calls one tenant makes, another's comes after the piece in work."""
    slow = Slow()
    async with asyncio.timeout(120), asyncio.TaskGroup() as group:
        for number in range(bigs):
            group.create_task(slow.call("alpha", f"big {number}", [LONG] * 20))
        await _begun(slow)
        group.create_task(slow.call("beta", "small", small))  # the group awaits it
        await asyncio.sleep(0)
        slow.go.set()
    assert slow.seen.index("small") <= 2
    assert len(slow.seen) == 20 * bigs + len(small)


async def test_a_call_of_the_same_tenant_waits_for_a_piece_of_each_only() -> None:
    """A tenant's own small call comes after one piece of each of its big ones."""
    slow = Slow()
    async with asyncio.timeout(120), asyncio.TaskGroup() as group:
        for number in range(3):
            group.create_task(slow.call("alpha", f"big {number}", [LONG] * 20))
        await _begun(slow)
        group.create_task(slow.call("alpha", "small", [LONG]))  # awaited by it
        await asyncio.sleep(0)
        slow.go.set()
    assert slow.seen.index("small") <= 4


async def test_a_call_that_is_given_up_stops_after_its_piece() -> None:
    """No further piece is looked through, and the next call is served."""
    slow = Slow()
    big = asyncio.ensure_future(slow.call("alpha", "big", [LONG] * 20))
    await _begun(slow)
    waiting = asyncio.ensure_future(slow.call("alpha", "waiting", [LONG]))
    await asyncio.sleep(0)
    for each in (big, waiting):
        each.cancel()
    await asyncio.wait({big, waiting})
    slow.go.set()
    async with asyncio.timeout(60):
        assert await slow.call("beta", "small", [LONG]) == ["small"]
    assert slow.seen == ["big", "small"]


async def test_a_turn_that_comes_as_its_caller_goes_is_passed_on() -> None:
    """Nobody keeps a turn that he does not use."""
    turns = Turns()
    await turns.take("alpha")
    waiting = asyncio.ensure_future(turns.take("alpha"))
    await asyncio.sleep(0)
    turns.give()
    waiting.cancel()
    await asyncio.wait({waiting})
    async with asyncio.timeout(60):
        await turns.take("beta")


@pytest.mark.parametrize(
    "texts", [[], [""], ["a", "b"], ["a" * SHORT, "b"], [LONG, "b", LONG * 3], ["x" * 900] * 50]
)
async def test_answers_come_in_the_order_of_the_texts(texts: list[str]) -> None:
    """However texts are put together to pieces, each has its answer."""
    assert await in_turns("alpha", texts, lambda piece: list(piece)) == texts


async def test_a_failure_passes_the_turn_on() -> None:
    """A look-up that fails tells its caller, and nobody else."""

    def fails(_: list[str]) -> list[str]:
        raise KeyError(0)

    with pytest.raises(KeyError):
        await in_turns("alpha", [LONG], fails)
    async with asyncio.timeout(60):
        assert await in_turns("beta", [LONG], lambda piece: list(piece)) == [LONG]
