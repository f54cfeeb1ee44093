"""One bare embedded store for the tests that do not restart it, and its callers."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from itertools import count
from typing import Any

import httpx
import pytest

from tests.support.mem0_library import AsyncMemoryClient, MemoryClient
from tests.support.mem0_store import RunningStore, running_store

Sdk = Callable[..., Awaitable[Any]]
_NUMBERS = count(1)


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStore]:
    """A store without a language model."""
    with running_store(tmp_path_factory.mktemp("store") / "data") as running:
        yield running


@pytest.fixture
def user() -> str:
    """An owner that no other test uses."""
    return f"owner-{next(_NUMBERS)}"


@pytest.fixture(params=["sync", "async"])
async def sdk(request: pytest.FixtureRequest, store: RunningStore) -> AsyncIterator[Sdk]:
    """The real SDK, once as MemoryClient and once as AsyncMemoryClient: ``await sdk("add", …)``."""
    if request.param == "sync":
        client = MemoryClient(api_key=store.api_key, host=store.url)

        async def call(method: str, *arguments: Any, **named: Any) -> Any:
            return getattr(client, method)(*arguments, **named)

        yield call
        client.client.close()
        return
    async with AsyncMemoryClient(api_key=store.api_key, host=store.url) as other:
        yield lambda method, *arguments, **named: getattr(other, method)(*arguments, **named)


@pytest.fixture
async def oss(store: RunningStore) -> AsyncIterator[httpx.AsyncClient]:
    """A caller of the open-source server's routes."""
    async with httpx.AsyncClient(base_url=store.url, headers=store.oss_headers) as client:
        yield client


@pytest.fixture
async def platform(store: RunningStore) -> AsyncIterator[httpx.AsyncClient]:
    """A caller of the platform's routes without the SDK."""
    async with httpx.AsyncClient(base_url=store.url, headers=store.platform_headers) as client:
        yield client
