"""The control API against its own OpenAPI document, by schemathesis: no 5xx, nothing undocumented.

Inputs for each operation: ``EXPUNGE_TEST_API_EXAMPLES`` (default 6).
"""

import asyncio
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from aiohttp import web
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import checks
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from proxy.clock import FrozenClock
from proxy.control.openapi import document
from proxy.control.routes import ROUTES
from proxy.control.server import build_control_app
from proxy.erasure.search.target import Target
from proxy.keys.file import FileKek
from proxy.keys.ring import KeyRing
from proxy.ledger.engine import Ledger
from tests.support.control import bearer, bench_of, services_of
from tests.support.ledger import START

EXAMPLES = int(os.environ.get("EXPUNGE_TEST_API_EXAMPLES", "6"))
CHECKS = [
    checks.not_a_server_error, status_code_conformance, content_type_conformance,
    response_schema_conformance,
]  # fmt: skip
NAMES = [route.name for route in ROUTES]


@dataclass(frozen=True)
class Api:
    """A control plane that answers on loopback, and ids of things it knows."""

    url: str
    headers: dict[str, str]
    known: dict[str, list[str]]


async def _open(folder: Path, template: Path, opened: AsyncExitStack) -> Api:
    shutil.copy(template, folder / "ledger.db")
    clock = FrozenClock(START)
    ledger = await Ledger.open(f"sqlite+aiosqlite:///{folder}/ledger.db")
    opened.push_async_callback(ledger.close)
    keyring = await KeyRing.open(ledger, FileKek(folder / "keys" / "kek.json"), clock)
    opened.push_async_callback(keyring.close)
    tenant_id = await ledger.write(lambda tx: keyring.create_tenant(tx, "acme"))
    bench = await bench_of(ledger, keyring, tenant_id, clock, folder)
    memory = await bench.remember("u-1", "The ferry leaves at nine.")
    await bench.remember("u-2", "Likes jasmine tea.")
    done = await bench.forget(Target(kind="owner", values=("u-2",)))
    services = services_of(bench)
    headers = await bearer(services, "app", "operator", "privacy", "auditor")
    runner = web.AppRunner(build_control_app(services, ROUTES), access_log=None)
    await runner.setup()
    opened.push_async_callback(runner.cleanup)
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    known = {"erasures": [done.id, done.reference], "memories": [str(memory)],
             "tenants": ["acme", "nobody"], "audit": ["0", "1"]}  # fmt: skip
    return Api(f"http://127.0.0.1:{runner.addresses[0][1]}", headers, known)


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> Iterator[Api]:
    """The control plane in a thread with an event loop of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    opened = AsyncExitStack()
    work = _open(tmp_path_factory.mktemp("api"), sqlite_template, opened)
    yield asyncio.run_coroutine_threadsafe(work, loop).result(60)
    asyncio.run_coroutine_threadsafe(opened.aclose(), loop).result(60)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(10)
    loop.close()


@pytest.fixture(scope="module")
def schema(api: Api) -> Any:
    """The document, as schemathesis reads it."""
    read = schemathesis.openapi.from_dict(document(ROUTES))
    read.location = f"{api.url}/openapi.json"
    return read


@pytest.mark.parametrize("name", NAMES)
def test_an_operation_keeps_to_its_description(name: str, api: Api, schema: Any) -> None:
    """Generated requests, right and wrong, with unknown and known ids: always as documented."""
    operation = schema.find_operation_by_id(name)

    @settings(max_examples=EXAMPLES, deadline=None, database=None, derandomize=True,
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(case=operation.as_strategy(), choice=st.integers(0, 3))
    def holds(case: Any, choice: int) -> None:
        known = api.known.get(case.path.split("/")[2] if case.path.count("/") > 1 else "", [])
        for parameter in case.path_parameters or {}:
            if choice < len(known):
                case.path_parameters[parameter] = known[choice]
        sent = {key: value for key, value in (case.headers or {}).items()
                if key.lower() not in {"authorization", "idempotency-key"}}  # fmt: skip
        sent["Expunge-Tenant"] = "acme"
        case.headers = sent
        reply = case.call(base_url=api.url, headers=api.headers, timeout=60)
        case.validate_response(reply, checks=CHECKS, headers=api.headers)

    holds()


def test_the_document_is_a_valid_one(schema: Any) -> None:
    """OpenAPI 3.1, and every route is in it."""
    schema.validate()
    listed = {one.ok().definition.raw["operationId"] for one in schema.get_all_operations()}
    assert listed == set(NAMES) - {"describe"}  # schemathesis leaves the document's own route out
