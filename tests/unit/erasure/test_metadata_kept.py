"""Metadata of a memory that is written anew for what is kept: what tells of nobody stays."""

from typing import Any

import pytest

from proxy.erasure.plans.planning import REWRITE
from proxy.erasure.search.target import Target
from proxy.ledger import memories
from tests.support.erasing import Erasing

SAID = "Works at Norvane and earns 5000 euro a month"
OWNER = Target(kind="owner", values=("u-1",))

ENTRIES = [
    pytest.param({"source": "chat"}, True, id="where it came from"),
    pytest.param({"app": "web", "version": "1.2.3", "language": "en"}, True, id="how it was made"),
    pytest.param({"model": "small-2"}, True, id="by which model"),
    pytest.param({"source": "alva"}, False, id="a name"),
    pytest.param({"source": "Alva Brenn"}, False, id="a whole name"),
    pytest.param({"source": "alva@example.org"}, False, id="an address"),
    pytest.param({"client": "555010199"}, False, id="a number"),
    pytest.param({"topic": "asthma"}, False, id="what it is about"),
    pytest.param({"salary": 5000}, False, id="another attribute"),
    pytest.param({"source": ["chat"]}, False, id="no single value"),
]


@pytest.mark.parametrize(("metadata", "stays"), ENTRIES)
async def test_what_tells_of_nobody_stays(
    bench: Erasing, metadata: dict[str, Any], stays: bool
) -> None:
    """By its name and by its value; anything else goes with its owner."""
    await bench.remember("u-1", SAID, mentions=[], metadata=metadata)
    view = await bench.forget(OWNER, keep=["employer"])
    assert view.outcome == "partial", view.body()
    place = {"user": await bench.upstream_id("u-1")}
    (item,) = [item async for item in bench.store.crawl(place)]
    own = {name: value for name, value in item.metadata.items() if name[:8] != "expunge_"}
    assert (item.text, own) == ("Works at Norvane.", metadata if stays else {})


@pytest.mark.parametrize("reason", ["diagnosed with epilepsy", "on holiday"])
async def test_what_stays_beside_a_corrected_text_still_has_its_category(
    bench: Erasing, reason: str
) -> None:
    """A memory written anew is judged by all that it says, not by its text alone."""
    memory_id = await bench.remember(
        "u-1", "Has epilepsy", mentions=[], categories=["health"], metadata={"reason": reason}
    )
    choices = {"include": "direct", REWRITE: "Likes tea"}
    await bench.forget(
        Target(kind="memory", values=(memory_id,)), origin="client", reason="rectification",
        choices=choices,
    )  # fmt: skip
    place = {"user": await bench.upstream_id("u-1")}
    (item,) = [item async for item in bench.store.crawl(place)]
    assert (item.text, item.metadata["reason"]) == ("Likes tea", reason)
    names = await bench.means.keyring.tenant(bench.tenant_id)
    ref = memories.ref(names, bench.store.name, item.memory_id)
    known = await bench.ledger.read(
        lambda tx: memories.by_refs(tx, bench.tenant_id, bench.store.name, [ref])
    )
    assert ("health" in known[ref].categories) == (reason == "diagnosed with epilepsy")
