"""Whether a text is blocked, as an exit code that scripts can ask for."""

import pytest

from tests.support.scripted_control import Script, run


@pytest.mark.parametrize(("blocked", "code"), [(True, 6), (False, 0)], ids=["blocked", "free"])
def test_check_says_so_by_its_exit_code(script: Script, blocked: bool, code: int) -> None:
    """6 is blocked and nothing else; with JSON as well."""
    script.on("POST", "/v1/blocklist/check", {"blocked": blocked, "mentions": []})
    for more in ([], ["--json"]):
        assert run(script, "blocklist", "check", "Alva Brenn called", *more) == code
    assert script.asked[-1][2] == {
        "text": "Alva Brenn called", "owner": None, "owner_kind": "user",
    }  # fmt: skip
