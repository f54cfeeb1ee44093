"""What ``expunge verify`` says a valid certificate certifies."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from proxy.audit import offline
from proxy.cli import main

LEFT = {"upstream": "second", "layer": "history", "status": "unreachable", "residual": None,
        "reason": "store_unavailable", "action": "Wait."}  # fmt: skip
KEPT = {"kept": {"attributes": ["employer"], "categories": ["health"], "named": 0},
        "memories_kept": 2, "memories_rewritten": 1}  # fmt: skip


def said(
    state: str, *residuals: dict[str, Any], expires: str = "2999-01-01T00:00:00Z", **more: Any
) -> dict[str, Any]:
    """A statement."""
    claim = {"scope": "the listed layers", "absent_from": ["first/memory"], "held_in": [],
             "not_covered": ["model_weights"], "made": "2026-01-05T09:30:00Z",
             "expires": expires}  # fmt: skip
    return {"predicate": {
        "reference": "DEL-2026-0001", "state": state, "outcome": state, "target_kind": "entity",
        "claim": claim, "partial": None, "residuals": list(residuals),
        "checks": {"erasure_proof": {"result": "fail"}}, **more,
    }}  # fmt: skip


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A certificate, its proof and a key, whatever they hold."""
    found = tmp_path / "DEL-2026-0001.dsse.json"
    found.write_text('{"payload": "", "signatures": []}')
    for name in ("DEL-2026-0001.tlog-proof", "expunge-audit.vkey"):
        (tmp_path / name).write_text("x")
    return found


def verified(
    monkeypatch: pytest.MonkeyPatch, certificate: Path, statement: dict[str, Any],
    *more: str, passed: bool = True,
) -> int:  # fmt: skip
    """The exit code for a certificate with this statement."""
    verdict = offline.Verdict((offline.Check("signature", passed),), statement, logged=True)
    monkeypatch.setattr(offline, "verify", lambda *_, **__: verdict)
    with pytest.raises(SystemExit) as ended:
        main(["verify", str(certificate), *more])
    return int(ended.value.code or 0)


PART = {"kind": "owner_ids_at_or_below_a_path", "paths": ["00ff" * 16], "owners": 2}
NOT_PLAIN = "Valid signature and proof; it certifies"


@pytest.mark.parametrize(
    ("statement", "told", "untold"),
    [
        pytest.param(said("complete"), ["Valid.", "expires 2999"], [NOT_PLAIN, "EXPIRED"],
                     id="complete"),
        pytest.param(said("incomplete", LEFT),
                     [f"{NOT_PLAIN} an INCOMPLETE erasure", "clean: 1", "second/history: unreach"],
                     ["Valid.", "EXPIRED"], id="incomplete"),
        pytest.param(said("incomplete"), [f"{NOT_PLAIN} an INCOMPLETE", "failed: erasure_proof"],
                     ["Valid."], id="incomplete by a check"),
        pytest.param(said("held"), [f"{NOT_PLAIN} a HELD erasure"], ["Valid."], id="held"),
        pytest.param(said("complete", partial=KEPT), ["2 memories were kept", "employer, health"],
                     [], id="partial"),
        pytest.param(said("complete", expires="2026-01-06T00:00:00Z"),
                     ["EXPIRED at 2026-01-06", "recheck DEL-2026-0001"], [], id="expired"),
        pytest.param(said("complete", times={"signed": "2998-01-01T00:00:00.000Z"}),
                     ["signed at 2998-01-01T00:00:00.000Z, which is still to come"], ["EXPIRED"],
                     id="in the future"),
        pytest.param(said("complete", times={"signed": "2026-01-05T09:30:00.000Z"}), ["Valid."],
                     ["still to come"], id="in the past"),
        pytest.param(said("complete", scope_path=PART, target_kind="tenant"),
                     ["target tenant, one scope of it only (path 00ff00ff00ff00ff; owners: 2)"],
                     [], id="one scope"),
        pytest.param(said("complete", target_kind="tenant"), ["target tenant; absent"],
                     ["one scope"], id="twin: a whole tenant"),
        pytest.param({}, ["None"], ["Valid.\n"], id="says nothing"),
    ],
)  # fmt: skip
def test_it_is_said_what_a_valid_certificate_certifies(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], files: Path,
    statement: dict[str, Any], told: list[str], untold: list[str],
) -> None:  # fmt: skip
    """Reference, state, what is left and until when: nobody takes "valid" for "erased"."""
    assert verified(monkeypatch, files, statement) == 0
    shown = capsys.readouterr().out
    assert all(each in shown for each in told), shown
    assert not any(each in shown for each in untold), shown
    assert not statement or "DEL-2026-0001" in shown
    assert verified(monkeypatch, files, statement, "--json") == 0
    body = json.loads(capsys.readouterr().out)
    assert body["certifies"]["state"] == statement.get("predicate", {}).get("state")
    assert body["certifies"]["expired"] is ("EXPIRED" in shown)
    assert body["certifies"]["in_the_future"] is ("still to come" in shown)


def test_what_is_not_valid_certifies_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], files: Path
) -> None:
    """Its statement is not repeated as if it were true."""
    assert verified(monkeypatch, files, said("complete"), passed=False) == 5
    shown = capsys.readouterr().out
    assert "NOT VALID" in shown
    assert "DEL-2026-0001" not in shown
    verified(monkeypatch, files, said("complete"), "--json", passed=False)
    assert json.loads(capsys.readouterr().out)["certifies"] is None


def pem(raw: bytes) -> str:
    """A public key as other tools hold it."""
    key = Ed25519PublicKey.from_public_bytes(raw)
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


RAW = Ed25519PrivateKey.from_private_bytes(b"k" * 32).public_key().public_bytes_raw()
LINE = "expunge.example.org/audit+{}+{}".format(
    offline.note_key_id("expunge.example.org/audit", RAW).hex(),
    base64.b64encode(offline.ED25519 + RAW).decode(),
)
KEYS = {
    "a file": ("FILE", True), "a line": (LINE, True), "a line with its end": (LINE + "\n", True),
    "pem": (pem(RAW), True), "no such file": ("absent.vkey", False), "a folder": ("FOLDER", False),
    "a damaged line": (LINE[:-6] + "AAAA==", False), "32 letters": ("a" * 32, False),
    "too long for a path": ("x" * 5000, False), "nothing": ("", False),
    "a pem of nothing": ("-----BEGIN PUBLIC KEY-----", False),
}  # fmt: skip


@pytest.mark.parametrize(("given", "taken"), KEYS.values(), ids=KEYS)
def test_the_key_is_given_as_a_file_or_as_itself(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], files: Path,
    given: str, taken: bool,
) -> None:  # fmt: skip
    """The same key whichever way; what is neither is a wrong use, said with what would do."""
    seen: list[Any] = []
    verdict = offline.Verdict((offline.Check("signature", True),), said("complete"), logged=True)

    def check(_certificate: bytes, _proof: bytes | None, key: bytes, **_: Any) -> offline.Verdict:
        seen.append(offline.load_public_key(key).public_bytes_raw())
        return verdict

    (files.parent / "trusted.vkey").write_text(LINE + "\n")
    named = {"FILE": str(files.parent / "trusted.vkey"), "FOLDER": str(files.parent)}
    monkeypatch.setattr(offline, "verify", check)
    with pytest.raises(SystemExit) as ended:
        main(["verify", str(files), "--public-key", named.get(given, given), "--json"])
    shown = capsys.readouterr()
    assert (ended.value.code or 0, seen) == ((0, [RAW]) if taken else (2, []))
    if taken:
        assert json.loads(shown.out)["key_pinned"] is True
    elif given != "FOLDER":
        assert "neither a file nor a public key" in " ".join(shown.err.split())


@pytest.mark.parametrize(
    ("name", "more", "expected"),
    [
        ("DEL-2026-0001.dsse.json", [], "DEL-2026-0001"),
        ("DEL-2026-0001.copy.dsse.json", [], "DEL-2026-0001"),
        ("certificate.dsse.json", [], None),
        ("DEL-2026-0001.dsse.json", ["--reference", "DEL-2026-0002"], "DEL-2026-0002"),
    ],
)
def test_it_must_be_of_the_erasure_that_the_file_is_named_after(
    monkeypatch: pytest.MonkeyPatch,
    files: Path,
    name: str,
    more: list[str],
    expected: str | None,
) -> None:
    """A certificate under the name of another erasure is not that erasure's."""
    asked: list[str | None] = []

    def check(*_: Any, reference: str | None) -> offline.Verdict:
        asked.append(reference)
        return offline.Verdict((offline.Check("reference", passed=False),), {}, logged=True)

    monkeypatch.setattr(offline, "verify", check)
    with pytest.raises(SystemExit) as ended:
        main(["verify", str(files.rename(files.with_name(name))), *more])
    assert (ended.value.code, asked) == (5, [expected])
