"""What ``keys destroy-epoch`` says of what it destroyed, could not destroy, and had not to."""

import pytest

from tests.support.scripted_control import Script, run

DONE = {
    "epoch": 3, "rewrapped": 0, "assurance": "local-kek", "destroyed_at": None, "final_at": None,
    "clean": True, "retired": [], "destroyed": [], "remaining": [],
}  # fmt: skip
CASES = {
    "nothing to destroy": ({}, 0, "Nothing to destroy: epoch 3 is in use"),
    "destroyed": (
        {"destroyed": [2], "destroyed_at": "2026-01-05T09:31:00Z"}, 0, "Older epochs: local-kek",
    ),
    "still opened": ({"remaining": [2]}, 4, "Epoch 2 is retired, but the provider still opens it"),
}  # fmt: skip


@pytest.mark.parametrize(("more", "code", "said"), CASES.values(), ids=CASES)
def test_destroying_says_what_was_done(
    script: Script,
    capsys: pytest.CaptureFixture[str],
    more: dict[str, object],
    code: int,
    said: str,
) -> None:
    """Nothing is claimed where no epoch was retired."""
    script.on("POST", "/v1/keys/destroy-epoch", DONE | more)
    assert run(script, "keys", "destroy-epoch", "--confirm", "confirmed") == code
    out = capsys.readouterr().out
    assert said in out
    assert ("Nothing to destroy" in out) is (not more)
