"""How far long work is, as the command line tells it."""

import json
from typing import Any

import pytest

from proxy.cli.progress import Reading
from proxy.erasure.scan import NOT_ASKED
from proxy.erasure.search import layers
from proxy.erasure.search.walk import AWAY
from tests.support.scripted_control import Script, run

DONE = {"seen": 400, "adopted": 390, "known": 10, "foreign": 0}


def counts(memories: int, stage: str = "memories") -> dict[str, Any]:
    """How far it is."""
    return {"memories": memories, "pages": memories // 200, "upstream": "mem0", "stage": stage}


def lines(*documents: Any) -> bytes:
    """What the control plane sends."""
    return b"".join(json.dumps(each).encode() + b"\n" for each in documents)


@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
def test_progress_stands_on_standard_error_and_the_result_on_standard_output(
    script: Script, capsys: pytest.CaptureFixture[str], as_json: bool
) -> None:
    """A script reads one document; a person sees memories, pages and the rate."""
    told = [{"progress": counts(200)}, {"progress": counts(400, "rows")}]
    script.on("POST", "/v1/stores/adopt", lines(*told, {"result": DONE}))
    assert run(script, "adopt", *(["--json"] if as_json else [])) == 0
    shown = capsys.readouterr()
    if as_json:
        assert json.loads(shown.out) == DONE
        said = [json.loads(line) for line in shown.err.splitlines()]
        assert [(each["memories"], each["stage"]) for each in said] == [(200, "memories"),
                                                                        (400, "rows")]  # fmt: skip
        assert all(each["per_second"] > 0 for each in said)
    else:
        assert "390" in shown.out
        assert "mem0: 200 memories read in 1 pages, " in shown.err
        assert "mem0: reading the tables beside the memories" in shown.err
    assert script.asked[-1][3]["Accept"] == "application/x-ndjson"


def test_a_problem_on_the_way_ends_the_command(
    script: Script, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is told like any other."""
    problem = {"type": "urn:expunge:problem:upstream-unreachable", "status": 502,
               "title": "The store cannot be reached", "detail": "A store could not be read.",
               "hint": "Check its address."}  # fmt: skip
    script.on("POST", "/v1/stores/scan", lines({"progress": counts(200)}, {"problem": problem}))
    assert run(script, "scan") == 1
    assert "A store could not be read." in capsys.readouterr().err


def test_lines_that_end_without_a_result_are_no_success(
    script: Script, capsys: pytest.CaptureFixture[str]
) -> None:
    """A service that was stopped midway has not done the work."""
    script.on("POST", "/v1/stores/reconcile", lines({"progress": counts(200)}))
    assert run(script, "reconcile") == 1
    assert "cannot be reached" in capsys.readouterr().err


def test_a_line_a_second_is_enough(capsys: pytest.CaptureFixture[str]) -> None:
    """However fast pages come; another stage is told at once."""
    at = 0.0
    told = Reading(as_json=False, now=lambda: at)
    for n in range(1, 31):
        at += 0.1
        told(counts(n * 200))
    told(counts(6000, "rows"))
    said = capsys.readouterr().err.splitlines()
    assert 3 <= len(said) <= 5
    assert said[0] == "mem0: 200 memories read in 1 pages, 2000 a second"


def test_a_scan_says_what_to_do_about_each_layer_it_did_not_look_at(
    script: Script, capsys: pytest.CaptureFixture[str]
) -> None:
    """Files are no connector that is missing: their bytes are searched while an erasure runs."""
    unread = {
        "mem0/files": layers.NO_WORDS, "mem0/history": layers.NO_CONNECTOR,
        "other/entities": NOT_ASKED, "third/memory": AWAY,
    }  # fmt: skip
    script.on("POST", "/v1/stores/scan", {"came_back": 0, "not_looked_at": unread})
    assert run(script, "scan") == 0
    assert capsys.readouterr().err.splitlines() == [
        "Not looked at: mem0/files (the erased words are gone, so bytes cannot be searched for "
        "them). Bytes are searched while an erasure runs: its certificate says what was found.",
        "Not looked at: mem0/history (no connector). Name it in the configuration: upstreams, "
        "layers.",
        "Not looked at: other/entities (another store was asked for). Run it without --upstream.",
        "Not looked at: third/memory (the store could not be read to its end).",
    ]
