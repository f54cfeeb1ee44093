"""``expunge serve --workers 2``: two processes, one policy, one set of keys, each erasure once."""

import http.client
import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from proxy.clock import SystemClock
from tests.e2e.test_serve_with_configuration import ADMIN, CLIENT, Served
from tests.support.dev import COMMAND, START_SECONDS, expunge
from tests.support.mem0_store import RunningStore, running_store

pytestmark = pytest.mark.slow
READY = re.compile(r"Data plane (\S+), control plane (\S+)")
POLICY = "apiVersion: expunge/v1\nkind: Policy\nname: mine\nextends: builtin/dev-observe\n"
_WAIT_SECONDS = 30


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the service keeps its files."""
    return tmp_path_factory.mktemp("workers")


@pytest.fixture(scope="module")
def store(folder: Path) -> Iterator[RunningStore]:
    """A self-hosted Mem0."""
    with running_store(folder / "store") as running:
        yield running


@pytest.fixture(scope="module")
def running(folder: Path, store: RunningStore) -> Iterator[Served]:
    """Two workers on a policy file of their own."""
    (folder / "mine.yaml").write_text(POLICY)
    history = {"reach": "side:sqlite", "path": str(store.history)}
    document = {
        "apiVersion": "expunge/v1", "kind": "Config", "state_dir": "state",
        "listen": {"data": "127.0.0.1:0", "control": "127.0.0.1:0"},
        "upstreams": [{"name": "mem0", "url": store.url, "profiles": ["mem0-oss"],
                       "credential": {"env": "MEM0_KEY"},
                       "layers": {"history": history, "messages": history}}],
        "tenants": [{"name": "acme", "keys": [{"env": "ACME_KEY"}]}],
        "tokens": [{"name": "desk", "secret": {"env": "DESK_TOKEN"},
                    "roles": ["app", "operator", "privacy", "auditor"]}],
        "detection": {"tier": "structured"}, "limits": {"drain": "PT5S"},
        "self_test": {"every": "PT1H"},
        "policy": str(folder / "mine.yaml"),
    }  # fmt: skip
    path = folder / "expunge.yaml"
    path.write_text(json.dumps(document))
    environment = os.environ | {"MEM0_KEY": store.api_key, "ACME_KEY": CLIENT, "DESK_TOKEN": ADMIN}
    log = folder / "log"
    with log.open("w") as sink:
        process = subprocess.Popen(
            [*COMMAND, "serve", "--config", str(path), "--workers", "2"],
            stderr=sink, env=environment, cwd=folder,
        )  # fmt: skip
    try:
        found = eventually(lambda: READY.search(log.read_text()), START_SECONDS, process, log)
        yield Served(process, found[1], found[2])
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.wait(60)


def eventually(
    look: Callable[[], Any],
    seconds: float = _WAIT_SECONDS,
    process: "subprocess.Popen[bytes] | None" = None,
    log: Path | None = None,
) -> Any:
    """What ``look`` gives once it gives something true."""
    deadline = time.monotonic() + seconds
    while not (found := look()):
        text = log.read_text() if log else ""
        assert process is None or process.poll() is None, text
        assert time.monotonic() < deadline, text
        time.sleep(0.1)
    return found


def metrics(running: Served) -> str:
    """The instruments of both workers."""
    base = urlsplit(running.control)
    link = http.client.HTTPConnection(base.hostname or "", base.port, timeout=30)
    link.request("GET", "/metrics")
    text = link.getresponse().read().decode()
    link.close()
    return text


def served_by(text: str) -> dict[str, float]:
    """How many requests each worker has answered."""
    counts = dict.fromkeys(("0", "1"), 0.0)
    for line in text.splitlines():
        found = re.fullmatch(r'expunge_requests_total\{.*worker="(\d)"\} (\S+)', line)
        if found:
            counts[found[1]] += float(found[2])
    return counts


class Both:
    """One connection to each worker: the kernel chooses by connection, so some are opened first."""

    def __init__(self, running: Served) -> None:
        self._links: dict[str, http.client.HTTPConnection] = {}
        base = urlsplit(running.data)
        for _ in range(40):
            before = served_by(metrics(running))
            link = http.client.HTTPConnection(base.hostname or "", base.port, timeout=60)
            self._ask(link, "GET", "/memories?user_id=nobody", None, CLIENT)
            after = served_by(metrics(running))
            worker = next(each for each in after if after[each] > before[each])
            self._links.setdefault(worker, link)
            if len(self._links) == 2:
                return
        raise AssertionError("all connections went to one worker")

    def ask(self, method: str, path: str, body: Any = None, key: str = CLIENT) -> list[Any]:
        """The same request to both: status and JSON of each."""
        return [self.ask_one(each, method, path, body, key) for each in ("0", "1")]

    def ask_one(
        self, worker: str, method: str, path: str, body: Any = None, key: str = CLIENT
    ) -> tuple[int, Any]:
        """A request to one of them."""
        return self._ask(self._links[worker], method, path, body, key)

    @staticmethod
    def _ask(
        link: http.client.HTTPConnection, method: str, path: str, body: Any, key: str
    ) -> tuple[int, Any]:
        headers = {"X-API-Key": key, "Content-Type": "application/json"}
        link.request(method, path, None if body is None else json.dumps(body), headers)
        reply = link.getresponse()
        return reply.status, json.loads(reply.read())


@pytest.fixture(scope="module")
def both(running: Served) -> Both:
    """A connection to each worker."""
    return Both(running)


def written(user: str, text: str) -> dict[str, Any]:
    """The body of a write."""
    return {"messages": [{"role": "user", "content": text}], "user_id": user, "infer": False}


def test_both_serve_and_are_told_apart(running: Served, both: Both) -> None:
    """What one writes the other reads; the instruments carry the worker."""
    assert [s for s, _ in both.ask("POST", "/memories", written("u-1", "A red kite."))] == [200] * 2
    for status, found in both.ask("GET", "/memories?user_id=u-1"):
        assert (status, len(found["results"])) == (200, 2)
    text = metrics(running)
    assert all(count > 0 for count in served_by(text).values())
    assert text.count("# TYPE expunge_requests_total counter") == 1


def test_the_self_test_passes_once(running: Served, folder: Path) -> None:
    """In the first worker alone; the time of it is in the ledger and its age in the metrics."""

    def passed() -> Any:
        with sqlite3.connect(folder / "state" / "ledger.db") as ledger:
            found = ledger.execute("select value from counters where name = 'self-test/last'")
            return found.fetchone()

    assert abs(eventually(passed)[0] - SystemClock().now().timestamp()) < 120
    ages = re.findall(r'expunge_self_test_age_seconds\{worker="(\d)"\} (\S+)', metrics(running))
    assert 0 <= float(dict(ages)["0"]) < 120
    with sqlite3.connect(folder / "state" / "ledger.db") as ledger:
        (count,) = ledger.execute(
            "select count(*) from erasures where reason = 'self_test'"
        ).fetchone()
    assert count == 1


def test_a_policy_swap_reaches_both(running: Served, both: Both, folder: Path) -> None:
    """Within seconds both redact; readiness says that the digests are equal."""
    body = written("u-2", "Write to alva.brenn@example.org today.")
    for status, _ in both.ask("POST", "/memories", body):
        assert status == 200
    (folder / "mine.yaml").write_text(POLICY.replace("dev-observe", "gdpr-default"))

    def redacted() -> bool:
        user = f"u-2-{time.monotonic_ns()}"
        both.ask("POST", "/memories", written(user, "Write to alva.brenn@example.org today."))
        with sqlite3.connect(folder / "store" / "history.db") as history:
            rows = history.execute("select new_memory from history order by rowid desc limit 2")
            return all("alva.brenn@example.org" not in str(row[0]) for row in rows)

    eventually(redacted)
    assert eventually(lambda: ready(running)["ready"])
    parts = ready(running)["parts"]
    assert parts["workers"] is True


def ready(running: Served) -> dict[str, Any]:
    """The readiness of the service."""
    base = urlsplit(running.control)
    link = http.client.HTTPConnection(base.hostname or "", base.port, timeout=30)
    link.request("GET", "/readyz")
    found: dict[str, Any] = json.loads(link.getresponse().read())
    link.close()
    return found


def test_a_revoked_key_stops_in_both(running: Served, both: Both) -> None:
    """Within the few seconds for which a key is remembered."""
    made = running.expunge("tenant", "add-key", "acme", "--json", "--label", "short")
    key = json.loads(made.stdout)["client_key"]
    look = ("GET", "/memories?user_id=u-1", None, key)
    assert [status for status, _ in both.ask(*look)] == [200, 200]
    listed = json.loads(running.expunge("tenant", "keys", "acme", "--json").stdout)["items"]
    key_id = next(item["id"] for item in listed if item["label"] == "short")
    assert running.expunge("tenant", "revoke-key", "acme", key_id).returncode == 0
    eventually(lambda: [status for status, _ in both.ask(*look)] == [401, 401], 10)


def test_an_erasure_is_run_once_and_seen_by_both(
    running: Served, both: Both, tmp_path: Path
) -> None:
    """Found and erased once; nothing is left for either worker."""
    both.ask("POST", "/memories", written("u-3", "The well is deep."))
    done = running.expunge("forget", "owner", "u-3", "--confirm", "confirmed", "--json",
                           "--certificate-dir", str(tmp_path))  # fmt: skip
    result = json.loads(done.stdout)
    memory = next(layer for layer in result["layers"] if layer["layer"] == "memory")
    assert (memory["found"], memory["erased"], memory["residual"]) == (2, 2, 0)
    for status, found in both.ask("GET", "/memories?user_id=u-3"):
        assert (status, found["results"]) == (200, [])


def test_deletes_of_both_at_once_are_each_run_once(running: Served, both: Both) -> None:
    """Each erasure of either worker starts once and is certified once, says the log."""
    both.ask("POST", "/memories", written("u-4", "The barn is red."))
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda each: both.ask_one(each, "DELETE", "/memories?user_id=u-4"),
                              ("0", "1")))  # fmt: skip
    assert {status for status, _ in found} <= {200, 409}
    assert 200 in {status for status, _ in found}
    for status, left in both.ask("GET", "/memories?user_id=u-4"):
        assert (status, left["results"]) == (200, [])
    entries = [json.loads(line) for line in running.expunge("audit", "tail").stdout.splitlines()]
    done = Counter(
        (entry["event"], entry["fields"]["erasure"])
        for entry in entries
        if entry["event"] in {"erasure.started", "erasure.certified"}
    )
    assert done
    assert set(done.values()) == {1}


def test_a_worker_that_dies_is_replaced(running: Served, folder: Path) -> None:
    """The other goes on serving, readiness says that one is away, and then both are there."""
    children = subprocess.run(
        ["pgrep", "-P", str(running.process.pid), "-f", "--", "--number 1"],
        capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    os.kill(int(children[0]), signal.SIGKILL)
    eventually(lambda: not ready(running)["ready"], 10)
    statuses = {running.call("GET", "/memories?user_id=u-1")[0] for _ in range(5)}
    assert statuses == {200}
    assert eventually(lambda: ready(running)["ready"], START_SECONDS)


def test_a_taken_address_is_named(running: Served, folder: Path) -> None:
    """A second service on the same port does not share it."""
    text = (folder / "expunge.yaml").read_text()
    port = urlsplit(running.data).port
    second = folder / "second.yaml"
    text = text.replace('"data": "127.0.0.1:0"', f'"data": "127.0.0.1:{port}"')
    second.write_text(text.replace('"state_dir": "state"', '"state_dir": "other"'))
    environment = {"MEM0_KEY": "k" * 20, "ACME_KEY": CLIENT, "DESK_TOKEN": ADMIN}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        run = expunge("serve", "--config", str(second), "--workers", "2")
    assert run.returncode == 1
    assert f"127.0.0.1:{port}" in run.stderr


def test_all_drain_together(running: Served) -> None:
    """SIGTERM to the supervisor ends every process with 0 and frees the port."""
    running.process.send_signal(signal.SIGTERM)
    assert running.process.wait(60) == 0
    with socket.create_server(("127.0.0.1", urlsplit(running.data).port or 0)):
        pass
