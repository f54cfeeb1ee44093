"""What is asked every second costs one statement while there is nothing to find."""

from collections.abc import Iterator

import pytest
from sqlalchemy import event

from proxy.clock import FrozenClock
from proxy.ledger import writes
from proxy.ledger.engine import Ledger
from proxy.ledger.writes import Write


@pytest.fixture
def statements(ledger: Ledger) -> Iterator[list[str]]:
    """What the ledger's readers are asked from now on."""
    asked: list[str] = []
    engine = ledger._reader_engine.sync_engine

    def note(*arguments: object) -> None:
        asked.append(str(arguments[2]))

    event.listen(engine, "before_cursor_execute", note)
    yield asked
    event.remove(engine, "before_cursor_execute", note)


def selects(statements: list[str]) -> int:
    return sum(each.startswith("SELECT") for each in statements)


async def test_nothing_open_is_one_statement(
    ledger: Ledger, clock: FrozenClock, statements: list[str]
) -> None:
    """Owners and entities of no write are not looked up."""
    assert await ledger.read(lambda tx: writes.open_writes(tx, before=clock.now())) == []
    assert selects(statements) == 1


async def test_what_is_open_is_found_whole(
    ledger: Ledger, clock: FrozenClock, tenant_id: str, statements: list[str]
) -> None:
    """With one, its owners and entities are."""
    made = Write("wrt_1", tenant_id, "mem0", "intended", {}, "digest", clock.now())
    await ledger.write(lambda tx: writes.intend(tx, made, epochs={}))
    (found,) = await ledger.read(lambda tx: writes.open_writes(tx, before=clock.now()))
    assert (found.id, found.owner_ids, found.entity_ids) == ("wrt_1", (), ())
    assert selects(statements) == 3
