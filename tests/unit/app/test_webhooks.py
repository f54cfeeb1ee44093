"""Webhooks reach public addresses over HTTPS and nothing else."""

import socket

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from proxy.app.webhooks import Webhooks, is_public
from tests.support.ports import deaf_port


@pytest.mark.parametrize(
    ("address", "public"),
    [
        pytest.param("93.184.215.14", True, id="public"),
        pytest.param("2606:4700:4700::1111", True, id="public IPv6"),
        pytest.param("127.0.0.1", False, id="loopback"),
        pytest.param("10.1.2.3", False, id="private"),
        pytest.param("169.254.169.254", False, id="link-local, cloud metadata"),
        pytest.param("100.64.0.1", False, id="carrier-grade"),
        pytest.param("0.0.0.0", False, id="unspecified"),
        pytest.param("224.0.0.1", False, id="multicast"),
        pytest.param("::1", False, id="loopback IPv6"),
        pytest.param("fd00::1", False, id="unique local"),
        pytest.param("fe80::1%eth0", False, id="link-local with a zone"),
        pytest.param("::ffff:127.0.0.1", False, id="mapped"),
        pytest.param("64:ff9b::7f00:1", False, id="behind NAT64"),
        pytest.param("2002:7f00:1::", False, id="6to4"),
    ],
)
def test_only_the_open_internet_is_public(address: str, *, public: bool) -> None:
    """No notation hides an inner address."""
    assert is_public(address) is public


@pytest.mark.parametrize(
    "url",
    [
        pytest.param("http://crm.example.org/hook", id="in the clear"),
        pytest.param("https://user:pass@crm.example.org/hook", id="with credentials"),
        pytest.param("https://127.0.0.1/hook", id="an inner address"),
        pytest.param("https://[::1]/hook", id="an inner IPv6 address"),
        pytest.param("https://localhost/hook", id="a name of an inner address"),
        pytest.param("https:///hook", id="no host"),
        pytest.param("file:///etc/passwd", id="a file"),
        pytest.param("https://[broken/hook", id="no URL"),
    ],
)
async def test_what_may_not_be_called_is_not(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The call ends before a connection is opened."""
    opened: list[object] = []
    monkeypatch.setattr(socket.socket, "connect", lambda *given: opened.append(given))
    assert await Webhooks().post(url, b"{}", {}) is False
    assert opened == []


@pytest.mark.parametrize(
    ("status", "taken"), [(200, True), (204, True), (302, False), (400, False), (503, False)]
)
async def test_only_success_counts_as_taken(status: int, *, taken: bool) -> None:
    """A redirect is not followed, an error is a failure; headers and body arrive as they are."""
    seen: list[tuple[str, bytes]] = []

    async def hook(request: web.Request) -> web.Response:
        seen.append((request.headers["webhook-id"], await request.read()))
        return web.Response(status=status, headers={"Location": "/elsewhere"})

    app = web.Application()
    app.router.add_post("/hook", hook)
    async with TestServer(app) as server:
        url = str(server.make_url("/hook"))
        webhooks = Webhooks(allowed=lambda _: True, schemes=("http",))
        assert await webhooks.post(url, b'{"a":1}', {"webhook-id": "ntc_1"}) is taken
    assert seen == [("ntc_1", b'{"a":1}')]


async def test_a_recipient_that_is_away_is_a_failure() -> None:
    """Nobody listens: no exception, no success."""
    webhooks = Webhooks(allowed=lambda _: True, schemes=("http",))
    with deaf_port() as port:
        assert await webhooks.post(f"http://127.0.0.1:{port}/hook", b"{}", {}) is False
