"""A telephone number is found and refused in every usual spelling."""

import pytest

from proxy.erasure.search.target import Target
from tests.support.erasing import Erasing

SPELLED = [
    "Call 0049 170 555 0101", "Call (0)170 555 0101", "Call +49 (0) 170-555-0101",
    "Call 00 49 170 5550101", "Call 0170/5550101", "Text 49 170 5550101",
]  # fmt: skip
OTHERS = ["Call 0047 170 555 0101", "Call 0170 5550102", "Call +49 170 55501012"]


@pytest.mark.parametrize("kind", ["PHONE_NUMBER", None])
@pytest.mark.parametrize("given", ["+49 170 5550101", "0170 5550101"])
async def test_every_spelling_goes(bench: Erasing, given: str, kind: str | None) -> None:
    """Another country's number, or another digit, is somebody else's and stays."""
    others = OTHERS if given.startswith("+") else OTHERS[1:]  # 0170 … may be any country's
    for text in (*SPELLED, *others):
        await bench.remember("u-2", text, known=False)
    view = await bench.forget(Target(kind="entity", values=(given,), entity_type=kind))
    assert (view.state, view.deleted) == ("complete", len(SPELLED)), view.body()
    assert sorted(await bench.texts("u-2")) == sorted(others)
    hits = await bench.means.blocklist.blocked_mentions(bench.tenant_id, [*SPELLED, *others])
    assert [bool(each) for each in hits] == [True] * len(SPELLED) + [False] * len(others)
