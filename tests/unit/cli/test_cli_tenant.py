"""Client keys by command: shown once, with what is needed to manage them afterwards."""

import json

import pytest

from tests.support.scripted_control import Script, run

ADDED = {
    "name": "acme", "tenant": "acme", "client_key": "exk_invented", "id": "key_1", "label": "",
    "state": "active", "roles": ["app"], "operations": ["read"], "purposes": None,
    "created_at": "2026-01-05T09:30:00Z", "expires_at": "2026-04-05T09:30:00Z",
    "last_used_at": None, "revoked_at": None,
}  # fmt: skip
ADD_KEY = ("tenant", "add-key", "acme", "--operation", "read")


def test_a_new_key_is_printed_with_its_id_and_scope(
    script: Script, capsys: pytest.CaptureFixture[str]
) -> None:
    """The key alone on standard output, or all of it as JSON."""
    script.on("POST", "/v1/tenants/acme/keys", ADDED)
    assert run(script, *ADD_KEY) == 0
    out, err = capsys.readouterr()
    assert out == "exk_invented\n"
    assert "Its id: key_1; it may: read as app; it ends: 2026-04-05T09:30:00Z." in err
    assert run(script, *ADD_KEY, "--json") == 0
    assert json.loads(capsys.readouterr().out) == ADDED


def test_a_role_that_there_is_not_is_wrong_usage(
    script: Script, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is asked for; those that there are are named."""
    assert run(script, "tenant", "add-key", "acme", "--role", "admin") == 2
    err = capsys.readouterr().err
    assert all(name in err for name in ("app", "operator", "privacy", "auditor"))
    assert script.asked == []
