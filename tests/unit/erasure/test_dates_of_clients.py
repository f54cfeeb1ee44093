"""A client may date a memory itself: a range of time means the date that the store shows."""

from datetime import UTC, datetime

import pytest

from proxy.erasure.search.target import Target
from tests.support.erasing import Erasing

PIANO, CLUB, SOUP = "Sold the old piano", "Joined the rowing club", "Likes cold soup"
DATED = {PIANO: "2025-03-03T12:00:00+00:00", CLUB: "2025-09-09T12:00:00", SOUP: None}


def _range(since: str | None, until: str | None) -> Target:
    first, end = (each and datetime.fromisoformat(each).replace(tzinfo=UTC)
                  for each in (since, until))  # fmt: skip
    return Target(kind="time_range", since=first or None, until=end or None, owner="u-1")


@pytest.mark.parametrize("known", [True, False], ids=["in the ledger", "strange to the ledger"])
@pytest.mark.parametrize(
    ("since", "until", "left"),
    [
        (None, "2025-06-01", [CLUB, SOUP]),
        ("2025-01-01", "2026-01-01", [SOUP]),
        ("2025-06-01", "2025-12-01", [PIANO, SOUP]),
        ("2026-01-01", None, [PIANO, CLUB]),
        ("2024-01-01", "2025-01-01", [PIANO, CLUB, SOUP]),
    ],
)
async def test_a_range_of_time_goes_by_the_date_that_is_shown(
    bench: Erasing, since: str | None, until: str | None, left: list[str], known: bool
) -> None:
    """Where the store shows none, the ledger's own date of the write counts."""
    assert bench.small is not None
    for text, at in DATED.items():
        made = await bench.remember("u-1", text, known=known, mentions=[])
        bench.small.rows[made]["created_at"] = at or ("2026-01-04T00:00:00Z" if not known else None)
    view = await bench.forget(_range(since, until))
    assert bench.small.texts() == left
    assert view.deleted == len(DATED) - len(left)
