"""What ``expunge retention`` asks for, prints and exits with."""

import pytest

from tests.support.scripted_control import Script, run

REVIEW = {"id": "rev_1", "subject": "own_1", "reason": "expiring", "state": "open",
          "summary": {"asked": 1}, "created_at": "2026-01-28T09:30:00Z",
          "due_at": "2026-02-04T09:30:00Z", "closed_at": None}  # fmt: skip
PROMPT = {"category": "health", "memories": 1, "hidden_at": None, "erased_at": None,
          "text": "I still have health information stored. Keep or delete?",
          "actions": ["keep_all"]}  # fmt: skip
MEMORY = {"id": "0f6c", "upstream": "mem0", "categories": ["health"], "tier": "sensitive",
          "created_at": "2026-01-05T09:30:00Z", "hidden_at": "2026-02-04T09:30:00Z",
          "erased_at": "2026-02-11T09:30:00Z"}  # fmt: skip
SWEPT = {"asked": 3, "erased": 2, "waiting": 1, "held": 0, "incomplete": 0, "suspended": False}


def test_a_review_is_shown_with_its_question(
    script: Script, capsys: pytest.CaptureFixture[str]
) -> None:
    """The words first, then numbers, then which memories and their dates."""
    body = REVIEW | {"prompts": [PROMPT], "memories": [MEMORY]}
    script.on("GET", "/v1/reviews/rev_1", body)
    assert run(script, "retention", "review", "--show", "rev_1") == 0
    out = capsys.readouterr().out
    assert out.startswith("health, 1: I still have health information stored. Keep or delete?")
    assert "expiring" in out
    assert "0f6c" in out


def test_the_list_says_why_and_that_there_is_more(
    script: Script, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one state; the next page is named on standard error."""
    script.on("GET", "/v1/reviews?state=open", {"items": [REVIEW], "next": "rev_1"})
    assert run(script, "retention", "review", "--state", "open") == 0
    out, err = capsys.readouterr()
    assert "expiring" in out
    assert "--cursor rev_1" in err


def test_an_answer_carries_its_limits(script: Script) -> None:
    """What was decided, and for which category."""
    script.on("POST", "/v1/reviews/rev_1", {"review_id": "rev_1", "kept": 1})
    command = ("retention", "review", "--answer", "rev_1", "--action", "keep_all")
    assert run(script, *command, "--category", "health") == 0
    assert [each[2] for each in script.asked] == [
        {"action": "keep_all", "categories": ["health"], "memory_ids": [], "until": None}
    ]


def test_a_sweep_says_how_many_were_asked_about(
    script: Script, capsys: pytest.CaptureFixture[str]
) -> None:
    """Beside what was erased."""
    script.on("POST", "/v1/retention/sweep", SWEPT)
    assert run(script, "retention", "sweep") == 0
    assert capsys.readouterr().out.strip() == "asked 3, erased 2, waiting 1, held 0"
