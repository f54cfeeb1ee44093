"""Reviews over the API: what ends soon is asked about in words, counts and dates, and decided."""

import json

from proxy.clock import FrozenClock
from proxy.control.services import ControlServices
from tests.support.control import Client, bearer
from tests.support.erasing import Erasing
from tests.support.holding import row
from tests.support.prompting import DAY, change, ending, sweep


async def test_a_prompt_is_found_shown_and_answered(
    client: Client, services: ControlServices, bench: Erasing, clock: FrozenClock
) -> None:
    """From the owner's notice to the questions, the memories and an answer to each category."""
    health = await ending(bench, "Has asthma")
    await ending(bench, "Mends clocks", category="professional", tier="medium_term")
    clock.advance(23 * DAY)
    await sweep(bench)
    headers = await bearer(services, "app")
    found = await client.post("/v1/subjects", json={"owner": "u-1"}, headers=headers)
    ref = (await found.json())["items"][0]["ref"]
    told = await client.get("/v1/notices", params={"owner": ref}, headers=headers)
    (notice,) = (await told.json())["items"]
    assert notice["kind"] == "review"
    path = f"/v1/reviews/{notice['reference']}"
    shown = await (await client.get(path, headers=headers)).json()
    assert (shown["reason"], shown["state"], shown["subject"]) == ("expiring", "open", ref)
    quiet = "Without an answer it is hidden on 2026-02-04 and erased on 2026-02-11."
    assert [(each["text"], each["actions"]) for each in shown["prompts"]] == [
        (f"I still have health information stored. Keep or delete? {quiet}",
         ["keep_all", "delete", "extend"]),
        (f"Should I keep remembering what you told me about your work? {quiet}",
         ["keep_all", "delete", "extend"]),
    ]  # fmt: skip
    (of_health,) = [each for each in shown["memories"] if each["categories"] == ["health"]]
    assert of_health["id"] == health
    assert (of_health["hidden_at"][:10], of_health["erased_at"][:10]) == (
        "2026-02-04", "2026-02-11",
    )  # fmt: skip
    kept = await client.post(
        path, json={"action": "keep_all", "categories": ["health"]}, headers=headers
    )
    assert (await kept.json()) == {
        "review_id": notice["reference"], "action": "keep_all", "kept": 1, "deleted": 0,
        "changed": 1, "ending": 0,
    }  # fmt: skip
    assert (await row(bench, health)).expires_at == clock.now() + 30 * DAY
    shown = await (await client.get(path, headers=headers)).json()
    assert [each["category"] for each in shown["prompts"]] == ["professional"]
    gone = await client.post(path, json={"action": "delete"}, headers=headers)
    assert (await gone.json())["deleted"] == 1
    assert await bench.texts("u-1") == ["Has asthma"]
    listed = await client.get("/v1/reviews", params={"subject": ref}, headers=headers)
    (item,) = (await listed.json())["items"]
    assert (item["state"], item["summary"]["asked"]) == ("answered", 2)
    assert (await client.post(path, json={"action": "delete"}, headers=headers)).status == 409


async def test_only_who_decides_sees_which_memories(
    client: Client, services: ControlServices, bench: Erasing, clock: FrozenClock
) -> None:
    """Operators and auditors see counts and dates, nobody content; another's id is absent."""
    memory_id = await ending(bench, "Has asthma")
    clock.advance(23 * DAY)
    await sweep(bench)
    for role, sees in (("operator", False), ("auditor", False), ("app", True), ("privacy", True)):
        headers = await bearer(services, role)
        listed = await (await client.get("/v1/reviews?state=open", headers=headers)).json()
        assert listed["next"] is None
        (item,) = listed["items"]
        shown = await (await client.get(f"/v1/reviews/{item['id']}", headers=headers)).json()
        assert shown["prompts"][0]["memories"] == 1
        assert [each["id"] for each in shown["memories"]] == ([memory_id] if sees else [])
        assert "asthma" not in json.dumps([listed, shown])
        absent = await client.get("/v1/reviews/rev_absent", headers=headers)
        assert absent.status == 404


async def test_what_is_erased_meanwhile_is_asked_about_no_more(
    client: Client, services: ControlServices, bench: Erasing, clock: FrozenClock
) -> None:
    """It leaves the review at once, before the sweeper comes again."""
    await ending(bench, "Has asthma")
    other = await ending(bench, "Has a limp")
    clock.advance(23 * DAY)
    await sweep(bench)
    await change(bench, other, pinned=True)
    headers = await bearer(services, "privacy")
    (item,) = (await (await client.get("/v1/reviews", headers=headers)).json())["items"]
    path = f"/v1/reviews/{item['id']}"
    shown = await (await client.get(path, headers=headers)).json()
    assert [each["memories"] for each in shown["prompts"]] == [1]
    body = {"owner": "u-1", "owner_kind": "user", "action": "x"}
    assert (await client.post(path, json=body, headers=headers)).status == 400
