"""No two entities ever share a token, however short the codes are."""

import asyncio
import itertools

import pytest
from sqlalchemy import text

from proxy.ledger.engine import Ledger
from proxy.ledger.failures import Conflict
from proxy.tokens import surrogate
from proxy.tokens.vault import Mention, TokenVault

NAMES = [f"{first} {last}" for first, last in itertools.product(
    ("Alva", "Orla", "Sten", "Tilda", "Runa", "Ivo", "Mila", "Nils"),
    ("Brenn", "Quist", "Lode", "Moor", "Falk", "Holm", "Sund", "Vik"),
)]  # fmt: skip


async def mint(ledger: Ledger, vault: TokenVault, tenant: str, *texts: str) -> list[str]:
    """Tokens for texts, in one write."""
    mentions = [Mention("PERSON", text, ("own_1",)) for text in texts]
    return [
        one.token for one in await ledger.write(lambda tx: vault.tokenise(tx, tenant, mentions))
    ]


@pytest.mark.parametrize("shared", [6, 12, 24], ids=lambda digits: f"{digits} digits")
async def test_names_whose_codes_collide_get_tokens_of_their_own(
    shared: int, ledger: Ledger, vault: TokenVault, tenant_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a tenant of millions: 64 names of four codes, minted side by side."""
    whole = surrogate.code_for

    def colliding(names: object, kind: str, form: str, length: int) -> str:
        digits = whole(names, kind, form, 32).partition("_")[2]  # type: ignore[arg-type]
        return f"Person_{(digits[-1] in '01234567') * 1}{'a' * (shared - 1)}{digits}"[: 7 + length]

    monkeypatch.setattr(surrogate, "code_for", colliding)
    minted = await asyncio.gather(*(mint(ledger, vault, tenant_id, name) for name in NAMES))
    tokens = [token for (token,) in minted]
    assert len(set(tokens)) == len(NAMES)
    restored = await vault.restore(tenant_id, " / ".join(tokens))
    assert restored.text == " / ".join(NAMES)
    assert await mint(ledger, vault, tenant_id, *NAMES) == tokens


async def test_a_name_can_be_erased_and_come_back_without_end(
    ledger: Ledger, vault: TokenVault, tenant_id: str
) -> None:
    """Each time it has a token that nobody had; all older ones read [erased] for good."""
    old: list[str] = []
    for _ in range(20):
        [token] = await mint(ledger, vault, tenant_id, "Alva Brenn")
        assert token not in old
        assert (await vault.restore(tenant_id, token)).text == "Alva Brenn"
        old.append(token)
        entity = (await vault.resolve(tenant_id, "Alva Brenn")).certain
        await ledger.write(lambda tx, gone=entity: vault.erase(tx, tenant_id, gone))
    restored = await vault.restore(tenant_id, " ".join(old))
    assert restored.text == " ".join(["[erased]"] * 20)


async def test_the_ledger_itself_refuses_a_second_owner_of_a_code(
    ledger: Ledger, vault: TokenVault, tenant_id: str
) -> None:
    """It is a constraint of the table, so no process gets past it."""
    await mint(ledger, vault, tenant_id, "Alva Brenn", "Orla Quist")
    change = "UPDATE entities SET code = (SELECT min(code) FROM entities WHERE tenant_id = :t)"
    with pytest.raises(Conflict):
        await ledger.write(
            lambda tx: tx.execute(text(f"{change} WHERE tenant_id = :t"), {"t": tenant_id})
        )
