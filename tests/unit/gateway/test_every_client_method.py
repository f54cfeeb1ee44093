"""Every public method of the unchanged MemoryClient, sync and async, over both kinds of store.

A row says what a method does: it works, or it raises the client's own exception with a reason.
"""

import asyncio
import inspect
import os
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from proxy.clock import FrozenClock
from tests.support.gateway import Plane, data_plane
from tests.support.ledger import START
from tests.support.mem0_store import RunningStore
from tests.unit.gateway.conftest import renewed

os.environ["MEM0_TELEMETRY"] = "False"
mem0_client = pytest.importorskip("mem0")
types = pytest.importorskip("mem0.client.types")

ME, TEXT = {"user_id": "u-1"}, "Likes rye bread"
MESSAGE = [{"role": "user", "content": TEXT}]
ABSENT = "99999999-9999-4999-8999-999999999999"
BACKENDS = {
    "platform": ("mem0-platform", "mem0-oss"),
    "over-oss": ("mem0-oss", "mem0-platform-over-oss"),
}
Call = Callable[[Any, str], Any]
Check = Callable[[Any], bool]


@dataclass(frozen=True)
class Works:
    """The call gives what the check holds of."""

    check: Check


@dataclass(frozen=True)
class Refused:
    """The call raises this exception, and its message says this."""

    error: str
    said: str


INVALID, DENIED, GONE = "ValidationError", "AuthenticationError", "MemoryNotFoundError"
EXPORT = Refused(DENIED, "An export is a read of everything")
PROFILE = Refused(DENIED, "A profile is one more derived copy")
PROJECT = Refused(DENIED, "Project settings reach every tenant")
WEBHOOK = Refused(DENIED, "A webhook sends memory texts")
NO_OWNER = Refused(INVALID, "names no owner")


def says(text: str) -> Works:
    return Works(lambda found: text in found["message"])


def is_mine(found: Any) -> bool:
    return bool((found["memory"], found["user_id"], found["metadata"]) == (TEXT, "u-1", {"n": 1}))


def one(found: Any) -> bool:
    return [item["memory"] for item in found["results"]] == [TEXT]


def none(found: Any) -> bool:
    return bool(found["results"] == [])


# method → label → (the call, what comes of it at each backend or at both)
ROWS: dict[str, dict[str, tuple[Call, Any]]] = {
    "add": {
        "beside": (lambda c, _: c.add(MESSAGE, **ME, infer=False), Works(
            lambda f: (f["status"], f["results"][0]["event"]) == ("SUCCEEDED", "ADD"))),
        "options": (lambda c, _: c.add("x", types.AddMemoryOptions(filters=ME, infer=False)),
                    Works(lambda found: len(found["results"]) == 1)),
        "instructions": (lambda c, _: c.add(MESSAGE, **ME, infer=False, custom_instructions="x"),
                         Works(lambda found: len(found["results"]) == 1)),
        "app": (lambda c, _: c.add(MESSAGE, **ME, app_id="a", infer=False), {
            "platform": Works(lambda found: len(found["results"]) == 1),
            "over-oss": Refused(INVALID, "app_id")}),
        "no model": (lambda c, _: c.add(MESSAGE, **ME), Refused(INVALID, "No language model")),
        "no owner": (lambda c, _: c.add(MESSAGE, infer=False), NO_OWNER),
    },
    "get": {
        "own": (lambda c, i: c.get(i), Works(is_mine)),
        "absent": (lambda c, _: c.get(ABSENT), Refused(GONE, "not found")),
        "strange": (lambda c, _: c.get("no/id"), Refused(DENIED, "does not list this route")),
    },
    "get_all": {
        "filters": (lambda c, _: c.get_all(filters=ME), Works(one)),
        "page": (lambda c, _: c.get_all(filters=ME, page=1, page_size=1), Works(one)),
        "beyond": (lambda c, _: c.get_all(filters=ME, page=9), Refused(GONE, "Invalid page")),
        "operators": (lambda c, _: c.get_all(filters={**ME, "n": {"gte": 2}}), Works(none)),
        "days": (lambda c, _: c.get_all(filters=ME, end_date="2000-01-01"), {
            "platform": Refused(INVALID, "end_date"), "over-oss": Works(none)}),
        "categories": (lambda c, _: c.get_all(filters=ME, categories=["x"]),
                       Refused(INVALID, "categories")),
        "no owner": (lambda c, _: c.get_all(), NO_OWNER),
        "wildcard": (lambda c, _: c.get_all(filters={"user_id": "*"}), Refused(INVALID, "")),
    },
    "search": {
        "filters": (lambda c, _: c.search("bread", filters=ME), Works(one)),
        "nested": (lambda c, _: c.search("bread", filters={"AND": [ME, {"n": 1}]}), Works(one)),
        "metadata": (lambda c, _: c.search("bread", filters=ME, metadata={"n": 2}), Works(none)),
        "rerank": (lambda c, _: c.search("bread", filters=ME, rerank=True),
                   Refused(INVALID, "rerank")),
        "fields": (lambda c, _: c.search("bread", filters=ME, fields=["memory"]),
                   Refused(INVALID, "fields")),
        "no owner": (lambda c, _: c.search("bread"), NO_OWNER),
    },
    "update": {
        "text": (lambda c, i: c.update(i, text="x"), Works(lambda found: found["memory"] == "x")),
        "metadata": (lambda c, i: c.update(i, metadata={"m": 2}),
                     Works(lambda found: found["metadata"] == {"n": 1, "m": 2})),
        "expiry": (lambda c, i: c.update(i, expiration_date="2999-01-01"),
                   Works(lambda found: found["expiration_date"] == "2999-01-01")),
        "no expiry": (lambda c, i: c.update(i, expiration_date=None),
                      Works(lambda found: found["expiration_date"] is None)),
        "time": (lambda c, i: c.update(i, timestamp=1), Refused(INVALID, "")),
        "absent": (lambda c, _: c.update(ABSENT, text="x"), Refused(GONE, "not found")),
    },
    "delete": {
        "own": (lambda c, i: c.delete(i), says("deleted successfully")),
        "linked": (lambda c, i: c.delete(i, delete_linked=True), says("deleted successfully")),
        "absent": (lambda c, _: c.delete(ABSENT), Refused(GONE, "not found")),
    },
    "delete_all": {
        "owner": (lambda c, _: c.delete_all(**ME), says("Delete in progress")),
        "no owner": (lambda c, _: c.delete_all(), NO_OWNER),
        "as text": (lambda c, _: c.delete_all(types.DeleteAllMemoryOptions(filters=ME)),
                    Refused(INVALID, "The owner is not certain")),
    },
    "history": {"own": (lambda c, i: c.history(i), Works(
        lambda found: [row["new_memory"] for row in found] == [TEXT]))},
    "users": {"": (lambda c, _: c.users(), Works(
        lambda found: [row["name"] for row in found["results"]] == ["u-1"]))},
    "delete_users": {
        "owner": (lambda c, _: c.delete_users(**ME), says("Entity deleted")),
        "all": (lambda c, _: c.delete_users(), says("All users")),
    },
    "reset": {"": (lambda c, _: c.reset(), says("reset successful"))},
    "batch_update": {
        "own": (lambda c, i: c.batch_update([{"memory_id": i, "text": "x"}]), says("updated 1")),
        "absent": (lambda c, _: c.batch_update([{"memory_id": ABSENT, "text": "x"}]),
                   says("updated 0")),
        "empty": (lambda c, _: c.batch_update([]), says("updated 0")),
    },
    "batch_delete": {
        "own": (lambda c, i: c.batch_delete([{"memory_id": i}]), says("deleted 1")),
        "absent": (lambda c, _: c.batch_delete([{"memory_id": ABSENT}]), says("deleted 0")),
        "empty": (lambda c, _: c.batch_delete([]), says("deleted 0")),
    },
    "feedback": {
        "own": (lambda c, i: c.feedback(i, feedback="POSITIVE"), Refused(INVALID, "operation")),
        "absent": (lambda c, _: c.feedback(ABSENT, feedback="POSITIVE"),
                   Refused(GONE, "not found")),
    },
    "create_memory_export": {"": (lambda c, _: c.create_memory_export("{}", filters=ME), EXPORT)},
    "get_memory_export": {"": (lambda c, _: c.get_memory_export(memory_export_id="x"), EXPORT)},
    "get_summary": {"": (lambda c, _: c.get_summary(filters=ME),
                         Refused(DENIED, "A summary is written by the store"))},
    "get_profile": {"": (lambda c, _: c.get_profile("u-1"), PROFILE)},
    "generate_profile": {"": (lambda c, _: c.generate_profile("u-1"), PROFILE)},
    "get_profile_settings": {"": (lambda c, _: c.get_profile_settings(), PROFILE)},
    "update_profile_settings": {"": (
        lambda c, _: c.update_profile_settings(enabled=True), PROFILE)},
    "sample_profiles": {"": (lambda c, _: c.sample_profiles(limit=1), PROFILE)},
    "get_profile_job": {"": (lambda c, _: c.get_profile_job("x"), PROFILE)},
    "get_project": {"": (lambda c, _: c.get_project(), PROJECT)},
    "update_project": {"": (lambda c, _: c.update_project(custom_instructions="x"), PROJECT)},
    "get_webhooks": {"": (lambda c, _: c.get_webhooks("p"), WEBHOOK)},
    "create_webhook": {"": (lambda c, _: c.create_webhook(
        "https://example.org", "n", "p", ["memory_add"]), WEBHOOK)},
    "update_webhook": {"": (lambda c, _: c.update_webhook(1, name="n"), WEBHOOK)},
    "delete_webhook": {"": (lambda c, _: c.delete_webhook(1), WEBHOOK)},
    "chat": {"": (lambda c, _: c.chat(), Refused("NotImplementedError", "not implemented"))},
    "project.get": {"": (lambda c, _: c.project.get(), PROJECT)},
    "project.create": {"": (lambda c, _: c.project.create("n"), PROJECT)},
    "project.update": {"": (lambda c, _: c.project.update(custom_instructions="x"), PROJECT)},
    "project.delete": {"": (lambda c, _: c.project.delete(), PROJECT)},
    "project.get_members": {"": (lambda c, _: c.project.get_members(), PROJECT)},
    "project.add_member": {"": (lambda c, _: c.project.add_member("a@example.org"), PROJECT)},
    "project.update_member": {"": (lambda c, _: c.project.update_member("a@example.org", "OWNER"),
                                   PROJECT)},
    "project.remove_member": {"": (lambda c, _: c.project.remove_member("a@example.org"), PROJECT)},
}  # fmt: skip
CASES = [(method, label) for method, rows in ROWS.items() for label in rows]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def backends(
    mem0: RunningStore, tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path
) -> AsyncIterator[dict[str, Plane]]:
    """A data plane in front of each kind of store."""

    def opened(name: str) -> Any:
        return data_plane(
            tmp_path_factory.mktemp(name), mem0.url, mem0.api_key, sqlite_template,
            FrozenClock(START), profiles=BACKENDS[name],
        )  # fmt: skip

    async with opened("platform") as platform, opened("over-oss") as over:
        yield {"platform": platform, "over-oss": over}


async def outcome(kind: str, plane: Plane, call: Call) -> Any:
    """What one call gives where the owner has a memory; an exception is given, not raised."""

    def construct() -> Any:
        made = mem0_client.MemoryClient if kind == "sync" else mem0_client.AsyncMemoryClient
        return made(api_key=plane.keys["acme"], host=plane.url)

    async def done(of: Callable[[], Any]) -> Any:
        found = await asyncio.to_thread(of) if kind == "sync" else of()
        return await found if inspect.isawaitable(found) else found

    client = await asyncio.to_thread(construct)
    added = await done(lambda: client.add(MESSAGE, **ME, metadata={"n": 1}, infer=False))
    try:
        return await done(lambda: call(client, added["results"][0]["id"]))
    except Exception as raised:  # noqa: BLE001  (whatever the client raises is the outcome)
        return raised


@pytest.mark.parametrize("kind", ["sync", "async"])
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("method", "label"), CASES)
async def test_a_method_works_or_says_why_not(
    backends: dict[str, Plane], backend: str, kind: str, method: str, label: str
) -> None:
    """Never a failure of the store, never an exception that the client does not know."""
    call, expected = ROWS[method][label]
    wanted = expected[backend] if isinstance(expected, dict) else expected
    found = await outcome(kind, await renewed(backends[backend]), call)
    if isinstance(wanted, Works):
        assert not isinstance(found, Exception), found
        assert wanted.check(found), found
        return
    assert type(found).__name__ == wanted.error, found
    assert wanted.said in str(found)
    if wanted.error != DENIED:  # where nothing is known of the request but its path
        assert not str(found).startswith("{"), "the reason, not the bytes of the answer"


@pytest.mark.parametrize("kind", ["MemoryClient", "AsyncMemoryClient"])
def test_no_public_method_is_missing_here(kind: str) -> None:
    """A method that a new version of the client brings has a row, or this fails."""
    names = {
        name for name, found in vars(getattr(mem0_client, kind)).items()
        if inspect.isfunction(found) and not name.startswith("_")
    }  # fmt: skip
    project = pytest.importorskip("mem0.client.project").Project
    names |= {
        f"project.{name}" for name, found in vars(project).items()
        if inspect.isfunction(found) and not name.startswith("_")
    }  # fmt: skip
    assert names == set(ROWS)
