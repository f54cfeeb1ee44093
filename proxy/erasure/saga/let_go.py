"""What waits for an owner ends with them: reviews that ask them, notices that nobody reads."""

from collections.abc import Mapping
from dataclasses import dataclass

from proxy.erasure.saga import category_keys
from proxy.erasure.saga.run import Run
from proxy.ledger import notifications, reviews
from proxy.ledger.engine import Tx

LAPSED, WITHDRAWN = "reviews_lapsed", "withdrawn"
NOTHING: Mapping[str, object] = {"total": 0}  # what a review is about whose owner is erased


@dataclass(frozen=True, slots=True)
class Waiting:
    """Ids of open reviews of owners who end, and of notices to them or about those reviews."""

    reviews: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """How many of each, for the record."""
        return {LAPSED: len(self.reviews), WITHDRAWN: len(self.notices)}


async def waiting(tx: Tx, run: Run) -> Waiting:
    """What waits for those whom the erasure ends; not what it owes others itself."""
    owner_ids = [row.id for row in run.ended] if run.lasting else []
    if not owner_ids:
        return Waiting()
    asked = await reviews.of_owners(tx, owner_ids)
    open_ = tuple(each.id for each in asked if each.state == "open")
    notices = await notifications.undelivered(tx, owner_ids, [each.id for each in asked])
    return Waiting(open_, tuple(notices))


async def end(tx: Tx, run: Run, found: Waiting) -> None:
    """Close the reviews, on record, and deliver none of the notices."""
    now = run.means.clock.now()
    for review_id in found.reviews:
        if await reviews.close(tx, review_id, "lapsed", now, NOTHING):
            await run.audit(tx, "review.lapsed", {"review": review_id})
    await notifications.withdraw(tx, found.notices)


def counts(run: Run) -> dict[str, int]:
    """How many of each ended with the keys, by what was recorded then."""
    done = run.saga.done.get(category_keys.STEP, {})
    return {name: int(done.get(name, 0)) for name in (LAPSED, WITHDRAWN)}
