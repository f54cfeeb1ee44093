"""``expunge forget`` against a scripted control plane: what it sends, prints, and exits with."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from proxy.cli import main
from proxy.clock import SystemClock
from proxy.erasure.texts.attributes import ATTRIBUTES
from tests.support.scripted_control import LAYER, LEFT, NONE, Script, confirmable, run, view


def test_without_confirm_nothing_is_executed(
    script: Script, capsys: pytest.CaptureFixture[str]
) -> None:
    """A preview asks for a dry run, prints the plan, exits 0."""
    script.on("POST", "/v1/erasures", view("planned", LAYER | {"status": "planned", "erased": 0}))
    assert run(script, "forget", "entity", "Alva Brenn", "--type", "person") == 0
    ((method, path, body, headers),) = script.asked
    assert (method, path) == ("POST", "/v1/erasures")
    assert body["dry_run"] is True
    assert body["target"] == {"kind": "entity", "values": ["Alva Brenn"], "scope": "any_mention",
                              "type": "person"}  # fmt: skip
    assert headers["Authorization"] == "Bearer xpc_test"
    assert "nothing was deleted" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("last", "code"),
    [(view("complete", LAYER), 0), (view("incomplete", LAYER, LEFT), 4)],
    ids=["complete", "residual"],
)
def test_confirmed_erasure_ends_with_what_is_left(
    script: Script,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    last: dict[str, Any],
    code: int,
) -> None:
    """Exit 0 only if nothing is left; else 4, with the layer named."""
    confirmable(script, last)
    got = run(script, "forget", "owner", "u-17", "--confirm", "confirmed", "--json",
              "--certificate-dir", str(tmp_path))  # fmt: skip
    assert got == code
    printed = json.loads(capsys.readouterr().out)
    assert printed["state"] == last["state"]
    assert {"reference", "state", "layers", "deleted", "cascaded", "regenerated", "redacted",
            "certificate"} <= printed.keys()  # fmt: skip
    assert {"upstream", "layer", "found", "erased", "residual", "status"} <= (
        printed["layers"][0].keys()
    )
    assert Path(printed["certificate"]).read_text() == "{}"
    confirm = next(ask for ask in script.asked if ask[1].endswith("/confirm"))
    assert confirm[2] == {"confirm": "confirmed", "token": "tok", "unseen": True}


def test_who_asked_and_how_they_were_identified_is_sent(
    script: Script, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the request or with the confirmation, and it is shown; without a method it is usage."""
    known = {"method": "document", "at": "2026-01-05T08:15:00.000000Z"}
    confirmable(script, view("complete", LAYER, channel="in_person", identity=known))
    told = ("--channel", "in_person", "--identified", "document", "--identified-by", "desk-4",
            "--evidence", "T-1")  # fmt: skip
    assert run(script, "forget", "owner", "u-17", *told, "--plan") == 0
    asked = script.asked[0][2]
    assert asked["channel"] == "in_person"
    assert asked["identity"] == {"method": "document", "by": "desk-4", "evidence_ref": "T-1"}
    script.on("POST", "/v1/erasures/DEL-2026-0001/confirm", view("confirmed"))
    done = view("complete", LAYER, channel="in_person", identity=known)
    script.on("GET", "/v1/erasures/DEL-2026-0001", done)
    assert run(script, "erasure", "confirm", "DEL-2026-0001", "--plan-token", "tok", "--confirm",
               "confirmed", "--identified", "signed_in",
               "--certificate-dir", str(tmp_path)) == 0  # fmt: skip
    confirmed = next(ask[2] for ask in script.asked if ask[1].endswith("/confirm"))
    assert confirmed["identity"] == {"method": "signed_in"}
    shown = "asked for by in person, requester identified: document, 2026-01-05T08:15:00.000000Z"
    assert shown in capsys.readouterr().out
    assert run(script, "forget", "owner", "u-17", "--evidence", "T-1") == 2


@pytest.mark.parametrize("awaiting", ["identification", None])
def test_what_waits_for_an_identification_is_told(
    script: Script, capsys: pytest.CaptureFixture[str], awaiting: str | None
) -> None:
    """In the list and in the view, with what is to be given."""
    waiting = view("planned", LAYER, channel="email") | {"awaiting": awaiting}
    script.on("GET", "/v1/erasures", {"items": [waiting], "next": None})
    script.on("GET", "/v1/erasures/era_1", waiting)
    told = awaiting is not None
    run(script, "erasure", "list")
    assert ("an identification" in capsys.readouterr().out) is told
    run(script, "erasure", "show", "era_1")
    shown = "asked for by email, requester not identified yet: tell how with --identified"
    assert (shown in capsys.readouterr().out) is told


def test_a_plan_made_here_is_confirmed_here(
    script: Script, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is recorded, deletes nothing, and gives the reference and the token that confirm it."""
    confirmable(script, view("complete", LAYER))
    script.on("POST", "/v1/erasures/DEL-2026-0001/confirm", view("confirmed"))
    script.on("GET", "/v1/erasures/DEL-2026-0001", view("complete", LAYER))
    assert run(script, "forget", "owner", "u-17", "--plan") == 0
    assert "expunge erasure confirm DEL-2026-0001 --plan-token tok --conf" in (
        capsys.readouterr().err.replace("\n", " ")
    )
    assert run(script, "forget", "owner", "u-17", "--plan", "--json") == 0
    plan = json.loads(capsys.readouterr().out)
    assert [(ask[2]["dry_run"], ask[2]["future"]) for ask in script.asked] == [(False, False)] * 2
    assert not any(ask[1].endswith("/confirm") for ask in script.asked)
    assert run(script, "erasure", "confirm", plan["reference"], "--plan-token", plan["token"],
               "--confirm", "confirmed", "--certificate-dir", str(tmp_path)) == 0  # fmt: skip
    (confirmed,) = [ask[2] for ask in script.asked if ask[1].endswith("/confirm")]
    assert confirmed == {"confirm": "confirmed", "token": "tok"}


@pytest.mark.parametrize("more", [["--preview"], ["--confirm", "confirmed"]])
def test_a_plan_is_neither_a_preview_nor_confirmed(script: Script, more: list[str]) -> None:
    """Said together they contradict each other: nothing is sent."""
    assert run(script, "forget", "owner", "u-17", "--plan", *more) == 2
    assert not script.asked


@pytest.mark.parametrize("word", ["true", "yes", "CONFIRMED", ""])
def test_only_the_word_confirms(script: Script, word: str) -> None:
    """Anything but the word is a usage error, and nothing is sent."""
    assert run(script, "forget", "owner", "u-17", "--confirm", word) == 2
    assert script.asked == []


@pytest.mark.parametrize(
    "command",
    [
        "erasure confirm era_1 --plan-token t", "erasure retry era_1", "quarantine release mem_1",
        "keys destroy-epoch", "tenant remove acme", "subject export u-17", "db accept",
    ],
)  # fmt: skip
def test_no_command_takes_another_word(script: Script, command: str) -> None:
    """What asks for the word takes no other, and sends nothing with it."""
    assert run(script, *command.split(), "--confirm", "yes") == 2
    assert script.asked == []


def test_preview_wins_over_confirm(script: Script) -> None:
    """Both given: only a preview."""
    script.on("POST", "/v1/erasures", view("planned", LAYER))
    assert run(script, "forget", "owner", "u", "--preview", "--confirm", "confirmed") == 0
    assert len(script.asked) == 1
    assert script.asked[0][2]["dry_run"] is True


def test_ambiguous_name_shows_candidates(
    script: Script, capsys: pytest.CaptureFixture[str]
) -> None:
    """Several may be meant: nothing is confirmed, the candidates are listed, exit 1."""
    candidates = [{"id": "ent_1", "entity_type": "PERSON", "memories": 4, "hint": "colleague"}]
    script.on("POST", "/v1/erasures", view("needs_clarification", candidates=candidates))
    assert run(script, "forget", "entity", "Alva") == 0
    assert run(script, "forget", "entity", "Alva", "--confirm", "confirmed") == 1
    assert len(script.asked) == 2
    run(script, "forget", "entity", "Alva", "--entity", "ent_1")
    assert script.asked[-1][2]["target"]["entity_ids"] == ["ent_1"]
    assert "ent_1" in capsys.readouterr().out


def test_owners_that_may_be_theirs_are_asked_about(
    script: Script, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 1 and a table of owner ids; a script answers beforehand, a person afterwards."""
    candidates = [{"id": "own_1", "entity_type": "OWNER_ID", "memories": 4, "hint": "alva-brenn-42",
                   "why": "holds_the_name"}]  # fmt: skip
    asked = view("needs_clarification", candidates=candidates)
    script.on("POST", "/v1/erasures", asked)
    script.on("POST", "/v1/erasures/era_1/clarify", asked)
    assert run(script, "forget", "entity", "Alva Brenn") == 0
    assert run(script, "forget", "entity", "Alva Brenn", "--confirm", "confirmed") == 1
    shown = capsys.readouterr()
    assert "alva-brenn-42" in shown.out
    assert "holds the name" in shown.out
    assert "--owners none" in shown.err
    assert "expunge erasure clarify DEL-2026-0001" in shown.err
    assert "owners" not in script.asked[-1][2]["target"]
    run(script, "forget", "entity", "Alva Brenn", "--owners", "none")
    assert script.asked[-1][2]["target"]["owners"] == ["none"]
    run(script, "forget", "subject", "Alva Brenn", "--owners", "a-1", "--owners", "a-2")
    assert script.asked[-1][2]["target"]["owners"] == ["a-1", "a-2"]
    assert run(script, "erasure", "clarify", "era_1", "--owners", "own_1") == 0
    assert script.asked[-1][2]["owners"] == ["own_1"]
    assert "--owners none" in capsys.readouterr().err


QUESTION = {"code": "choose_action", "id": "mixed", "relation": "mixed", "items": 5,
            "options": ["delete", "redact", "regenerate"]}  # fmt: skip
PERSON = {"id": "ent_1", "entity_type": "PERSON", "memories": 4, "hint": "Alva"}
OWNER = {"id": "own_1", "entity_type": "OWNER_ID", "memories": 4, "hint": "alva-7",
         "why": "holds_the_name"}  # fmt: skip
ASKS = "expunge erasure clarify DEL-2026-0001"


@pytest.mark.parametrize(
    ("asked", "command", "listed"),
    [
        pytest.param({"questions": [QUESTION]}, f"{ASKS} --choose mixed=ACTION",
                     "delete, redact, regenerate", id="action"),
        pytest.param({"questions": [QUESTION, QUESTION | {"id": "derived", "relation": "derived"}]},
                     f"{ASKS} --choose mixed=ACTION --choose derived=ACTION", "derived from what",
                     id="two-actions"),
        pytest.param({"candidates": [PERSON]}, f"{ASKS} --entity ID", "Which one is meant?",
                     id="person"),
        pytest.param({"candidates": [OWNER]}, f"{ASKS} --owners ID|all|none", "holds the name",
                     id="owners"),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "way",
    [("forget", "entity", "Alva", "--confirm", "confirmed"), ("erasure", "show", "era_1"),
     ("erasure", "clarify", "era_1")],
    ids=["forget", "show", "clarify"],
)  # fmt: skip
def test_a_question_shows_its_options_and_the_command(
    script: Script, capsys: pytest.CaptureFixture[str], asked: dict[str, Any], command: str,
    listed: str, way: tuple[str, ...],
) -> None:  # fmt: skip
    """In text and in JSON, wherever it is asked; an answered one shows none."""
    for method, path in (("POST", "/v1/erasures"), ("GET", "/v1/erasures/era_1"),
                         ("POST", "/v1/erasures/era_1/clarify")):  # fmt: skip
        script.on(method, path, view("needs_clarification", **asked))
    run(script, *way)
    shown = capsys.readouterr()
    assert listed in shown.out
    assert "Preview" not in shown.out
    assert f"'{command}'" in shown.err
    assert ("This may mean several" in shown.err) is (asked.get("candidates") == [PERSON])
    run(script, *way, "--json")
    printed = json.loads(capsys.readouterr().out)
    assert printed["answer"] == [command]
    assert [each["id"] for each in printed["questions"]] == [
        each["id"] for each in asked.get("questions", ())
    ]
    script.on("POST", "/v1/erasures/era_1/clarify", view("planned"))
    run(script, "erasure", "clarify", "era_1", "--choose", "mixed=redact", "--json")
    assert script.asked[-1][2]["choices"] == {"mixed": "redact"}
    assert json.loads(capsys.readouterr().out)["answer"] == []


@pytest.mark.parametrize(
    ("state", "doubtful", "offered"),
    [("planned", 2, True), ("planned", 0, False), ("complete", 2, False)],
)
def test_a_plan_offers_what_it_lets_stay_in_doubt(
    script: Script, capsys: pytest.CaptureFixture[str], state: str, doubtful: int, offered: bool
) -> None:
    """In text and in JSON, while it can still be chosen; where nothing is in doubt, nothing is."""
    command = f"{ASKS} --choose doubtful=delete"
    shown = view(state, counts={"doubtful": doubtful})
    script.on("POST", "/v1/erasures/era_1/clarify", shown)
    run(script, "erasure", "clarify", "era_1")
    assert (command in capsys.readouterr().out) is offered
    run(script, "erasure", "clarify", "era_1", "--json")
    assert json.loads(capsys.readouterr().out)["offers"] == ([command] if offered else [])


@pytest.mark.parametrize(("came_back", "code"), [(0, 0), (2, 4)])
def test_a_scan_says_with_its_exit_code_whether_something_came_back(
    script: Script, came_back: int, code: int
) -> None:
    """The same code as a reconciliation that only looks."""
    script.on(
        "POST", "/v1/stores/scan", {"memories": 3, "came_back": came_back, "not_looked_at": {}}
    )
    assert run(script, "scan") == code
    assert run(script, "scan", "--json") == code


@pytest.mark.parametrize(("absent", "code"), [(True, 0), (False, 4)])
def test_a_recheck_says_where_it_did_not_look(
    script: Script, capsys: pytest.CaptureFixture[str], absent: bool, code: int
) -> None:
    """Each layer with its reason, on standard error; the exit code says whether it is back."""
    seen = {"reference": "DEL-2026-0001", "looked_at": 3, "returned": int(not absent),
            "still_absent": absent, "not_looked_at": {"mem0/history": "no connector"}}  # fmt: skip
    script.on("POST", "/v1/erasures/era_1/recheck", seen)
    assert run(script, "erasure", "recheck", "era_1") == code
    shown = capsys.readouterr()
    assert "DEL-2026-0001: 3 looked at" in shown.out
    assert shown.err == (
        "Not looked at: mem0/history (no connector). Name it in the configuration: upstreams, "
        "layers.\n"
    )


@pytest.mark.parametrize(
    ("slug", "status", "code"),
    [("unauthenticated", 401, 1), ("invalid-policy", 422, 3), ("ledger-unavailable", 503, 1)],
)
def test_problems_become_exit_codes(
    script: Script,
    capsys: pytest.CaptureFixture[str],
    slug: str,
    status: int,
    code: int,
) -> None:
    """The table of problems decides; detail and hint go to standard error."""
    problem = {"type": f"urn:expunge:problem:{slug}", "title": "Title", "detail": "What happened.",
               "hint": "What to do."}  # fmt: skip
    script.on("POST", "/v1/erasures", problem, status=status)
    assert run(script, "forget", "owner", "u-17") == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "What happened." in captured.err
    assert "What to do." in captured.err


def test_open_ranges_and_tags_as_targets(script: Script) -> None:
    """An end that is left open is not sent; tags go as they are."""
    script.on("POST", "/v1/erasures", view("planned", LAYER))
    run(script, "forget", "time-range", "-", "2026-01-01")
    run(script, "forget", "time-range", "2026-01-01", "-")
    run(script, "forget", "tag", "pii:email_address", "pii:iban_code")
    either = {"kind": "time_range"}
    assert [ask[2]["target"] for ask in script.asked] == [
        either | {"to": "2026-01-01"},
        either | {"from": "2026-01-01"},
        {"kind": "tag", "values": ["pii:email_address", "pii:iban_code"]},
    ]


def test_time_range_and_tenant_targets(script: Script) -> None:
    """The words of the command become the target."""
    script.on("POST", "/v1/erasures", view("planned", LAYER))
    run(script, "forget", "time-range", "2026-05-01", "2026-06-01", "--owner", "u-17")
    run(script, "forget", "tenant", "acme/projects")
    run(script, "forget", "memory", "m1", "m2")
    run(script, "forget", "attribute", "salary", "phone", "--owner", "u-17", "--keep", "Acme")
    targets = [ask[2]["target"] for ask in script.asked]
    assert targets[0] == {"kind": "time_range", "from": "2026-05-01", "to": "2026-06-01",
                          "owner": "u-17"}  # fmt: skip
    assert targets[1] == {"kind": "tenant", "values": ["projects"]}
    assert script.asked[1][3]["Expunge-Tenant"] == "acme"
    assert targets[2] == {"kind": "memory", "values": ["m1", "m2"]}
    assert targets[3] == {"kind": "attribute", "values": ["salary", "phone"], "owner": "u-17"}
    assert script.asked[3][2]["keep"] == ["Acme"]


def test_no_answer_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    """A service that is not there: exit 1, said plainly."""
    with pytest.raises(SystemExit) as ended:
        main(["forget", "owner", "u", "--url", "http://127.0.0.1:1", "--token", "x"])
    assert ended.value.code == 1
    assert "cannot be reached" in capsys.readouterr().err


def test_missing_connection_is_a_usage_error(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without --url or --dev: exit 2, and both are named."""
    for name in ("EXPUNGE_URL", "EXPUNGE_TOKEN", "EXPUNGE_DEV"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(SystemExit) as ended:
        main(["forget", "owner", "u"])
    assert ended.value.code == 2
    assert "--dev" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (("time-range", "yesterday", "today"), 2),
        (("time-range", "2026-06-01", "2026-05-01"), 2),
        (("time-range", "-", "-"), 2),
        (("time-range", "-", "2026-05-01"), 0),
        (("tag", ""), 2),
        (("tag", "pii:person"), 0),
        (("time-range", "2026-05-01", "2026-06-01T00:00:00Z"), 0),
        (("entity", ""), 2),
        (("entity", "Alva Brenn"), 0),
        (("subject", " "), 2),
        (("owner", ""), 2),
        (("memory", ""), 2),
        (("attribute", ""), 2),
        (("attribute", "salary"), 0),
    ],
)
def test_what_cannot_be_meant_is_wrong_usage(
    script: Script, given: tuple[str, ...], code: int
) -> None:
    """An empty name and a time that is none end before anything is asked."""
    script.on("POST", "/v1/erasures", view("planned", LAYER | {"status": "planned", "erased": 0}))
    assert run(script, "forget", *given) == code
    assert len(script.asked) == (code == 0)


GO_ON = "'expunge erasure retry DEL-2026-0001 --confirm confirmed'"


def test_a_plan_that_nobody_confirmed_says_how_to_go_on(
    script: Script, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where a twin runs, in 'show' and in 'list'; what is carried out says no such thing."""
    twin = {"type": "urn:expunge:problem:subject-locked", "title": "Running", "status": 409,
            "detail": "An erasure of the same target is running."}  # fmt: skip
    script.on("POST", "/v1/erasures", view("planned", LAYER, token="tok"))
    script.on("POST", "/v1/erasures/era_1/confirm", twin, status=409)
    assert run(script, "forget", "entity", "Alva", "--confirm", "confirmed") == 1
    assert GO_ON in capsys.readouterr().err
    for state, told in (("planned", True), ("executing", False)):
        script.on("GET", "/v1/erasures/era_1", view(state, LAYER))
        run(script, "erasure", "show", "era_1")
        assert (GO_ON in capsys.readouterr().out) is told
        script.on("GET", "/v1/erasures", {"items": [view(state)], "next": None})
        run(script, "erasure", "list")
        assert ("expunge erasure retry REFERENCE" in capsys.readouterr().err) is told


@pytest.mark.parametrize(
    ("outcome", "waits"),
    [
        (None, "its next try"),
        ("incomplete", "a retry"),
        ("needs_operator", "an operator"),
        ("out_of_reach", "a connector"),
        ("nothing_found", "an earlier one"),
    ],
)
def test_the_list_says_which_incomplete_ones_go_on_by_themselves(
    script: Script, capsys: pytest.CaptureFixture[str], outcome: str | None, waits: str
) -> None:
    """One that is still tried has no outcome yet."""
    listed = {"items": [view("incomplete") | {"outcome": outcome}], "next": None}
    script.on("GET", "/v1/erasures", listed)
    run(script, "erasure", "list")
    said = capsys.readouterr()
    assert waits in said.out
    assert ("upstreams[].layers, docs/mem0.md" in said.err) is (outcome == "out_of_reach")


@pytest.mark.parametrize("path", ["acme/", "acme//", "acme/ "])
def test_an_empty_scope_is_not_the_whole_tenant(script: Script, path: str) -> None:
    """A slash with nothing behind it is a slip; nothing is asked of the server."""
    assert run(script, "forget", "tenant", path) == 2
    assert script.asked == []


@pytest.mark.parametrize("keep", ["", ".", " - "])
def test_a_word_to_keep_that_says_nothing_is_wrong_usage(
    script: Script, capsys: pytest.CaptureFixture[str], keep: str
) -> None:
    """Exit 2 with the option named, before anything is asked."""
    with pytest.raises(SystemExit) as ended:
        main(["forget", "owner", "u-17", "--keep", "employer", "--keep", keep])
    said = capsys.readouterr().err
    assert (ended.value.code, script.asked) == (2, [])
    assert "--keep" in said
    assert "at least one letter or digit" in said


@pytest.mark.parametrize("kind", ["attribute", "category", "tag"])
def test_labels_are_asked_for_alike(script: Script, kind: str) -> None:
    """One command in three names: several labels, an owner, and what is to be kept."""
    script.on("POST", "/v1/erasures", view("planned", LAYER))
    run(script, "forget", kind, "one", "two", "--owner", "u-17", "--keep", "employer")
    (asked,) = script.asked
    assert asked[2]["keep"] == ["employer"]
    assert asked[2]["target"] == {"kind": kind, "values": ["one", "two"], "owner": "u-17"}


@pytest.mark.parametrize("name", ["owner", "category", "time-range"])
def test_help_lists_what_can_be_kept(capsys: pytest.CaptureFixture[str], name: str) -> None:
    """Every attribute is named, so nobody has to guess."""
    with pytest.raises(SystemExit):
        main(["forget", name, "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert all(each in said for each in ATTRIBUTES)


DYING = [
    pytest.param("POST", "/v1/erasures", "'expunge erasure list'", id="asked for"),
    pytest.param("POST", "/v1/erasures/era_1/confirm", "'expunge erasure show DEL-2026-0001'",
                 id="confirmed"),
    pytest.param("GET", "/v1/erasures/era_1", "'expunge erasure watch era_1'", id="running"),
    pytest.param("GET", "/v1/erasures/era_1/certificate", "'expunge erasure watch era_1'",
                 id="ended"),
]  # fmt: skip


@pytest.mark.parametrize(("method", "path", "said"), DYING)
def test_a_service_that_dies_leaves_word_how_to_go_on(
    script: Script, capsys: pytest.CaptureFixture[str], method: str, path: str, said: str
) -> None:
    """What is on record goes on by itself; where that is not known, it is said how to find out."""
    confirmable(script, view("complete", LAYER))
    script.on(method, path, {}, status=NONE)
    assert run(script, "forget", "owner", "u-17", "--confirm", "confirmed") == 1
    told = capsys.readouterr().err
    assert said in told
    assert "Expunge cannot be reached" in told
    assert ("also after a restart" in told) == (path != "/v1/erasures")


def test_a_preview_that_is_not_answered_did_nothing(
    script: Script, capsys: pytest.CaptureFixture[str]
) -> None:
    """There is nothing on record to look for."""
    script.on("POST", "/v1/erasures", {}, status=NONE)
    assert run(script, "forget", "owner", "u-17") == 1
    told = capsys.readouterr().err
    assert "nothing was recorded, nothing is deleted" in told
    assert "erasure list" not in told


def test_within_the_grace_window_it_is_said_when_it_ends(
    script: Script, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever waits is told how long, and how to take it back."""
    window = {"confirmed_at": "2026-01-05T09:30:00Z", "execute_at": "2026-01-06T09:30:00Z"}
    confirmable(script, view("complete", LAYER))
    script.on("GET", "/v1/erasures/era_1", view("confirmed", **window), view("complete", LAYER))
    assert run(script, "forget", "owner", "u-17", "--confirm", "confirmed",
               "--certificate-dir", str(tmp_path)) == 0  # fmt: skip
    said = " ".join(capsys.readouterr().err.split())
    assert (
        "DEL-2026-0001: confirmed, carried out at 2026-01-06T09:30:00Z; until then "
        "'expunge erasure cancel DEL-2026-0001' takes it back"
    ) in said


@pytest.mark.parametrize("as_json", [False, True], ids=["for people", "json"])
def test_a_long_grace_window_is_not_sat_out(
    script: Script, capsys: pytest.CaptureFixture[str], as_json: bool
) -> None:
    """It is confirmed and not complete; who wants to wait watches it."""
    end = (SystemClock().now() + timedelta(days=30)).isoformat()
    window = {"confirmed_at": "2026-01-05T09:30:00Z", "execute_at": end}
    confirmable(script, view("complete", LAYER))
    script.on("GET", "/v1/erasures/era_1", view("confirmed", **window))
    asked = ["--json"] if as_json else []
    assert run(script, "forget", "owner", "u-17", "--confirm", "confirmed", *asked) == 4
    told = capsys.readouterr()
    assert "takes it back" in told.err
    if as_json:
        assert json.loads(told.out)["state"] == "confirmed"
    else:
        assert "confirmed" in told.out


@pytest.mark.parametrize(
    "asked", [("attribute", "salary"), ("category", "health"), ("entity", "sister")]
)
def test_what_is_not_to_be_remembered_is_refused_for_the_future(
    script: Script, asked: tuple[str, str]
) -> None:
    script.on("POST", "/v1/erasures", view("planned", LAYER))
    assert run(script, "forget", *asked, "--owner", "u-17", "--future", "--plan") == 0
    ((_, _, body, _),) = script.asked
    assert (body["future"], body["target"]["owner"]) == (True, "u-17")


@pytest.mark.parametrize(
    ("words", "target"),
    [
        (["owner", "bot-1", "--owner-kind", "agent"],
         {"kind": "owner", "values": ["bot-1"], "owner_kind": "agent"}),
        (["owner", "user:kim", "--owner-kind", "user"],
         {"kind": "owner", "values": ["user:kim"], "owner_kind": "user"}),
        (["category", "health", "--owner", "user:kim"],
         {"kind": "category", "values": ["health"], "owner": "user:kim"}),
    ],
)  # fmt: skip
def test_the_kind_of_an_owner_is_sent_where_it_is_given(
    script: Script, words: list[str], target: dict[str, Any]
) -> None:
    """So that the control plane can tell an id with a kind in it from one that is just that."""
    script.on("POST", "/v1/erasures", view("planned", LAYER))
    assert run(script, "forget", *words) == 0
    assert script.asked[0][2]["target"] == target


def test_an_id_with_its_kind_in_it_ends_with_what_to_write(
    script: Script, capsys: pytest.CaptureFixture[str]
) -> None:
    """The refusal and its hint, with exit code 1: never that nothing was found."""
    problem = {"type": "urn:expunge:problem:invalid-request", "status": 400,
               "detail": "No owner has this id, which says a kind of owner.",
               "hint": "Give the id alone, and its kind as owner_kind (--owner-kind)."}  # fmt: skip
    script.on("POST", "/v1/erasures", problem, status=400)
    assert run(script, "forget", "owner", "user:kim", "--confirm", "confirmed") == 1
    said = capsys.readouterr().err
    assert "No owner has this id" in said
    assert "--owner-kind" in said
