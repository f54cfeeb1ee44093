"""``expunge serve`` in front of a store that somebody else runs: the OSS dialect, from a file."""

import http.client
import json
import os
import re
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.support.dev import COMMAND, START_SECONDS, expunge
from tests.support.mem0_store import RunningStore, running_store

pytestmark = pytest.mark.slow
CLIENT, ADMIN = "exk_" + "c" * 32, "xpc_" + "a" * 32
READY = re.compile(r"Data plane (\S+), control plane (\S+)")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStore]:
    """A self-hosted Mem0."""
    with running_store(tmp_path_factory.mktemp("mem0") / "store") as running:
        yield running


def configuration(
    folder: Path,
    store: RunningStore,
    *,
    layers: bool = True,
    server: str = "httptools",
    grace: str = "PT1S",
) -> Path:
    """A configuration file as an operator writes it."""
    folder.mkdir(parents=True, exist_ok=True)
    history = {"reach": "side:sqlite", "path": str(store.history)}
    document = {
        "apiVersion": "expunge/v1", "kind": "Config", "state_dir": "state",
        "listen": {"data": "127.0.0.1:0", "control": "127.0.0.1:0", "base_path": "/-/expunge",
                   "server": server},
        "upstreams": [{
            "name": "mem0", "url": store.url, "profiles": ["mem0-oss"],
            "credential": {"env": "MEM0_KEY"},
            "layers": {"history": history, "messages": history} if layers else {},
        }],
        "tenants": [{"name": "acme", "keys": [{"env": "ACME_KEY"}]}],
        "tokens": [{"name": "desk", "secret": {"env": "DESK_TOKEN"},
                    "roles": ["app", "operator", "privacy", "auditor"]}],
        "detection": {"tier": "fast"},
        "limits": {"grace": grace},
    }  # fmt: skip
    path = folder / "expunge.yaml"
    path.write_text(json.dumps(document))
    return path


def ends_after_chunks(url: str) -> bool:
    """Whether the connection ends after a body in chunks: that of aiohttp's listener does."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=60)
    with closing(connection):
        headers = {"X-API-Key": CLIENT, "Content-Type": "application/json",
                   "Transfer-Encoding": "chunked"}  # fmt: skip
        search = json.dumps({"query": "well", "filters": {"user_id": "u-9"}}).encode()
        connection.request("POST", "/search", iter([search]), headers, encode_chunked=True)
        answer = connection.getresponse()
        assert answer.status == 200
        return answer.getheader("Connection") == "close"


class Served:
    """A running expunge serve."""

    def __init__(self, process: "subprocess.Popen[bytes]", data: str, control: str) -> None:
        self.process, self.data, self.control = process, data, control

    def call(self, method: str, path: str, body: Any = None, key: str = CLIENT) -> tuple[int, Any]:
        """A request of the open-source dialect."""
        raw = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.data + path, data=raw, method=method)
        request.add_header("X-API-Key", key)
        request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=60) as reply:
                return reply.status, json.loads(reply.read())
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read())

    def expunge(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """A command against it."""
        return expunge(*arguments, "--url", self.control, "--token", ADMIN)


@contextmanager
def served(path: Path, store_key: str) -> Iterator[Served]:
    """Start expunge serve and wait until it says that it is ready."""
    environment = os.environ | {"MEM0_KEY": store_key, "ACME_KEY": CLIENT, "DESK_TOKEN": ADMIN}
    log = path.with_suffix(".log")
    with log.open("w") as sink:
        process = subprocess.Popen(
            [*COMMAND, "serve", "--config", str(path)], stderr=sink, env=environment
        )
    try:
        yield _ready(process, log)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.wait(60)


def _ready(process: "subprocess.Popen[bytes]", log: Path) -> Served:
    deadline = time.monotonic() + START_SECONDS
    while (found := READY.search(log.read_text())) is None:
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.1)
    return Served(process, found[1], found[2])


def test_serve_forgets_in_a_self_hosted_store(store: RunningStore, tmp_path: Path) -> None:
    """Written through the OSS routes, forgotten with every reachable layer, drained on SIGTERM."""
    with served(configuration(tmp_path / "a", store), store.api_key) as running:
        assert running.control.endswith("/-/expunge")
        body = {"messages": [{"role": "user", "content": "Orla Quist tunes the organ."}],
                "user_id": "u-1", "infer": False}  # fmt: skip
        assert running.call("POST", "/memories", body)[0] == 200
        assert "organ" in json.dumps(running.call("GET", "/memories?user_id=u-1")[1])
        assert running.call("GET", "/memories?user_id=u-1", key="exk_wrong")[0] == 401
        assert not ends_after_chunks(running.data)
        status, refused = running.call("POST", "/configure", {})
        assert (status, refused["upstream"]) == (403, "not_sent")
        done = running.expunge("forget", "owner", "u-1", "--confirm", "confirmed", "--json",
                               "--certificate-dir", str(tmp_path))  # fmt: skip
        assert done.returncode in {0, 4}, done.stderr
        layers = {layer["layer"]: layer for layer in json.loads(done.stdout)["layers"]}
        assert layers["memory"]["status"] == "erased"
        assert layers["history"]["residual"] == 0
        assert running.call("GET", "/memories?user_id=u-1")[1]["results"] == []
        assert b"organ" not in store.history.read_bytes()
        started = time.monotonic()
        running.process.send_signal(signal.SIGTERM)
        assert running.process.wait(60) == 0
        assert time.monotonic() - started < 30


def test_who_sends_until_the_grace_is_over_is_answered(store: RunningStore, tmp_path: Path) -> None:
    """From the stop signal on it is not ready, yet answers; then it ends with 0."""
    path = configuration(tmp_path / "g", store, grace="PT15S")
    with served(path, store.api_key) as running:
        running.process.send_signal(signal.SIGTERM)
        while readiness(running.control) != 503:
            assert running.process.poll() is None
        for _ in range(3):
            assert running.call("GET", "/memories?user_id=u-9")[0] == 200
        assert running.process.wait(90) == 0


def readiness(url: str) -> int:
    """What /readyz says."""
    try:
        with urllib.request.urlopen(f"{url}/readyz", timeout=60) as reply:
            return int(reply.status)
    except urllib.error.HTTPError as error:
        return error.code


def test_unreached_layers_make_it_incomplete(store: RunningStore, tmp_path: Path) -> None:
    """Without access to the history the erasure says so and ends with 4, over either listener."""
    path = configuration(tmp_path / "b", store, layers=False, server="aiohttp")
    with served(path, store.api_key) as running:
        assert ends_after_chunks(running.data)
        body = {"messages": [{"role": "user", "content": "The well is deep."}],
                "user_id": "u-2", "infer": False}  # fmt: skip
        assert running.call("POST", "/memories", body)[0] == 200
        done = running.expunge("forget", "owner", "u-2", "--confirm", "confirmed", "--json",
                               "--certificate-dir", str(tmp_path))  # fmt: skip
        assert done.returncode == 4, done.stdout
        result = json.loads(done.stdout)
        assert result["state"] == "incomplete"
        left = {layer["layer"] for layer in result["layers"] if layer["status"] == "residual"}
        assert "history" in left


def test_doctor_names_a_refused_credential(store: RunningStore, tmp_path: Path) -> None:
    """A wrong store key: writes fail as problems, doctor says where to look, exit 1."""
    with served(configuration(tmp_path / "c", store), "m0-wrong-key-wrong-key") as running:
        body = {"messages": [{"role": "user", "content": "Hello."}], "user_id": "u-3",
                "infer": False}  # fmt: skip
        status, problem = running.call("POST", "/memories", body)
        assert status >= 400
        assert problem
        checked = running.expunge("doctor", "--no-canary", "--json")
        assert checked.returncode == 1
        items = {item["name"]: item for item in json.loads(checked.stdout)["items"]}
        assert items["store mem0"]["status"] == "failed"
        assert "credential" in items["store mem0"]["hint"]


def test_doctor_without_a_service_tries_everything_itself(
    store: RunningStore, tmp_path: Path
) -> None:
    """The store answers, a layer is not there, no canary is planted: exit 1, nothing is made."""
    (tmp_path / "e").mkdir()
    keys = {"mem0": store.api_key, "acme": CLIENT, "desk": ADMIN}
    for name, value in keys.items():
        (tmp_path / "e" / name).write_text(value)
    path = configuration(tmp_path / "e", store)
    document = json.loads(path.read_text())
    document["upstreams"][0]["credential"] = {"file": "mem0"}
    document["upstreams"][0]["layers"]["messages"]["path"] = str(tmp_path / "nosuch.db")
    document["tenants"][0]["keys"] = [{"file": "acme"}]
    document["tokens"][0]["secret"] = {"file": "desk"}
    path.write_text(json.dumps(document))
    checked = expunge("doctor", "--config", str(path), "--json")
    assert checked.returncode == 1
    items = {item["name"]: item for item in json.loads(checked.stdout)["items"]}
    wanted = {"configuration": "ok", "policy builtin/gdpr-default": "ok", "store mem0": "ok",
              "detection": "ok", "layer mem0/history": "ok", "layer mem0/messages": "failed",
              "canary": "warning"}  # fmt: skip
    assert {name: items[name]["status"] for name in wanted} == wanted
    assert "nosuch.db" in items["layer mem0/messages"]["hint"]
    assert not (tmp_path / "e" / "state").exists()


def test_bare_doctor_says_that_it_checked_nothing() -> None:
    """Without a configuration or a service it ends with 1 and the list of what it left out."""
    checked = expunge("doctor")
    assert checked.returncode == 1
    assert "Not checked" in checked.stdout


def test_mistakes_in_the_file_end_with_three(tmp_path: Path) -> None:
    """All of them, each with its line."""
    path = tmp_path / "expunge.yaml"
    path.write_text("apiVersion: expunge/v1\nkind: Config\nupstreems: []\nlimits: {body: much}\n")
    run = expunge("serve", "--config", str(path))
    assert run.returncode == 3
    assert "expunge.yaml:3: upstreems: unknown key (did you mean 'upstreams'?)" in run.stderr
    assert "limits.body" in run.stderr


def test_missing_secret_ends_plainly(store: RunningStore, tmp_path: Path) -> None:
    """A reference to nothing: exit 3, the reference is named."""
    run = expunge("serve", "--config", str(configuration(tmp_path / "d", store)))
    assert run.returncode == 3
    assert "MEM0_KEY" in run.stderr
