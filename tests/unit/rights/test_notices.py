"""Notices to other owners: pulled by them, delivered once, and silent about what went."""

import json
from datetime import timedelta

from proxy.clock import FrozenClock
from proxy.erasure.search.target import Target
from proxy.rights.notices import notices
from proxy.tokens.vault import Mention
from tests.support.control import bearer, client_of, services_of
from tests.support.erasing import Erasing

ALVA = [Mention("PERSON", "Alva Brenn")]


async def test_who_shared_something_is_told_when_they_ask(
    bench: Erasing, clock: FrozenClock
) -> None:
    """The other owner sees one notice with the reference; whoever shared nothing sees none."""
    await bench.remember("u-1", "Alva Brenn told me about her knee", mentions=ALVA)
    await bench.remember("u-2", "Likes jasmine tea", mentions=[])
    view = await bench.forget(Target(kind="entity", values=("Alva Brenn",), entity_type="PERSON"))
    first = clock.now()
    (notice,) = await notices(bench.means, bench.tenant_id, ("user", "u-1"))
    assert (notice.kind, notice.reference) == ("shared_context", view.reference)
    clock.advance(timedelta(days=1))
    (again,) = await notices(bench.means, bench.tenant_id, ("user", "u-1"))
    assert again.first_read_at == first
    assert "Brenn" not in json.dumps(again.body())
    async with client_of(services_of(bench)) as client:
        found = services_of(bench)
        headers = await bearer(found, "app")
        asked = await client.post("/v1/subjects", json={"owner": "u-1"}, headers=headers)
        ref = (await asked.json())["items"][0]["ref"]
        told = await client.get("/v1/notices", params={"owner": ref}, headers=headers)
        assert (await told.json())["items"] == [again.body()]
        for query, status in (({"owner": "own_absent"}, 404), ({}, 400), ({"owner": "u-1"}, 404)):
            assert (await client.get("/v1/notices", params=query, headers=headers)).status == status
    assert await notices(bench.means, bench.tenant_id, ("user", "u-2")) == []
    assert await notices(bench.means, bench.tenant_id, ("user", "nobody")) == []
