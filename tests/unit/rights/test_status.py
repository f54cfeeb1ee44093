"""What is said about an erased topic afterwards."""

import pytest

from proxy.erasure.search.target import Target
from proxy.rights.status import status
from proxy.tokens.vault import Mention
from tests.support.erasing import Erasing

ALVA = [Mention("PERSON", "Alva Brenn")]


@pytest.mark.parametrize(
    ("setting", "told"), [("reference", "DEL-2026-0001"), ("nothing", None)], ids=str
)
async def test_a_reference_and_no_content(build, setting: str, told: str | None) -> None:
    """Before: how much there is. Afterwards: that a request was carried out, or nothing."""
    bench: Erasing = await build(status_after=setting)
    owner = ("user", "u-1")
    await bench.remember("u-1", "Alva Brenn moved to Turku", mentions=ALVA)
    before = await status(bench.means, bench.tenant_id, owner, "Alva Brenn")
    assert (before.memories, before.reference) == (1, None)
    await bench.forget(Target(kind="entity", values=("Alva Brenn",), entity_type="PERSON"))
    after = await status(bench.means, bench.tenant_id, owner, "Brenn, Alva")
    assert (after.memories, after.reference) == (0, told)
    never = await status(bench.means, bench.tenant_id, owner, "Orla Quist")
    assert (never.memories, never.reference) == (0, None)
