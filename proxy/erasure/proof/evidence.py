"""The facts a certificate rests on, collected from the ledger, the stores and the keys."""

from collections.abc import Mapping, Sequence
from typing import Any

from proxy.erasure.proof.certificate import Evidence
from proxy.erasure.proof.digest import digest_matches
from proxy.erasure.saga import category_keys, mentioned
from proxy.erasure.saga.destruction import doomed_keys, needed_keys, unmentioned
from proxy.erasure.saga.outcome import Checked
from proxy.erasure.saga.run import Run, is_total
from proxy.keys.errors import KeyDestroyed
from proxy.ledger import erasures, owners
from proxy.ledger.engine import Tx

MAX_TRIED = 200


async def gather(
    run: Run, checked: Sequence[Checked], keys: Sequence[Mapping[str, Any]]
) -> Evidence:
    """All of it, after the keys are gone."""
    tally = await run.means.ledger.read(lambda tx: erasures.tally(tx, run.erasure.id))
    doomed = await doomed_keys(run)
    _, mentions = await run.means.ledger.read(lambda tx: mentioned.ended(tx, run.erasure))
    tried, opened = await _try_to_open(run, doomed) if doomed else (0, 0)
    failed = sum(each.failed for each in checked)
    return Evidence(
        tally,
        digest_matches=await digest_matches(run.means.ledger, run.erasure),
        started="begin" in run.saga.done,
        keys=keys,
        keys_expected=len(doomed),
        keys_needed=await needed_keys(run, doomed),
        mentions_ended=mentions,
        opened=opened,
        sealed=tried,
        probes=tries(checked) if failed < len(checked) else None,
        hits=hits(checked),
        unverified=failed,
    )


def tries(checked: Sequence[Checked]) -> dict[str, int]:
    """How often each route was asked."""
    return {
        route: sum(getattr(each.probes, route) for each in checked)
        for route in ("by_id", "searches", "histories", "listed")
    }


def hits(checked: Sequence[Checked]) -> dict[str, int]:
    """What each route still showed."""
    return {
        "by_id": sum(len(each.probes.hits_by_id) for each in checked),
        "searches": sum(len(each.probes.hits_by_search) for each in checked),
        "histories": sum(each.probes.history_rows for each in checked),
        "listed": sum(len(each.probes.hits_by_list) for each in checked),
    }


async def _try_to_open(run: Run, doomed: Sequence[str]) -> tuple[int, int]:
    """Try ciphertexts and tokens whose keys were destroyed: (tried, opened)."""
    sealed = [(row.dek_id, row.sealed_id, owners.aad(run.tenant_id, row.id)) for row in run.ended]
    categories = [each for each in await category_keys.doomed(run) if each in doomed]
    sealed += await category_keys.values_under(run, categories, MAX_TRIED)
    opened = sum([await _opens(run, each) for each in sealed])
    tokens = await _spent(run) if is_total(run, held=False) else []
    shown = await run.means.vault.restore_many(run.tenant_id, tokens)
    readable = sum(each.changed and not each.erased for each in shown)
    return len(sealed) + len(tokens), opened + readable


async def _spent(run: Run) -> list[str]:
    """Tokens whose keys were destroyed: not those that stand in something that stays."""

    async def living(tx: Tx) -> list[str]:
        stays = {*run.brief.entity_ids} - {*await unmentioned(tx, run)}
        return await run.means.vault.tokens_of(tx, run.tenant_id, sorted(stays))

    kept = {*await run.means.ledger.read(living)}
    return [each for each in run.brief.tokens if each not in kept][:MAX_TRIED]


async def _opens(run: Run, sealed: tuple[str, bytes, bytes]) -> bool:
    async def attempt(tx: Tx) -> bytes:
        return await run.means.keyring.unseal(tx, *sealed)

    try:
        await run.means.ledger.read(attempt)
    except KeyDestroyed:
        return False
    return True
