"""What is blocked, in memory: of a list that grew only the new is read, and nothing is missed."""

import pytest

from proxy.clock import FrozenClock
from proxy.keys.ring import KeyRing
from proxy.ledger import blocklist as rows
from proxy.ledger.engine import Ledger, Tx
from proxy.tokens.blocklist import Blocklist
from proxy.tokens.index.snapshots import Snapshots, grown
from proxy.tokens.index.spelling import Name, block_keys

TEXTS = ["Alva Brenn called", "Otto Falk called", "Tilda Quist called"]


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rows each look at the ledger took."""
    taken: list[int] = []
    select = rows._select

    async def counted(*given: object) -> list[rows.Entry]:
        found = await select(*given)
        taken.append(len(found))
        return found

    monkeypatch.setattr(rows, "_select", counted)
    return taken


async def blocked(blocklist: Blocklist, tenant_id: str) -> list[bool]:
    """Which of the texts name somebody who is blocked."""
    return [bool(found) for found in await blocklist.blocked_mentions(tenant_id, TEXTS)]


async def test_only_the_new_is_read(
    ledger: Ledger, blocklist: Blocklist, tenant_id: str, read: list[int]
) -> None:
    """The cost of a further name does not grow with the list; taking one off reads all anew."""
    many = [Name(f"Brynhild Kvist{chr(97 + n % 26)}{chr(97 + n // 26)}") for n in range(200)]
    await ledger.write(lambda tx: blocklist.add(tx, tenant_id, [*many, Name("Alva Brenn")]))
    assert await blocked(blocklist, tenant_id) == [True, False, False]
    everything, read[:] = read[-1], []
    group = await ledger.write(lambda tx: blocklist.add(tx, tenant_id, [Name("Otto Falk")]))
    read.clear()
    assert await blocked(blocklist, tenant_id) == [True, True, False]
    assert await blocked(blocklist, tenant_id) == [True, True, False]
    assert read == [group.added]
    await ledger.write(lambda tx: blocklist.lift(tx, tenant_id, group_id=group.group_id))
    read.clear()
    assert await blocked(blocklist, tenant_id) == [True, False, False]
    assert read == [everything]
    await ledger.write(lambda tx: blocklist.add(tx, tenant_id, [Name("Tilda Quist")]))
    assert await blocked(blocklist, tenant_id) == [True, False, True]


async def test_what_grew_is_what_is_read_anew(
    ledger: Ledger, blocklist: Blocklist, tenant_id: str
) -> None:
    """Names, owners, their places and who was spared: as another process would load them."""
    known = Snapshots(ledger)
    await known.now(tenant_id)
    for number, name in enumerate(("Alva Brenn", "Otto Falk")):
        era = f"era_{number}"
        await ledger.write(
            lambda tx, n=name, e=era: blocklist.add(tx, tenant_id, [Name(n)], erasure_id=e)
        )
        await ledger.write(
            lambda tx, n=name, e=era: blocklist.add(
                tx, tenant_id, [Name(n)], owner_id="own_1", erasure_id=e
            )
        )
        await ledger.write(
            lambda tx, n=name, e=era: blocklist.add_owner(
                tx, tenant_id, "user", n, places=[f"at-{n}"], erasure_id=e
            )
        )
        await ledger.write(
            lambda tx, n=name, e=era: blocklist.spare_owner(
                tx, tenant_id, "user", f"{n}-7", e, row_id="own_2", places=[f"at-{n}-7"]
            )
        )
        grown, anew = await known.now(tenant_id), await Snapshots(ledger).now(tenant_id)
        assert grown == anew
        assert grown.exempt == {"own_2": frozenset(f"era_{n}" for n in range(number + 1))}


async def test_what_an_older_release_adds_is_seen(
    ledger: Ledger, blocklist: Blocklist, keyring: KeyRing, tenant_id: str, clock: FrozenClock
) -> None:
    """Beside a process that knows nothing of versions, as while replicas are replaced in turn."""
    await ledger.write(lambda tx: blocklist.add(tx, tenant_id, [Name("Alva Brenn")]))
    assert await blocked(blocklist, tenant_id) == [True, False, False]
    keys = block_keys(await keyring.tenant(tenant_id), Name("Otto Falk"))

    async def older(tx: Tx) -> None:
        await rows.add(tx, tenant_id, keys, group_id="blk_older", at=clock.now())
        await grown(tx, tenant_id)

    await ledger.write(older)
    assert await blocked(blocklist, tenant_id) == [True, True, False]
