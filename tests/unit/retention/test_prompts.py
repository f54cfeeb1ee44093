"""Before a memory ends its subject is asked, once, in a review that holds what is to be decided."""

import asyncio
import json
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from policies.retention import hidden_at
from proxy import ids
from proxy.audit.log import AuditLog
from proxy.clock import FrozenClock
from proxy.erasure.search.target import Target
from proxy.ledger import reviews
from proxy.ledger.engine import Ledger
from proxy.ledger.reviews import Review
from proxy.ledger.schema import memory_owners
from proxy.problems import Problem
from proxy.retention import prompts
from proxy.rights.holds import Holds, Keeping
from proxy.rights.notices import notices
from proxy.rights.outbox import Outbox
from proxy.rights.pins import Pins
from proxy.rights.wishes import Wishes
from proxy.telemetry.metrics import REGISTRY
from tests.support.erasing import OPERATOR, Erasing
from tests.support.holding import row, told
from tests.support.prompting import (
    DAY,
    answering,
    asking,
    change,
    ending,
    in_question,
    sweep,
    the_review,
    under,
)

ME = ("user", "u-1")


def counted() -> float:
    """The metric."""
    return REGISTRY.get_sample_value("expunge_prompts_total") or 0.0


async def answer(bench: Erasing, action: str, **more: Any) -> Any:
    """Answer the open review."""
    review = await the_review(bench)
    return await answering(bench).answer(bench.tenant_id, review.id, action, actor=OPERATOR, **more)


async def end_of(bench: Erasing, memory_id: str) -> tuple[datetime | None, datetime | None]:
    """End and prompt of a memory."""
    found = await row(bench, memory_id)
    return found.expires_at, found.prompt_at


# -- being asked -----------------------------------------------------------------------------------


async def test_it_is_asked_on_its_day(bench: Erasing, clock: FrozenClock) -> None:
    """Not on day 22; on day 23 in a review, with a notice, a leaf and a count; then no more."""
    await ending(bench)
    start, before = clock.now(), counted()
    clock.advance(22 * DAY)
    assert (await sweep(bench)).asked == 0
    assert await asking(bench) == []
    clock.advance(1 * DAY)
    assert [(await sweep(bench)).asked for _ in range(2)] == [1, 0]
    review = await the_review(bench)
    assert (review.summary, review.due_at) == (
        {"asked": 1, "categories": {"health": 1}}, start + 30 * DAY,
    )  # fmt: skip
    assert counted() - before == 1
    leaf = {"review": review.id, "reason": "expiring", "memories": 1}
    assert await told(bench, "review.opened") == [leaf]
    (notice,) = await notices(bench.means, bench.tenant_id, ME)
    assert (notice.kind, notice.reference) == ("review", review.id)


async def test_what_comes_due_joins_the_open_review(bench: Erasing, clock: FrozenClock) -> None:
    """One review an owner; a second notice only once the first was read; another owner has his."""
    await ending(bench)
    await ending(bench, "Has a limp", days=31)
    await ending(bench, "Is a nurse", days=32, category="professional", tier="medium_term")
    await ending(bench, "Has gout", owner="u-2", days=32)
    clock.advance(23 * DAY)
    await sweep(bench)
    clock.advance(DAY)
    await sweep(bench)
    assert [n.kind for n in await notices(bench.means, bench.tenant_id, ME)] == ["review"]
    clock.advance(DAY)
    assert (await sweep(bench)).asked == 2
    mine, theirs = await asking(bench, "open")
    assert mine.summary == {"asked": 3, "categories": {"health": 2, "professional": 1}}
    assert theirs.summary == {"asked": 1, "categories": {"health": 1}}
    assert [n.kind for n in await notices(bench.means, bench.tenant_id, ME)] == ["review"] * 2
    assert [each["memories"] for each in await told(bench, "review.extended")] == [1, 1]


async def test_the_questions_say_what_silence_does(bench: Erasing, clock: FrozenClock) -> None:
    """The wording of each category, how many, when hidden and when erased; no content."""
    await ending(bench, "Has asthma and a limp")
    await ending(bench, "Is a nurse", category="professional", tier="medium_term")
    await ending(bench, "Left at nine", category=None, tier="medium_term")
    clock.advance(23 * DAY)
    await sweep(bench)
    found = await answering(bench).asked(bench.tenant_id, (await the_review(bench)).id)
    quiet = "Without an answer it is hidden on 2026-02-04 and erased on 2026-02-11."
    assert [(p["category"], p["memories"], p["text"]) for p in found.prompts()] == [
        ("health", 1, f"I still have health information stored. Keep or delete? {quiet}"),
        ("professional", 1,
         f"Should I keep remembering what you told me about your work? {quiet}"),
        (None, 1, f"Should I keep remembering what you told me? {quiet}"),
    ]  # fmt: skip
    shown = json.dumps([found.prompts(), [item.body() for item in found.items]])
    assert not any(word in shown for word in ("asthma", "nurse", "Left"))


@pytest.mark.parametrize(
    ("lines", "fields"),
    [
        pytest.param("", {"tier": "sensitive_auto"}, id="erased-without-asking"),
        pytest.param("", {"tier": "ephemeral", "prompt_at": None}, id="of-the-session"),
        pytest.param("", {"pinned": True}, id="pinned"),
        pytest.param("", {"state": "quarantined"}, id="held-for-review"),
        pytest.param("", {"expires_at": None}, id="no-end"),
        pytest.param("retention: {automatic: false}\n", {}, id="nothing-by-itself"),
        pytest.param("retention: {tiers: {sensitive: {user_prompted: false}}}\n", {},
                     id="the-policy-asks-no-more"),
    ],
)  # fmt: skip
async def test_who_is_not_asked(
    bench: Erasing, clock: FrozenClock, lines: str, fields: dict[str, Any]
) -> None:
    """What ends by itself, never ends, or stays by its subject's own word."""
    await ending(bench, **fields)
    bench = under(bench, lines)
    clock.advance(24 * DAY)
    assert (await sweep(bench)).asked == 0
    assert await asking(bench) == []


async def test_what_is_held_for_review_is_asked_about_once_released(
    bench: Erasing, clock: FrozenClock
) -> None:
    """Its prompt came while it was held."""
    memory_id = await ending(bench, state="quarantined")
    clock.advance(24 * DAY)
    await sweep(bench)
    await change(bench, memory_id, state="live")
    assert (await sweep(bench)).asked == 1


async def test_what_is_restricted_is_asked_about(bench: Erasing, clock: FrozenClock) -> None:
    """It ends as the rest does, so its subject is asked as of the rest."""
    memory_id = await ending(bench, state="restricted")
    clock.advance(24 * DAY)
    assert (await sweep(bench)).asked == 1
    assert [each.id for each in await in_question(bench)] == [(await row(bench, memory_id)).id]


@pytest.mark.parametrize(
    ("lines", "fields", "day"),
    [
        pytest.param("retention: {prompt_before: P14D}\n", {}, 16, id="earlier-now"),
        pytest.param("retention: {prompt_before: P1D}\n", {}, 23, id="later-now"),
        pytest.param("", {"prompt_at": None}, 23, id="its-tier-asks-only-now"),
        pytest.param("", {"days": 10}, 3, id="its-end-came-nearer"),
    ],
)
async def test_a_prompt_that_moved_comes(
    bench: Erasing, clock: FrozenClock, lines: str, fields: dict[str, Any], day: int
) -> None:
    """The policy, or the end, changed since it was decided: the earlier day counts."""
    await ending(bench, **fields)
    bench = under(bench, lines)
    clock.advance((day - 0.01) * DAY)
    assert (await sweep(bench)).asked == 0
    clock.advance(0.02 * DAY)
    assert (await sweep(bench)).asked == 1
    assert (await sweep(bench)).asked == 0


async def test_the_person_is_asked_not_their_run(bench: Erasing, clock: FrozenClock) -> None:
    """Of several owners the one under whose key it is; of a run alone the run."""
    memory_id = await ending(bench)
    made = await row(bench, memory_id)

    async def also(tx: Any) -> str:
        run = await bench.owner(tx, "r-1", "run")
        link = {"memory_id": made.id, "owner_id": run.id}
        await tx.execute(memory_owners.insert().values(**link))
        return run.id

    run_id = await bench.ledger.write(also)
    clock.advance(23 * DAY)
    await sweep(bench)
    assert (await the_review(bench)).owner_id != run_id
    assert [each.id for each in await in_question(bench)] == [made.id]


async def test_each_tenant_is_asked_for_itself(bench: Erasing, clock: FrozenClock) -> None:
    """By its own policy, seen by nobody else."""
    ring = bench.means.keyring
    other = await bench.ledger.write(lambda tx: ring.create_tenant(tx, "norvane"))
    theirs = replace(bench, tenant_id=other)
    await ending(bench)
    await ending(theirs)
    quiet = under(bench, "retention: {automatic: false}\n").means.policies(other)
    asks = bench.means.policies(bench.tenant_id)
    means = replace(bench.means, policies=lambda each: quiet if each == other else asks)
    clock.advance(23 * DAY)
    assert (await sweep(replace(bench, means=means))).asked == 1
    assert (len(await asking(bench)), len(await asking(theirs))) == (1, 0)
    assert (await sweep(bench)).asked == 1
    assert (len(await asking(bench)), len(await asking(theirs))) == (1, 1)
    with pytest.raises(Problem) as caught:
        await answering(theirs).asked(other, (await the_review(bench)).id)
    assert caught.value.slug == "not-found"


# -- many at once, and stops -----------------------------------------------------------------------


async def many(bench: Erasing, clock: FrozenClock, count: int) -> None:
    """Memories of several owners that all come due."""
    for number in range(count):
        await ending(bench, f"Note {number}", owner=f"u-{number % 3}")
    clock.advance(23 * DAY)


async def test_many_are_asked_in_small_commits(
    bench: Erasing, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many pages, one review an owner and each memory once."""
    monkeypatch.setattr(prompts, "BATCH", 4)
    await many(bench, clock, 18)
    assert (await sweep(bench)).asked == 18
    assert [each.summary["asked"] for each in await asking(bench, "open")] == [6, 6, 6]


async def test_a_stop_in_the_middle_asks_about_the_rest(
    bench: Erasing, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was committed stays asked, nothing is asked twice."""
    monkeypatch.setattr(prompts, "BATCH", 4)
    await many(bench, clock, 18)
    left = iter([False] * 5 + [True])
    append = AuditLog.append

    async def stopping(self: AuditLog, *args: Any, **more: Any) -> Any:
        if next(left, False):
            raise Problem("ledger-unavailable", "It stops here.")
        return await append(self, *args, **more)

    monkeypatch.setattr(AuditLog, "append", stopping)
    with pytest.raises(Problem):
        await sweep(bench)
    before = sum(each.summary["asked"] for each in await asking(bench))
    assert 0 < before < 18
    assert (await sweep(bench)).asked == 18 - before
    assert [each.summary["asked"] for each in await asking(bench, "open")] == [6, 6, 6]
    leaves = [*await told(bench, "review.opened"), *await told(bench, "review.extended")]
    assert sum(each["memories"] for each in leaves) == 18


async def test_two_processes_ask_once(
    bench: Erasing, clock: FrozenClock, ledger_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two replicas sweep at the same time."""
    monkeypatch.setattr(prompts, "BATCH", 4)
    await many(bench, clock, 18)
    second = await Ledger.open(ledger_url)
    try:
        rival = replace(bench.means, ledger=second)
        counts = await asyncio.gather(
            prompts.ask(bench.means, clock.now()), prompts.ask(rival, clock.now())
        )
    finally:
        await second.close()
    assert sum(counts) == 18
    assert [each.summary["asked"] for each in await asking(bench)] == [6, 6, 6]


# -- silence ---------------------------------------------------------------------------------------


async def test_silence_hides_and_then_erases(bench: Erasing, clock: FrozenClock) -> None:
    """Asked on day 23, waiting from day 30, gone on day 37, and the review with it."""
    await ending(bench)
    seen = []
    for days in (23, 7.1, 6.8, 0.2):
        clock.advance(days * DAY)
        done = await sweep(bench)
        seen.append((done.asked, done.waiting, done.erased))
    assert seen == [(1, 0, 0), (0, 1, 0), (0, 1, 0), (0, 0, 1)]
    assert await bench.texts("u-1") == []
    await sweep(bench)
    (review,) = await asking(bench)
    assert (review.state, review.closed_at) == ("lapsed", clock.now())
    assert await told(bench, "review.lapsed") == [{"review": review.id}]


@pytest.mark.parametrize("effect", ["hide", "erase"])
async def test_nothing_is_erased_before_the_notice_is_over(
    bench: Erasing, clock: FrozenClock, effect: str
) -> None:
    """Nobody asked in time (a ledger of an earlier release, a long stop): the week is given now."""
    await ending(bench)
    bench = under(bench, f"retention: {{silence: {{effect: {effect}}}}}\n")
    clock.advance(40 * DAY)
    assert await counts(bench) == (1, 1, 0)
    clock.advance(6.9 * DAY)
    assert await counts(bench) == (0, 1, 0)
    clock.advance(0.2 * DAY)
    assert await counts(bench) == (0, 0, 1)


async def counts(bench: Erasing) -> tuple[int, int, int]:
    """What a sweep asked about, left and erased."""
    done = await sweep(bench)
    return done.asked, done.waiting, done.erased


async def test_a_maximum_goes_before_the_notice(bench: Erasing, clock: FrozenClock) -> None:
    """What the law or its subject lets nobody keep is erased, asked or not."""
    await ending(bench)
    bench = under(bench, "retention: {legal_maximum: P35D}\n")
    clock.advance(36 * DAY)
    assert await counts(bench) == (1, 0, 1)


async def test_silence_that_keeps_ends_the_question(bench: Erasing, clock: FrozenClock) -> None:
    """At the end nothing happens, the review is over, and nobody is asked again."""
    await ending(bench)
    bench = under(bench, "retention: {silence: {effect: keep}}\n")
    clock.advance(23 * DAY)
    assert await counts(bench) == (1, 0, 0)
    assert len(await in_question(bench)) == 1
    clock.advance(8 * DAY)
    assert await counts(bench) == (0, 1, 0)
    assert [each.state for each in await asking(bench)] == ["lapsed"]
    assert await bench.texts("u-1") == ["Has asthma"]


HIDDEN = "Without an answer it is hidden on {:%Y-%m-%d} and erased on {:%Y-%m-%d}."


async def said(bench: Erasing) -> list[str]:
    """What the open review asks."""
    (review,) = await asking(bench, "open")
    found = await answering(bench).asked(bench.tenant_id, review.id)
    return [each["text"] for each in found.prompts()]


async def readable(bench: Erasing, memory_id: str) -> bool:
    """Whether the policy in force lets it be read now."""
    now, found = bench.means.clock.now(), await row(bench, memory_id)
    policy = bench.means.policies(bench.tenant_id)
    ends = hidden_at(policy, found.tier, found.expires_at, found.created_at, found.tags)
    return ends is None or ends > now


@pytest.mark.parametrize("edited_after", [4, 60], ids=["before its end", "long after its end"])
async def test_what_silence_kept_is_asked_about_anew_before_it_ends(
    bench: Erasing, clock: FrozenClock, edited_after: int
) -> None:
    """A policy edited from keep to hide ends nothing at once: it asks first, as it promises."""
    memory_id = await ending(bench)
    keeping = under(bench, "retention: {silence: {effect: keep}}\n")
    clock.advance(23 * DAY)
    await sweep(keeping)
    assert (await said(keeping))[0].endswith("Without an answer it is kept.")
    clock.advance(edited_after * DAY)
    await sweep(keeping)
    clock.advance(10 * DAY)  # under the new policy, past its end
    assert await readable(bench, memory_id)
    assert await counts(bench) == (0, 1, 0)
    assert await readable(bench, memory_id)
    assert await counts(bench) == (1, 0, 0)
    now = clock.now()
    assert (await said(bench))[0].endswith(HIDDEN.format(now + 7 * DAY, now + 14 * DAY))
    clock.advance(7.1 * DAY)
    assert not await readable(bench, memory_id)
    assert await counts(bench) == (0, 1, 0)
    clock.advance(7 * DAY)
    assert await counts(bench) == (0, 0, 1)


async def test_a_keep_in_answer_to_the_new_question_counts(
    bench: Erasing, clock: FrozenClock
) -> None:
    """The question is a real one: the memory is kept for its period once more."""
    memory_id = await ending(bench)
    keeping = under(bench, "retention: {silence: {effect: keep}}\n")
    clock.advance(40 * DAY)
    await sweep(keeping)
    for _ in range(2):
        await sweep(bench)
    assert (await answer(bench, "keep_all")).changed == 1
    assert (await end_of(bench, memory_id))[0] == clock.now() + 30 * DAY


async def test_a_tier_that_asks_nobody_has_the_notice_all_the_same(
    bench: Erasing, clock: FrozenClock
) -> None:
    """What an edit ends is readable for that long; what had not been kept has no such notice."""
    quiet = "tiers: {sensitive: {user_prompted: false}}"
    memory_id = await ending(bench, prompt_at=None)
    clock.advance(90 * DAY)
    keeping = under(bench, f"retention: {{silence: {{effect: keep}}, {quiet}}}\n")
    assert await counts(keeping) == (0, 1, 0)
    never_kept = await ending(bench, "Has a limp", days=-1, prompt_at=None)
    edited = under(bench, f"retention: {{{quiet}}}\n")
    assert await counts(edited) == (0, 2, 0)
    assert (await readable(edited, memory_id), await readable(edited, never_kept)) == (True, False)
    clock.advance(7.1 * DAY)
    assert not await readable(edited, memory_id)


async def test_a_maximum_goes_before_what_silence_kept(bench: Erasing, clock: FrozenClock) -> None:
    """Nothing is kept beyond it for a question's sake."""
    memory_id = await ending(bench)
    keeping = under(bench, "retention: {silence: {effect: keep}}\n")
    clock.advance(31 * DAY)
    await sweep(keeping)
    bounded = under(bench, "retention: {legal_maximum: P34D}\n")
    await sweep(bounded)
    made = (await row(bench, memory_id)).created_at
    assert await end_of(bench, memory_id) == (made + 34 * DAY, clock.now())
    clock.advance(4 * DAY)
    assert (await counts(bounded))[2] == 1


# -- answers ---------------------------------------------------------------------------------------


async def test_what_is_kept_is_asked_about_again(bench: Erasing, clock: FrozenClock) -> None:
    """For its period once more, from now; its review is over and another one comes."""
    memory_id = await ending(bench)
    clock.advance(25 * DAY)
    await sweep(bench)
    done = await answer(bench, "keep_all")
    assert (done.kept, done.changed, done.ending) == (1, 1, 0)
    now = clock.now()
    assert await end_of(bench, memory_id) == (now + 30 * DAY, now + 23 * DAY)
    assert [each.state for each in await asking(bench)] == ["answered"]
    clock.advance(20 * DAY)
    assert await counts(bench) == (0, 0, 0)
    clock.advance(3 * DAY)
    assert await counts(bench) == (1, 0, 0)
    assert [each.state for each in await asking(bench)] == ["answered", "open"]


async def test_nothing_is_kept_beyond_the_bound(bench: Erasing, clock: FrozenClock) -> None:
    """The last "keep" reaches to a year; after it there is none, and it ends unasked."""
    memory_id = await ending(bench)
    made = (await row(bench, memory_id)).created_at
    while True:
        clock.advance(23 * DAY)
        await sweep(bench)
        done = await answer(bench, "keep_all")
        if done.ending:
            break
    year = made + 365 * DAY
    assert await end_of(bench, memory_id) == (year, None)
    assert (done.kept, done.changed, done.ending) == (1, 0, 1)
    assert await asking(bench, "open") == []
    assert (await sweep(bench)).asked == 0
    clock.advance(year - clock.now() + 8 * DAY)
    assert await counts(bench) == (0, 0, 1)


async def test_its_subjects_own_maximum_stands(bench: Erasing, clock: FrozenClock) -> None:
    """ "Nothing longer than 40 days" bounds a "keep"."""
    memory_id = await ending(bench)
    made = (await row(bench, memory_id)).created_at
    wishes = Wishes(bench.means)
    await wishes.prefer(bench.tenant_id, ME, {"maximum": "P40D"}, actor=OPERATOR)
    clock.advance(23 * DAY)
    await sweep(bench)
    assert (await answer(bench, "keep_all")).changed == 1
    assert await end_of(bench, memory_id) == (made + 40 * DAY, made + 33 * DAY)


async def test_a_summary_is_kept_with_its_source(bench: Erasing, clock: FrozenClock) -> None:
    """Both end later; a summary whose source is not kept is not kept either."""
    source = await bench.remember("u-1", "Has asthma", name="turn", categories=["health"])
    summary = await bench.remember(
        "u-1", "Prefers lifts", derived_from=["turn"], categories=["health"]
    )
    end = clock.now() + 30 * DAY
    for each in (source, summary):
        await change(bench, each, tier="sensitive", expires_at=end, prompt_at=end - 7 * DAY)
    clock.advance(23 * DAY)
    await sweep(bench)
    assert (await answer(bench, "keep_all")).changed == 2
    ends = {(await row(bench, each)).expires_at for each in (source, summary)}
    assert ends == {clock.now() + 30 * DAY}


async def test_categories_are_answered_one_by_one(bench: Erasing, clock: FrozenClock) -> None:
    """The review stays open for the rest, and ends with the last answer."""
    health = await ending(bench)
    work = await ending(bench, "Is a nurse", category="professional", tier="medium_term")
    await ending(bench, "Bought a canoe", days=300, category=None, tier="medium_term")
    clock.advance(23 * DAY)
    await sweep(bench)
    await answer(bench, "keep_all", categories=["professional"])
    assert [each.categories for each in await in_question(bench)] == [("health",)]
    assert (await end_of(bench, work))[0] == clock.now() + 90 * DAY
    with pytest.raises(Problem):
        await answer(bench, "delete", categories=["professional"])
    done = await answer(bench, "delete")
    assert (done.deleted, done.kept) == (1, 0)
    assert (await row(bench, health)).state == "erased"
    assert set(await bench.texts("u-1")) == {"Is a nurse", "Bought a canoe"}
    assert [each.state for each in await asking(bench)] == ["answered"]
    (review,) = await asking(bench)
    with pytest.raises(Problem) as caught:
        await answering(bench).answer(bench.tenant_id, review.id, "delete", actor=OPERATOR)
    assert caught.value.slug == "invalid-state"


async def test_single_ones_are_deleted(bench: Erasing, clock: FrozenClock) -> None:
    """By the store's id, and only of what is asked about."""
    one, other = await ending(bench), await ending(bench, "Has a limp")
    later = await ending(bench, "Has gout", days=300)
    clock.advance(23 * DAY)
    await sweep(bench)
    with pytest.raises(Problem):
        await answer(bench, "individual", memory_ids=[later])
    assert (await answer(bench, "individual", memory_ids=[one])).deleted == 1
    left = await in_question(bench)
    assert [each.id for each in left] == [(await row(bench, other)).id]


@pytest.mark.parametrize(
    ("days", "prompt"),
    [pytest.param(60, 53, id="asked-again"), pytest.param(5, None, id="within-the-notice")],
)
async def test_an_extension_is_asked_about_before_its_own_end(
    bench: Erasing, clock: FrozenClock, days: int, prompt: int | None
) -> None:
    """Beyond the bound, or into the past, it is refused and the review stays open."""
    memory_id = await ending(bench)
    clock.advance(25 * DAY)
    await sweep(bench)
    now = clock.now()
    for wrong in (now + 400 * DAY, now - DAY, None):
        with pytest.raises(Problem) as caught:
            await answer(bench, "extend", until=wrong)
        assert caught.value.slug == "invalid-request"
    await answer(bench, "extend", until=now + days * DAY)
    asked = None if prompt is None else now + prompt * DAY
    assert await end_of(bench, memory_id) == (now + days * DAY, asked)
    assert await asking(bench, "open") == []
    assert (await sweep(bench)).asked == 0


async def test_a_requested_review_keeps_what_is_asked_about(
    bench: Erasing, clock: FrozenClock
) -> None:
    """What is not asked about yet keeps its end and its own prompt."""
    soon, later = await ending(bench), await ending(bench, "Has a limp", days=60)
    before = await end_of(bench, later)
    clock.advance(25 * DAY)
    reviews_ = answering(bench)
    review = await reviews_.open(bench.tenant_id, *ME)
    done = await reviews_.answer(bench.tenant_id, review.id, "keep_all", actor=OPERATOR)
    assert (done.kept, done.changed) == (2, 1)
    assert (await end_of(bench, soon))[0] == clock.now() + 30 * DAY
    assert await end_of(bench, later) == before


# -- what leaves a review --------------------------------------------------------------------------


async def test_what_goes_or_is_pinned_leaves_the_review(bench: Erasing, clock: FrozenClock) -> None:
    """An erasure, a pin, and at last the review; an unpinned one is asked about again."""
    one, other = await ending(bench), await ending(bench, "Has a limp")
    clock.advance(23 * DAY)
    await sweep(bench)
    await bench.forget(Target(kind="memory", values=(one,)))
    assert [each.id for each in await in_question(bench)] == [(await row(bench, other)).id]
    pins = Pins(bench.means)
    await pins.pin(bench.tenant_id, await row(bench, other), actor=OPERATOR)
    assert (await row(bench, other)).prompt_at is None
    assert await in_question(bench) == []
    await sweep(bench)
    assert [each.state for each in await asking(bench)] == ["lapsed"]
    await pins.pin(bench.tenant_id, await row(bench, other), actor=OPERATOR, pinned=False)
    await change(bench, other, tier="sensitive", expires_at=clock.now() + 5 * DAY)
    assert (await sweep(bench)).asked == 1


async def test_what_a_hold_keeps_is_asked_about_once(bench: Erasing, clock: FrozenClock) -> None:
    """ "Delete" waits for the hold; nobody is asked about it again."""
    memory_id = await ending(bench)
    holds = Holds(bench.means, bench.service)
    hold = await holds.hold(
        bench.tenant_id, actor=OPERATOR, keeping=Keeping("legal_claims"), memory_id=memory_id
    )
    clock.advance(23 * DAY)
    assert (await sweep(bench)).asked == 1
    done = await answer(bench, "delete")
    assert (done.deleted, done.kept) == (0, 1)
    assert [each.state for each in await asking(bench)] == ["answered"]
    assert (await sweep(bench)).asked == 0
    await holds.lift(bench.tenant_id, hold, actor=OPERATOR)
    await bench.service.run_due()
    assert await bench.texts("u-1") == []


async def test_an_erased_owner_is_asked_nothing(bench: Erasing, clock: FrozenClock) -> None:
    """The review ends with its owner, and names them no more than before."""
    await ending(bench)
    clock.advance(23 * DAY)
    await sweep(bench)
    await bench.forget(Target(kind="owner", values=("u-1",)))
    await sweep(bench)
    assert [each.state for each in await asking(bench)] == ["lapsed"]


# -- who is told -----------------------------------------------------------------------------------

TOLD = """notifications:
  recipients:
    app: {url: "https://app.example.org/hook", events: [review]}
    crm: {url: "https://crm.example.org/hook"}
"""


async def test_whom_the_policy_wants_told_is_told_of_the_review(
    bench: Erasing, clock: FrozenClock
) -> None:
    """Its webhook gets the review's id, nothing else, and once until it took it."""
    await ending(bench)
    await ending(bench, "Has a limp", days=30.5)
    bench = under(bench, TOLD)
    calls: list[tuple[str, dict[str, Any]]] = []

    async def post(url: str, body: bytes, headers: Any) -> bool:
        calls.append((url, json.loads(body)))
        return True

    clock.advance(23 * DAY)
    await sweep(bench)
    clock.advance(DAY)
    await sweep(bench)
    review = await the_review(bench)
    outbox = Outbox(bench.means, post)
    assert (await outbox.run_once(), await outbox.run_once()) == (1, 0)
    ((url, body),) = calls
    assert url == "https://app.example.org/hook"
    assert (body["event"], body["reference"], body["regime"]) == ("review", review.id, None)
    assert set(body) == {"id", "event", "reference", "regime", "at"}
    (leaf,) = await told(bench, "notice.sent")
    assert (leaf["to"], leaf["review"]) == ("review:app", review.id)


async def test_reviews_come_in_pages(bench: Erasing, clock: FrozenClock) -> None:
    """Newest first, of one owner, in one state."""
    made = [
        Review(ids.new("rev"), bench.tenant_id, f"own_{n % 2}", "open", {}, clock.now())
        for n in range(5)
    ]
    for each in made:
        await bench.ledger.write(lambda tx, each=each: reviews.insert(tx, each))
    names = [each.id for each in made]

    async def page(**more: Any) -> list[str]:
        found = await bench.ledger.read(lambda tx: reviews.of_tenant(tx, bench.tenant_id, **more))
        return [each.id for each in found]

    assert await page(limit=2) == [names[4], names[3]]
    assert await page(limit=9, before=names[3]) == [names[2], names[1], names[0]]
    assert await page(owner_id="own_1") == [names[3], names[1]]
    assert await page(state="answered") == []
    assert await bench.ledger.read(reviews.count_open) == 5
