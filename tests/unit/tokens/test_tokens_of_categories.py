"""Values under a category's key: one token, restored exactly, unreadable once the key is gone."""

import pytest

from proxy.keys.ring import KeyRing
from proxy.ledger import entities
from proxy.ledger.engine import Ledger
from proxy.pseudonyms import Pseudonyms
from proxy.tokens import surrogate
from proxy.tokens.index import keyed
from proxy.tokens.vault import Mention, TokenVault

VALUE = "sertraline"


@pytest.fixture
async def names(keyring: KeyRing, tenant_id: str) -> Pseudonyms:
    """The tenant's pseudonyms."""
    return await keyring.tenant(tenant_id)


async def sealed(
    ledger: Ledger, vault: TokenVault, tenant: str, category: str | None, text: str = VALUE
) -> str:
    """The token of a value that belongs to a category."""
    mention = Mention("MEDICATION", text, ("own_1",), category)
    (made,) = await ledger.write(lambda tx: vault.tokenise(tx, tenant, [mention]))
    return made.token


async def destroy(
    ledger: Ledger, keyring: KeyRing, names: Pseudonyms, tenant: str, category: str
) -> None:
    """Destroy a category's key."""
    ref = keyed.category_ref(names, category)
    dek = await ledger.write(lambda tx: keyring.ensure_dek(tx, tenant, "category", ref))
    await ledger.write(lambda tx: keyring.destroy(tx, [dek]))


async def test_a_value_of_a_category_has_one_token_and_comes_back(
    ledger: Ledger, vault: TokenVault, tenant_id: str
) -> None:
    """Like any token: equal for equal words, whoever wrote them."""
    token = await sealed(ledger, vault, tenant_id, "health")
    assert token == await sealed(ledger, vault, tenant_id, "health")
    assert (await vault.restore(tenant_id, f"takes {token}")).text == f"takes {VALUE}"


async def test_only_the_values_of_the_destroyed_key_become_unreadable(
    ledger: Ledger, vault: TokenVault, keyring: KeyRing, names: Pseudonyms, tenant_id: str
) -> None:
    """The same words under another category, and those only tokenised, stay readable."""
    gone = await sealed(ledger, vault, tenant_id, "health")
    other = await sealed(ledger, vault, tenant_id, "financial")
    plain = await sealed(ledger, vault, tenant_id, None)
    await destroy(ledger, keyring, names, tenant_id, "health")
    restored = await vault.restore(tenant_id, f"{gone}, {other}, {plain}")
    assert restored.text == f"{surrogate.ERASED}, {VALUE}, {VALUE}"
    assert restored.erased == 1


async def test_another_tenant_has_keys_of_its_own(
    ledger: Ledger, vault: TokenVault, keyring: KeyRing, names: Pseudonyms, tenant_id: str
) -> None:
    """One tenant's forgetting takes nothing of another's."""
    other = await ledger.write(lambda tx: keyring.create_tenant(tx, "other"))
    token = await sealed(ledger, vault, other, "health")
    await sealed(ledger, vault, tenant_id, "health")
    await destroy(ledger, keyring, names, tenant_id, "health")
    assert (await vault.restore(other, token)).text == VALUE


async def test_no_other_key_opens_what_a_category_protects(
    ledger: Ledger, vault: TokenVault, keyring: KeyRing, names: Pseudonyms, tenant_id: str
) -> None:
    """Nothing of the value lies under the entity's own key: neither its name nor its forms."""
    await sealed(ledger, vault, tenant_id, "health")
    form = keyed.canonical_form(VALUE, "MEDICATION")
    key = keyed.canonical_key(names, "MEDICATION", form)
    (entity,) = (await ledger.read(lambda tx: entities.by_canonical(tx, tenant_id, [key]))).values()
    forms = await ledger.read(lambda tx: entities.forms(tx, tenant_id, [entity.id]))
    assert entity.sealed_name is None
    assert [row.dek_id == entity.dek_id for row in forms] == [False]
    await destroy(ledger, keyring, names, tenant_id, "health")
    assert await vault.surface_forms(tenant_id, [entity.id]) == []


async def test_a_new_value_after_forgetting_is_new(
    ledger: Ledger, vault: TokenVault, keyring: KeyRing, names: Pseudonyms, tenant_id: str
) -> None:
    """It gets a new key and a token of its own; the old token stays erased."""
    old = await sealed(ledger, vault, tenant_id, "health")
    await destroy(ledger, keyring, names, tenant_id, "health")
    new = await sealed(ledger, vault, tenant_id, "health")
    assert old != new
    restored = await vault.restore(tenant_id, f"{old} {new}")
    assert restored.text == f"{surrogate.ERASED} {VALUE}"


async def test_an_entity_known_by_a_sealed_value_is_found_by_its_name(
    ledger: Ledger, vault: TokenVault, tenant_id: str
) -> None:
    """Erasing it by name works as for any other, and its tokens read erased."""
    mention = Mention("PERSON", "Orla Quist", ("own_1",), "health")
    (made,) = await ledger.write(lambda tx: vault.tokenise(tx, tenant_id, [mention]))
    found = await vault.resolve(tenant_id, "Orla Quist", entity_type="PERSON")
    assert list(found.certain) == [made.entity_id]
    await ledger.write(lambda tx: vault.erase(tx, tenant_id, [made.entity_id]))
    assert (await vault.restore(tenant_id, made.token)).text == surrogate.ERASED
