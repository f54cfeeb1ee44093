"""A service over two stores, of which the second one may be away."""

import base64
import json
from datetime import timedelta
from typing import Any

import pytest

from proxy.clock import FrozenClock
from proxy.erasure.search.target import Target
from proxy.erasure.view import ErasureView
from proxy.problems import Problem
from proxy.tokens.vault import Mention
from tests.support.erasing import OPERATOR, Erasing
from tests.support.small_store import SmallStore

DOWN = Problem("upstream-unreachable", "The store cannot be reached.", upstream="not_sent")
PERSON = Target(kind="entity", values=("Alva Brenn",), entity_type="PERSON")
OWNER = Target(kind="owner", values=("u-1",))
HERS = [Mention("PERSON", "Alva Brenn")]
AWAY = [
    pytest.param((), id="answers nothing"),
    pytest.param(("list",), id="fails while it is read"),
]


class Two:
    """A service over two stores; the second one may be away."""

    def __init__(
        self, bench: Erasing, one: SmallStore, two: SmallStore, clock: FrozenClock
    ) -> None:
        self.bench, self.one, self.two, self.clock = bench, one, two, clock

    def away(self, *verbs: str) -> None:
        """The second store answers nothing, or not to these calls."""
        self.two.fault = lambda verb, _: DOWN if not verbs or verb in verbs else None

    def back(self) -> None:
        """It answers again."""
        self.two.fault = lambda verb, subject: None

    async def plant(self, owner: str, text: str, **metadata: Any) -> str:
        """Put a memory into the second store."""
        return self.two.plant(text, metadata, user_id=await self.bench.upstream_id(owner))

    async def planned(self, target: Target, **request: Any) -> ErasureView:
        """A plan that is shown."""
        request.setdefault("actor", OPERATOR)
        return await self.bench.service.request(self.bench.tenant_id, target, **request)

    async def confirm(self, view: ErasureView) -> ErasureView:
        """Confirm as shown, and carry out as far as it goes."""
        await self.bench.service.confirm(
            self.bench.tenant_id, view.id, word="confirmed", token=view.token, actor=OPERATOR
        )
        return await self.bench.service.run(self.bench.tenant_id, view.id)

    async def later(self, view: ErasureView, minutes: int = 15) -> ErasureView:
        """What the worker makes of it, some time later."""
        self.clock.advance(timedelta(minutes=minutes))
        await self.bench.service.run_due()
        return await self.bench.service.get(self.bench.tenant_id, view.id)

    async def signed(self, view: ErasureView) -> dict[str, Any]:
        """What the certificate says."""
        bundle = await self.bench.service.certificate(self.bench.tenant_id, view.id)
        said = json.loads(base64.b64decode(json.loads(bundle.dsse)["payload"]))["predicate"]
        assert isinstance(said, dict)
        return said
