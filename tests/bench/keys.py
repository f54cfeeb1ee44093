"""What keys cost: seal, unseal, new key, token, restore, and destroying an epoch.

    python -m tests.bench.keys [--keys 2000]

Prints one JSON line; microseconds are per operation, on a temporary SQLite ledger and a key file.
"""

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

from proxy.clock import SystemClock
from proxy.keys.file import FileKek
from proxy.keys.ring import KeyRing
from proxy.ledger.engine import Ledger, Tx
from proxy.tokens.vault import Mention, TokenVault


async def main(arguments: argparse.Namespace) -> None:
    """Measure one after the other."""
    count, clock = arguments.keys, SystemClock()
    with tempfile.TemporaryDirectory() as folder:
        ledger = await Ledger.open(f"sqlite+aiosqlite:///{folder}/ledger.db")
        ring = await KeyRing.open(ledger, FileKek(Path(folder) / "kek.json"), clock)
        tenant = await ledger.write(lambda tx: ring.create_tenant(tx, "bench"))
        deks: list[str] = []
        found: dict[str, Any] = {"keys": count}
        found["new_key_us"] = await _each(
            ledger.write(lambda tx: _make(tx, ring, tenant, deks, count)), count
        )
        blobs: list[bytes] = []
        found["seal_us"] = await _each(ledger.read(lambda tx: _seal(tx, ring, deks, blobs)), count)
        triples = [(dek, blob, b"") for dek, blob in zip(deks, blobs, strict=True)]
        found["unseal_many_us"] = await _each(
            ledger.read(lambda tx: ring.unseal_many(tx, triples)), count
        )
        found |= await _tokens(ledger, TokenVault(ledger, ring, clock), tenant, min(count, 500))
        await ledger.write(lambda tx: ring.destroy(tx, deks[: count // 10]))
        started = time.perf_counter()
        result = await ring.destroy_epoch()
        found["destroy_epoch_ms"] = round((time.perf_counter() - started) * 1000)
        found["rewrapped"] = result.rewrapped
        print(json.dumps(found))
        await ledger.close()


async def _each(work: Awaitable[Any], count: int) -> int:
    started = time.perf_counter()
    await work
    return round((time.perf_counter() - started) / count * 1_000_000)


async def _make(tx: Tx, ring: KeyRing, tenant: str, deks: list[str], count: int) -> None:
    deks[:] = [
        await ring.ensure_dek(tx, tenant, "entity", number.to_bytes(16)) for number in range(count)
    ]


async def _seal(tx: Tx, ring: KeyRing, deks: list[str], blobs: list[bytes]) -> None:
    blobs += [await ring.seal(tx, dek, b"w" * 256, b"") for dek in deks]


async def _tokens(ledger: Ledger, vault: TokenVault, tenant: str, count: int) -> dict[str, int]:
    mentions = [Mention("PERSON", f"Alva Brenn {number}") for number in range(count)]
    tokens: list[str] = []

    async def mint(tx: Tx) -> None:
        tokens[:] = [one.token for one in await vault.tokenise(tx, tenant, mentions)]

    new = await _each(ledger.write(mint), count)
    again = await _each(ledger.write(mint), count)
    texts = [f"met {token} today" for token in tokens]
    restored = await _each(vault.restore_many(tenant, texts), count)
    known = await _each(vault.known_mentions(tenant, ["met Alva Brenn 7 today"] * count), count)
    return {
        "new_token_us": new,
        "known_token_us": again,
        "restore_us": restored,
        "lookup_us": known,
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keys", type=int, default=2000)
    asyncio.run(main(parser.parse_args()))
