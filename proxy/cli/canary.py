"""The canary: an invented data subject written, erased, looked for, its certificate verified."""

import json
import secrets
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any

from proxy.audit.offline import verify
from proxy.cli.certificates import bundle_of
from proxy.cli.conducted import watch
from proxy.cli.connection import Connection
from proxy.cli.failures import Refused

Finding = dict[str, str]
_TIMEOUT_SECONDS = 60
_DIALECTS = {
    "platform": ("POST", "/v3/memories/add/", "POST", "/v3/memories/"),
    "oss": ("POST", "/memories", "GET", "/memories"),
}


@dataclass(frozen=True, slots=True)
class Planted:
    """Where a canary is written: the data plane, as an agent sees it."""

    data_url: str
    client_key: str

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """One request as a client of the store makes it."""
        request = urllib.request.Request(  # noqa: S310  (the operator's own address)
            self.data_url.rstrip("/") + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json", "X-API-Key": self.client_key},
        )
        try:
            with urllib.request.urlopen(request, timeout=_TIMEOUT_SECONDS) as reply:  # noqa: S310
                return reply.status, json.loads(reply.read() or b"null")
        except urllib.error.HTTPError as error:
            return error.code, None
        except (OSError, ValueError):
            return 0, None


def run_canary(connection: Connection, planted: Planted) -> list[Finding]:
    """Plant, erase, look, verify; one finding for each."""
    mark = secrets.token_hex(4)
    owner, name = f"expunge-canary-{mark}", f"Canary Quist{mark}"
    dialect = _plant(planted, owner, name)
    if dialect is None:
        return [_finding("canary written", False, "Check the client key and the store.")]
    target = {"kind": "owner", "values": [owner]}
    request = {"target": target, "reference": f"DOCTOR-{secrets.token_hex(4)}"}
    view = connection.post("/v1/erasures", request)
    if view["state"] == "planned":
        word = {"confirm": "confirmed", "token": view["token"]}
        connection.post(f"/v1/erasures/{view['id']}/confirm", word)
        view = watch(connection, view["id"], silent=True)
    unblocked = _unblock(connection, view["id"])
    found = [_finding("canary written", True), _erased(view), *unblocked]
    gone = name not in json.dumps(_list(planted, dialect, owner)) and view["counts"].get("found")
    found.append(_finding("canary gone", bool(gone), "Look at the erasure's layers."))
    if view["certificate_ready"]:
        found.append(_certificate(connection, view))
    return found


def _plant(planted: Planted, owner: str, name: str) -> str | None:
    text = f"{name} keeps a red bicycle."
    body = {"messages": [{"role": "user", "content": text}], "user_id": owner, "infer": False}
    for dialect, (method, path, *_) in _DIALECTS.items():
        status, _ = planted.call(method, path, body)
        if status in {200, 201, 202}:
            return dialect
    return None


def _list(planted: Planted, dialect: str, owner: str) -> Any:
    _, _, method, path = _DIALECTS[dialect]
    if method == "GET":
        return planted.call(method, f"{path}?user_id={owner}")[1]
    return planted.call(method, path, {"filters": {"user_id": owner}})[1]


def _erased(view: dict[str, Any]) -> Finding:
    left = [
        layer["layer"] for layer in view["layers"] if layer["status"] not in {"erased", "absent"}
    ]
    return _finding("canary erased", view["state"] == "complete",
                    f"Left in: {', '.join(left)}." if left else "")  # fmt: skip


def _unblock(connection: Connection, erasure_id: str) -> list[Finding]:
    """Lift what the canary's erasure blocked, or each run would leave an entry behind."""
    try:
        for group in connection.get("/v1/blocklist")["items"]:
            if group["erasure_id"] == erasure_id:
                connection.delete(f"/v1/blocklist/{group['id']}", {"consent": "canary"})
    except Refused:
        hint = "Give a token that may lift it (role privacy)."
        return [{"name": "canary unblocked", "status": "warning", "hint": hint,
                 "detail": "Its entry in the blocklist stays."}]  # fmt: skip
    return []


def _certificate(connection: Connection, view: dict[str, Any]) -> Finding:
    bundle = bundle_of(connection, view["id"])
    proof = bundle["tlog_proof"]
    verdict = verify(bundle["dsse"].encode(), proof and proof.encode(), bundle["public_key"])
    return _finding("canary certified", verdict.valid and verdict.logged,
                    " ".join(verdict.messages))  # fmt: skip


def _finding(name: str, good: bool, hint: str = "") -> Finding:
    detail = "yes" if good else "NO"
    return {"name": name, "status": "ok" if good else "failed", "detail": detail,
            "hint": "" if good else hint}  # fmt: skip
