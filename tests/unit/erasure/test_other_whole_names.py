"""One name forgotten, and others' whole names with it: it is asked first."""

import pytest

from proxy.erasure.search.target import Target
from proxy.tokens.vault import Mention
from tests.support.erasing import OPERATOR, Erasing

WHOLE = [("May", "Theresa May"), ("Kelly", "Grace Kelly"), ("Paris", "Paris Hilton"),
         ("Orla", "Orla Quist")]  # fmt: skip
SLIPS = [("Orla", "Orla Tomorrow"), ("Orla", "Texted Orla")]


async def asked(bench: Erasing, name: str, longer: str) -> str:
    """What a request comes to where the index knows one by the name and has seen a longer one."""
    await bench.remember("u-1", f"Lunch with {name}", mentions=[Mention("PERSON", name)])
    await bench.remember("u-2", f"{longer} sang", mentions=[Mention("PERSON", longer)])
    target = Target(kind="entity", values=(name,), entity_type="PERSON")
    view = await bench.service.request(bench.tenant_id, target, actor=OPERATOR)
    return str(view.state)


@pytest.mark.parametrize(("name", "longer"), WHOLE)
async def test_a_whole_name_seen_once_is_asked_about(
    bench: Erasing, name: str, longer: str
) -> None:
    """Whoever bears it may be somebody else altogether."""
    assert await asked(bench, name, longer) == "needs_clarification"


@pytest.mark.parametrize(("name", "longer"), SLIPS)
async def test_a_slip_of_detection_seen_once_is_not(bench: Erasing, name: str, longer: str) -> None:
    """What is no whole name asks nothing."""
    assert await asked(bench, name, longer) == "planned"
