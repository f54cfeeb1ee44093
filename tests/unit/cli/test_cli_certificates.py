"""Where certificates go, and how commands speak of an erasure."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from proxy.cli import main
from tests.support.scripted_control import LAYER, LEFT, Script, confirmable, run, view

CLEAN = LAYER | {"layer": "vectors", "found": 0, "erased": 0, "status": "absent"}


def bundle(text: str, key: str = "log+aaaaaaaa+x") -> dict[str, Any]:
    """A certificate as the control plane gives it."""
    return {"dsse": text, "tlog_proof": f"proof of {text}", "public_key": key}


def signed(state: str) -> str:
    """An envelope that certifies a state; its signature is not looked at here."""
    payload = base64.b64encode(json.dumps({"predicate": {"state": state}}).encode()).decode()
    return json.dumps({"payload": payload})


def fetch(script: Script, tenant: str, text: str, key: str = "log+aaaaaaaa+x") -> int:
    """Save the certificate of a tenant's first erasure into the default folder."""
    script.on("GET", "/v1/erasures/era_1", view("complete", LAYER, tenant=tenant))
    script.on("GET", "/v1/erasures/era_1/certificate", bundle(text, key))
    return run(script, "erasure", "certificate", "era_1")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EXPUNGE_CERTIFICATE_DIR", raising=False)


def test_tenants_do_not_share_a_folder(script: Script, tmp_path: Path) -> None:
    """The same reference of two tenants is two files."""
    fetch(script, "default", "one")
    fetch(script, "acme", "two")
    name = "DEL-2026-0001"
    assert (tmp_path / "certificates" / f"{name}.dsse.json").read_text() == "one"
    assert (tmp_path / "certificates" / "acme" / f"{name}.dsse.json").read_text() == "two"
    assert (tmp_path / "certificates" / "acme" / f"{name}.tlog-proof").read_text() == "proof of two"


def test_no_certificate_replaces_another(script: Script, tmp_path: Path) -> None:
    """A second one of the same reference gets a number, the same one again does not."""
    for text in ("incomplete", "complete", "complete"):
        fetch(script, "default", text)
    folder = tmp_path / "certificates"
    found = {path.name: path.read_text() for path in folder.glob("*.dsse.json")}
    assert found == {"DEL-2026-0001.dsse.json": "incomplete",
                     "DEL-2026-0001-2.dsse.json": "complete"}  # fmt: skip
    assert (folder / "DEL-2026-0001-2.tlog-proof").read_text() == "proof of complete"


def test_another_logs_certificates_stand_apart(script: Script, tmp_path: Path) -> None:
    """The key beside the earlier certificates stays the one that verifies them."""
    fetch(script, "default", "one")
    fetch(script, "default", "two", key="log+bbbbbbbb+y")
    folder = tmp_path / "certificates"
    assert (folder / "expunge-audit.vkey").read_text() == "log+aaaaaaaa+x\n"
    assert (folder / "log-bbbbbbbb" / "DEL-2026-0001.dsse.json").read_text() == "two"
    assert (folder / "log-bbbbbbbb" / "expunge-audit.vkey").read_text() == "log+bbbbbbbb+y\n"


def test_a_reference_never_leads_out_of_the_folder(script: Script, tmp_path: Path) -> None:
    """Slashes in the caller's own reference are no folders."""
    outside = "../../outside"
    script.on("GET", "/v1/erasures/era_1", view("complete", LAYER, reference=outside))
    script.on("GET", "/v1/erasures/era_1/certificate", bundle("one"))
    run(script, "erasure", "certificate", "era_1")
    folder = tmp_path / "certificates"
    assert [path.parent for path in tmp_path.rglob("*outside*.dsse.json")] == [folder]
    assert not list(tmp_path.parent.glob("outside*"))


def test_show_names_what_an_operator_asks_for(
    script: Script, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Tenant, kind of target, outcome, completion, and the certificate, saved or not."""
    last = view("incomplete", LAYER, LEFT, tenant="acme", outcome="residual_left",
                completed_at="2026-01-06T00:00:00Z")  # fmt: skip
    script.on("GET", "/v1/erasures/era_1", last)
    script.on("GET", "/v1/erasures/era_1/certificate", bundle(signed("incomplete")))
    assert run(script, "erasure", "show", "era_1") == 4
    shown = capsys.readouterr().out
    for wanted in ("tenant acme", "target entity", "residual left", "2026-01-06", "not saved"):
        assert wanted in shown
    run(script, "erasure", "certificate", "era_1")
    capsys.readouterr()
    run(script, "erasure", "show", "era_1")
    assert str(tmp_path / "certificates" / "acme" / "DEL-2026-0001") in capsys.readouterr().out


@pytest.mark.parametrize("before", ["incomplete", "held"])
def test_show_names_no_certificate_of_an_earlier_state(
    script: Script, capsys: pytest.CaptureFixture[str], tmp_path: Path, before: str
) -> None:
    """It went on by itself: the saved one is told apart, and the command that saves the newer."""
    fetch(script, "default", signed(before))
    script.on("GET", "/v1/erasures/era_1/certificate", bundle(signed("complete")))
    capsys.readouterr()
    run(script, "erasure", "show", "era_1", "--json")
    said = capsys.readouterr()
    assert json.loads(said.out)["certificate"] is None
    assert "DEL-2026-0001.dsse.json is of an earlier state" in said.err
    assert "'expunge erasure certificate DEL-2026-0001' saves it." in said.err
    fetch(script, "default", signed("complete"))
    capsys.readouterr()
    run(script, "erasure", "show", "era_1", "--json")
    path = tmp_path / "certificates" / "DEL-2026-0001-2.dsse.json"
    assert json.loads(capsys.readouterr().out)["certificate"] == str(path)


def test_show_names_no_certificate_while_the_erasure_goes_on(
    script: Script, capsys: pytest.CaptureFixture[str]
) -> None:
    """A hold was released: the one that says 'held' is saved, and there is no other yet."""
    fetch(script, "default", signed("held"))
    script.on("GET", "/v1/erasures/era_1", view("executing", LAYER, certificate_ready=True))
    capsys.readouterr()
    run(script, "erasure", "show", "era_1", "--json")
    said = capsys.readouterr()
    assert json.loads(said.out)["certificate"] is None
    assert "Certificate: there is none of its present state yet." in said.err


def test_preview_is_called_a_preview(script: Script, capsys: pytest.CaptureFixture[str]) -> None:
    """No empty reference; counts are words; a layer with nothing has no row of its own."""
    counts = {"found": 3, "direct": 2, "indirect": 1, "shared": 0, "mixed": 0, "to_delete": 3}
    planned = view("planned", LAYER, CLEAN, counts=counts, reference="", certificate_ready=False)
    script.on("POST", "/v1/erasures", planned)
    run(script, "forget", "owner", "u-17")
    shown = capsys.readouterr().out
    assert shown.startswith("Preview\n")
    assert "3 to be dealt with, 2 about it, 1 derived from those, 3 to delete" in shown
    assert "mixed" not in shown
    assert "vectors" not in shown
    assert "1 other layer" in shown


def test_nothing_found_is_said_and_not_called_complete(
    script: Script, capsys: pytest.CaptureFixture[str]
) -> None:
    """A confirmed erasure that found nothing does not look like one that deleted something."""
    none = view("complete", CLEAN, outcome="nothing_found", certificate_ready=False, counts={})
    script.on("POST", "/v1/erasures", none)
    assert run(script, "forget", "owner", "nosuch", "--confirm", "confirmed") == 0
    shown = capsys.readouterr().out
    assert "nothing was found, so nothing was deleted" in shown
    assert "complete" not in shown.split("\n")[0]


@pytest.mark.parametrize("preview", [True, False])
def test_what_is_in_doubt_and_who_may_be_meant_is_told(
    script: Script, capsys: pytest.CaptureFixture[str], preview: bool
) -> None:
    """An operator who forgets Carmen Ruiz learns of Carmen Ruiz Ortega, and how to go on."""
    longer = {"id": "ent_1", "entity_type": "PERSON", "memories": 3, "hint": "Carmen Ruiz Ortega",
              "why": None}  # fmt: skip
    state, reference = ("planned", "") if preview else ("complete", "DEL-2026-0001")
    none = view(state, CLEAN, outcome="nothing_found", certificate_ready=False, reference=reference,
                counts={"doubtful": 3}, candidates=[longer])  # fmt: skip
    script.on("POST", "/v1/erasures", none)
    word = () if preview else ("--confirm", "confirmed")
    assert run(script, "forget", "entity", "Carmen Ruiz", *word) == 0
    shown = capsys.readouterr()
    assert "nothing was found for certain" in shown.out
    assert "3 kept: they may mean somebody else" in shown.out
    assert "Longer names hold this one." in shown.out
    assert "Carmen Ruiz Ortega" in shown.out
    assert ("clarify REF --choose doubtful=delete" in shown.out) is preview
    assert "Check the spelling" not in shown.err
    assert "Which one is meant?" not in shown.out


def test_who_may_be_meant_is_told_once_it_is_carried_out_too(
    script: Script, capsys: pytest.CaptureFixture[str]
) -> None:
    """The record keeps no names; those of the plan are shown with the result."""
    longer = {"id": "ent_1", "entity_type": "PERSON", "memories": 3, "hint": "Carmen Ruiz Ortega",
              "why": None}  # fmt: skip
    ended = view("complete", CLEAN, outcome="nothing_found", counts={"doubtful": 3},
                 certificate_ready=False)  # fmt: skip
    confirmable(script, ended)
    script.on("POST", "/v1/erasures", view("planned", token="tok", candidates=[longer]))
    assert run(script, "forget", "entity", "Carmen Ruiz", "--confirm", "confirmed") == 0
    assert "Carmen Ruiz Ortega" in capsys.readouterr().out


def test_what_an_earlier_one_left_is_named(
    script: Script, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing found a second time is no success while the first one left something."""
    left = {"upstream": "mem0", "layer": "history", "status": "residual", "residual": 1,
            "reason": "no_route_deletes_it"}  # fmt: skip
    none = view("incomplete", LEFT, outcome="nothing_found", certificate_ready=False, counts={},
                reference="DEL-2026-0002", earlier="DEL-2026-0001", earlier_state="incomplete",
                earlier_left=[left])  # fmt: skip
    script.on("POST", "/v1/erasures", none)
    assert run(script, "forget", "owner", "u-17", "--confirm", "confirmed") == 4
    shown = capsys.readouterr().out
    assert "in DEL-2026-0001: it is incomplete and left mem0/history (no_route_deletes_it)" in shown
    assert "'expunge erasure retry DEL-2026-0001' takes it up" in shown
    assert run(script, "forget", "owner", "u-17", "--confirm", "confirmed", "--json") == 4
    body = json.loads(capsys.readouterr().out)
    assert (body["earlier"], body["earlier_state"], body["earlier_left"]) == (
        "DEL-2026-0001", "incomplete", [left],
    )  # fmt: skip


def test_why_one_that_runs_does_not_move_is_said_once(
    script: Script, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What its layers wait for, and which part of the service is not ready."""
    monkeypatch.setattr("proxy.cli.conducted._FIRST_S", 0.001)
    monkeypatch.setattr("proxy.cli.conducted._LONGEST_S", 0.001)
    stuck = LAYER | {"status": "unreachable", "reason": "keys_sealed"}
    confirmable(script, view("complete", LAYER))
    script.on("GET", "/v1/erasures/era_1", *[view("executing", stuck)] * 4, view("complete", LAYER))
    script.on("GET", "/readyz", {"ready": False, "parts": {"ledger": False, "log": True}},
              status=503)  # fmt: skip
    assert run(script, "forget", "owner", "u-17", "--confirm", "confirmed") == 0
    told = capsys.readouterr().err
    assert told.count("waits (keys_sealed, not ready: ledger); it goes on by itself.") == 1


def test_only_keys_is_said_and_not_called_complete(
    script: Script, capsys: pytest.CaptureFixture[str]
) -> None:
    """All of it was gone before: nobody is told that data was erased."""
    keys = view("complete", CLEAN, outcome="keys_destroyed", counts={"already_gone": 1})
    script.on("POST", "/v1/erasures", keys)
    assert run(script, "forget", "owner", "nosuch", "--confirm", "confirmed") == 0
    shown = capsys.readouterr().out
    assert "no data was left to delete; only keys were destroyed" in shown
    assert "1 gone before" in shown
    assert "complete" not in shown.split("\n")[0]


def test_unknown_category_is_a_usage_error(
    script: Script, capsys: pytest.CaptureFixture[str]
) -> None:
    """A typing error ends with 2 and the list."""
    errors = [{"pointer": "/target/values", "detail": "Known here: health."}]
    problem = {"type": "urn:expunge:problem:invalid-request", "title": "t", "errors": errors}
    script.on("POST", "/v1/erasures", problem, status=400)
    assert run(script, "forget", "category", "healthy") == 2
    assert "Known here: health." in capsys.readouterr().err


def test_retry_of_one_without_a_plan(script: Script, capsys: pytest.CaptureFixture[str]) -> None:
    """It is planned and shown; with the word it is carried out."""
    script.on("POST", "/v1/erasures/era_1/retry", view("planned", LAYER, token="tok"))
    assert run(script, "erasure", "retry", "era_1") == 0
    assert "--confirm confirmed" in capsys.readouterr().err
    assert len(script.asked) == 1
    confirmable(script, view("complete", LAYER))
    assert run(script, "erasure", "retry", "era_1", "--confirm", "confirmed") == 0
    assert any(path.endswith("/confirm") for _, path, *_ in script.asked)


def verify(*arguments: str) -> int:
    """Run verify; gives its exit code."""
    with pytest.raises(SystemExit) as ended:
        main(["verify", *arguments])
    return int(ended.value.code or 0)


def test_verify_says_that_the_key_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No key is not a damaged one; with one beside it, the certificate itself is judged."""
    path = tmp_path / "DEL-1.dsse.json"
    path.write_text(json.dumps({"payload": "", "payloadType": "x", "signatures": []}))
    assert verify(str(path)) == 2
    assert "give --public-key" in capsys.readouterr().err
    (tmp_path / "expunge-audit.vkey").write_text("k" * 32)
    assert verify(str(path)) == 5


@pytest.mark.parametrize(
    "text",
    ["# Read me", "[]", '{"name": "x"}', "[" * 100_000, '{"payload": ' + "[" * 100_000],
    ids=["text", "list", "json", "deep", "deep-inside"],
)
def test_verify_knows_what_is_no_certificate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    """Any other file is called what it is not."""
    path = tmp_path / "README.md"
    path.write_text(text)
    assert verify(str(path)) == 5
    assert "no certificate of erasure" in capsys.readouterr().err
