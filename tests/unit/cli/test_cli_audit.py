"""``expunge audit``: what it asks for and prints of deletions."""

import json

import pytest

from tests.support.scripted_control import Script, run

ENTRY = {"id": "aud_1", "index": 4, "event": "memories.deleted", "fields": {"actor": "00ff"}}
REPORT = {
    "since": "2026-05-01T00:00:00.000000Z", "until": None, "memories": 3, "erasures": 2,
    "rewritten": 1, "already_gone": 0, "types": {"user_request": 2, "retention": 1, "cascade": 0},
    "actors": [{"actor": None, "role": "proxy", "origin": "proxy", "memories": 1, "erasures": 0}],
    "outcomes": {"erased": 2}, "days": {"2026-05-04": 3},
}  # fmt: skip
DELETION = {
    "upstream": "mem0", "deleted_at": "2026-05-04T09:00:00.000000Z", "type": "cascade",
    "actor": "00ff", "role": "privacy", "origin": "control", "erasure": "era_1",
    "reference": "DEL-2026-0001", "entry": "aud_1",
}  # fmt: skip


def test_tail_passes_its_conditions_on_and_pages(
    script: Script, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each condition is a parameter; a page without entries does not end it."""
    script.on("GET", "/v1/audit/entries?event=memories.deleted&actor=00ff&since=2026-05-01",
              {"items": [], "next": "3"})  # fmt: skip
    script.on("GET", "/v1/audit/entries?after=3&event=memories.deleted&actor=00ff&since=2026-05-01",
              {"items": [ENTRY], "next": None})  # fmt: skip
    assert run(script, "audit", "tail", "--event", "memories.deleted", "--actor", "00ff",
               "--since", "2026-05-01") == 0  # fmt: skip
    assert json.loads(capsys.readouterr().out) == ENTRY


def test_a_report_is_shown(script: Script, capsys: pytest.CaptureFixture[str]) -> None:
    """As sentences and a table, or as it came; what is zero is left out for people."""
    script.on("GET", "/v1/audit/report?since=2026-05-01", REPORT)
    assert run(script, "audit", "report", "--since", "2026-05-01", "--json") == 0
    assert json.loads(capsys.readouterr().out) == REPORT
    assert run(script, "audit", "report", "--since", "2026-05-01") == 0
    said = capsys.readouterr().out
    assert "3 memories deleted by 2 erasures, from 2026-05-01T00:00:00.000000Z to now" in said
    assert "types: user_request 2, retention 1\n" in said


def test_who_deleted_asks_by_the_body(script: Script, capsys: pytest.CaptureFixture[str]) -> None:
    """No id of a memory stands in a URL; where nobody did, that is said."""
    script.on("POST", "/v1/audit/who-deleted", {"items": [DELETION]}, {"items": []})
    assert run(script, "audit", "who-deleted", "mem-77") == 0
    assert "DEL-2026-0001" in capsys.readouterr().out
    assert script.asked[0][2] == {"memory_id": "mem-77", "upstream": None}
    assert run(script, "audit", "who-deleted", "mem-78") == 0
    assert "No erasure deleted it." in capsys.readouterr().err
