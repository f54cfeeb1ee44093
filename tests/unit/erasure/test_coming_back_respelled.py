"""Who was erased and is there again in another spelling; and namesakes, who are left alone."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from proxy.clock import FrozenClock
from proxy.erasure.reconcile import reconcile
from proxy.erasure.scan import scan
from proxy.erasure.search.target import Target
from proxy.erasure.texts.mentions import Needles
from proxy.tokens.vault import Mention
from tests.support.erasing import OPERATOR, Erasing
from tests.support.gateway import Plane, data_plane
from tests.support.ledger import START
from tests.support.mem0_store import running_store

PERSON = Target(kind="entity", values=("Alva Brenn",), entity_type="PERSON")
ALVA = [Mention("PERSON", "Alva Brenn")]
BACK = [
    "Alva\u200bBrenn waved", "AlvaBrenn waved", "Al\u00advaBrenn waved", "@AlvaBrenn waved",
    "alvabrenn waved", "Alva_Brenn waved", "alva.brenn waved", "A l v a  B r e n n waved",
    "Alvas Brenns boat", "see https://x.example/p/Alva%20Brenn now",
    "see https://x.example/?q=Alva&#32;Brenn now", "see https://x.example/?q=%41lva+Brenn now",
]  # fmt: skip
OTHERS = ["Alva Smith came by", "Tom Brenn is a pilot", "I met Alva Brennan", "alvabrennan waved"]


@pytest.mark.parametrize("text", BACK)
async def test_the_checks_find_what_forget_finds(bench: Erasing, text: str) -> None:
    """Written around the proxy: rechecked, scanned, previewed and reconciled as a return."""
    await bench.remember("u-1", "Alva Brenn moved to Turku", mentions=ALVA)
    view = await bench.forget(PERSON)
    await bench.remember("u-2", text, known=False)
    seen = await bench.service.recheck(bench.tenant_id, view.reference, actor=OPERATOR)
    assert (seen.still_absent, seen.by_tombstone, seen.by_mention) == (False, 0, 1)
    assert len((await scan(bench.means, bench.tenant_id)).blocked) == 1
    plan = await bench.service.request(
        bench.tenant_id, PERSON, actor=OPERATOR, origin="control", dry_run=True
    )
    assert plan.counts["found"] == 1
    found = await reconcile(bench.means, bench.service, bench.tenant_id, actor=OPERATOR)
    assert (found.by_mention, bench.small.texts()) == (1, [])


@pytest.mark.parametrize("text", OTHERS)
async def test_the_checks_leave_namesakes_alone(bench: Erasing, text: str) -> None:
    """Even under the owner who knew the person."""
    await bench.remember("u-1", "Alva Brenn moved to Turku", mentions=ALVA)
    view = await bench.forget(PERSON)
    await bench.remember("u-1", text, known=False)
    seen = await bench.service.recheck(bench.tenant_id, view.reference, actor=OPERATOR)
    found = await reconcile(bench.means, bench.service, bench.tenant_id, actor=OPERATOR)
    assert (seen.still_absent, found.found, bench.small.texts()) == (True, 0, [text])


async def test_another_erasure_is_no_return(bench: Erasing) -> None:
    """A recheck asks about its own erasure."""
    await bench.remember("u-1", "Alva Brenn moved to Turku", mentions=ALVA)
    await bench.forget(PERSON)
    await bench.remember("u-1", "Likes jasmine tea", mentions=[])
    view = await bench.forget(Target(kind="owner", values=("u-1",)))
    await bench.remember("u-2", "AlvaBrenn waved", known=False)
    seen = await bench.service.recheck(bench.tenant_id, view.reference, actor=OPERATOR)
    assert seen.still_absent


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("Acme Corp", "see acme_corp and AcmeCorp", 2),
        ("/etc/app/conf", "see /etc/app/conf.bak", 0),
        ("TKT-100", "see TKT_100_2", 0),
    ],
)
def test_only_names_of_words_are_read_in_other_ways(name: str, text: str, found: int) -> None:
    """Paths and numbers keep their boundaries."""
    assert len(Needles.build([name]).find(text)) == found


@pytest.fixture
async def plane(tmp_path: Path, sqlite_template: Path) -> AsyncIterator[Plane]:
    """A data plane in front of a real Mem0."""
    with running_store(tmp_path / "mem0") as mem0:
        async with data_plane(
            tmp_path / "plane", mem0.url, mem0.api_key, sqlite_template, FrozenClock(START),
            tier="full",
        ) as made:  # fmt: skip
            yield made


async def test_writes_after_an_erasure(plane: Plane) -> None:
    """Refused in every spelling and field; a namesake is stored, a bare name where unknown too."""
    await plane.add("Alva Brenn moved to Turku", "u-1")
    service = plane.services.erasure
    view = await service.forget(  # type: ignore[attr-defined]
        plane.tenants["acme"], PERSON, actor=OPERATOR, origin="control"
    )
    assert view.counts["deleted"] == 1
    said = [({"content": text}, {}) for text in BACK]
    said += [({"content": "x"}, {"who": "AlvaBrenn"}), ({"content": "x"}, {"alva_brenn": 1})]
    said.append(({"content": "Alva called"}, {}))
    for message, metadata in said:
        body = {"messages": [{"role": "user", **message}], "metadata": metadata,
                "user_id": "u-1", "infer": False}  # fmt: skip
        status, answer = await plane.call("POST", "/v3/memories/add/", body)
        assert (status, answer["type"]) == (422, "urn:expunge:problem:write-rejected"), body
    for owner, text in [*(("u-1", each) for each in OTHERS), ("u-2", "Alva called")]:
        assert await plane.add(text, owner)
