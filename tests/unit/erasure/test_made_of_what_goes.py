"""What was made of an erased memory goes, unless another person's name opens it."""

import base64
import json

import pytest

from proxy.erasure.proof.certificate import OF_ANOTHER
from proxy.erasure.search.target import Target
from tests.support.erasing import OPERATOR, Erasing

SOURCE = "My sister Joanna Quist was diagnosed with epilepsy."


async def made(bench: Erasing, source: str, derived: str) -> None:
    """A memory and one that was made of it alone."""
    await bench.remember("u-1", source, name="source")
    await bench.remember("u-1", derived, derived_from=["source"])


@pytest.mark.parametrize(
    ("source", "derived"),
    [
        (SOURCE, "User's sister has epilepsy."),
        (SOURCE, "My cousin cannot drive for six months."),
        (SOURCE, "Has epilepsy, treated by Dr. Amir Brenn."),
        ("Joanna Quist owes Greta Fisk 4000 pounds.", "Owes Greta Fisk 4000 pounds."),
        ("Joanna Quist met the police.", "She was arrested with Kevin Sprague."),
        ("Joanna Quist, my landlady, has lung cancer.", "Has lung cancer."),
        ("Joanna Quist, 54, lost her licence.", "Lost the licence."),
    ],
)
async def test_what_does_not_open_with_another_name_goes(
    bench: Erasing, source: str, derived: str
) -> None:
    """Whoever else is named or spoken of in it: by its source it is about the forgotten one."""
    await made(bench, source, derived)
    view = await bench.forget(Target(kind="entity", values=("Joanna Quist",)))
    assert (view.state, view.outcome, view.counts.get("doubtful", 0)) == ("complete", "erased", 0)
    assert await bench.texts("u-1") == []


async def test_what_opens_with_another_name_stays_and_is_told(bench: Erasing) -> None:
    """It may be that one's own: it is counted, the certificate names it, and it can go too."""
    await made(bench, "Joanna Quist and James Fisk moved to Bern.", "James Fisk lives in Bern.")
    view = await bench.forget(Target(kind="entity", values=("Joanna Quist",)))
    assert (view.counts["independent"], view.counts["doubtful"]) == (1, 1)
    assert await bench.texts("u-1") == ["James Fisk lives in Bern."]
    bundle = await bench.service.certificate(bench.tenant_id, view.reference)
    said = json.loads(base64.b64decode(json.loads(bundle.dsse)["payload"]))["predicate"]
    assert said["doubtful_mentions"] == 1
    assert OF_ANOTHER in said["claim"]["not_covered"]


async def test_whoever_asks_may_take_it_too(bench: Erasing) -> None:
    """With the doubtful ones it goes."""
    await made(bench, "Joanna Quist and James Fisk moved to Bern.", "James Fisk lives in Bern.")
    target = Target(kind="entity", values=("Joanna Quist",))
    plan = await bench.service.request(bench.tenant_id, target, actor=OPERATOR)
    wider = await bench.service.clarify(
        bench.tenant_id, plan.id, actor=OPERATOR, choices={"doubtful": "delete"}
    )
    assert (wider.counts["found"], wider.counts.get("doubtful", 0)) == (2, 0)
