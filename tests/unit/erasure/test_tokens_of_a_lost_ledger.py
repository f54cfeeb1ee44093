"""A store has tokens that an older ledger, put back, does not know: they follow from the names."""

import pytest

from proxy.erasure.search.target import Target
from proxy.tokens import surrogate
from proxy.tokens.index.keyed import canonical_form
from tests.support.erasing import Erasing

WHOM = {
    "a person": Target(kind="entity", values=("Katja Winkelried",)),
    "said to be one": Target(kind="entity", values=("Katja Winkelried",), entity_type="PERSON"),
    "an address": Target(kind="entity", values=("katja@winkelried.example",)),
    "a number": Target(kind="entity", values=("+41 79 555 01 06",), entity_type="PHONE_NUMBER"),
}


async def _token(bench: Erasing, target: Target, form: int) -> str:
    """What the name was written as while the ledger knew it."""
    names = await bench.means.keyring.tenant(bench.tenant_id)
    (value,) = target.values
    kind = {"@": "EMAIL_ADDRESS", "7": "PHONE_NUMBER"}.get(
        next((sign for sign in "@7" if sign in value), ""), "PERSON"
    )
    code = surrogate.code_for(names, kind, canonical_form(value, kind), surrogate.SHORTEST_CODE)
    return surrogate.spell(code, form)


@pytest.mark.parametrize("target", WHOM.values(), ids=WHOM)
async def test_a_token_that_nobody_knows_is_found_by_its_name(
    bench: Erasing, target: Target
) -> None:
    """It was "nothing found", and the next write of the name made it legible again."""
    await bench.remember("u-1", f"{await _token(bench, target, 0)} bakes bread", mentions=[])
    await bench.remember("u-2", f"Met {await _token(bench, target, 2)} at noon", mentions=[])
    await bench.remember("u-2", "Person_0a1b2c likes rye", mentions=[])
    view = await bench.forget(target)
    assert (view.state, view.outcome, view.counts["deleted"]) == ("complete", "erased", 2)
    assert await bench.texts("u-1") == []
    assert await bench.texts("u-2") == ["Person_0a1b2c likes rye"]
