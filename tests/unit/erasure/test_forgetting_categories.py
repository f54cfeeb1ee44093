"""Forgetting a category destroys the key of its values: in the whole tenant, and nothing else."""

import base64
import json
from typing import Any

import pytest

from proxy.erasure.search.target import Target
from proxy.rights.holds import Holds, Keeping
from proxy.tokens import surrogate
from proxy.tokens.vault import Mention
from tests.support.erasing import OPERATOR, Erasing

VALUES = {
    "health": ("MEDICATION", "sertraline"),
    "financial": ("IBAN_CODE", "DE02120300000000202051"),
}


async def encrypted(bench: Erasing, owner: str, category: str) -> str:
    """A memory of a category that holds the token of an encrypted value; gives the token."""
    mention = Mention(*VALUES[category], (), category)
    (made,) = await bench.ledger.write(
        lambda tx: bench.means.vault.tokenise(tx, bench.tenant_id, [mention])
    )
    await bench.remember(owner, f"Has {made.token}", categories=[category], mentions=[])
    return made.token


async def readable(bench: Erasing, token: str) -> bool:
    """Whether a token is still restored."""
    shown = (await bench.means.vault.restore(bench.tenant_id, token)).text
    assert shown in {surrogate.ERASED, *(text for _, text in VALUES.values())}
    return shown != surrogate.ERASED


@pytest.mark.parametrize(
    ("limits", "left"),
    [
        pytest.param({}, False, id="whole tenant"),
        pytest.param({"owner": "u-1"}, True, id="one owner"),
        pytest.param({"upstream": "mem0"}, True, id="one store"),
    ],
)
async def test_forgetting_a_category_destroys_its_key(
    bench: Erasing, limits: dict[str, Any], *, left: bool
) -> None:
    """Its values read erased, those of another category do not; a part leaves the shared key."""
    health = await encrypted(bench, "u-1", "health")
    money = await encrypted(bench, "u-1", "financial")
    await encrypted(bench, "u-2", "health")
    view = await bench.forget(Target(kind="category", values=("health",), **limits))
    assert view.state == "complete"
    assert await bench.texts("u-1") == [f"Has {money}"]
    assert await readable(bench, health) is left
    assert await readable(bench, money)


@pytest.mark.parametrize(
    ("limits", "left"),
    [
        pytest.param({}, [], id="whole tenant"),
        pytest.param({"owner": "u-1"}, ["Writes to b@example.org"], id="one owner"),
    ],
)
async def test_forgetting_by_tag(bench: Erasing, limits: dict[str, Any], left: list[str]) -> None:
    """What was recorded with a tag goes, and what holds such a thing now and nobody recorded."""
    await bench.remember("u-1", "Has <email_address>", tags=["pii:email_address"], mentions=[])
    await bench.remember("u-1", "Writes to a@example.org", known=False)
    await bench.remember("u-1", "Calls often", tags=["pii:phone_number"], mentions=[])
    await bench.remember("u-2", "Writes to b@example.org", known=False)
    await bench.remember("u-2", "Likes tea", mentions=[])
    view = await bench.forget(Target(kind="tag", values=("pii:email_address",), **limits))
    assert (view.state, view.outcome) == ("complete", "erased")
    texts = [*await bench.texts("u-1"), *await bench.texts("u-2")]
    assert sorted(texts) == sorted(["Calls often", "Likes tea", *left])


async def test_what_is_held_keeps_the_key(bench: Erasing) -> None:
    """A legal hold on one memory of the category leaves the value it needs readable."""
    token = await encrypted(bench, "u-1", "health")
    await Holds(bench.means, bench.service).hold(
        bench.tenant_id, actor=OPERATOR, keeping=Keeping("legal_claims"), owner=("user", "u-1")
    )
    view = await bench.forget(Target(kind="category", values=("health",)))
    assert view.state == "held"
    assert await readable(bench, token)


async def test_the_certificate_says_that_a_key_went(bench: Erasing) -> None:
    """One key of the category, destroyed, and its values tried in vain; none where is none."""
    await encrypted(bench, "u-1", "health")
    await bench.remember("u-1", "Votes", categories=["political_religious"], mentions=[])
    told = {}
    for category in ("health", "political_religious"):
        view = await bench.forget(Target(kind="category", values=(category,)))
        bundle = await bench.service.certificate(bench.tenant_id, view.reference)
        payload = base64.b64decode(json.loads(bundle.dsse)["payload"])
        told[category] = json.loads(payload)["predicate"]["checks"]
    assert told["health"]["erasure_key_destruction"]["result"] == "pass"
    assert told["health"]["erasure_crypto"]["result"] == "pass"
    assert told["political_religious"]["erasure_key_destruction"]["result"] == "not_applicable"


async def test_what_is_written_afterwards_lives_under_a_new_key(bench: Erasing) -> None:
    """Forgetting twice takes both, and the second certificate is complete too."""
    first = await encrypted(bench, "u-1", "health")
    await bench.forget(Target(kind="category", values=("health",)))
    second = await encrypted(bench, "u-1", "health")
    assert (await readable(bench, first), await readable(bench, second)) == (False, True)
    view = await bench.forget(Target(kind="category", values=("health",)))
    assert view.state == "complete"
    assert not await readable(bench, second)
