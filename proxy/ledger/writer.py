"""Group commit: one task per process writes, many units share a commit, each in its savepoint."""

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from proxy.background import spawn
from proxy.ledger.failures import Verdict, is_database_failure, judge, translate, unavailable
from proxy.problems import Problem

Unit = Callable[[AsyncConnection], Awaitable[Any]]

WRITING = ContextVar("WRITING", default=False)  # whether a unit runs: everyone waits for it
MAX_BATCH = 128
MAX_TRIES = 4


@dataclass(slots=True)
class _Waiting:
    unit: Unit
    answer: asyncio.Future[Any]
    tries: int = 0


@dataclass(slots=True)
class _Outcome:
    waiting: _Waiting
    value: Any = None
    failure: BaseException | None = None


class _TransactionLost(Exception):
    """The database gave up on the whole transaction."""


class GroupCommit:
    """Runs write units in order of arrival.

    A unit may run more than once (a deadlock between replicas is retried), so it must not have
    effects outside its transaction. It should only do database work: everyone waits for it.
    """

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._queue: asyncio.Queue[_Waiting | None] = asyncio.Queue()
        self._closed = False
        self._task = spawn(self._run(), name="ledger-writer")

    async def write(self, unit: Unit) -> Any:
        """Run ``unit`` and return its value once it is committed."""
        if self._closed or self._task.done():
            raise Problem("ledger-unavailable", "The ledger is closed.")
        waiting = _Waiting(unit, asyncio.get_running_loop().create_future())
        self._queue.put_nowait(waiting)
        return await waiting.answer

    async def close(self) -> None:
        """Commit what is queued, then stop."""
        if not self._closed:
            self._closed = True
            self._queue.put_nowait(None)
        await self._task

    async def _run(self) -> None:
        WRITING.set(True)
        try:
            while batch := await self._next_batch():
                await self._commit(batch)
        finally:
            self._closed = True
            while not self._queue.empty():
                if (waiting := self._queue.get_nowait()) is not None:
                    _fail(waiting, Problem("ledger-unavailable", "The ledger is closed."))

    async def _next_batch(self) -> list[_Waiting]:
        batch: list[_Waiting] = []
        first = await self._queue.get()
        while first is not None:
            if not first.answer.cancelled():
                batch.append(first)
            if len(batch) >= MAX_BATCH or (batch and self._queue.empty()):
                return batch
            first = await self._queue.get()
        if batch:
            self._queue.put_nowait(None)  # the end marker, again, for the next round
        return batch

    async def _commit(self, batch: list[_Waiting]) -> None:
        try:
            outcomes = await self._transact(batch)
        except Exception as failure:  # noqa: BLE001  (whatever it is, every caller must hear of it)
            problem = unavailable(failure.__cause__ or failure)
            for waiting in batch:
                _fail(waiting, problem)
        else:
            for outcome in outcomes:
                self._settle(outcome)

    async def _transact(self, batch: list[_Waiting]) -> list[_Outcome]:
        async with self._engine.connect() as connection:
            _ = await connection.begin()
            if len(batch) == 1:
                return [await _alone(connection, batch[0])]
            outcomes = [await _attempt(connection, waiting) for waiting in batch]
            await connection.commit()
            return outcomes

    def _settle(self, outcome: _Outcome) -> None:
        waiting, failure = outcome.waiting, outcome.failure
        if failure is None:
            if not waiting.answer.done():
                waiting.answer.set_result(outcome.value)
            return
        waiting.tries += 1
        retry = is_database_failure(failure) and judge(failure) is Verdict.RETRY
        if retry and waiting.tries < MAX_TRIES and not self._closed:
            self._queue.put_nowait(waiting)
        else:
            _fail(waiting, translate(failure))


async def _alone(connection: AsyncConnection, waiting: _Waiting) -> _Outcome:
    """A unit that shares its transaction with no other needs no savepoint."""
    try:
        value = await waiting.unit(connection)
    except Exception as failure:  # noqa: BLE001  (the unit's caller gets it)
        await connection.rollback()
        return _Outcome(waiting, failure=failure)
    await connection.commit()
    return _Outcome(waiting, value)


async def _attempt(connection: AsyncConnection, waiting: _Waiting) -> _Outcome:
    savepoint = await connection.begin_nested()
    try:
        value = await waiting.unit(connection)
    except Exception as failure:
        if is_database_failure(failure) and judge(failure) is Verdict.UNAVAILABLE:
            raise _TransactionLost from failure
        await savepoint.rollback()
        return _Outcome(waiting, failure=failure)
    await savepoint.commit()
    return _Outcome(waiting, value)


def _fail(waiting: _Waiting, failure: BaseException) -> None:
    if not waiting.answer.done():
        waiting.answer.set_exception(failure)
