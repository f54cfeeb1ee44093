"""Erasures, subjects, holds, stores and the audit log over the control plane's API."""

import asyncio
import json
from typing import Any

import pytest

from proxy.audit.offline import verify
from proxy.control.services import ControlServices
from proxy.erasure.search.target import Target
from tests.support.control import Client, bearer
from tests.support.erasing import Erasing, sequencer

NAME = "Orla Quist"
TARGET = {"kind": "entity", "value": NAME, "type": "person"}


@pytest.fixture
async def bench(bench: Erasing) -> Erasing:
    """The engine, with three memories of two owners."""
    await bench.remember("u-1", f"{NAME} repairs clocks in the harbour.")
    await bench.remember("u-1", "The ferry leaves at nine.")
    await bench.remember("u-2", f"Yesterday {NAME} called about the lamp.")
    return bench


async def ask(client: Client, headers: dict[str, str], path: str, body: Any = None) -> Any:
    """POST and give status and JSON."""
    reply = await client.post(path, json=body or {}, headers=headers)
    return reply.status, await reply.json()


async def ended(client: Client, headers: dict[str, str], erasure_id: str) -> dict[str, Any]:
    """Wait for an erasure that was confirmed."""
    for _ in range(200):
        view = await (await client.get(f"/v1/erasures/{erasure_id}", headers=headers)).json()
        if view["state"] not in {"confirmed", "executing", "verifying"}:
            return dict(view)
        await asyncio.sleep(0.02)
    raise AssertionError("the erasure did not end")


async def test_plan_confirm_certificate(
    client: Client, services: ControlServices, bench: Erasing
) -> None:
    """A plan deletes nothing; the word and the token do; the certificate verifies offline."""
    headers = await bearer(services, "privacy")
    status, plan = await ask(client, headers, "/v1/erasures", {"target": TARGET})
    assert (status, plan["state"], plan["counts"]["found"]) == (201, "planned", 2)
    assert len(await bench.texts("u-1")) == 2
    path = f"/v1/erasures/{plan['id']}"
    for wrong in ({"confirm": "confirmed", "token": "x"}, {"confirm": "yes", "token": "x"},
                  {"confirm": True, "token": plan["token"]}):  # fmt: skip
        assert (await ask(client, headers, f"{path}/confirm", wrong))[0] in {400, 409}
    word = {"confirm": "confirmed", "token": plan["token"]}
    assert (await ask(client, headers, f"{path}/confirm", word))[0] == 200
    view = await ended(client, headers, plan["id"])
    assert view["state"] == "complete"
    assert "token" not in view
    assert await bench.texts("u-1") == ["The ferry leaves at nine."]
    await sequencer(bench).run_once()
    bundle = await (await client.get(f"{path}/certificate", headers=headers)).json()
    proof = bundle["tlog_proof"].encode()
    assert verify(bundle["dsse"].encode(), proof, bundle["public_key"]).valid
    assert (await ask(client, headers, f"{path}/recheck"))[1]["still_absent"] is True


async def test_channel_and_identity_over_the_api(client: Client, services: ControlServices) -> None:
    """Accepted from the lists and shown; what is on no list is refused and not repeated."""
    headers = await bearer(services, "privacy")
    body = {
        "target": TARGET, "channel": "phone",
        "identity": {"method": "known_facts", "by": "desk-4", "evidence_ref": "call-12"},
    }  # fmt: skip
    status, view = await ask(client, headers, "/v1/erasures", body)
    assert (status, view["channel"], view["identity"]["method"]) == (201, "phone", "known_facts")
    assert "desk-4" not in json.dumps(view)
    for wrong in ({"channel": NAME}, {"identity": {"method": NAME}}, {"identity": {}}):
        status, problem = await ask(client, headers, "/v1/erasures", body | wrong)
        assert (status, problem["type"]) == (400, "urn:expunge:problem:invalid-request")
        assert NAME not in json.dumps(problem)
    word = {"confirm": "confirmed", "token": view["token"], "identity": {"method": "document"}}
    status, view = await ask(client, headers, f"/v1/erasures/{view['id']}/confirm", word)
    assert (status, view["identity"]["method"]) == (200, "document")
    await ended(client, headers, view["id"])
    body = {"owner": "u-2", "confirm": "confirmed", "channel": "app"}
    assert (await ask(client, headers, "/v1/forget", body))[1]["channel"] == "app"


@pytest.mark.parametrize("named", [0, -1], ids=["the first group", "the last group"])
async def test_consent_given_anew_lifts_all_that_an_erasure_blocked(
    client: Client, services: ControlServices, bench: Erasing, named: int
) -> None:
    """One person is blocked in several groups; whichever is lifted, they may be spoken of."""
    headers = await bearer(services, "privacy")
    await bench.forget(Target(kind="entity", values=(NAME,), entity_type="PERSON"))
    body = {"text": f"{NAME} called.", "owner": "u-1"}
    assert (await ask(client, headers, "/v1/blocklist/check", body))[1]["blocked"] is True
    listed = await (await client.get("/v1/blocklist", headers=headers)).json()
    assert len(listed["items"]) > 1
    (erasure,) = (await (await client.get("/v1/erasures", headers=headers)).json())["items"]
    for item in listed["items"]:
        told = [item[name] for name in ("tenant", "erasure_id", "reference", "reason")]
        asked = [erasure[name] for name in ("tenant", "id", "reference", "reason")]
        assert (told, item["target"]) == (asked, "entity")
        assert sum(item["forms"].values()) == item["keys"]
        assert NAME.split()[0] not in str(item)
    path = f"/v1/blocklist/{listed['items'][named]['id']}"
    lifted = await client.delete(path, json={"consent": "C-1"}, headers=headers)
    assert (await lifted.json())["lifted"] == sum(item["keys"] for item in listed["items"])
    assert (await ask(client, headers, "/v1/blocklist/check", body))[1]["blocked"] is False
    assert (await (await client.get("/v1/blocklist", headers=headers)).json())["items"] == []


async def test_dry_run_records_nothing(client: Client, services: ControlServices) -> None:
    """Only looking leaves no erasure behind."""
    headers = await bearer(services, "app")
    status, plan = await ask(client, headers, "/v1/erasures", {"target": TARGET, "dry_run": True})
    assert (status, plan["counts"]["found"]) == (201, 2)
    assert "token" not in plan
    listed = await (await client.get("/v1/erasures", headers=headers)).json()
    assert listed == {"items": [], "next": None}


async def test_forget_in_one_call(
    client: Client, services: ControlServices, bench: Erasing
) -> None:
    """An owner, the word, and it is done when the answer comes."""
    headers = await bearer(services, "app")
    body = {"owner": "u-1", "confirm": "confirmed"}
    status, view = await ask(client, headers, "/v1/forget", body)
    assert (status, view["state"]) == (200, "complete")
    assert await bench.texts("u-1") == []
    assert len(await bench.texts("u-2")) == 1


@pytest.mark.parametrize(
    "body",
    [{"owner": "u-1"}, {"owner": "u-1", "confirm": "yes"}, {"confirm": "confirmed"},
     {"owner": "*", "confirm": "confirmed"}],
    ids=["no word", "wrong word", "nobody", "wildcard"],
)  # fmt: skip
async def test_forget_refuses(
    client: Client, services: ControlServices, bench: Erasing, body: dict[str, Any]
) -> None:
    """Without the word, without a subject, with a wildcard: nothing is deleted."""
    headers = await bearer(services, "app")
    assert (await ask(client, headers, "/v1/forget", body))[0] == 400
    assert len(await bench.texts("u-1")) == 2


@pytest.mark.parametrize(
    ("target", "pointer"),
    [({"kind": "everything"}, "/target/kind"), ({"kind": "owner"}, "/target/values"),
     ({"kind": "time_range", "from": "never"}, "/target/from")],
    ids=["kind", "no value", "time"],
)  # fmt: skip
async def test_bad_targets_are_explained(
    client: Client, services: ControlServices, target: dict[str, Any], pointer: str
) -> None:
    """Each wrong member has a pointer."""
    headers = await bearer(services, "privacy")
    status, problem = await ask(client, headers, "/v1/erasures", {"target": target})
    assert status == 400
    assert pointer in {error["pointer"] for error in problem["errors"]}


async def test_auditor_sees_and_cannot_act(client: Client, services: ControlServices) -> None:
    """Reading is one role, deleting another."""
    headers = await bearer(services, "auditor")
    assert (await client.get("/v1/erasures", headers=headers)).status == 200
    assert (await ask(client, headers, "/v1/erasures", {"target": TARGET}))[0] == 403


async def test_cancel_refuse_extend(client: Client, services: ControlServices) -> None:
    """A request ends otherwise: taken back, refused with a code, extended once."""
    headers = await bearer(services, "privacy")
    for verb, body, state in (
        ("cancel", {}, "cancelled"),
        ("refuse", {"reason": "gdpr.17.3.e_legal_claims"}, "refused"),
    ):
        plan = (await ask(client, headers, "/v1/erasures", {"target": TARGET}))[1]
        view = (await ask(client, headers, f"/v1/erasures/{plan['id']}/{verb}", body))[1]
        assert view["state"] == state
        word = {"confirm": "confirmed", "token": plan["token"]}
        assert (await ask(client, headers, f"/v1/erasures/{plan['id']}/confirm", word))[0] == 409
        more = await ask(
            client, headers, f"/v1/erasures/{plan['id']}/extend", {"reason": "complexity"}
        )
        assert (more[0], more[1]["type"]) == (409, "urn:expunge:problem:invalid-state")
    plan = (await ask(client, headers, "/v1/erasures", {"target": TARGET}))[1]
    path, why = f"/v1/erasures/{plan['id']}/extend", {"reason": "complexity"}
    status, view = await ask(client, headers, path, why)
    assert (status, view["due_at"] > plan["due_at"]) == (200, True)
    assert (await ask(client, headers, path, why))[0] == 409


async def test_a_complete_erasure_is_not_extended(
    client: Client, services: ControlServices
) -> None:
    """Nothing is due any more."""
    headers = await bearer(services, "privacy")
    done = (await ask(client, headers, "/v1/forget", {"owner": "u-1", "confirm": "confirmed"}))[1]
    path = f"/v1/erasures/{done['id']}"
    for _ in range(3000):
        if (await (await client.get(path, headers=headers)).json())["state"] == "complete":
            break
        await asyncio.sleep(0.02)
    more = await ask(client, headers, f"{path}/extend", {"reason": "complexity"})
    assert (more[0], more[1]["type"]) == (409, "urn:expunge:problem:invalid-state")


async def test_subject_is_found_by_post_and_shown_by_pseudonym(
    client: Client, services: ControlServices
) -> None:
    """The answer has counts, no name; after erasure it says which request did it."""
    headers = await bearer(services, "privacy")
    found = (await ask(client, headers, "/v1/subjects", {"owner": "u-1"}))[1]
    ref = found["items"][0]["ref"]
    shown = await client.get(f"/v1/subjects/{ref}", headers=headers)
    assert (await shown.json())["memories"] == 2
    assert NAME not in await shown.text()
    named = (await ask(client, headers, "/v1/subjects", {"name": NAME, "type": "person"}))[1]
    assert [item["match"] for item in named["items"]] == ["certain"]
    await ask(client, headers, "/v1/forget", {"owner": "u-1", "confirm": "confirmed"})
    after = (await ask(client, headers, "/v1/subjects", {"owner": "u-1"}))[1]
    assert after["items"] == []
    assert after["erasures"][0]["reference"].startswith("DEL-")


@pytest.mark.parametrize("body", [{}, {"owner": "u-1", "name": NAME}], ids=["none", "both"])
async def test_subject_lookup_takes_exactly_one(
    client: Client, services: ControlServices, body: dict[str, str]
) -> None:
    """Either an owner or a name."""
    headers = await bearer(services, "privacy")
    assert (await ask(client, headers, "/v1/subjects", body))[0] == 400


async def test_foreign_subjects_and_erasures_look_absent(
    client: Client, services: ControlServices
) -> None:
    """Another tenant's token gets the same answer as for ids that do not exist."""
    headers = await bearer(services, "privacy", "operator")
    plan = (await ask(client, headers, "/v1/erasures", {"target": TARGET}))[1]
    found = (await ask(client, headers, "/v1/subjects", {"owner": "u-1"}))[1]
    other = (await ask(client, headers, "/v1/tenants", {"name": "other"}))[1]
    foreign = await bearer(services, "privacy", tenant_id=other["id"])
    for path, absent in (
        (f"/v1/erasures/{plan['id']}", "/v1/erasures/era_absent"),
        (f"/v1/subjects/{found['items'][0]['ref']}", "/v1/subjects/own_absent"),
    ):
        replies = [await client.get(each, headers=foreign) for each in (path, absent)]
        bodies = [await reply.json() for reply in replies]
        assert [reply.status for reply in replies] == [404, 404]
        assert bodies[0] | {"instance": ""} == bodies[1] | {"instance": ""}


async def test_hold_keeps_and_release_lets_go(
    client: Client, services: ControlServices, bench: Erasing
) -> None:
    """What is under a hold survives an erasure; the hold is listed and can be lifted."""
    headers = await bearer(services, "privacy")
    ref = (await ask(client, headers, "/v1/subjects", {"owner": "u-1"}))[1]["items"][0]["ref"]
    status, hold = await ask(client, headers, f"/v1/subjects/{ref}/holds", {"code": "legal_claims"})
    assert status == 201
    bad = await ask(client, headers, f"/v1/subjects/{ref}/holds", {"code": "because"})
    assert bad[0] == 400
    listed = await (await client.get("/v1/holds", headers=headers)).json()
    assert [item["id"] for item in listed["items"]] == [hold["id"]]
    await ask(client, headers, "/v1/forget", {"owner": "u-1", "confirm": "confirmed"})
    assert len(await bench.texts("u-1")) == 2
    lifted = await client.delete(f"/v1/holds/{hold['id']}", headers=headers)
    assert lifted.status == 200


async def test_an_owner_whom_only_the_store_knows_can_be_held(
    client: Client, services: ControlServices, bench: Erasing
) -> None:
    """Who was written past the proxy is held by id, and kept; who is nowhere is not found."""
    await bench.remember("u-77", "Plays the cello", known=False)
    headers, whom = await bearer(services, "privacy"), {"owner": "u-77", "code": "legal_claims"}
    assert (await ask(client, headers, "/v1/holds", whom | {"owner": "u-78"}))[0] == 404
    status, held = await ask(client, headers, "/v1/holds", whom)
    assert status == 201
    assert held == {"id": held["id"], "memories": 1, "erased": 0, "unreachable": []}
    (found,) = (await ask(client, headers, "/v1/subjects", {"owner": "u-77"}))[1]["items"]
    listed = await (await client.get("/v1/holds", headers=headers)).json()
    assert [item["subject"] for item in listed["items"]] == [found["ref"]]
    await ask(client, headers, "/v1/forget", {"owner": "u-77", "confirm": "confirmed"})
    assert await bench.texts("u-77") == ["Plays the cello"]


async def test_owners_that_may_be_theirs_are_asked_about(
    client: Client, services: ControlServices, bench: Erasing
) -> None:
    """The question is answered by clarifying, or with the request, in one call too."""
    await bench.remember("orla-quist-7", "I like herring.", mentions=[])
    headers = await bearer(services, "privacy")
    plan = (await ask(client, headers, "/v1/erasures", {"target": TARGET}))[1]
    (candidate,) = plan["candidates"]
    assert (plan["state"], candidate["hint"]) == ("needs_clarification", "orla-quist-7")
    assert (candidate["entity_type"], candidate["why"]) == ("OWNER_ID", "holds_the_name")
    path = f"/v1/erasures/{plan['id']}"
    shown = await (await client.get(path, headers=headers)).json()
    assert shown["candidates"] == [candidate | {"hint": ""}]
    for owners, found in ((["none"], 2), ([candidate["id"]], 3)):
        status, view = await ask(client, headers, f"{path}/clarify", {"owners": owners})
        assert (status, view["state"], view["counts"]["found"]) == (200, "planned", found)
    body = {"target": TARGET | {"owners": ["all"]}, "dry_run": True}
    assert (await ask(client, headers, "/v1/erasures", body))[1]["counts"]["found"] == 3
    body = {"target": TARGET | {"owners": ["all", "none"]}}
    assert (await ask(client, headers, "/v1/erasures", body))[0] == 400
    body = {"subject": NAME, "confirm": "confirmed"}
    assert (await ask(client, headers, "/v1/forget", body))[1]["state"] == "needs_clarification"
    body |= {"owners": ["none"]}
    assert (await ask(client, headers, "/v1/forget", body))[1]["state"] == "complete"
    assert await bench.texts("orla-quist-7") == ["I like herring."]


async def test_adopt_scan_and_reconcile(
    client: Client, services: ControlServices, bench: Erasing
) -> None:
    """An item from behind the proxy's back is reported, indexed, and not there again after."""
    await bench.remember("u-1", f"{NAME} also paints boats.", known=False)
    headers = await bearer(services, "operator", "app")
    scanned = (await ask(client, headers, "/v1/stores/scan"))[1]
    assert (scanned["memories"], scanned["unknown_to_the_ledger"]) == (4, 1)
    assert scanned["came_back"] == 0
    assert (await ask(client, headers, "/v1/stores/adopt"))[1]["adopted"] == 1
    assert (await ask(client, headers, "/v1/stores/scan"))[1]["unknown_to_the_ledger"] == 0
    assert (await ask(client, headers, "/v1/stores/scan", {"upstream": "absent"}))[0] == 404
    clean = (await ask(client, headers, "/v1/stores/reconcile", {"dry_run": True}))[1]
    assert clean["found"] == 0


async def test_simulation_counts_and_changes_nothing(
    client: Client, services: ControlServices, bench: Erasing
) -> None:
    """A stricter policy is replayed on the ledger's tags."""
    headers = await bearer(services, "privacy")
    policy = (
        "apiVersion: expunge/v1\nkind: Policy\nname: mine\nretention: {default_tier: ephemeral}\n"
    )
    status, found = await ask(client, headers, "/v1/policies/simulate", {"policy": policy})
    assert (status, found["memories"]) == (200, 3)
    assert found["different"] == found["shortened"] == 3
    now = await (await client.get("/v1/policies/active", headers=headers)).json()
    same = {"policy": json.dumps(now["policy"])}
    assert (await ask(client, headers, "/v1/policies/simulate", same))[1]["different"] == 0
    assert len(await bench.texts("u-1")) == 2


async def test_sweep_and_session(client: Client, services: ControlServices) -> None:
    """Nothing has expired; no session of that name."""
    headers = await bearer(services, "operator", "app")
    swept = (await ask(client, headers, "/v1/retention/sweep"))[1]
    assert swept == {
        "erased": 0, "waiting": 0, "held": 0, "incomplete": 0, "suspended": False, "asked": 0,
    }  # fmt: skip
    assert (await ask(client, headers, "/v1/sessions/end", {"owner": "r-1"}))[1] == {"ended": 0}


async def test_keys_rotate_and_destroy(client: Client, services: ControlServices) -> None:
    """A new epoch; the old one is destroyed only with the word."""
    headers = await bearer(services, "operator")
    assert (await ask(client, headers, "/v1/keys/rotate"))[1]["epoch"] == 2
    assert (await ask(client, headers, "/v1/keys/destroy-epoch"))[0] == 400
    done = await ask(client, headers, "/v1/keys/destroy-epoch", {"confirm": "confirmed"})
    assert (done[0], done[1]["assurance"]) == (200, "local-kek")
    epochs = await (await client.get("/v1/keys", headers=headers)).json()
    assert [item["state"] for item in epochs["items"]][-1] == "active"


async def test_audit_log_is_readable_and_checkable(
    client: Client, services: ControlServices, bench: Erasing
) -> None:
    """Entries, proof, tile, key; a bound token sees only its tenant; nothing names anybody."""
    headers = await bearer(services, "auditor", "privacy", "operator")
    await ask(client, headers, "/v1/erasures", {"target": TARGET})
    await ask(client, headers, "/v1/keys/rotate")
    await sequencer(bench).run_once()
    listed = await client.get("/v1/audit/entries?limit=2", headers=headers)
    assert NAME not in await listed.text()
    page = await listed.json()
    assert (len(page["items"]), page["next"]) == (2, "1")
    rest = await (await client.get("/v1/audit/entries?after=1", headers=headers)).json()
    assert rest["items"][-1]["event"] == "keys.rotated"
    bound = await bearer(services, "auditor", tenant_id=bench.tenant_id)
    own = await (await client.get("/v1/audit/entries", headers=bound)).json()
    assert "keys.rotated" not in {item["event"] for item in own["items"]}
    entry = page["items"][0]["id"]
    proof = await (await client.get(f"/v1/audit/proof/{entry}", headers=headers)).text()
    assert proof.startswith("c2sp.org/tlog-proof@v1\n")
    assert (await client.get("/v1/audit/proof/aud_absent", headers=headers)).status == 404
    size = len(page["items"]) + len(rest["items"])
    tile = await client.get(f"/v1/audit/tile/0/0.p/{size}", headers=headers)
    assert len(await tile.read()) == size * 32
    assert (await client.get("/v1/audit/entries?after=x", headers=headers)).status == 400
    status, report = await ask(client, headers, "/v1/audit/verify")
    assert (status, report["valid"], report["entries"]) == (200, True, size)
    key = await (await client.get("/v1/audit/key", headers=headers)).text()
    assert key.strip() == services.public_key


async def get(client: Client, headers: dict[str, str], path: str) -> Any:
    """GET and give status and JSON."""
    reply = await client.get(path, headers=headers)
    return reply.status, await reply.json()


async def test_who_deleted_what_is_answered(
    client: Client, services: ControlServices, bench: Erasing
) -> None:
    """By event, credential, pseudonym and period; a report; one memory; only within a tenant."""
    headers = await bearer(services, "privacy")
    key = (await services.credentials.authenticate(headers["Authorization"].split()[1])).key_id
    gone = await bench.remember("u-3", "Likes jasmine tea", mentions=[])
    body = {"owner": "u-3", "confirm": "confirmed"}
    assert (await ask(client, headers, "/v1/forget", body))[1]["state"] == "complete"
    await bench.forget(Target(kind="owner", values=("u-2",)))
    await sequencer(bench).run_once()
    path = "/v1/audit/entries?event=memories.deleted"
    listed = (await get(client, headers, path))[1]["items"]
    assert [entry["event"] for entry in listed] == ["memories.deleted"] * 2
    mine = (await get(client, headers, f"{path}&actor={key}"))[1]["items"]
    assert mine == [listed[0]]
    who = mine[0]["fields"]["actor"]
    assert (await get(client, headers, f"{path}&actor={who}"))[1]["items"] == mine
    first = (await get(client, headers, f"{path}&limit=1"))[1]
    assert (first["items"], first["next"]) == (mine, str(mine[0]["index"]))
    second = (await get(client, headers, f"{path}&limit=1&after={first['next']}"))[1]
    assert second["items"] == listed[1:]
    assert (await get(client, headers, f"{path}&since=2027-01-01"))[1]["items"] == []
    status, found = await get(client, headers, "/v1/audit/report?since=2026-01-05&until=2026-01-06")
    assert (status, found["memories"], found["types"]["user_request"]) == (200, 2, 2)
    assert [each["actor"] for each in found["actors"]].count(who) == 1
    status, found = await ask(client, headers, "/v1/audit/who-deleted", {"memory_id": gone})
    assert (found["items"][0]["actor"], found["items"][0]["entry"]) == (who, mine[0]["id"])
    other = await bench.ledger.write(lambda tx: services.keyring.create_tenant(tx, "other"))
    bound = await bearer(services, "auditor", tenant_id=other)
    assert (await get(client, bound, path))[1]["items"] == []
    assert (await get(client, bound, "/v1/audit/report"))[1]["memories"] == 0
    named = headers | {"Expunge-Tenant": "other"}
    assert (await get(client, named, path))[1]["items"] == []
    asked = {"memory_id": gone}
    assert (await ask(client, bound, "/v1/audit/who-deleted", asked))[1] == {"items": []}
    for wrong in ("since=then", "until=2026-13-01", "since=2026-02-01&until=2026-01-01"):
        assert (await get(client, headers, f"/v1/audit/report?{wrong}"))[0] == 400


async def test_sentences_become_requests_and_nothing_happens(
    client: Client, services: ControlServices, bench: Erasing
) -> None:
    """A clear sentence is proposed for its author; an unclear one is a question."""
    headers = await bearer(services, "app")
    body = {"text": "Forget everything about my diabetes", "owner": "u-1"}
    status, found = await ask(client, headers, "/v1/interpret", body)
    assert status == 200
    assert found["requests"][0]["action"] == "forget"
    assert found["requests"][0]["target"]["owner"] == "u-1"
    unsure = (await ask(client, headers, "/v1/interpret", {"text": "Hm."}))[1]
    assert unsure["requests"] == []
    assert unsure["questions"]
    assert len(await bench.texts("u-1")) == 2


async def _said(client: Client, headers: dict[str, str], text: str, owner: str) -> Any:
    """What a sentence asks for, passed on as it is."""
    sentence = {"text": text, "owner": owner}
    (found,) = (await ask(client, headers, "/v1/interpret", sentence))[1]["requests"]
    return await ask(client, headers, "/v1/erasures", found)


async def _in_force(client: Client, headers: dict[str, str], owner: str) -> list[dict[str, Any]]:
    known = (await ask(client, headers, "/v1/subjects", {"owner": owner}))[1]
    path = f"/v1/subjects/{known['items'][0]['ref']}/preferences"
    return list((await (await client.get(path, headers=headers)).json())["items"])


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("Don't remember my salary", {"refused_types": ["MONEY"]}),
        ("I don't want you to remember my address",
         {"refused_types": ["POSTCODE", "STREET_ADDRESS"]}),
        ("Don't remember my employer", {"refused_types": ["ORGANIZATION"]}),
        ("Don't remember my sister", {"refused_types": ["RELATIONSHIP"]}),
        ("Don't remember my health", {"refused_categories": ["health"]}),
        ("Don't remember Orla Quist", {}), ("Forget my salary", {}),
    ],
)  # fmt: skip
async def test_not_to_be_remembered_is_refused_from_then_on(
    client: Client, services: ControlServices, text: str, refused: dict[str, list[str]]
) -> None:
    """The answer to a sentence is a request as it stands; a name needs no preference."""
    headers = await bearer(services, "app")
    status, plan = await _said(client, headers, text, "u-1")
    assert status == 201
    listed = await _in_force(client, headers, "u-1")
    assert [{k: v for k, v in each.items() if k.startswith("refused")} for each in listed] == (
        [refused] if refused else []
    )
    assert plan.get("preference") == (listed[0]["id"] if refused else None)


async def test_what_is_refused_adds_up_also_of_an_owner_who_is_not_known(
    client: Client, services: ControlServices
) -> None:
    headers = await bearer(services, "app")
    for text in ("Don't remember my salary", "Don't remember my phone number"):
        assert (await _said(client, headers, text, "u-new"))[0] == 201
    last = (await _in_force(client, headers, "u-new"))[-1]
    assert last["refused_types"] == ["MONEY", "PHONE_NUMBER"]


async def test_what_cannot_be_refused_records_nothing(
    client: Client, services: ControlServices
) -> None:
    """A preview neither."""
    headers = await bearer(services, "app")
    salary = {"kind": "attribute", "value": "salary"}
    for target, pointer in ((salary, "/target/owner"),
                            ({"kind": "owner", "value": "u-1"}, "/future")):  # fmt: skip
        status, body = await ask(
            client, headers, "/v1/erasures", {"target": target, "future": True}
        )
        assert (status, body["errors"][0]["pointer"]) == (400, pointer)
    preview = {"target": salary | {"owner": "u-1"}, "future": True, "dry_run": True}
    status, body = await ask(client, headers, "/v1/erasures", preview)
    assert (status, body["preference"]) == (201, None)
    assert await _in_force(client, headers, "u-1") == []


async def test_export_is_complete_and_in_clear(client: Client, services: ControlServices) -> None:
    """All memories of the owner and a manifest; a wrong format and a refused purpose are said."""
    headers = await bearer(services, "privacy")
    ref = (await ask(client, headers, "/v1/subjects", {"owner": "u-1"}))[1]["items"][0]["ref"]
    path = f"/v1/subjects/{ref}/export"
    reply = await client.get(path, headers=headers)
    assert (reply.status, reply.content_type) == (200, "application/json")
    text = await reply.text()
    assert f"{NAME} repairs clocks" in text
    assert "The ferry leaves at nine." in text
    assert "the lamp" not in text
    markdown = await client.get(f"{path}?format=markdown", headers=headers)
    assert (await markdown.text()).startswith("#")
    assert (await client.get(f"{path}?format=xml", headers=headers)).status == 400
    assert (await client.get(f"{path}?purpose=training", headers=headers)).status == 403


async def test_decisions_are_recorded_shown_and_withdrawn(
    client: Client, services: ControlServices
) -> None:
    """A consent and a setting; a setting out of bounds is refused."""
    headers = await bearer(services, "privacy")
    ref = (await ask(client, headers, "/v1/subjects", {"owner": "u-1"}))[1]["items"][0]["ref"]
    path = f"/v1/subjects/{ref}"
    status, made = await ask(client, headers, f"{path}/consents", {"name": "biometric"})
    assert status == 201
    settings = {"settings": {"maximum": "P30D"}}
    assert (await ask(client, headers, f"{path}/preferences", settings))[0] == 201
    bad = await ask(client, headers, f"{path}/preferences", {"settings": {"nonsense": 1}})
    assert bad[0] == 400
    listed = await (await client.get(f"{path}/preferences", headers=headers)).json()
    assert {item["kind"] for item in listed["items"]} == {"consent", "settings"}
    withdrawn = await client.delete(f"/v1/preferences/{made['id']}", headers=headers)
    assert withdrawn.status == 200
    assert (await client.delete("/v1/preferences/absent", headers=headers)).status == 404


async def test_provenance_shows_sources_and_descendants(
    client: Client, services: ControlServices, bench: Erasing
) -> None:
    """A chain of three: the middle one has a source and a descendant; foreign ids are absent."""
    await bench.remember("u-3", "The first thing.", name="a", categories=["health"])
    middle = await bench.remember("u-3", "The second thing.", name="b", derived_from=["a"])
    await bench.remember(
        "u-3", "The third.", name="c", derived_from=["b"], contribution="inference"
    )
    headers = await bearer(services, "auditor")
    found = await (await client.get(f"/v1/memories/{middle}/provenance", headers=headers)).json()
    assert [source["contribution"] for source in found["sources"]] == ["primary"]
    source = found["sources"][0]["memory"]
    assert [each["contribution"] for each in found["derived"]] == ["inference"]
    first = await (await client.get(f"/v1/memories/{source}", headers=headers)).json()
    assert (first["categories"], first["state"]) == (["health"], "live")
    assert (await client.get("/v1/memories/absent", headers=headers)).status == 404


async def test_rectification_replaces_the_text(
    client: Client, services: ControlServices, bench: Erasing
) -> None:
    """The old text is gone, the new one is there under a new id; an unknown id is absent."""
    memory = await bench.remember("u-4", "The shed is painted red.")
    headers = await bearer(services, "privacy")
    path, body = f"/v1/memories/{memory}", {"text": "The shed is painted green."}
    reply = await client.patch(path, json=body, headers=headers)
    answer = await reply.json()
    assert reply.status == 200, answer
    assert answer["memory_id"] != memory
    assert await bench.texts("u-4") == ["The shed is painted green."]
    assert (await client.patch("/v1/memories/absent", json=body, headers=headers)).status == 404


async def test_review_is_opened_listed_and_answered(
    client: Client, services: ControlServices, bench: Erasing
) -> None:
    """Counts first; keeping all changes nothing and closes it; an answer is given once."""
    headers = await bearer(services, "privacy")
    status, opened = await ask(client, headers, "/v1/reviews", {"owner": "u-1"})
    assert (status, opened["state"]) == (201, "open")
    listed = await (await client.get("/v1/reviews?state=open", headers=headers)).json()
    assert [item["id"] for item in listed["items"]] == [opened["id"]]
    path = f"/v1/reviews/{opened['id']}"
    assert (await ask(client, headers, path, {"action": "burn"}))[0] == 400
    assert (await ask(client, headers, path, {"action": "keep_all"}))[0] == 200
    assert (await ask(client, headers, path, {"action": "keep_all"}))[0] in {404, 409}
    assert len(await bench.texts("u-1")) == 2
