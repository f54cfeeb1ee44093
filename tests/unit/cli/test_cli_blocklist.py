"""Whether a text is blocked, as an exit code that scripts can ask for."""

import pytest

from tests.support.scripted_control import Script, run


@pytest.mark.parametrize(("blocked", "code"), [(True, 6), (False, 0)], ids=["blocked", "free"])
def test_check_says_so_by_its_exit_code(script: Script, blocked: bool, code: int) -> None:
    """6 is blocked and nothing else; with JSON as well."""
    script.on("POST", "/v1/blocklist/check", {"blocked": blocked, "mentions": []})
    for more in ([], ["--json"]):
        assert run(script, "blocklist", "check", "Alva Brenn called", *more) == code
    assert script.asked[-1][2] == {"text": "Alva Brenn called"}


def test_the_list_tells_what_an_entry_is(
    script: Script, capsys: pytest.CaptureFixture[str]
) -> None:
    """By what asked for it and when; a script has it all."""
    item = {
        "tenant": "acme", "id": "blk_1", "kind": "name", "keys": 3,
        "forms": {"full": 2, "joined": 1}, "erasure_id": "era_1", "reference": "DEL-2026-0001",
        "target": "entity", "reason": "art17_1_b", "whole_tenant": True,
        "created_at": "2026-01-05T09:30:00Z",
    }  # fmt: skip
    by_hand = {**item, "id": "blk_2", "erasure_id": None, "reference": None, "target": None,
               "reason": None}  # fmt: skip
    script.on("GET", "/v1/blocklist", {"items": [item, by_hand]})
    assert run(script, "blocklist", "list") == 0
    first, second = (
        line.split() for line in capsys.readouterr().out.splitlines() if "blk_" in line
    )
    said = [cell for cell in first if cell != "│"]
    assert said == ["blk_1", "name", "full", "2,", "joined", "1", "DEL-2026-0001", "entity",
                    "art17_1_b", "2026-01-05T09:30:00Z"]  # fmt: skip
    assert [cell for cell in second if cell != "│"][-4:-1] == ["–", "–", "–"]
