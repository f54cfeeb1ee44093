"""TLS on both sides: agents show certificates, and the store has an authority of its own."""

import asyncio
import http.client
import json
import os
import signal
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from cryptography import x509

from proxy.problems import Problem
from proxy.upstreams.transport import AiohttpTransport, UpstreamRequest
from proxy.upstreams.wire import WireTransport
from tests.e2e.test_serve_with_configuration import ADMIN, CLIENT, Served, served
from tests.support.certificates import Authority, Pair, authority
from tests.support.dev import COMMAND
from tests.support.mem0_store import running_store

pytestmark = pytest.mark.slow
Kind = type[AiohttpTransport] | type[WireTransport]
HOLDER = "uri:spiffe://acme/agent"


@contextmanager
def relay(port: int, pair: Pair) -> Iterator[int]:
    """Speak TLS in front of a plain store on loopback; gives the port."""
    loop, ready, found = asyncio.new_event_loop(), threading.Event(), []

    async def pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
        writer.close()

    async def both(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inner = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(pipe(reader, inner[1]), pipe(inner[0], writer), return_exceptions=True)

    async def start() -> None:
        server = await asyncio.start_server(both, "127.0.0.1", 0, ssl=pair.server_context())
        found.append(server.sockets[0].getsockname()[1])
        ready.set()

    def run() -> None:
        asyncio.set_event_loop(loop)
        loop.run_until_complete(start())
        loop.run_forever()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert ready.wait(10)
    try:
        yield found[0]
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)


def configuration(folder: Path, store_url: str, ca: Authority, server: Pair) -> Path:
    """TLS on every side; variables of the environment that name a proxy lead nowhere."""
    document = {
        "apiVersion": "expunge/v1", "kind": "Config", "state_dir": "state",
        "listen": {"data": "127.0.0.1:0", "control": "127.0.0.1:0", "tls": {
            "certificate": str(server.certificate), "key": str(server.key),
            "client_ca": str(ca.pair.certificate)}},
        "identity": {"certificates": [{"name": HOLDER, "tenant": "acme"}]},
        "upstreams": [{"name": "mem0", "url": store_url, "profiles": ["mem0-oss"],
                       "credential": {"env": "MEM0_KEY"},
                       "tls": {"ca": str(ca.pair.certificate)}}],
        "tenants": [{"name": "acme", "keys": [{"env": "ACME_KEY"}]}],
        "tokens": [{"name": "desk", "secret": {"env": "DESK_TOKEN"},
                    "roles": ["app", "operator", "privacy", "auditor"]}],
        "detection": {"tier": "structured"},
    }  # fmt: skip
    path = folder / "expunge.yaml"
    path.write_text(json.dumps(document))
    return path


def ask(
    url: str, context: ssl.SSLContext, method: str, path: str, body: Any = None, key: str = ""
) -> tuple[int, Any]:
    """One request over TLS."""
    base = urlsplit(url)
    headers = {"Content-Type": "application/json", **({"X-API-Key": key} if key else {})}
    link = http.client.HTTPSConnection(base.hostname or "", base.port, context=context, timeout=60)
    with closing(link):
        link.request(method, path, None if body is None else json.dumps(body), headers)
        reply = link.getresponse()
        return reply.status, json.loads(reply.read())


@pytest.fixture(scope="module")
def ca(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """The operator's own authority."""
    return authority(tmp_path_factory.mktemp("ca"))


@pytest.fixture(scope="module")
def running(ca: Authority, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Expunge between TLS agents and a TLS store, with a proxy in the environment."""
    folder = tmp_path_factory.mktemp("tls")
    server = ca.issue("server")
    dead = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "https_proxy"), "http://127.0.0.1:9")
    with (
        pytest.MonkeyPatch.context() as patch,
        running_store(folder / "store") as store,
        relay(urlsplit(store.url).port or 0, server) as port,
    ):
        for name, value in dead.items():
            patch.setenv(name, value)
        path = configuration(folder, f"https://127.0.0.1:{port}", ca, server)
        with served(path, store.api_key) as one:
            yield one


def agent(ca: Authority, name: str = "spiffe://acme/agent") -> ssl.SSLContext:
    """An agent that shows a certificate."""
    alternatives = [x509.UniformResourceIdentifier(name)]
    return ca.client_context(ca.issue("agent", alternatives=alternatives))


def test_the_certificate_is_the_credential(running: Served, ca: Authority) -> None:
    """Written and read back through TLS to the store, without any key."""
    body = {"messages": [{"role": "user", "content": "The mill stands by the pond."}],
            "user_id": "u-1", "infer": False}  # fmt: skip
    assert running.data.startswith("https://")
    assert ask(running.data, agent(ca), "POST", "/memories", body)[0] == 200
    status, found = ask(running.data, agent(ca), "GET", "/memories?user_id=u-1")
    assert status == 200
    assert "mill" in json.dumps(found)
    assert ask(running.data, agent(ca), "GET", "/memories?user_id=u-1", key=CLIENT)[0] == 200


def test_other_certificates_open_nothing(running: Served, ca: Authority, tmp_path: Path) -> None:
    """Unknown holder: 401; none, or of another authority: no connection."""
    other = agent(ca, "spiffe://globex/agent")
    assert ask(running.data, other, "GET", "/memories?user_id=u-1")[0] == 401
    assert ask(running.data, other, "GET", "/memories?user_id=u-1", key=CLIENT)[0] == 200
    stranger = authority(tmp_path / "stranger", "stranger")
    foreign = ca.client_context(stranger.issue("agent"))
    for context in (ca.client_context(), foreign):
        with pytest.raises((ssl.SSLError, ConnectionError)):
            ask(running.data, context, "GET", "/memories?user_id=u-1")


def test_the_command_line_speaks_tls(running: Served, ca: Authority, tmp_path: Path) -> None:
    """With the authority and a certificate from the environment; without, it cannot connect."""
    shown = ca.issue("desk")
    both = tmp_path / "desk.pem"
    both.write_bytes(shown.certificate.read_bytes() + shown.key.read_bytes())
    plain = {k: v for k, v in os.environ.items() if not k.startswith("EXPUNGE_")}
    known = plain | {"EXPUNGE_CA": str(ca.pair.certificate), "EXPUNGE_CLIENT_CERT": str(both)}
    command = [*COMMAND, "tenant", "list", "--url", running.control, "--token", ADMIN]
    listed = subprocess.run(command, env=known, capture_output=True, text=True, check=False)
    assert (listed.returncode, "acme" in listed.stdout) == (0, True), listed.stderr
    refused = subprocess.run(command, env=plain, capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert "is not trusted" in refused.stderr
    assert "EXPUNGE_CA" in refused.stderr
    unshown = known | {"EXPUNGE_CLIENT_CERT": ""}
    refused = subprocess.run(command, env=unshown, capture_output=True, text=True, check=False)
    assert (refused.returncode, "EXPUNGE_CLIENT_CERT" in refused.stderr) == (1, True), refused
    broken = subprocess.run(command, env=plain | {"EXPUNGE_CA": str(tmp_path / "no.pem")},
                            capture_output=True, text=True, check=False)  # fmt: skip
    assert broken.returncode == 2


@pytest.mark.parametrize("kind", [AiohttpTransport, WireTransport])
async def test_a_store_that_is_not_who_it_says_gets_nothing(
    kind: Kind, ca: Authority, tmp_path: Path
) -> None:
    """Another authority, or a certificate for another name: nothing is sent."""
    stranger = authority(tmp_path / "stranger", "stranger")
    named = ca.issue("elsewhere", alternatives=[x509.DNSName("store.example.org")])
    for pair in (stranger.issue("store"), named):
        with relay(9, pair) as port:
            transport = kind(
                f"https://127.0.0.1:{port}", ("X-API-Key", "secret"), tls=ca.client_context()
            )
            with pytest.raises(Problem) as failed:
                await transport.send(UpstreamRequest("GET", "/memories"))
            assert (failed.value.slug, failed.value.upstream) == (
                "upstream-unreachable", "not_sent",
            )  # fmt: skip
            assert "upstreams[].tls" in (failed.value.hint or "")
            await transport.close()


async def test_only_the_configured_proxy_is_used(
    monkeypatch: pytest.MonkeyPatch, ca: Authority
) -> None:
    """The environment's is not looked at; the configured one gets the request."""
    seen: list[bytes] = []

    async def proxy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append(await reader.readline())
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(proxy, "127.0.0.1", 0)
    address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, address)
    request = UpstreamRequest("GET", "/memories")
    for kind in (AiohttpTransport, WireTransport):
        direct = kind("http://store.invalid", None)
        with pytest.raises(Problem):
            await direct.send(request)
        await direct.close()
    assert seen == []
    through = AiohttpTransport("http://store.invalid", None, http_proxy=address)
    assert (await through.send(request)).status == 200
    assert seen == [b"GET http://store.invalid/memories HTTP/1.1\r\n"]
    await through.close()
    server.close()


def test_it_drains_with_tls(running: Served) -> None:
    """SIGTERM ends it with 0."""
    running.process.send_signal(signal.SIGTERM)
    assert running.process.wait(60) == 0
