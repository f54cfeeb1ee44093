"""``expunge reconcile``: what is left is told with its remedy; offline it asks no service."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.scripted_control import Script, run

DONE: dict[str, Any] = {
    "looked_at": 3, "by_tombstone": 1, "by_owner": 0, "by_mention": 0, "by_row": 2, "erased": 3,
    "references": ["DEL-2026-0007"], "left": [], "rewritten": [], "found": 3, "complete": True,
}  # fmt: skip
HELD = {
    "upstream": "mem0", "layer": "entities", "rows": 2, "reason": "held_by_the_store",
    "action": "Stop the store, run 'expunge reconcile --offline --config FILE', start it again.",
}  # fmt: skip


@pytest.mark.parametrize(
    ("left", "complete", "code"), [([], True, 0), ([HELD], False, 4)], ids=["all gone", "held"]
)
def test_what_is_left_is_told_with_what_to_do(
    script: Script, capsys: pytest.CaptureFixture[str], left: list[Any], complete: bool, code: int
) -> None:
    """One line for each layer, beside the table or the JSON, and exit code 4."""
    script.on("POST", "/v1/stores/reconcile", DONE | {"left": left, "complete": complete})
    for more in ([], ["--json"]):
        assert run(script, "reconcile", *more) == code
        shown = capsys.readouterr()
        told = f"mem0: 2 rows of entities are left. {HELD['action']}"
        assert (told in " ".join(shown.err.split())) is bool(left)
    assert script.asked[-1][2] == {"dry_run": False}


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ([], "--offline takes --config FILE or --dev DIR"),
        (["--config", "absent.yaml"], "absent.yaml"),
    ],
    ids=["no configuration", "one that is not there"],
)
def test_offline_needs_a_configuration(
    script: Script, capsys: pytest.CaptureFixture[str], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, more: list[str], said: str,
) -> None:  # fmt: skip
    """No service is asked, whatever the options and the environment name."""
    monkeypatch.chdir(tmp_path)
    assert run(script, "reconcile", "--offline", *more) != 0
    assert said in capsys.readouterr().err
    assert script.asked == []


def test_old_texts_that_had_been_rewritten_are_told_by_their_erasure(
    script: Script, capsys: pytest.CaptureFixture[str]
) -> None:
    """So that somebody can look whether what was kept of them is still there."""
    rewritten = [{"reference": "DEL-2026-0003", "memories": 2}]
    script.on("POST", "/v1/stores/reconcile", DONE | {"rewritten": rewritten})
    assert run(script, "reconcile") == 0
    told = " ".join(capsys.readouterr().err.split())
    assert "2 old texts that DEL-2026-0003 had rewritten are back." in told


@pytest.mark.parametrize("held", [0, 2])
def test_what_a_hold_keeps_is_told(
    script: Script, capsys: pytest.CaptureFixture[str], held: int
) -> None:
    """With what makes it go; nothing is complete until then."""
    done = DONE | {"held": held, "erased": 3 - held, "complete": not held}
    script.on("POST", "/v1/stores/reconcile", done)
    assert run(script, "reconcile") == (4 if held else 0)
    told = "Kept under a legal hold: 2. They go when it is released."
    assert (told in " ".join(capsys.readouterr().err.split())) is bool(held)


READING = {
    ("adopt",): ("/v1/stores/adopt", {"seen": 1, "adopted": 1, "known": 0, "foreign": 0}),
    ("reconcile",): ("/v1/stores/reconcile", DONE),
    ("erasure", "recheck", "era_1"): (
        "/v1/erasures/era_1/recheck",
        {"reference": "DEL-2026-0001", "looked_at": 1, "returned": 0, "not_looked_at": {}},
    ),
}


@pytest.mark.parametrize("command", READING, ids=" ".join)
@pytest.mark.parametrize(("names", "code"), [([], 0), (["second"], 4)])
def test_a_store_that_was_not_read_is_named(
    script: Script, capsys: pytest.CaptureFixture[str], command: tuple[str, ...],
    names: list[str], code: int,
) -> None:  # fmt: skip
    """One line for each, and exit code 4: the others are told all the same."""
    path, body = READING[command]
    told = {"unreachable": names, "complete": not names, "still_absent": not names}
    script.on("POST", path, body | told)
    assert run(script, *command) == code
    said = "second: the store could not be read to its end"
    assert (said in " ".join(capsys.readouterr().err.split())) is bool(names)


KEYS = {"state": "key_epoch_destroyed", "destroyed": [{"fingerprint": "0" * 16}],
        "wording": "ciphertext held by Expunge is crypto-erased"}  # fmt: skip


@pytest.mark.parametrize("keys", [KEYS, None], ids=["keys", "none"])
def test_a_recheck_tells_how_far_the_keys_are_gone(
    script: Script, capsys: pytest.CaptureFixture[str], keys: dict[str, Any] | None
) -> None:
    """In the words of the service; of no keys nothing."""
    body = {"reference": "DEL-2026-0001", "looked_at": 1, "returned": 0, "not_looked_at": {},
            "still_absent": True, "unreachable": [], "keys": keys}  # fmt: skip
    script.on("POST", "/v1/erasures/era_1/recheck", body)
    assert run(script, "erasure", "recheck", "era_1") == 0
    told = "Keys destroyed: 1 (key_epoch_destroyed): ciphertext held by Expunge is crypto-erased."
    assert (told in " ".join(capsys.readouterr().out.split())) is bool(keys)


def test_versions_of_nobody_are_asked_for(
    script: Script, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only where somebody says so, and not of files whose store is stopped."""
    script.on("POST", "/v1/stores/reconcile", DONE | {"by_orphan": 2})
    assert run(script, "reconcile", "--orphans", "--preview", "--json") == 0
    assert script.asked[-1][2] == {"dry_run": True, "orphans": True}
    assert json.loads(capsys.readouterr().out)["by_orphan"] == 2
    assert run(script, "reconcile", "--orphans", "--offline", "--config", "expunge.yaml") == 2
