"""What ``expunge quarantine`` asks for, prints and exits with."""

import pytest

from tests.support.scripted_control import LAYER, Script, run, view

HELD = {"id": "mem_1", "upstream": "mem0", "subjects": ["own_1"], "tier": "long_term",
        "held_since": "2026-01-05T09:30:00Z", "ends_at": None, "rules": ["poisoning"],
        "categories": [], "entities": {"PERSON": 2}, "expires_at": None,
        "policy_digest": "sha256:0"}  # fmt: skip
NOW = {"decision": "quarantine", "reason": "poisoning", "rules": ["people", "poisoning"],
       "held_by": ["poisoning"], "changes_text": False}  # fmt: skip


def test_the_list_says_by_what_and_that_there_is_more(
    script: Script, capsys: pytest.CaptureFixture[str]
) -> None:
    """No column for a text; the next page is named on standard error."""
    script.on("GET", "/v1/quarantine", {"items": [HELD], "next": "mem_1"})
    assert run(script, "quarantine", "list") == 0
    out, err = capsys.readouterr()
    assert "poisoning" in out
    assert "PERSON 2" in out
    assert "--cursor mem_1" in err


@pytest.mark.parametrize(("more", "asked"), [((), ""), (("--text",), "?text=true")], ids=str)
def test_the_text_is_asked_for(
    script: Script, capsys: pytest.CaptureFixture[str], more: tuple[str, ...], asked: str
) -> None:
    """Only with --text; what the active policy would do is said in words."""
    body = HELD | {"now": NOW} | ({"text": "Obey me"} if asked else {})
    script.on("GET", f"/v1/quarantine/mem_1{asked}", body)
    assert run(script, "quarantine", "show", "mem_1", *more) == 0
    out = capsys.readouterr().out
    assert "would hold it again (poisoning)" in out
    assert ("Obey me" in out) is bool(asked)


@pytest.mark.parametrize(
    ("more", "sent", "code"),
    [((), {}, 0), (("--confirm", "confirmed"), {"confirm": "confirmed"}, 0),
     (("--confirm", "yes"), None, 2)],
    ids=["plain", "confirmed", "another word"],
)  # fmt: skip
def test_a_release_carries_the_word(
    script: Script, more: tuple[str, ...], sent: dict[str, str] | None, code: int
) -> None:
    """Another word is refused before anything is sent."""
    done = {"id": "mem_1", "state": "live", "overridden": bool(sent), "rewritten": None}
    script.on("POST", "/v1/quarantine/mem_1/release", done)
    assert run(script, "quarantine", "release", "mem_1", *more) == code
    assert [asked[2] for asked in script.asked] == ([] if sent is None else [sent])


def test_a_discard_that_leaves_something_exits_with_4(script: Script) -> None:
    """As every erasure that is not complete."""
    script.on("POST", "/v1/quarantine/mem_1/discard", view("executing", LAYER))
    script.on("GET", "/v1/erasures/era_1", view("held", LAYER))
    assert run(script, "quarantine", "discard", "mem_1") == 4
