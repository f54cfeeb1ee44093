"""Random requests through the whole data plane: no crash, no foreign owner, nothing unscanned.

The number of inputs is ``EXPUNGE_TEST_FUZZ_EXAMPLES`` (default 300); hypothesis keeps what failed.
"""

import asyncio
import json
import os
import random
import string
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proxy.clock import FrozenClock
from proxy.gateway import pipeline
from proxy.gateway.answers.restore import reply_of
from proxy.gateway.exchange import Caller, RawCall
from proxy.gateway.request.opening import opened
from proxy.problems import Problem
from proxy.upstreams.transport import UpstreamReply, UpstreamRequest
from tests.support.fault_store import fault_store
from tests.support.gateway import Plane, data_plane
from tests.support.ledger import START

EXAMPLES = int(os.environ.get("EXPUNGE_TEST_FUZZ_EXAMPLES", "300"))
CANARY = "alva.brenn@example.org"
SEPARATORS = ["", " ", "\n", "<", '"', "\\", "：", "(", "\t", "mailto:"]
OWNERS = ["u-1", "U-1", "u-10", "ü", " u-1 ", "*", "", "a/b", "\u0000", "u‐1", "%", "' OR 1=1"]
ROUTES = [
    ("POST", "/v3/memories/add/"), ("POST", "/v1/memories/"), ("POST", "/v3/memories/"),
    ("POST", "/v2/memories/"), ("POST", "/v3/memories/search/"), ("POST", "/v1/memories/search/"),
    ("GET", "/v1/memories/"), ("POST", "/memories"), ("GET", "/memories"), ("POST", "/search"),
    ("PUT", "/v1/memories/11111111-1111-4111-8111-111111111111/"), ("PUT", "/v1/batch/"),
    ("POST", "/v1/feedback/"), ("GET", "/v1/ping/"), ("GET", "/v1/entities/"),
    ("GET", "/memories/11111111-1111-4111-8111-111111111111"),
    ("GET", "/v1/event/11111111-1111-4111-8111-111111111111/"), ("GET", "/entities"),
]  # fmt: skip
NAMES = [
    "messages", "role", "content", "name", "user_id", "agent_id", "run_id", "app_id", "metadata",
    "filters", "AND", "OR", "NOT", "in", "ne", "eq", "query", "text", "memories", "memory_id",
    "expunge", "derived_from", "ref", "contribution", "infer", "expiration_date", "top_k", "type",
    "custom_instructions", "expunge_w", "zz", "$or", "metadata.user_id", "feedback_reason",
]  # fmt: skip

canary = st.builds(
    lambda before, left, right, after: before + left + CANARY + right + after,
    st.text(string.ascii_letters + " ", max_size=12), st.sampled_from(SEPARATORS),
    st.sampled_from([" ", "\n", ">", '"', ")", "\t", ""]), st.sampled_from(["", ". Bye", " ü"]),
)  # fmt: skip
leaf = st.one_of(
    canary, st.none(), st.booleans(), st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8), st.sampled_from(OWNERS), st.sampled_from(["user", "2026-12-01", "*"]),
)  # fmt: skip
key = st.one_of(st.sampled_from(NAMES), canary, st.text(max_size=5))
tree = st.recursive(
    leaf,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(key, inner, max_size=5),
    max_leaves=14,
)
scoped = st.dictionaries(st.sampled_from(NAMES), tree, max_size=6).map(
    lambda found: {"user_id": "u-1", "messages": [{"role": "user", "content": CANARY}], **found}
)
filtered = st.tuples(tree, tree).map(
    lambda pair: {"query": CANARY, "filters": {"user_id": "u-1", "x": pair[0]}, "zz": pair[1]}
)
bodies = st.one_of(scoped, filtered, tree)
queries = st.lists(
    st.tuples(st.sampled_from(["user_id", "page", "query", "filters", "zz"]), leaf.map(str)),
    max_size=3,
)


class Recording:
    """Instead of the wire: remembers what was sent and answers with something random."""

    def __init__(self) -> None:
        self.sent: list[UpstreamRequest] = []
        self.dice = random.Random(7)

    async def send(self, request: UpstreamRequest) -> UpstreamReply:
        self.sent.append(request)
        item = {"id": "11111111-1111-4111-8111-111111111111", "memory": "x", "user_id": "u-1"}
        body = self.dice.choice([{"results": [item]}, [item], item, None, {}, {"results": "x"}, 7])
        return UpstreamReply(self.dice.choice([200, 200, 404]), (), json.dumps(body).encode())

    async def close(self) -> None:
        """Nothing to give back."""


@pytest.fixture(scope="module")
def running(
    tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path
) -> Iterator[tuple[asyncio.Runner, Plane, Recording]]:
    """A data plane whose store is the recording."""
    wire = Recording()
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()

        async def start() -> Plane:
            store = await stack.enter_async_context(fault_store())
            folder = tmp_path_factory.mktemp("fuzz")
            plane = await stack.enter_async_context(
                data_plane(folder, store.url, "k", sqlite_template, FrozenClock(START))
            )
            for dialect in plane.services.stores["mem0"].dialects:
                object.__setattr__(dialect, "transport", wire)
            plane.services.stores["mem0"].store._transport = wire
            return plane

        yield runner, runner.run(start()), wire
        runner.run(stack.aclose())


async def take(plane: Plane, method: str, target: str, body: bytes) -> int:
    """One request without sockets; the status."""
    raw = RawCall(method, target, (("Content-Type", "application/json"),), body, "http://x", "peer")
    services = plane.services
    plane.services.throttle._buckets.clear()
    try:
        caller = Caller(plane.tenants["acme"], frozenset({"app"}), "key_1")
        exchange = await opened(raw, caller, services)
        await pipeline.run(exchange, services)
    except Problem as problem:
        return problem.status
    return reply_of(exchange).status


@pytest.mark.timeout(300 + EXAMPLES // 20)
@settings(
    max_examples=EXAMPLES, deadline=None, print_blob=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)  # fmt: skip
@given(route=st.sampled_from(ROUTES), pairs=queries, body=bodies)
def test_no_random_request_slips_through(
    running: tuple[asyncio.Runner, Plane, Recording],
    route: tuple[str, str],
    pairs: list[tuple[str, str]],
    body: Any,
) -> None:
    """The canary never reaches the store, no client id does, and nothing crashes."""
    from urllib.parse import urlencode

    runner, plane, wire = running
    wire.sent.clear()
    method, path = route
    target = path + ("?" + urlencode(pairs, errors="surrogatepass") if pairs else "")
    try:
        content = b"" if method == "GET" else json.dumps(body).encode()
    except UnicodeEncodeError:
        return
    status = runner.run(take(plane, method, target, content))
    assert status < 600
    for request in wire.sent:
        sent = (request.target + request.body.decode()).casefold()
        assert "alva.brenn" not in sent
        for owner in _owners_in(request):
            assert owner.startswith(_prefix(runner, plane)), "an owner id of the client went out"


def _prefix(runner: asyncio.Runner, plane: Plane) -> str:
    from proxy.ledger import owners

    return owners.prefix(runner.run(plane.services.keyring.tenant(plane.tenants["acme"]))) + "-"


def _owners_in(request: UpstreamRequest) -> list[str]:
    """Owner ids where the store looks for them: top level, filters and their groups."""
    body = json.loads(request.body) if request.body else None
    platform = request.target.startswith(("/v1/", "/v2/", "/v3/"))
    fields = ("user_id", "agent_id", "run_id", *(("app_id",) if platform else ()))
    found: list[str] = []
    stack = [(body, False), (body.get("filters"), True)] if isinstance(body, dict) else []
    while stack:
        part, is_filter = stack.pop()
        if isinstance(part, dict):
            found += [part[name] for name in fields if isinstance(part.get(name), str)]
            groups = [part.get(name) for name in ("AND", "OR", "NOT")] if is_filter else []
            listed = [[group] if isinstance(group, dict) else group for group in groups]
            stack += [(each, True) for group in listed for each in group or []]
    return found
