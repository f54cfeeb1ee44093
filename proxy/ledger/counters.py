"""Named whole numbers that only grow: versions of in-memory indexes, references, sequence ends."""

from sqlalchemy import bindparam, select, update

from proxy.ledger.engine import Tx
from proxy.ledger.inserts import insert_ignore
from proxy.ledger.schema import counters

_RAISE = (
    update(counters)
    .where(counters.c.name == bindparam("counter"))
    .values(value=counters.c.value + bindparam("step", type_=counters.c.value.type))
    .returning(counters.c.value)
)


async def raise_by(tx: Tx, name: str, step: int = 1) -> int:
    """Add ``step`` and return the new value; concurrent callers get different values."""
    given = {"counter": name, "step": step}
    value = (await tx.execute(_RAISE, given)).scalar()
    if value is None:
        await insert_ignore(tx, counters, [{"name": name, "value": 0}])
        value = (await tx.execute(_RAISE, given)).scalar_one()
    return int(value)


async def value_of(tx: Tx, name: str) -> int:
    """The current value; 0 for a counter that nobody raised yet."""
    value = (await tx.execute(select(counters.c.value).where(counters.c.name == name))).scalar()
    return int(value or 0)
