"""What the policy encrypts goes to the store as a token, under the key of its category."""

from proxy.tokens import surrogate
from proxy.tokens.index import keyed
from tests.support.fault_store import FaultStore
from tests.support.gateway import Plane

SEARCH = "/v3/memories/search/"


async def asked(plane: Plane, faults: FaultStore, query: str) -> str:
    """What the store is asked when somebody asks for this."""
    body = {"query": query, "filters": {"user_id": "u-1"}}
    status, _ = await plane.call("POST", SEARCH, body)
    assert status == 200
    return str(faults.requests[-1].json()["query"])


async def test_a_medicine_is_sealed_under_the_key_of_health(
    named: Plane, faults: FaultStore
) -> None:
    """It comes back until that key is destroyed; a tokenised e-mail stays readable."""
    sent = await asked(named, faults, "does sertraline help alva@example.org")
    assert "sertraline" not in sent
    assert "alva@example.org" not in sent
    services, tenant = named.services, named.tenants["acme"]
    (before,) = await services.vault.restore_many(tenant, [sent])
    assert before.text == "does sertraline help alva@example.org"
    ref = keyed.category_ref(await services.keyring.tenant(tenant), "health")
    dek = await services.ledger.write(
        lambda tx: services.keyring.ensure_dek(tx, tenant, "category", ref)
    )
    await services.ledger.write(lambda tx: services.keyring.destroy(tx, [dek]))
    (after,) = await services.vault.restore_many(tenant, [sent])
    assert after.text == f"does {surrogate.ERASED} help alva@example.org"


async def test_the_same_medicine_is_searched_as_it_was_written(
    named: Plane, faults: FaultStore
) -> None:
    """Two requests send one token: what was stored can be found."""
    first = await asked(named, faults, "does sertraline help")
    assert await asked(named, faults, "does sertraline help") == first
