"""The pool scans everything or refuses: dead, hung, overloaded and broken workers."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from multiprocessing import Pipe
from pathlib import Path

import pytest
import pytest_asyncio

from detectors.errors import (
    DetectionError,
    DetectionOverloaded,
    DetectionTimeout,
    DetectionUnavailable,
)
from detectors.settings import DetectorSettings
from detectors.workers.fair import FairQueue
from detectors.workers.lane import BATCH_CHARACTERS, Job, Lane
from detectors.workers.pool import DetectorPool
from proxy.background import spawn

SETTINGS = DetectorSettings(tier="structured")
MAIL = "kim@example.org"
pytestmark = pytest.mark.asyncio(loop_scope="module")


async def _until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110  # a process's state has no event
            await asyncio.sleep(0.02)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def running() -> AsyncIterator[DetectorPool]:
    """One pool for all tests that leave it alive: loading a worker takes a second."""
    pool = DetectorPool(SETTINGS, workers=1, deadline=60.0, queue_limit=8)
    await pool.start()
    yield pool
    await pool.stop()


@pytest_asyncio.fixture(loop_scope="module")
async def pool(running: DetectorPool) -> DetectorPool:
    """The running pool, ready again after what the test before did to it."""
    await _until(lambda: running.ready)
    return running


def _pid(pool: DetectorPool) -> int:
    (lane,) = pool._lanes
    assert lane.pid
    return lane.pid


async def test_results_come_in_the_order_of_the_texts(pool: DetectorPool) -> None:
    """Many texts, some equal, are answered one by one in their order."""
    texts = [f"mail a{number % 5}@example.org" for number in range(40)]
    found = await pool.analyse(texts)
    assert [analysis.detections[0].text for analysis in found] == [text[5:] for text in texts]


async def test_a_tier_beyond_what_is_loaded_is_refused(pool: DetectorPool) -> None:
    """Less than what is asked for is never done in its place; what is loaded still is."""
    with pytest.raises(DetectionUnavailable):
        await pool.analyse([MAIL], tier="full")
    (found,) = await pool.analyse([MAIL], tier="structured")
    assert found.detections[0].text == MAIL


async def test_nothing_to_scan_is_answered_at_once(pool: DetectorPool) -> None:
    """No texts give no analyses."""
    assert await pool.analyse([]) == []


@pytest.mark.parametrize("text", ["", "\ud800 " + MAIL, "\x00", "x" * 300_000])
async def test_any_text_passes_the_process_border(pool: DetectorPool, text: str) -> None:
    """Empty, broken and long texts come back analysed."""
    (analysis,) = await pool.analyse([text])
    assert [found.text for found in analysis.detections] == ([MAIL] if MAIL in text else [])


@pytest.mark.parametrize("answer", [(7, [None]), (1, [None, None]), (1, None), "ready", None])
async def test_an_answer_to_something_else_is_none(answer: object) -> None:
    """What a worker says out of turn or in another shape fails the batch, never the lane."""
    lane = Lane(SETTINGS, FairQueue(), lambda _: None, 1, lambda _: 60.0)
    ours, theirs = Pipe()
    theirs.send(answer)
    job = Job(MAIL, "structured", asyncio.get_running_loop().create_future())
    ((settled, outcome),) = lane._exchange(ours, [job])
    assert settled is job
    assert isinstance(outcome, DetectionUnavailable)


async def test_dead_worker_is_an_error_and_is_replaced(pool: DetectorPool) -> None:
    """A call whose worker dies fails; a new worker serves the next."""
    first, restarts = _pid(pool), pool.restarts
    os.kill(first, signal.SIGSTOP)
    call = asyncio.create_task(pool.analyse([MAIL]))  # noqa: TID251  # awaited below
    await asyncio.sleep(0.1)
    os.kill(first, signal.SIGKILL)
    with pytest.raises(DetectionUnavailable):
        await call
    await _until(lambda: pool.ready and _pid(pool) != first)
    assert pool.restarts == restarts + 1
    assert (await pool.analyse([MAIL]))[0].detections[0].text == MAIL


async def test_idle_worker_that_dies_is_replaced(pool: DetectorPool) -> None:
    """A worker that dies while idle is noticed before the next call needs it."""
    first, restarts = _pid(pool), pool.restarts
    os.kill(first, signal.SIGKILL)
    await _until(lambda: pool.restarts > restarts and pool.ready)
    assert (await pool.analyse([MAIL]))[0].detections


async def test_hung_worker_is_a_timeout_and_is_replaced() -> None:
    """A call on a worker that does not answer ends at the deadline, and the worker goes."""
    pool = DetectorPool(SETTINGS, workers=1, deadline=0.5, queue_limit=8)
    await pool.start()
    first = _pid(pool)
    os.kill(first, signal.SIGSTOP)
    with pytest.raises(DetectionTimeout):
        await pool.analyse([MAIL])
    await _until(lambda: pool.ready and _pid(pool) != first)
    await pool.stop()


async def test_full_queue_refuses(pool: DetectorPool) -> None:
    """A call that would exceed the limit is refused, and accepted once there is room."""
    os.kill(_pid(pool), signal.SIGSTOP)
    waiting = asyncio.create_task(pool.analyse(list("abcdefgh")))  # noqa: TID251  # awaited below
    await asyncio.sleep(0)
    with pytest.raises(DetectionOverloaded):
        await pool.analyse([MAIL])
    os.kill(_pid(pool), signal.SIGCONT)
    assert len(await waiting) == 8
    assert (await pool.analyse([MAIL]))[0].detections


async def test_abandoned_call_frees_its_place(pool: DetectorPool) -> None:
    """A cancelled call no longer counts against the limit."""
    os.kill(_pid(pool), signal.SIGSTOP)
    waiting = asyncio.create_task(pool.analyse(list("abcdefgh")))  # noqa: TID251  # cancelled below
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    os.kill(_pid(pool), signal.SIGCONT)
    assert len(await pool.analyse(list("ijklmnop"))) == 8


async def test_worker_that_cannot_start_is_named_by_class_only(tmp_path: Path) -> None:
    """A pool whose workers cannot load does not start, and does not tell what they read."""
    file = tmp_path / "own.yaml"
    file.write_text("recognizers: [{name: Orla Quist}]")
    settings = DetectorSettings(tier="structured", recognisers_file=file)
    pool = DetectorPool(settings, workers=1, deadline=5.0, queue_limit=8)
    with pytest.raises(DetectionUnavailable) as raised:
        await pool.start()
    assert "DetectionError" in str(raised.value)
    assert "Orla" not in str(raised.value)
    assert not pool.ready


async def test_one_text_that_fails_does_not_fail_the_others(tmp_path: Path) -> None:
    """A text that cannot be scanned in time is an error of its own."""
    file = tmp_path / "own.yaml"
    file.write_text(
        "recognizers:\n- name: bait\n  supported_entity: BAIT\n"
        "  patterns:\n  - {name: p, regex: '(a|aa)+$', score: 0.9}\n"
    )
    settings = DetectorSettings(tier="structured", recognisers_file=file, regex_timeout=0.1)
    pool = DetectorPool(settings, workers=1, deadline=60.0, queue_limit=64)
    await pool.start()
    calls = (pool.analyse([MAIL]), pool.analyse(["a" * 80 + "!"]), pool.analyse([MAIL]))
    first, bad, last = await asyncio.gather(*calls, return_exceptions=True)
    await pool.stop()
    assert isinstance(bad, DetectionError)
    assert not isinstance(first, BaseException)
    assert not isinstance(last, BaseException)
    assert first[0].detections == last[0].detections != ()


async def test_call_before_start_and_after_stop_is_refused() -> None:
    """Without workers nothing is ever answered as if scanned."""
    pool = DetectorPool(SETTINGS, workers=1, deadline=5.0, queue_limit=8)
    assert not pool.ready
    with pytest.raises(DetectionUnavailable):
        await pool.analyse([MAIL])
    await pool.start()
    process = _pid(pool)
    await pool.stop()
    assert not pool.ready
    with pytest.raises(DetectionUnavailable):
        await pool.analyse([MAIL])
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


async def test_stop_fails_what_still_waits() -> None:
    """Stopping answers waiting calls with an error instead of leaving them."""
    pool = DetectorPool(SETTINGS, workers=1, deadline=60.0, queue_limit=8)
    await pool.start()
    os.kill(_pid(pool), signal.SIGSTOP)
    waiting = asyncio.create_task(pool.analyse(list("abc")))  # noqa: TID251  # awaited below
    await asyncio.sleep(0.1)
    os.kill(_pid(pool), signal.SIGKILL)
    await pool.stop()
    with pytest.raises(DetectionUnavailable):
        await waiting


async def test_results_are_cached_within_a_scope_only(pool: DetectorPool) -> None:
    """A known text is answered without a worker in its own scope, and nowhere else."""
    known = await pool.analyse([MAIL], scope="a")
    os.kill(_pid(pool), signal.SIGSTOP)
    assert await pool.analyse([MAIL], scope="a") == known
    for scope in ("b", None):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await pool.analyse([MAIL], scope=scope)
    os.kill(_pid(pool), signal.SIGCONT)


async def test_a_burst_with_the_same_labels_needs_each_of_them_once(pool: DetectorPool) -> None:
    """Forty calls with five texts between them, of which eight may wait."""
    calls = [[f"note {number} of {MAIL}", "crm", "work"] for number in range(3)]
    calls += [["crm", "work"]] * 37
    found = await asyncio.gather(*(pool.analyse(texts, scope="burst") for texts in calls))
    assert [len(listed) for listed in found] == [len(texts) for texts in calls]
    assert [bool(listed[0].detections) for listed in found] == [True] * 3 + [False] * 37
    assert pool._pending == 0
    assert pool._under_way.of("burst", ["crm"]) == {}


async def test_another_scope_joins_nothing(pool: DetectorPool) -> None:
    calls = [pool.analyse(["crm one"], scope=f"tenant {number}") for number in range(9)]
    found = await asyncio.gather(*calls, return_exceptions=True)
    assert [type(each) for each in found] == [list] * 8 + [DetectionOverloaded]


async def test_who_joined_goes_on_when_the_first_one_gives_up(pool: DetectorPool) -> None:
    text = f"slow text of {MAIL} " + "and more " * 4_000
    first = spawn(pool.analyse([text], scope="left"), name="call")
    await asyncio.sleep(0)
    second = spawn(pool.analyse([text], scope="left"), name="call")
    await asyncio.sleep(0)
    first.cancel()
    (found,) = await second
    assert [each.entity_type for each in found.detections] == ["EMAIL_ADDRESS"]
    with pytest.raises(asyncio.CancelledError):
        await first


async def test_of_many_who_joined_one_goes_on_and_the_others_join_anew(pool: DetectorPool) -> None:
    text = f"long text of {MAIL} " + "and more " * 4_000
    first, *others = [
        spawn(pool.analyse([text, "crm"], scope="many"), name="call") for _ in range(6)
    ]
    await asyncio.sleep(0)
    first.cancel()
    found = await asyncio.gather(*others)
    assert [len(listed[0].detections) for listed in found] == [1] * 5
    assert pool._under_way.of("many", [text, "crm"]) == {}
    assert len(await pool.analyse([text], scope="many")) == 1


async def test_who_joined_for_a_label_does_not_wait_for_the_long_text_beside_it() -> None:
    """A call with a long text and a label: of the label others hear as soon as it is scanned."""
    pool = DetectorPool(SETTINGS, workers=1, deadline=60.0, queue_limit=64)
    await pool.start()
    long = "and one more note of the depot, as dull as the one before. " * 1_500
    first = spawn(pool.analyse([long, "crm"], scope="depot"), name="call")
    await asyncio.sleep(0)
    (found,) = await pool.analyse(["crm"], scope="depot")
    assert not found.detections
    assert not first.done()
    assert len(await first) == 2
    await pool.stop()


async def test_two_workers_share_the_work() -> None:
    """With one worker stopped, the other one answers."""
    pool = DetectorPool(SETTINGS, workers=2, deadline=60.0, queue_limit=64)
    await pool.start()
    stopped = pool._lanes[0].pid
    assert stopped
    os.kill(stopped, signal.SIGSTOP)
    calls = [asyncio.ensure_future(pool.analyse([MAIL])) for _ in range(2)]
    done, _ = await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
    os.kill(stopped, signal.SIGCONT)
    assert any(call.exception() is None for call in done)
    await asyncio.gather(*calls)
    await pool.stop()


async def test_caller_that_gives_up_costs_a_batch_and_no_worker(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its worker goes on with the next call; nothing more of what nobody waits for is scanned."""
    monkeypatch.setattr("detectors.workers.pool.HUNG", 1_000)
    pool = DetectorPool(SETTINGS, workers=1, deadline=0.5, queue_limit=64)
    await pool.start()
    (lane,) = pool._lanes
    first = _pid(pool)
    os.kill(first, signal.SIGSTOP)
    with pytest.raises(DetectionTimeout):
        await pool.analyse([f"{number} " + "x " * BATCH_CHARACTERS for number in range(30)])
    os.kill(first, signal.SIGCONT)
    pool._deadline = 60.0
    assert (await pool.analyse([MAIL]))[0].detections[0].text == MAIL
    assert (_pid(pool), pool.restarts, lane._asked) == (first, 0, 2)
    await pool.stop()
