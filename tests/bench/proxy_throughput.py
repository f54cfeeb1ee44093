"""What the hop costs: one run, one upstream, Expunge beside nginx and the least of aiohttp.

Run with ``python -m tests.bench.proxy_throughput``; needs ``nginx`` and ``wrk`` (Debian:
``apt-get install nginx-light wrk``). Reads are answered by a static nginx, so that the upstream is
never what is measured; lists go round 64 owners. ``read`` is one search asked again and again, as
agents do at each turn; ``anew`` is one that is never quite the same and is understood anew each
time (a list is asked again after 64 others). ``write`` keeps a text that names nobody, ``told`` one
with a phone number that nobody has told before; both are also measured beside detection alone.
Rounds of all fronts are made in turn, so that a slow moment of the machine hits all of them. Two
workers are measured beside one, with nginx's two beside its one: load, store and front share the
processors, so the ratio of the one is read beside the other and beside its ``ceiling``. ``own_us``
is what the front's own processes spend on a request; while others use the machine, it says more
than the clock. ``--short`` measures two routes in under three minutes and keeps nothing.
"""

import argparse
import json
import os
import platform
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.bench import proxy_nginx as nginx
from tests.bench import proxy_peers as peers
from tests.bench import proxy_ratios as ratios
from tests.bench import proxy_writes as writes
from tests.bench.proxy_cost import spent
from tests.bench.proxy_ratios import SCALED, WORKERS
from tests.bench.proxy_writes import SENTENCE, TOLD
from tests.support.dev import COMMAND

RESULTS = Path(__file__).parent / "results" / "proxy_throughput.json"
KEY = "exk_" + "b" * 32
HEADERS = {"X-API-Key": KEY, "Content-Type": "application/json"}
WRITES = 200  # of each kind beside detection alone
OWNERS, ITEMS = 64, 10
CONNECTIONS = (1, 32)
SERIAL = (writes.FIRST, writes.NUMBERS)
CONFIG = {"apiVersion": "expunge/v1", "kind": "Config"}
POLICY = """apiVersion: expunge/v1
kind: Policy
name: bench
extends: builtin/gdpr-default
read:
  rates: {tenant: null, owner: null}
"""
LUA = """
wrk.method, wrk.body = "%s", %s
wrk.headers["Content-Type"] = "application/json"
wrk.headers["X-API-Key"] = "%s"
if "%s" == "chat" then wrk.headers["Authorization"] = "Bearer sk-bench" end
local targets, bodies, turn = {%s}, {%s}, math.random(1000)
request = function()
  turn = turn + 1
  local body = bodies[turn %% #bodies + 1]
  if body ~= nil then
    local n = %d + turn
    body = body:gsub("{n}", tostring(%d + n %% %d)):gsub("{k}", tostring(turn %% 9000 + 1))
    body = body:gsub("{p}", string.format("+1 212 %%d %%04d",
      200 + math.floor(n / 10000) %% 800, n %% 10000))
  end
  return wrk.format(nil, targets[turn %% #targets + 1], nil, body)
end
done = function(summary, latency)
  local e = summary.errors
  io.write(string.format("RESULT %%d %%d %%d %%d %%d\\n", summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99),
    e.connect + e.read + e.write + e.status + e.timeout))
end
"""


@dataclass(frozen=True, slots=True)
class Route:
    """One kind of request: its targets and bodies are gone round."""

    name: str
    method: str
    targets: tuple[str, ...]
    bodies: tuple[str, ...] = ()


@dataclass(slots=True)
class Measured:
    """Rounds of one front on one route with one number of connections."""

    rates: list[float] = field(default_factory=list)  # requests a second
    p50: list[float] = field(default_factory=list)  # microseconds
    p99: list[float] = field(default_factory=list)
    busy: list[float] = field(default_factory=list)  # microseconds of all processors a request
    own: list[float] = field(default_factory=list)  # the same of the front's own processes
    errors: int = 0

    def plain(self) -> dict[str, float]:
        """Medians of the rounds."""
        return {
            "per_second": round(statistics.median(self.rates), 1),
            "p50_us": round(statistics.median(self.p50), 1),
            "p99_us": round(statistics.median(self.p99), 1),
            "busy_us": round(statistics.median(self.busy), 1),
            "own_us": round(statistics.median(self.own), 1),
            "errors": self.errors,
        }


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running(
    *command: str, port: int, cwd: Path | None = None, **environment: str
) -> Iterator[subprocess.Popen[bytes]]:
    """A process that listens at a port."""
    process = subprocess.Popen(
        command,
        cwd=cwd,
        env=os.environ | environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(port, process)
        yield process
    finally:
        process.terminate()
        process.wait(60)


def wait_for(port: int, process: "subprocess.Popen[bytes]", seconds: float = 180) -> None:
    """Wait until a port answers."""
    until = time.monotonic() + seconds
    while time.monotonic() < until and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise SystemExit(f"nothing listens at port {port}")


def call(port: int, method: str, target: str, body: Any = None) -> bytes:
    """One request."""
    raw = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}{target}", data=raw, method=method)
    request.add_header("X-API-Key", KEY)
    request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request, timeout=60) as reply:
        found: bytes = reply.read()
        return found


def busy_seconds() -> float:
    """Seconds that all processors of the machine have worked."""
    parts = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]
    user, nice, system, _, _, interrupts, soft, _ = map(int, parts)
    return (user + nice + system + interrupts + soft) / os.sysconf("SC_CLK_TCK")


def wrk(folder: Path, port: int, route: Route, connections: int, seconds: int) -> list[float]:
    """Requests a second, p50 and p99 in microseconds, errors."""
    script = folder / "load.lua"
    quoted = [
        ", ".join(json.dumps(each) for each in part) for part in (route.targets, route.bodies)
    ]
    start = time.monotonic_ns() // 1000 % writes.NUMBERS
    script.write_text(LUA % (route.method, "nil", KEY, route.name, *quoted, start, *SERIAL))
    done = subprocess.run(
        ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "30s", "-s", str(script),
         f"http://127.0.0.1:{port}"], capture_output=True, text=True, check=True,
    )  # fmt: skip
    line = next(each for each in done.stdout.splitlines() if each.startswith("RESULT"))
    requests, duration, p50, p99, errors = map(int, line.split()[1:])
    return [requests / duration * 1e6, p50, p99, errors]


@contextmanager
def expunge(
    folder: Path,
    name: str,
    upstream: int,
    port: int,
    *,
    tier: str,
    more: Mapping[str, Any],
    workers: int = 1,
) -> Iterator[int]:
    """A running ``expunge serve``; gives its process id."""
    control = free_port()
    document = CONFIG | {
        "state_dir": str(folder / "state"),
        "listen": {"data": f"127.0.0.1:{port}", "control": f"127.0.0.1:{control}"},
        "upstreams": [
            {"name": "mem0", "url": f"http://127.0.0.1:{upstream}",
             "profiles": ["mem0-oss", "mem0-platform"]} | more.get("upstream", {})
        ],
        "tenants": [{"name": "acme", "keys": [{"env": "BENCH_KEY"}]}],
        "detection": {"tier": tier, "workers": 1},
        "policy": str(folder / "bench.yaml"),
    }  # fmt: skip
    (folder / "bench.yaml").write_text(POLICY)
    path = folder / f"{name}.json"
    path.write_text(json.dumps(document))
    log = folder / f"{name}.log"
    with log.open("w") as sink:
        process = subprocess.Popen(
            [*COMMAND, "serve", "--config", str(path), "--workers", str(workers)],
            stdout=sink, stderr=sink, env=os.environ | {"BENCH_KEY": KEY},
        )  # fmt: skip
    try:
        until = time.monotonic() + 180
        while "Ready." not in log.read_text():
            if process.poll() is not None or time.monotonic() > until:
                raise SystemExit(log.read_text())
            time.sleep(0.1)
        yield process.pid
    finally:
        process.terminate()
        process.wait(60)


def fill(front: int, store: int) -> tuple[dict[str, bytes], bytes]:
    """Memories of all owners, written through Expunge; the store's answers by its owner ids."""
    answers: dict[str, bytes] = {}
    for owner in range(OWNERS):
        for item in range(ITEMS):
            text = SENTENCE.replace("{n}", str(item))
            body = {"messages": [{"role": "user", "content": text}], "user_id": f"u-{owner}",
                    "infer": False}  # fmt: skip
            call(front, "POST", "/memories", body)
    for owner in json.loads(call(store, "GET", "/owners")):
        answers[owner] = call(store, "GET", f"/memories?user_id={owner}")
    first = json.loads(call(front, "GET", "/memories?user_id=u-0"))
    assert len(first["results"]) == ITEMS
    return answers, b""


def routes() -> dict[str, Route]:
    """What is asked of Expunge."""
    search = json.dumps({"query": "quiet carriage", "filters": {"user_id": "u-0"}})
    anew = search.replace("}}", '}, "top_k": {k}}')
    write, told = (
        json.dumps(
            {"messages": [{"role": "user", "content": text}], "user_id": "u-w", "infer": False}
        )
        for text in (SENTENCE, TOLD)
    )
    lists = tuple(f"/memories?user_id=u-{n}" for n in range(OWNERS))
    return {
        "pass": Route("pass", "GET", ("/v1/ping/",)),
        "read": Route("read", "POST", ("/search",), (search,)),
        "anew": Route("anew", "POST", ("/search",), (anew,)),
        "list": Route("list", "GET", lists),
        "write": Route("write", "POST", ("/memories",), (write,)),
        "told": Route("told", "POST", ("/memories",), (told,)),
    }


def in_store(route: Route, owners_of: list[str]) -> Route:
    """The same request as the store is asked it, with its owner ids."""
    if route.name == "list":
        return Route("list", "GET", tuple(f"/memories?user_id={each}" for each in owners_of))
    return route


def main() -> None:
    """Measure, print and keep."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tier", default="full")
    parser.add_argument("--transport", default=None)
    parser.add_argument(
        "--only",
        nargs="*",
        default=["pass", "read", "anew", "list", "write", "told", "workers", "peers"],
    )
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--short", action="store_true", help="pass and read in under three minutes")
    options = parser.parse_args()
    if options.short:
        options.only, options.tier = ["pass", "read"], "structured"
        options.seconds = options.rounds = 2
        options.out = Path(os.devnull)
    print(f"takes about {minutes(options):.0f} minutes")
    for tool in ("nginx", "wrk"):
        if shutil.which(tool) is None:
            print(f"skipped: {tool} is not installed (apt-get install nginx-light wrk)")
            sys.exit(0)
    with tempfile.TemporaryDirectory() as name:
        found = Bench(Path(name), options).run()
    options.out.write_text(json.dumps(found, indent=1) + "\n")
    ratios.show(found)


def minutes(options: argparse.Namespace) -> float:
    """How long a run takes: what is measured, and half a minute for each start of a front."""
    alone = [name for name in options.only if name not in ("workers", "peers")]
    pieces = len(alone) * 4 * len(CONNECTIONS)
    pieces += 4 * len(SCALED) if "workers" in options.only else 0
    pieces += 3 * len(CONNECTIONS) if "peers" in options.only else 0
    return float(pieces * options.rounds * options.seconds + 5 * 30) / 60


class Bench:
    """One run."""

    def __init__(self, folder: Path, options: argparse.Namespace) -> None:
        self._folder, self._options = folder, options
        self._measured: dict[tuple[str, str, int], Measured] = {}
        self._pids: dict[int, int] = {}  # of what listens at a port
        self._more: dict[str, Any] = {}
        self._writes: dict[str, dict[str, float]] = {}
        self._skipped = dict(peers.LEFT_OUT)
        if options.transport:
            self._more = {"upstream": {"transport": options.transport}}

    def run(self) -> dict[str, Any]:
        """Start everything, go round, stop everything."""
        folder, tier = self._folder, self._options.tier
        store, static, through, rival, front = (free_port() for _ in range(5))
        python = (sys.executable, "-m")
        with ExitStack() as open_:
            open_.enter_context(
                running(*python, "tests.bench.proxy_upstream", str(store), port=store)
            )
            with expunge(folder, "fill", store, front, tier="structured", more=self._more):
                answers, _ = fill(front, store)
            search = call(store, "POST", "/search", {"filters": {"user_id": self._first(answers)}})
            conf = nginx.conf(
                folder, "static", nginx.static_upstream(static, store, answers, search)
            )
            self._start(open_, static, "nginx", "-c", str(conf))
            conf = nginx.conf(folder, "hop", nginx.hop(through, static))
            self._start(open_, through, "nginx", "-c", str(conf))
            self._start(open_, rival, *python, "tests.bench.proxy_rivals", str(rival),
                        f"http://127.0.0.1:{static}")  # fmt: skip
            ports = {"bare": static, "nginx": through, "aiohttp": rival, "expunge": front}
            with expunge(folder, "one", static, front, tier=tier, more=self._more) as pid:
                self._pids[front] = pid
                self._go_round(ports, list(answers))
                if "write" in self._options.only:
                    self._writes = writes.beside_detection(front, static, HEADERS, tier, WRITES)
            if "peers" in self._options.only:
                self._peers(static, through)
            if "workers" in self._options.only:
                self._two_workers(static, front, list(answers))
        return self._found()

    def _start(self, open_: ExitStack, port: int, *command: str) -> None:
        self._pids[port] = open_.enter_context(running(*command, port=port)).pid

    def _first(self, answers: Mapping[str, bytes]) -> str:
        return next(iter(answers))

    def _go_round(self, ports: Mapping[str, int], owners_of: list[str]) -> None:
        wanted = [each for name, each in routes().items() if name in self._options.only]
        for _ in range(self._options.rounds):
            for route in wanted:
                for front, port in ports.items():
                    asked = route if front == "expunge" else in_store(route, owners_of)
                    self._measure(front, port, asked)

    def _peers(self, static: int, through: int) -> None:
        try:
            command = peers.installed()
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
            self._skipped[peers.PEER] = "not installable from here"
            return
        port, asked = free_port(), Route("chat", "POST", (peers.CHAT,), (peers.question(SENTENCE),))
        settings_ = {"UPSTREAM_BASE_URL": f"http://127.0.0.1:{static}", "UPSTREAM_API_KEY": "k",
                     "VALID_VIRTUAL_KEYS": "sk-bench"}  # fmt: skip
        arguments = (
            str(command),
            "--host",
            "127.0.0.1",
            "--port",
            str(port),
            "--log-level",
            "error",
        )
        with running(*arguments, port=port, cwd=self._folder, **settings_) as peer:
            self._pids[port] = peer.pid
            for _ in range(self._options.rounds):
                for front, at in (("bare", static), ("nginx", through), (peers.PEER, port)):
                    self._measure(front, at, asked)

    def _two_workers(self, static: int, front: int, owners_of: list[str]) -> None:
        tier, folder, more = self._options.tier, self._folder, self._more
        for count in WORKERS:
            name, beside = f"x{count}", free_port()
            conf = nginx.conf(folder, f"hop{count}", nginx.hop(beside, static), count)
            with (
                running("nginx", "-c", str(conf), port=beside) as plain,
                expunge(folder, name, static, front, tier=tier, more=more, workers=count) as pid,
            ):
                self._pids |= {beside: plain.pid, front: pid}
                for _ in range(self._options.rounds):
                    for route in SCALED:
                        self._measure(f"expunge {name}", front, routes()[route], only=(32,))
                        asked = in_store(routes()[route], owners_of)
                        self._measure(f"nginx {name}", beside, asked, only=(32,))

    def _measure(
        self, front: str, port: int, route: Route, only: tuple[int, ...] = CONNECTIONS
    ) -> None:
        for connections in only:
            if route.name in ("write", "told") and connections > 1 and front == "aiohttp":
                continue
            before, own = busy_seconds(), spent(self._pids[port])
            rate, p50, p99, errors = wrk(
                self._folder, port, route, connections, self._options.seconds
            )
            asked = rate * self._options.seconds / 1e6
            kept = self._measured.setdefault((front, route.name, connections), Measured())
            kept.rates.append(rate)
            kept.p50.append(p50)
            kept.p99.append(p99)
            kept.busy.append((busy_seconds() - before) / asked)
            kept.own.append((spent(self._pids[port]) - own) / asked)
            kept.errors += int(errors)

    def _found(self) -> dict[str, Any]:
        rows = [
            {"front": front, "route": route, "connections": connections} | measured.plain()
            for (front, route, connections), measured in self._measured.items()
        ]
        found: dict[str, Any] = {"machine": machine(), "options": settings(self._options)}
        found["rows"] = ratios.with_ratios(rows)
        found["peers_left_out"] = self._skipped
        if "workers" in self._options.only:
            found["two_workers_to_one"] = ratios.scaling(rows, os.cpu_count() or 1)
        if self._writes:
            found["writes_beside_detection"] = self._writes
        return found


def machine() -> dict[str, Any]:
    """Processor and versions."""
    cpu = next(
        (line.partition(":")[2].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
         if line.startswith("model name")), platform.machine(),
    )  # fmt: skip
    said = subprocess.run(["nginx", "-v"], capture_output=True, text=True, check=True).stderr
    return {
        "cpu": cpu,
        "cores": os.cpu_count(),
        "load_before": round(os.getloadavg()[0], 2),
        "python": platform.python_version(),
        "aiohttp": version("aiohttp"),
        "nginx": said.strip().partition("/")[2],
    }


def settings(options: argparse.Namespace) -> dict[str, Any]:
    """How it was run."""
    return {
        "seconds": options.seconds, "rounds": options.rounds, "tier": options.tier,
        "transport": options.transport or "default", "items": ITEMS, "owners": OWNERS,
    }  # fmt: skip


if __name__ == "__main__":
    main()
