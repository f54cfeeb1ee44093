"""A name whose characters are written otherwise is the same name, everywhere."""

import pytest

from proxy.erasure.reconcile import reconcile
from proxy.erasure.scan import scan
from proxy.erasure.search.target import Target
from proxy.upstreams.layers.base import LayerScope
from proxy.upstreams.layers.grep import ByteNeedles
from tests.support.erasing import OPERATOR, Erasing
from tests.support.small_store import SmallLayer


class Listening(SmallLayer):
    """A layer that keeps what it was asked for."""

    needles: tuple[str, ...] = ()

    async def count(self, scope: LayerScope) -> int | None:
        """Rows of the scope."""
        self.needles = scope.needles
        return await super().count(scope)


PAIRS = [
    pytest.param("高橋健太", "髙橋健太", "{}さんと会議", id="a form in family names"),
    pytest.param("山崎花子", "山﨑花子", "{}さんはお茶が好き", id="one that NFKC does not unify"),
    pytest.param("渡辺美咲", "渡邉美咲", "{}さんに電話", id="one of three forms"),
    pytest.param("張國強", "张国强", "我叫{}。", id="traditional and simplified"),
]
KEPT = "高木さんはチェロを弾く"


@pytest.mark.parametrize(("asked", "written", "text"), PAIRS)
@pytest.mark.parametrize("turned", [False, True], ids=["as given", "the other way round"])
async def test_who_is_written_otherwise_is_found_and_cannot_come_back(
    bench: Erasing, asked: str, written: str, text: str, turned: bool
) -> None:
    """In the store alone, by the blocklist in a new text, and by a scan; nobody else goes."""
    if turned:
        asked, written = written, asked
    await bench.remember("u-1", text.format(written), known=False)
    await bench.remember("u-1", KEPT, mentions=[])
    view = await bench.forget(Target(kind="entity", values=(asked,), entity_type="PERSON"))
    assert (view.state, view.deleted, bench.small.texts()) == ("complete", 1, [KEPT])
    for spelled in (asked, written):
        hits = await bench.means.blocklist.blocked_mentions(
            bench.tenant_id, [f"昨日は{spelled}と話した", KEPT]
        )
        assert [[each.text for each in found] for found in hits] == [[spelled], []]
    await bench.remember("u-2", text.format(written), known=False)
    assert len((await scan(bench.means, bench.tenant_id)).blocked) == 1
    found = await reconcile(bench.means, bench.service, bench.tenant_id, actor=OPERATOR)
    assert (found.by_mention, found.erased, bench.small.texts()) == (1, 1, [KEPT])


async def test_known_under_one_form_found_under_the_other(bench: Erasing) -> None:
    """The index has one entity for both."""
    vault = bench.means.vault
    await bench.remember("u-1", "髙橋健太さんと会議")
    (found,) = await vault.known_mentions(bench.tenant_id, ["高橋健太は来ない"])
    assert [each.text for each in found] == ["高橋健太"]
    one, other = [
        await vault.resolve(bench.tenant_id, name, entity_type="PERSON")
        for name in ("髙橋健太", "高橋健太")
    ]
    assert len(one.certain) == 1
    assert one.certain == other.certain


async def test_layers_are_asked_for_every_form(build) -> None:
    """A layer that compares letter by letter is told all of them."""
    history = Listening("history")
    bench = await build(layers={"history": history})
    await bench.remember("u-1", "高橋健太さんと会議", known=False)
    view = await bench.forget(Target(kind="entity", values=("高橋健太",), entity_type="PERSON"))
    assert view.deleted == 1
    assert {"高橋健太", "髙橋健太"} <= set(history.needles)
    assert ByteNeedles(history.needles).count_bytes("…髙橋健太…".encode()) == 1
