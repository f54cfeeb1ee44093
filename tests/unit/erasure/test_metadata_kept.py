"""Metadata of a memory that is written anew for what is kept: what tells of nobody stays."""

from typing import Any

import pytest

from proxy.erasure.search.target import Target
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
