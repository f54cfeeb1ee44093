"""kill -9 between a write's answer and the commit of its result: nothing lost, nothing double."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection, RemoteDisconnected
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.support.dev import COMMAND
from tests.support.mem0_store import RunningStore, running_store

pytestmark = pytest.mark.slow
KEY = "exk_" + "k" * 32
READY = re.compile(r"Data plane (\S+), control plane (\S+)")
SECONDS = 180  # a loaded machine takes long to start
TEXT = "The rye bread is in the blue box."
SEARCH = {"query": "rye bread", "filters": {"user_id": "u-1"}}


class Relay:
    """Hands requests on to a real Mem0; ``added`` is called once it has kept a memory."""

    def __init__(self, store: RunningStore) -> None:
        self.added: Callable[[], None] = lambda: None
        relay, address = self, urlsplit(store.url).netloc

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _relay(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                with closing(HTTPConnection(address, timeout=SECONDS)) as connection:
                    connection.request(self.command, self.path, body, dict(self.headers))
                    reply = connection.getresponse()
                    said = reply.read()
                if (self.command, self.path) == ("POST", "/memories"):
                    relay.added()
                self.send_response(reply.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(said)))
                self.end_headers()
                self.wfile.write(said)

            do_GET = do_POST = do_DELETE = _relay  # noqa: N815

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def relay(tmp_path: Path) -> Iterator[tuple[Relay, str]]:
    """A real Mem0 behind a relay, and its key."""
    with running_store(tmp_path / "store") as store, closing(Relay(store)) as found:
        yield found, store.api_key


@contextmanager
def served(
    folder: Path, store: str, store_key: str
) -> Iterator[tuple["subprocess.Popen[bytes]", str]]:
    """A lone ``expunge serve``, and where it listens."""
    document = {
        "apiVersion": "expunge/v1", "kind": "Config", "state_dir": str(folder / "state"),
        "listen": {"data": "127.0.0.1:0", "control": "127.0.0.1:0"},
        "upstreams": [{"name": "mem0", "url": store, "profiles": ["mem0-oss"],
                       "credential": {"env": "MEM0_KEY"}}],
        "tenants": [{"name": "acme", "keys": [{"env": "ACME_KEY"}]}],
        "detection": {"tier": "structured"},
    }  # fmt: skip
    path, log = folder / "expunge.yaml", folder / "serve.log"
    path.write_text(json.dumps(document))
    with log.open("w") as sink:
        process = subprocess.Popen(
            [*COMMAND, "serve", "--config", str(path)], stderr=sink,
            env=os.environ | {"MEM0_KEY": store_key, "ACME_KEY": KEY},
        )  # fmt: skip
    try:
        yield process, _ready(process, log)
    finally:
        process.kill()
        process.wait(SECONDS)


def _ready(process: "subprocess.Popen[bytes]", log: Path) -> str:
    until = time.monotonic() + SECONDS
    while (said := READY.search(log.read_text())) is None:
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < until, log.read_text()
        time.sleep(0.05)
    return said[1]


def call(url: str, method: str, path: str, body: Any = None) -> tuple[int, Any]:
    """One request of the open-source dialect."""
    with closing(HTTPConnection(urlsplit(url).netloc, timeout=SECONDS)) as connection:
        headers = {"X-API-Key": KEY, "Content-Type": "application/json"}
        connection.request(method, path, json.dumps(body), headers)
        reply = connection.getresponse()
        return reply.status, json.loads(reply.read())


def add(url: str) -> tuple[int, Any]:
    """One write."""
    body = {"messages": [{"role": "user", "content": TEXT}], "user_id": "u-1", "infer": False}
    return call(url, "POST", "/memories", body)


def states(lock: sqlite3.Connection) -> list[str]:
    """How all writes stand."""
    return [state for (state,) in lock.execute("SELECT state FROM writes")]


@pytest.mark.parametrize("answered", [True, False])
def test_killed_before_the_result_is_recorded(
    tmp_path: Path, relay: tuple[Relay, str], answered: bool
) -> None:
    """The intent is there, and the stamp at the store: whoever asks next sees the memory, once."""
    between, store_key = relay
    with served(tmp_path, between.url, store_key) as (process, url):
        (ledger,) = (tmp_path / "state").rglob("*.db")
        with closing(sqlite3.connect(ledger, timeout=SECONDS, isolation_level=None,
                                     check_same_thread=False)) as lock:  # fmt: skip

            def added() -> None:
                lock.execute("BEGIN IMMEDIATE")  # the intent is in, and nothing follows it
                if not answered:
                    process.send_signal(signal.SIGKILL)

            between.added = added
            if answered:
                assert add(url)[0] == 200
                process.send_signal(signal.SIGKILL)
            else:
                with pytest.raises((RemoteDisconnected, ConnectionError)):
                    add(url)
            process.wait(SECONDS)
            lock.execute("ROLLBACK")
            assert states(lock) == ["intended"]
            between.added = lambda: None
            with served(tmp_path, between.url, store_key) as (_, again):
                _, found = call(again, "POST", "/search", SEARCH)
                (item,) = found["results"]
                assert item["memory"] == TEXT
                assert call(again, "GET", f"/memories/{item['id']}")[0] == 200
                assert states(lock) == ["settled"]
                assert lock.execute(
                    "SELECT count(*), count(write_id) FROM memories"
                ).fetchall() == [(1, 1)]
