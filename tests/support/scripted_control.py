"""A scripted control plane: what a command sends to it, prints, and exits with."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from proxy.cli import main

LAYER = {"upstream": "mem0", "layer": "memory", "found": 3, "erased": 3, "residual": 0,
         "status": "erased", "method": "api", "reason": None, "action": None}  # fmt: skip
LEFT = LAYER | {"layer": "history", "erased": None, "residual": 3, "status": "residual",
                "reason": "not_reachable", "action": "Delete the rows."}  # fmt: skip


def view(state: str, *layers: dict[str, Any], **more: Any) -> dict[str, Any]:
    """An erasure as the control plane shows it."""
    return {
        "id": "era_1", "reference": "DEL-2026-0001", "state": state, "outcome": None,
        "tenant": "default", "target_kind": "entity", "scope": "any_mention", "origin": "control",
        "counts": {"direct": 2, "deleted": 3}, "layers": list(layers), "candidates": [],
        "questions": [], "items": [], "deleted": 3, "cascaded": 0, "regenerated": 0, "redacted": 0,
        "received_at": "2026-01-05T09:30:00Z", "due_at": "2026-02-05T09:30:00Z",
        "completed_at": "2026-01-05T09:31:00Z" if state == "complete" else None,
        "earlier": None, "certificate_ready": state in {"complete", "incomplete"}, **more,
    }  # fmt: skip


NONE = 0  # status of an answer that never comes: the connection just ends


class Script:
    """A control plane that answers from a list and remembers what it was asked."""

    def __init__(self) -> None:
        self.answers: dict[tuple[str, str], list[tuple[int, Any]]] = {}
        self.asked: list[tuple[str, str, Any, dict[str, str]]] = []
        self.url = ""

    def on(self, method: str, path: str, *bodies: Any, status: int = 200) -> None:
        """Answer these bodies one after the other; the last one stays."""
        self.answers[(method, path)] = [(status, body) for body in bodies]

    def answer(self, method: str, path: str, body: Any, headers: Any) -> tuple[int, Any]:
        """The next answer."""
        self.asked.append((method, path, body, dict(headers)))
        left = self.answers[(method, path)]
        return left.pop(0) if len(left) > 1 else left[0]


@pytest.fixture
def script() -> Iterator[Script]:
    """A running scripted control plane."""
    made = Script()

    class Handler(BaseHTTPRequestHandler):
        def _reply(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            status, answer = made.answer(self.command, self.path, body, self.headers)
            if status == NONE:
                return
            lines = isinstance(answer, bytes)
            raw = answer if lines else json.dumps(answer).encode()
            self.send_response(status)
            if lines:
                self.send_header("Content-Type", "application/x-ndjson")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        do_GET = do_POST = do_DELETE = _reply  # noqa: N815

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            return None

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    made.url = f"http://127.0.0.1:{server.server_address[1]}"
    yield made
    server.shutdown()
    server.server_close()


def run(script: Script, *arguments: str) -> int:
    """Run the command; gives its exit code."""
    with pytest.raises(SystemExit) as ended:
        main([*arguments, "--url", script.url, "--token", "xpc_test"])
    return int(ended.value.code or 0)


def confirmable(script: Script, last: dict[str, Any]) -> None:
    """Plan, confirm, run, certificate."""
    script.on("POST", "/v1/erasures", view("planned", LAYER, token="tok"))
    script.on("POST", "/v1/erasures/era_1/confirm", view("confirmed"))
    script.on("GET", "/v1/erasures/era_1", view("executing"), last)
    bundle = {"dsse": "{}", "tlog_proof": "c2sp.org/tlog-proof@v1\n", "public_key": "key\n"}
    script.on("GET", "/v1/erasures/era_1/certificate", bundle)
