"""Named whole numbers that only grow: versions of in-memory indexes, references, sequence ends."""

from sqlalchemy import bindparam, func, select, update

from proxy.ledger.engine import Tx
from proxy.ledger.inserts import insert_ignore
from proxy.ledger.schema import counters

_RAISED = (
    update(counters)
    .where(counters.c.name == bindparam("counter"))
    .values(value=counters.c.value + bindparam("step", type_=counters.c.value.type))
)
_VALUE = select(counters.c.value).where(counters.c.name == bindparam("counter"))
_BASE = counters.alias("base")
_OF_BASE = select(_BASE.c.value).where(_BASE.c.name == bindparam("base")).scalar_subquery()
_RAISE = _RAISED.returning(counters.c.value)
_RAISE_ON = _RAISED.returning(counters.c.value + func.coalesce(_OF_BASE, 0))


async def raise_by(tx: Tx, name: str, step: int = 1, *, base: str = "") -> int:
    """Add ``step`` and return the new value; concurrent callers get different values.

    Args:
        base: another counter, whose value is added to what is returned.
    """
    raised, given = _RAISE, {"counter": name, "step": step}
    if base:
        raised, given = _RAISE_ON, given | {"base": base}
    value = (await tx.execute(raised, given)).scalar()
    if value is None:
        await insert_ignore(tx, counters, [{"name": name, "value": 0}])
        value = (await tx.execute(raised, given)).scalar_one()
    return int(value)


async def value_of(tx: Tx, name: str) -> int:
    """The current value; 0 for a counter that nobody raised yet."""
    value = (await tx.execute(_VALUE, {"counter": name})).scalar()
    return int(value or 0)
