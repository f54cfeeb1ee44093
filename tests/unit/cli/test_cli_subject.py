"""What ``expunge subject`` sends and prints about holds and restrictions."""

from typing import Any

import pytest

from tests.support.scripted_control import Script, run

DONE: dict[str, Any] = {"id": "hld_1", "memories": 2, "erased": 0, "unreachable": []}
TOLD = [
    pytest.param({}, "Memories under it: 2.", id="all there"),
    pytest.param({"memories": 0, "erased": 3}, "Memories under it: 0; erased already: 3.",
                 id="too late"),
    pytest.param({"unreachable": ["mem0"]}, "Memories under it: 2; as the ledger tells of mem0, "
                 "which cannot be read.", id="away"),
]  # fmt: skip


@pytest.mark.parametrize(("more", "said"), TOLD)
@pytest.mark.parametrize(("command", "kind"), [("hold", "hold"), ("restrict", "restriction")])
def test_a_hold_is_placed_by_owner_id_and_told(
    script: Script, capsys: pytest.CaptureFixture[str], command: str, kind: str,
    more: dict[str, Any], said: str,
) -> None:  # fmt: skip
    """One call, no look-up; standard output has the id alone."""
    script.on("POST", "/v1/holds", DONE | more, status=201)
    assert run(script, "subject", command, "u-17", "--code", "legal_claims") == 0
    out, err = capsys.readouterr()
    assert (out.strip(), " ".join(err.split())) == ("hld_1", said)
    asked = {"kind": kind, "owner": "u-17", "code": "legal_claims"}
    assert [each[1:3] for each in script.asked] == [("/v1/holds", asked)]


def test_why_nothing_is_held_is_told(script: Script, capsys: pytest.CaptureFixture[str]) -> None:
    """As the service says it."""
    detail = "Nothing is kept under this owner any more; memories that are erased already: 2."
    problem = {"type": "urn:expunge:problem:not-found", "title": "Not found", "status": 404,
               "detail": detail, "hint": "Check the id."}  # fmt: skip
    script.on("POST", "/v1/holds", problem, status=404)
    assert run(script, "subject", "hold", "u-17", "--code", "legal_claims") == 1
    assert detail in " ".join(capsys.readouterr().err.split())


def test_an_export_of_whom_the_ledger_does_not_know_says_what_to_do(
    script: Script, capsys: pytest.CaptureFixture[str]
) -> None:
    """A store may well have something: nobody looked."""
    script.on("POST", "/v1/subjects", {"items": [], "erasures": []})
    assert run(script, "subject", "export", "u-17") == 1
    assert "expunge adopt" in capsys.readouterr().err


def test_that_nothing_is_known_is_no_word_on_what_a_store_has(
    script: Script, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only the ledger was asked; what was carried out is named."""
    done = {"reference": "DEL-2026-0001", "completed_at": "2026-01-05T09:31:00Z"}
    script.on("POST", "/v1/subjects", {"items": [], "erasures": [done]})
    assert run(script, "subject", "show", "--owner", "u-17") == 0
    out, err = capsys.readouterr()
    assert "Nothing is known." in out
    assert "DEL-2026-0001 was carried out" in out
    assert "expunge adopt" in err
