"""What a partial erasure left, known to nobody but its stamp: a later whole erasure finds it."""

import pytest

from proxy.erasure.search.target import Target
from tests.support.erasing import Erasing

SAID = "Alva Brenn earns 50,000 euro and works as a nurse at Acme."
REST = "A person works as a nurse at Acme."
PARTLY = Target(kind="subject", values=("Alva Brenn",), entity_type="PERSON")

LATER = [
    pytest.param(Target(kind="entity", values=("Alva Brenn",)), True, id="by the name"),
    pytest.param(Target(kind="entity", values=("Brenn, Alva",), entity_type="PERSON"), True,
                 id="by the name in another order"),
    pytest.param(Target(kind="subject", values=("Alva Brenn", "alva@example.org"), owner="u-9"),
                 True, id="as a subject with more names"),
    pytest.param(Target(kind="owner", values=("u-1",)), True, id="with its owner"),
    pytest.param(Target(kind="entity", values=("Tilda Lund",), entity_type="PERSON"), False,
                 id="not by another name"),
]  # fmt: skip


@pytest.mark.parametrize("known", [False, True], ids=["unknown to the ledger", "known"])
@pytest.mark.parametrize(("target", "goes"), LATER)
async def test_a_later_erasure_finds_the_rest(
    bench: Erasing, target: Target, goes: bool, known: bool
) -> None:
    """It names nobody any more; whoever is forgotten as a whole loses it all the same."""
    await bench.remember("u-1", SAID, known=known)
    view = await bench.forget(PARTLY, keep=["nurse"])
    assert (view.outcome, await bench.texts("u-1")) == ("partial", [REST])
    view = await bench.forget(target)
    assert view.state == "complete", view.body()
    assert await bench.texts("u-1") == ([] if goes else [REST])
