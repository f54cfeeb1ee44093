"""Reviews: counts, and answers that change exactly what they say."""

from datetime import timedelta

import pytest

from proxy.clock import FrozenClock
from proxy.problems import Problem
from proxy.retention.reviews import Reviews
from tests.support.erasing import OPERATOR, Erasing


@pytest.fixture
async def reviews(bench: Erasing, clock: FrozenClock) -> Reviews:
    """An owner with two old memories, one of them of health, and a new one."""
    await bench.remember("u-1", "Runs on Sundays", mentions=[])
    await bench.remember("u-1", "Takes pills at noon", categories=["health"], mentions=[])
    clock.advance(timedelta(days=100))
    await bench.remember("u-1", "Bought a canoe", mentions=[])
    return Reviews(bench.means, bench.service)


async def test_a_review_shows_counts(bench: Erasing, reviews: Reviews) -> None:
    """Totals, categories and age; no text."""
    review = await reviews.open(bench.tenant_id, "user", "u-1")
    assert review.summary == {
        "total": 3, "categories": {"health": 1}, "older_than_90_days": 2,
        "old_by_category": {"health": 1}, "oldest_days": 100, "expiring_within_7_days": 0,
        "over_their_period": 0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("action", "more", "left"),
    [
        pytest.param("keep_all", {}, 3, id="keep"),
        pytest.param("delete", {}, 1, id="delete-old"),
        pytest.param("delete", {"categories": ["health"]}, 2, id="delete-health"),
        pytest.param("apply_defaults", {}, 3, id="nothing-is-overdue"),
    ],
)
async def test_an_answer_changes_what_it_says(
    bench: Erasing, reviews: Reviews, action: str, more: dict, left: int
) -> None:
    """Each verb deletes exactly its memories."""
    review = await reviews.open(bench.tenant_id, "user", "u-1")
    await reviews.answer(bench.tenant_id, review.id, action, actor=OPERATOR, **more)
    assert len(await bench.texts("u-1")) == left


@pytest.mark.parametrize(
    ("action", "more"),
    [
        pytest.param("individual", {"memory_ids": ["nobody's"]}, id="foreign-id"),
        pytest.param("individual", {}, id="no-id"),
        pytest.param("delete", {"categories": ["helth"]}, id="no-such-category"),
    ],
)
async def test_an_answer_that_means_nothing_leaves_it_open(
    bench: Erasing, reviews: Reviews, action: str, more: dict
) -> None:
    """A typing error does not close a review."""
    review = await reviews.open(bench.tenant_id, "user", "u-1")
    with pytest.raises(Problem) as caught:
        await reviews.answer(bench.tenant_id, review.id, action, actor=OPERATOR, **more)
    assert caught.value.slug == "invalid-request"
    done = await reviews.answer(bench.tenant_id, review.id, "delete", actor=OPERATOR)
    assert (done.deleted, len(await bench.texts("u-1"))) == (2, 1)


async def test_a_category_goes_where_all_is_of_it(bench: Erasing) -> None:
    """Also what is not old: the category was named."""
    await bench.remember("u-1", "Takes pills at noon", categories=["health"], mentions=[])
    await bench.remember("u-1", "Has epilepsy", categories=["health"], mentions=[])
    reviews = Reviews(bench.means, bench.service)
    review = await reviews.open(bench.tenant_id, "user", "u-1")
    done = await reviews.answer(
        bench.tenant_id, review.id, "delete", actor=OPERATOR, categories=["health"]
    )
    assert (done.deleted, done.kept, await bench.texts("u-1")) == (2, 0, [])


async def test_a_review_is_answered_once(bench: Erasing, reviews: Reviews) -> None:
    """The second answer is refused."""
    review = await reviews.open(bench.tenant_id, "user", "u-1")
    await reviews.answer(bench.tenant_id, review.id, "keep_all", actor=OPERATOR)
    with pytest.raises(Problem) as caught:
        await reviews.answer(bench.tenant_id, review.id, "delete", actor=OPERATOR)
    assert caught.value.slug == "invalid-state"


async def test_health_cannot_be_kept_beyond_the_bound(
    bench: Erasing, reviews: Reviews, clock: FrozenClock
) -> None:
    """A year is granted, two are not."""
    now = clock.now()
    review = await reviews.open(bench.tenant_id, "user", "u-1")
    with pytest.raises(Problem) as caught:
        await reviews.answer(
            bench.tenant_id, review.id, "extend", actor=OPERATOR, categories=["health"],
            until=now + timedelta(days=700),
        )  # fmt: skip
    assert caught.value.slug == "invalid-request"
    done = await reviews.answer(
        bench.tenant_id, review.id, "extend", actor=OPERATOR, categories=["health"],
        until=now + timedelta(days=200),
    )  # fmt: skip
    assert done.changed == 1
