"""Foreign eyes on the data plane: pii-leak-benchmark through a memory shim.

The benchmark drives a chat endpoint and captures what its "model" receives. The shim is both ends:
in front, a chat endpoint that stores the prompt as a memory through Expunge and reads it back; and
behind, a store that sends each text that it is given to the benchmark's capture. So it is a profile
via a memory shim, not of a chat gateway. The control, without anything in between, must leak.
Run: ``.venv/bin/python -m tests.bench.leak_shim``; skipped where the package cannot be had.
"""

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web

import policies
from proxy.clock import FrozenClock
from proxy.ledger.engine import Ledger
from tests.bench.detection_peers import install
from tests.support.fault_store import FaultStore, Received, answer, fault_store
from tests.support.gateway import Plane, data_plane

PACKAGE = "pii-leak-benchmark==0.6.0"
RESULTS = Path(__file__).parent / "results" / "leak_shim.json"
CAPTURE = "http://127.0.0.1:8765/v1/chat/completions"
START = datetime(2026, 1, 15, 12, tzinfo=UTC)
MEMORY = "11111111-1111-4111-8111-{:012d}"
# Everything comes back, secrets too: what the benchmark calls the duty to restore.
REVERSIBLE = b"""apiVersion: expunge/v1
kind: Policy
name: reversible
write:
  entities:
    - {id: everything, when: {entities: ["*"]}, action: tokenise}
"""


class Store:
    """A store that shows each text to the capture and keeps what comes back."""

    def __init__(self) -> None:
        self._items: dict[str, dict[str, Any]] = {}

    async def __call__(self, request: Received) -> web.Response:
        """Add a memory, or give one."""
        if request.method == "POST":
            body = request.json()
            text = body["messages"][0]["content"]
            memory_id = MEMORY.format(len(self._items) + 1)
            now = START.isoformat()
            self._items[memory_id] = {
                "id": memory_id, "memory": await through(CAPTURE, text), "created_at": now,
                "updated_at": now, "user_id": body.get("user_id"),
                "metadata": body.get("metadata"),
            }  # fmt: skip
            return answer(
                {"results": [{"id": memory_id, "data": {"memory": text}, "event": "ADD"}]}
            )
        found = self._items.get(request.target.split("?")[0].strip("/").rsplit("/", 1)[-1])
        return answer(found) if found else answer({"detail": "Not found."}, 404)


async def through(url: str, text: str) -> str:
    """What a chat endpoint streams when it is told a text."""
    body = {"model": "m", "messages": [{"role": "user", "content": text}], "stream": True}
    async with aiohttp.ClientSession() as http, http.post(url, json=body) as reply:
        lines = (await reply.text()).splitlines()
    events = [line[6:] for line in lines if line.startswith("data: {")]
    return "".join(json.loads(each)["choices"][0]["delta"]["content"] for each in events)


async def front(plane: Plane) -> web.ServerRunner:
    """A chat endpoint that remembers the prompt through Expunge and says it again."""

    async def handle(request: web.BaseRequest) -> web.StreamResponse:
        prompt = json.loads(await request.read())["messages"][-1]["content"]
        said = "" if "/chat/" not in request.path else await remembered(plane, prompt)
        reply = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await reply.prepare(request)
        for char in said:
            event = json.dumps({"choices": [{"delta": {"content": char}}]}, ensure_ascii=False)
            await reply.write(f"data: {event}\n\n".encode())
        await reply.write(b"data: [DONE]\n\n")
        return reply

    runner = web.ServerRunner(web.Server(handle))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    return runner


async def remembered(plane: Plane, prompt: str) -> str:
    """A prompt, stored and read again."""
    memory_id = await plane.add(prompt)
    status, found = await plane.call("GET", f"/v1/memories/{memory_id}/")
    return str(found["memory"]) if status == 200 else ""


async def benchmark(place: Path, target: str, duty: str) -> dict[str, Any]:
    """Its verdict on a target."""
    report = place / "report.json"
    report.unlink(missing_ok=True)
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(place / "packages" / "bin" / "pii-leak-benchmark"), "selfcheck",
        "--target-base-url", target, "--duty", duty, "--json-out", str(report),
        env=os.environ | {"PYTHONPATH": str(place / "packages")}, cwd=place,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    output, _ = await process.communicate()
    told = output.decode().strip().splitlines()
    return {"exit": process.returncode, "says": [line for line in told if line.strip()][:14]}


async def measure(
    place: Path, duty: str, change: Callable[[policies.Policy], policies.Policy]
) -> dict[str, Any]:
    """One duty, with a policy that fulfils it."""
    template = place / "template.db"
    if not template.exists():
        ledger = await Ledger.open(f"sqlite+aiosqlite:///{template}")
        await ledger.checkpoint()
        await ledger.close()
    async with fault_store() as behind:
        keep(behind)
        async with data_plane(
            place / duty, behind.url, "store-key", template, FrozenClock(START), tier="full",
            change=change,
        ) as plane:  # fmt: skip
            runner = await front(plane)
            try:
                port = runner.addresses[0][1]
                return await benchmark(place, f"http://127.0.0.1:{port}/v1", duty)
            finally:
                await runner.cleanup()


def keep(behind: FaultStore) -> None:
    """Let a scripted store keep what it is given."""
    behind.script = Store()


async def run(place: Path) -> dict[str, Any]:
    """The control and both duties."""
    return {
        "package": PACKAGE,
        "control": await benchmark(place, "capture://self", "restore"),
        "restore": await measure(place, "restore", lambda _: policies.load_text(REVERSIBLE)),
        "anonymize": await measure(place, "anonymize", lambda found: found),
    }


def main() -> int:
    """Install, run, write; 1 if the control does not leak or something else does."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        reason = install(place / "packages", PACKAGE)
        if reason is not None:
            sys.stdout.write(f"skipped: {PACKAGE}: {reason}\n")
            return 0
        result = asyncio.run(run(place))
    text = json.dumps(result, indent=1, ensure_ascii=False) + "\n"
    RESULTS.write_text(text, "utf-8")
    sys.stdout.write(text)
    return int(result["control"]["exit"] == 0 or result["restore"]["exit"] != 0)


if __name__ == "__main__":
    sys.exit(main())
