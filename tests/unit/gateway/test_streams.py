"""Streams: each event is judged and restored on its way, framing stays, nothing waits."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from importlib import resources
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
from aiohttp import web
from yarl import URL

from proxy.clock import FrozenClock
from proxy.gateway.streams.events import LARGEST, JsonLines, ServerSent
from proxy.problems import Problem
from proxy.tokens.index.spelling import Name
from proxy.upstreams.profile import load_profile
from tests.support.fault_store import MEMORY_ID, FaultStore, Received, added
from tests.support.gateway import LISTENERS, Plane, data_plane, with_section
from tests.support.ledger import START

ITEM = 'id: "@.id", content: ["@.memory"], owner: {user: "@.user_id"}, meta: ["@.metadata"]'
ROUTES = f"""
  - match: GET /events
    op: search
    streams: sse
    in: {{owner: ["query:user_id"], query: ["query:q"]}}
    out: {{items: "$.results[*]", text: [$.delta], {ITEM}}}
  - match: GET /choices
    op: search
    streams: sse
    in: {{owner: ["query:user_id"]}}
    out: {{items: "$.results[*]", text: ["$.choices[*].delta.content"], {ITEM}}}
  - match: GET /words
    op: search
    streams: sse
    in: {{owner: ["query:user_id"]}}
    out: {{text: [$]}}
  - match: GET /lines
    op: list
    streams: ndjson
    in: {{owner: ["query:user_id"]}}
    out: {{items: $, {ITEM}}}
  - {{match: GET /file, op: pass, streams: bytes}}
"""
MAIL, LATER = "ines.falk@example.org", "22222222-2222-4222-8222-222222222222"


def profile(folder: Path, routes: str = ROUTES) -> str:
    """The open-source server's profile with routes that stream."""
    text = resources.files("proxy.upstreams").joinpath("profiles/mem0-oss.yaml").read_text("utf-8")
    path = folder / "streaming.yaml"
    path.write_text(text.replace("\nroutes:\n", f"\nroutes:{routes}", 1))
    return str(path)


def before_streams(
    faults: FaultStore, folder: Path, template: Path, **options: Any
) -> AbstractAsyncContextManager[Plane]:
    """A data plane whose store streams."""
    return data_plane(
        folder / "s", faults.url, "store-key", template, FrozenClock(START),
        profiles=[profile(folder)], **options,
    )  # fmt: skip


@pytest_asyncio.fixture(loop_scope="session", params=LISTENERS)
async def streaming(
    faults: FaultStore, tmp_path: Path, sqlite_template: Path, request: pytest.FixtureRequest
) -> AsyncIterator[Plane]:
    """It, with nothing special, through each listener."""
    async with before_streams(faults, tmp_path, sqlite_template) as plane:
        yield plane.through(request.param)


def sending(*chunks: bytes, kind: str = "text/event-stream", **headers: str) -> Any:
    """A script that sends these chunks, each on its own."""

    def script(_: Received) -> web.Response:
        async def body() -> AsyncIterator[bytes]:
            for chunk in chunks:
                yield chunk
                await asyncio.sleep(0)

        return web.Response(body=body(), headers={"Content-Type": kind, **headers})

    return script


async def fetch(plane: Plane, path: str) -> tuple[aiohttp.ClientResponse, bytes]:
    """One read to its end."""
    headers = {"Authorization": f"Token {plane.keys['acme']}"}
    async with plane.http.get(URL(plane.url + path, encoded=True), headers=headers) as response:
        return response, await response.read()


async def known(plane: Plane, faults: FaultStore, text: str = f"mail {MAIL}") -> tuple[str, str]:
    """Store a memory; its text and owner as the store has them."""
    faults.script = lambda _: added()
    body = {"messages": [{"role": "user", "content": text}], "user_id": "u-1", "infer": False}
    assert (await plane.call("POST", "/memories", body))[0] == 200
    sent = faults.requests[-1].json()
    return sent["messages"][0]["content"], sent["user_id"]


async def until_cut(plane: Plane, path: str) -> bytes:
    """What comes of a read that ends early."""
    headers, found = {"Authorization": f"Token {plane.keys['acme']}"}, b""
    async with plane.http.get(URL(plane.url + path, encoded=True), headers=headers) as response:
        with contextlib.suppress(aiohttp.ClientPayloadError):
            async for chunk in response.content.iter_any():
                found += chunk
    return found


def event(value: Any, *before: str, newline: str = "\n") -> bytes:
    lines = [*before, f"data: {json.dumps(value, ensure_ascii=False)}", "", ""]
    return newline.join(lines).encode()


def said(found: bytes) -> str:
    """All deltas of a stream, joined."""
    values = [line[6:] for line in found.decode().splitlines() if line.startswith("data: {")]
    return "".join(json.loads(value).get("delta", "") for value in values)


async def test_a_token_in_pieces_is_one_word(streaming: Plane, faults: FaultStore) -> None:
    """Wherever a token is cut, in deltas or in the bytes below, the text comes out whole."""
    text, _ = await known(streaming, faults)
    for cut in range(1, len(text)):
        deltas = [text[:cut], text[cut : cut + 2], text[cut + 2 :], " ok?"]
        raw = b"".join(event({"delta": part, "n": 1.10}) for part in deltas) + b"data: [DONE]\n\n"
        faults.script = sending(*(raw[at : at + 7] for at in range(0, len(raw), 7)))
        _, found = await fetch(streaming, "/events?user_id=u-1")
        assert said(found) == f"mail {MAIL} ok?"
        assert found.endswith(b"data: [DONE]\n\n")
        assert found.count(b"[DONE]") == 1


ENDS = [
    pytest.param([b"data: [DONE]\n\n"], id="sentinel"),
    pytest.param([], id="end-of-stream"),
    pytest.param([event({"done": True})], id="other-event"),
    pytest.param([b": ping\n\n", event({"done": True})], id="heartbeat-between"),
]


@pytest.mark.parametrize("after", ENDS)
async def test_nothing_is_lost_at_the_end(
    streaming: Plane, faults: FaultStore, after: list[bytes]
) -> None:
    """A token, or what only began like one, is given out before what follows."""
    text, _ = await known(streaming, faults)
    for last, expected in ((text, f"mail {MAIL}"), ("the Pers", "the Pers"), ("Email_", "Email_")):
        faults.script = sending(event({"delta": last[:5]}), event({"delta": last[5:]}), *after)
        _, found = await fetch(streaming, "/events?user_id=u-1")
        assert said(found) == expected
        if b"done" in b"".join(after):
            assert found.endswith(after[-1])


async def test_events_go_on_as_they_come(streaming: Plane, faults: FaultStore) -> None:
    """The store sends the next event only when the client has had the one before."""
    text, _ = await known(streaming, faults)
    seen = asyncio.Semaphore(0)
    parts = [f"word {n} " for n in range(30)] + [text[:7], text[7:], " end"]

    def script(_: Received) -> web.Response:
        async def body() -> AsyncIterator[bytes]:
            for part in parts:
                yield event({"delta": part})
                await seen.acquire()

        return web.Response(body=body(), headers={"Content-Type": "text/event-stream"})

    faults.script = script
    headers = {"Authorization": f"Token {streaming.keys['acme']}"}
    found = b""
    async with (
        asyncio.timeout(120),
        streaming.http.get(URL(streaming.url + "/events?user_id=u-1"), headers=headers) as response,
    ):
        assert response.headers["Content-Type"] == "text/event-stream"
        async for chunk in response.content.iter_any():
            found += chunk
            seen.release()
    assert said(found) == "".join(f"word {n} " for n in range(30)) + f"mail {MAIL} end"


FRAMES = [
    pytest.param(b": ping\n\n", id="heartbeat"),
    pytest.param(b":\n\n", id="empty-comment"),
    pytest.param(b"retry: 3000\n\n", id="retry"),
    pytest.param(b"\n\n", id="blank"),
    pytest.param(b'event: n\r\nid: 7\r\ndata: {"a": 1e3,\r\ndata:  "b":1.10}\r\n\r\n', id="crlf"),
    pytest.param(b"id:9\rdata:{ \"n\" : 12345678901234567890 }\r\r", id="cr"),
    pytest.param(b"data: [DONE]\n\n", id="sentinel"),
    pytest.param("data: {\"s\":\"\\u00e9ü\"}\n\n".encode(), id="escapes"),
]  # fmt: skip


@pytest.mark.parametrize("frame", FRAMES)
async def test_what_needs_no_change_is_byte_identical(
    streaming: Plane, faults: FaultStore, frame: bytes
) -> None:
    """Comments, ids, retries, line ends, number spelling: as the store sent them."""
    faults.script = sending(
        frame, frame, **{"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
    )
    response, found = await fetch(streaming, "/events?user_id=u-1")
    assert found == frame * 2
    assert response.headers["Cache-Control"] == "no-cache"
    assert response.headers["X-Accel-Buffering"] == "no"


async def test_a_changed_event_keeps_its_other_lines(streaming: Plane, faults: FaultStore) -> None:
    """Name, id and line ends stay; only the data is written anew."""
    text, owner = await known(streaming, faults)
    value = {"results": [{"id": MEMORY_ID, "memory": text, "user_id": owner, "score": 1.5}]}
    faults.script = sending(event(value, "event: hit", "id: 7", newline="\r\n"))
    _, found = await fetch(streaming, "/events?user_id=u-1")
    head, data = found.rstrip().decode().rsplit("\r\n", 1)
    assert head == "event: hit\r\nid: 7"
    assert found.endswith(b"\r\n\r\n")
    (item,) = json.loads(data[6:])["results"]
    assert (item["memory"], item["user_id"], item["score"]) == (f"mail {MAIL}", "u-1", 1.5)


async def test_items_of_events_are_judged(streaming: Plane, faults: FaultStore) -> None:
    """Foreign and hidden items are taken out of their event; the tenant's own stay."""
    text, owner = await known(streaming, faults)
    mine = {"id": MEMORY_ID, "memory": text, "user_id": owner}
    theirs = {"id": LATER, "memory": "secret of theirs", "user_id": "somebody"}
    faults.script = sending(event({"results": [theirs, mine]}), event({"results": [theirs]}))
    _, found = await fetch(streaming, "/events?user_id=u-1")
    assert b"secret" not in found
    assert MAIL.encode() in found
    faults.script = sending(
        json.dumps(theirs).encode() + b"\n", b"\n", json.dumps(mine).encode() + b"\r\n",
        json.dumps({**mine, "id": LATER}).encode(), kind="application/x-ndjson",
    )  # fmt: skip
    _, found = await fetch(streaming, "/lines?user_id=u-1")
    assert b"secret" not in found
    lines = [json.loads(line) for line in found.split(b"\n") if line.strip()]
    assert [line["memory"] for line in lines] == [f"mail {MAIL}"] * 2
    assert found.startswith(b"\n")
    assert b"}\r\n" in found


async def test_the_cap_of_an_answer_holds_over_all_events(
    faults: FaultStore, tmp_path: Path, sqlite_template: Path
) -> None:
    """No more items than the policy allows leave in one stream."""
    change: Callable[..., Any] = lambda p: with_section(p, "read", max_items=3)  # noqa: E731
    async with before_streams(faults, tmp_path, sqlite_template, change=change) as plane:
        text, owner = await known(plane, faults)
        line = json.dumps({"id": MEMORY_ID, "memory": text, "user_id": owner}).encode() + b"\n"
        faults.script = sending(*[line] * 9, kind="application/x-ndjson")
        _, found = await fetch(plane, "/lines?user_id=u-1")
        assert found.count(b"\n") == 3


async def test_text_that_is_no_json_is_restored_too(streaming: Plane, faults: FaultStore) -> None:
    """Where the profile says that the data is the text."""
    text, _ = await known(streaming, faults)
    frames = [f"data: {part}\n\n".encode() for part in (text[:8], text[8:], " x")]
    faults.script = sending(*frames, b"data: [DONE]\n\n")
    _, found = await fetch(streaming, "/words?user_id=u-1")
    parts = [line[6:] for line in found.decode().splitlines() if line.startswith("data: ")]
    assert "".join(parts) == f"mail {MAIL} x[DONE]"


BETWEEN = [
    pytest.param({"type": "ping"}, id="ping"),
    pytest.param({"delta": None}, id="null"),
    pytest.param({"results": []}, id="no items"),
    pytest.param({}, id="empty"),
]


@pytest.mark.parametrize("between", BETWEEN)
async def test_a_token_goes_on_behind_an_event_without_text(
    streaming: Plane, faults: FaultStore, between: Any
) -> None:
    """Wherever it is cut; the event comes right behind it, and behind a word at once."""
    text, _ = await known(streaming, faults)
    for cut in range(len("mail E"), len(text)):
        pieces = event({"delta": text[:cut]}), event({"delta": text[cut:] + ", ok?"})
        faults.script = sending(pieces[0], event(between, "event: ping"), pieces[1])
        _, found = await fetch(streaming, "/events?user_id=u-1")
        assert "".join(deltas(found)) == f"mail {MAIL}, ok?", cut
        assert found.count(b"event: ping") == 1
    faults.script = sending(event({"delta": "and a"}), event(between), event({"delta": "pple"}))
    _, found = await fetch(streaming, "/events?user_id=u-1")
    assert deltas(found) == ["and ", "a", "pple"]
    assert found.index(json.dumps(between).encode()) < found.index(b"pple")


def deltas(found: bytes) -> list[str]:
    """The texts of a stream, one by one."""
    values = [json.loads(line[6:]) for line in found.decode().splitlines() if line[:6] == "data: "]
    return [value["delta"] for value in values if value.get("delta")]


async def test_an_event_may_have_only_texts_or_only_items(
    streaming: Plane, faults: FaultStore
) -> None:
    """A text in a list, or an item; in either place no other's memory."""
    text, owner = await known(streaming, faults)
    mine = {"id": MEMORY_ID, "memory": text, "user_id": owner}
    said = [{"index": 0, "delta": {"content": "Hi "}}], [{"index": 0, "delta": {"content": text}}]
    values = [{"choices": said[0]}, {"results": [mine]}, {"choices": said[1]}, {"choices": []}]
    faults.script = sending(*map(event, values), b"data: [DONE]\n\n")
    _, found = await fetch(streaming, "/choices?user_id=u-1")
    assert found.endswith(b"data: [DONE]\n\n")
    assert b"event: error" not in found
    assert found.count(MAIL.encode()) == 2
    theirs = {"id": LATER, "memory": "secret of theirs", "user_id": "somebody"}
    for held in ({"choices": [theirs]}, {"choices": [{"delta": {"content": "x"}, "of": theirs}]}):
        faults.script = sending(event(held), b"data: [DONE]\n\n")
        found = await until_cut(streaming, "/choices?user_id=u-1")
        assert found.startswith(b"event: error")
        assert b"secret" not in found


async def test_readers_who_may_not_see_get_the_bytes_of_the_store(
    faults: FaultStore, tmp_path: Path, sqlite_template: Path
) -> None:
    """Tokens stay tokens, and nothing is rewritten for it."""
    change: Callable[..., Any] = lambda p: with_section(p, "read", detokenise_roles=[])  # noqa: E731
    async with before_streams(faults, tmp_path, sqlite_template, change=change) as plane:
        text, _ = await known(plane, faults)
        faults.script = sending(event({"delta": text + " and"}), event({"delta": " on"}))
        _, found = await fetch(plane, "/events?user_id=u-1")
        assert said(found) == f"{text} and on"


SPREAD = [
    pytest.param("/events", [{"delta": "the Pers", "n": 1}, {"done": True}], {"delta": "the Pers"},
                 id="member"),
    pytest.param("/choices", [{"id": "c", "choices": [{"i": 0, "delta": {"content": "the Pers"}}]}],
                 {"choices": [{"delta": {"content": "the Pers"}}]}, id="deep"),
    pytest.param("/choices",
                 [{"choices": [{"delta": {"content": "a"}}, {"delta": {"content": "the Pers"}}]}],
                 {"choices": [{"delta": {"content": "the Pers"}}]}, id="several"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "values", "texts"), SPREAD)
async def test_what_was_held_back_comes_alone(
    streaming: Plane, faults: FaultStore, path: str, values: list[Any], texts: dict[str, Any]
) -> None:
    """Nothing of the event it came with is said twice: no id, no item, no other member."""
    _, owner = await known(streaming, faults)
    item = {"id": MEMORY_ID, "memory": "a note", "user_id": owner}
    first = {**values[0], "results": [item]}
    chunks = [event(first, "event: hit", "id: 7", "retry: 10"), *map(event, values[1:])]
    faults.script = sending(*chunks, b"data: [DONE]\n\n")
    _, found = await fetch(streaming, f"{path}?user_id=u-1")
    assert found.count(b"id: 7") == found.count(b"retry:") == found.count(b"a note") == 1
    assert found.count(b"event: hit") == 2
    blocks = [block.splitlines() for block in found.decode().split("\n\n")]
    alone = blocks[1]
    assert alone[0] == "event: hit"
    rest = json.loads(alone[1].removeprefix("data: "))
    assert _shape(rest) == _shape(texts)
    assert len(alone) == 2


def _shape(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _shape(part) for key, part in value.items()}
    return [_shape(part) for part in value] if isinstance(value, list) else type(value)


REFUSED = [
    pytest.param("text/html", b"<p>x</p>", {}, id="html"),
    pytest.param("application/octet-stream", b"{}", {}, id="bytes"),
    pytest.param("application/x-ndjson", b"{}\n", {}, id="other-kind-of-stream"),
    pytest.param("text/event-stream", b"data: {}\n\n", {"Content-Encoding": "gzip"}, id="packed"),
]


@pytest.mark.parametrize(("kind", "body", "headers"), REFUSED)
async def test_what_is_no_stream_of_its_kind_is_refused(
    streaming: Plane, faults: FaultStore, kind: str, body: bytes, headers: dict[str, str]
) -> None:
    """502 before a byte of it went to the client."""
    faults.script = sending(body, kind=kind, **headers)
    response, found = await fetch(streaming, "/events?user_id=u-1")
    assert response.status == 502
    assert json.loads(found)["type"] == "urn:expunge:problem:upstream-garbled"
    assert faults.requests[-1].values("accept-encoding") == ["identity"]


async def test_json_on_a_streaming_route_is_an_ordinary_answer(
    streaming: Plane, faults: FaultStore
) -> None:
    """A store need not stream; errors of its own pass."""
    text, owner = await known(streaming, faults)
    item = {"id": MEMORY_ID, "memory": text, "user_id": owner}
    faults.script = lambda _: web.json_response({"results": [item], "delta": "x"})
    response, found = await fetch(streaming, "/events?user_id=u-1")
    assert (response.status, json.loads(found)["results"][0]["memory"]) == (200, f"mail {MAIL}")
    faults.script = lambda _: web.json_response({"detail": "no"}, status=422)
    response, found = await fetch(streaming, "/events?user_id=u-1")
    assert (response.status, json.loads(found)) == (422, {"detail": "no"})


SSE = "text/event-stream"
BROKEN = [
    pytest.param("/events", [event({"a": 1}), b"data: {\"a\": \n\n"], SSE, id="json"),
    pytest.param("/events", [event({"a": 1}), b"data: \xff\n\n"], SSE, id="utf-8"),
    pytest.param("/events", [event({"a": 1}), b"data: free words\n\n"], SSE, id="text"),
    pytest.param("/events", [event({"a": 1}), b"data: " + b"x" * (3 << 20)], SSE, id="endless"),
    pytest.param("/events", [event({"a": 1}), event({"data": [{"memory": "words"}]})], SSE,
                 id="other-shape"),
    pytest.param("/lines", [b"{\"a\":1}\n", b"words\n"], "application/x-ndjson", id="line"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "chunks", "kind"), BROKEN)
async def test_a_stream_that_turns_bad_does_not_end_like_a_good_one(
    streaming: Plane, faults: FaultStore, path: str, chunks: list[bytes], kind: str
) -> None:
    """What was good has gone on; then an event says so, and the answer is not complete."""
    faults.script = sending(*chunks, kind=kind)
    found = b""
    headers = {"Authorization": f"Token {streaming.keys['acme']}"}
    complete = True
    async with streaming.http.get(
        URL(f"{streaming.url}{path}?user_id=u-1"), headers=headers
    ) as response:
        try:
            async for chunk in response.content.iter_any():
                found += chunk
        except aiohttp.ClientPayloadError:
            complete = False
    assert not complete
    assert found.startswith(chunks[0])
    assert b"urn:expunge:problem:upstream-garbled" in found
    assert b"words" not in found


async def test_a_client_that_leaves_ends_the_stores_stream(
    streaming: Plane, faults: FaultStore
) -> None:
    """Nobody reads on for nobody."""
    ended = asyncio.Event()

    def script(_: Received) -> web.Response:
        async def body() -> AsyncIterator[bytes]:
            try:
                while True:
                    yield event({"delta": "more " * 1000})
                    await asyncio.sleep(0)
            finally:
                ended.set()

        return web.Response(body=body(), headers={"Content-Type": "text/event-stream"})

    faults.script = script
    headers = {"Authorization": f"Token {streaming.keys['acme']}"}
    async with aiohttp.ClientSession() as http:
        response = await http.get(URL(streaming.url + "/events?user_id=u-1"), headers=headers)
        await response.content.readany()
        response.close()
    async with asyncio.timeout(120):
        await ended.wait()


async def test_large_bodies_pass_without_being_kept(streaming: Plane, faults: FaultStore) -> None:
    """On a route that nobody looks at, each piece is with the client before the next is sent."""
    seen = asyncio.Semaphore(0)
    piece = b"\x00\xff" * 50_000

    def script(_: Received) -> web.Response:
        async def body() -> AsyncIterator[bytes]:
            for _ in range(20):
                yield piece
                await seen.acquire()

        headers = {"Content-Type": "image/png", "Content-Length": str(20 * len(piece))}
        return web.Response(body=body(), headers=headers)

    faults.script = script
    headers = {"Authorization": f"Token {streaming.keys['acme']}"}
    size = 0
    async with (
        asyncio.timeout(120),
        streaming.http.get(URL(streaming.url + "/file"), headers=headers) as response,
    ):
        assert response.headers["Content-Length"] == str(20 * len(piece))
        async for chunk in response.content.iter_any():
            size += len(chunk)
            if size % len(piece) == 0:
                seen.release()
    assert size == 20 * len(piece)


AS_BYTES = [
    *(pytest.param(kind, 200, id=kind) for kind in (
        "image/png", "audio/ogg", "video/mp4", "font/woff2", "application/octet-stream",
        "application/pdf", "application/zip", "application/gzip",
    )),
    *(pytest.param(kind, 502, id=kind) for kind in (
        "text/plain", "text/plain; charset=utf-16", "text/html", "text/csv", "text/event-stream",
        "application/x-ndjson", "application/jsonl", "application/json-seq", "application/yaml",
        "application/xml", "application/xhtml+xml", "application/problem+xml", "image/svg+xml",
        "application/javascript", "application/x-www-form-urlencoded", "message/rfc822",
        "multipart/form-data; boundary=x", "multipart/mixed; boundary=x", "unheard/of",
        "application/json", "image/png, text/html",
    )),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "status"), AS_BYTES)
async def test_only_what_is_no_text_passes_as_bytes(
    streaming: Plane, faults: FaultStore, kind: str, status: int
) -> None:
    """Whatever says that it is text is read, or refused before a byte of it has gone on."""
    faults.script = sending(b"Ida Falk ", b"plays chess", kind=kind)
    response, found = await fetch(streaming, "/file")
    assert response.status == status
    assert (b"Falk" in found) is (status == 200)


async def test_json_where_bytes_may_pass_is_an_ordinary_answer(
    streaming: Plane, faults: FaultStore
) -> None:
    """It is read as on any other route: valid, and without the store's credential."""
    for body, status in (({"state": "ready"}, 200), ({"state": "store-key"}, 502)):
        faults.script = lambda _, body=body: web.json_response(body)
        response, found = await fetch(streaming, "/file")
        assert response.status == status
        assert b"store-key" not in found


CUTS = [pytest.param(cut, id=str(cut)) for cut in (0, 1, 4, 8, 9)]


@pytest.mark.parametrize("cut", CUTS)
async def test_bytes_end_before_they_tell_our_credential(
    streaming: Plane, faults: FaultStore, cut: int
) -> None:
    """Wherever it is cut; and such an answer does not end like a complete one."""
    secret = b"store-key"
    faults.script = sending(
        b"\x00" * 8, secret[:cut], secret[cut:] + b"\x00", kind="application/octet-stream"
    )
    headers = {"Authorization": f"Token {streaming.keys['acme']}"}
    found, complete = b"", True
    async with streaming.http.get(URL(streaming.url + "/file"), headers=headers) as response:
        try:
            async for chunk in response.content.iter_any():
                found += chunk
        except aiohttp.ClientPayloadError:
            complete = False
    assert not complete
    assert secret not in found


async def test_an_owner_is_needed_and_scoped_on_streams_too(
    streaming: Plane, faults: FaultStore
) -> None:
    """The same steps before the store is asked; an upgrade is refused."""
    for path in ("/events", "/events?user_id=*", "/lines?user_id="):
        response, _ = await fetch(streaming, path)
        assert response.status == 400
    status, _ = await streaming.call(
        "GET", "/events?user_id=u-1", headers={"Upgrade": "websocket", "Connection": "Upgrade"}
    )
    assert status == 403
    assert faults.requests == []
    faults.script = sending(b": x\n\n")
    await fetch(streaming, f"/events?user_id=u-1&q=mail%20{MAIL}")
    assert "u-1" not in faults.requests[-1].target
    assert "falk" not in faults.requests[-1].target


PERSON = "Alva Brenn"
GONE = [
    pytest.param(f": from {PERSON}\n\n", ":\n\n", id="comment"),
    pytest.param(f":{MAIL}\n\n", ":\n\n", id="comment-without-space"),
    pytest.param(f'event: {PERSON}\ndata: {{"a":1}}\n\n', 'data: {"a":1}\n\n', id="event"),
    pytest.param("event: alva-brenn\ndata: {}\n\n", "data: {}\n\n", id="event-in-one-word"),
    pytest.param("event: AlvaBrenn\ndata: {}\n\n", "data: {}\n\n", id="event-in-humps"),
    pytest.param(f"id: {PERSON}\r\ndata: {{}}\r\n\r\n", "data: {}\r\n\r\n", id="id"),
    pytest.param(f"id: {MAIL}\n\n", "", id="id-alone"),
    pytest.param("id: 4111111111111111\ndata: {}\n\n", "data: {}\n\n", id="card-as-id"),
    *[
        pytest.param(f"id: {number}\ndata: {{}}\n\n", "data: {}\n\n", id=f"id-{number}")
        for number in ("555-0134", "120180-1234", "010190-123456", "4111.1111")
    ],
    *[
        pytest.param(f"event: {name}\ndata: {{}}\n\n", "data: {}\n\n", id=f"event-{name}")
        for name in ("Quist", "stop-Grant", "Hit.Mark", "token.Rose", "山田 done")
    ],
    pytest.param(f"user: {PERSON}\ndata: {{}}\n\n", "data: {}\n\n", id="unknown-field"),
    pytest.param(f"{PERSON}\ndata: {{}}\n\n", "data: {}\n\n", id="field-without-value"),
    pytest.param(f"Data: {PERSON}\ndata: {{}}\n\n", "data: {}\n\n", id="field-in-capitals"),
    pytest.param(f"retry: {PERSON}\ndata: {{}}\n\n", "data: {}\n\n", id="retry"),
    pytest.param(f"data: {{}}\n: {PERSON}\nid: 3\n\n", "data: {}\n:\nid: 3\n\n", id="behind"),
    pytest.param(f"\rx: {PERSON}\rdata: {{}}\r\r", "\rdata: {}\r\r", id="cr"),
]
KEPT = [
    ": keep-alive\n\n", ":\n\n", ": ping\n\n", "retry: 3000\n\n", "id\n\n",
    "id: 1732833238123-0\n\n",
    "event: message\ndata: {}\n\n", "event: content_block_delta\ndata: {}\n\n",
    "event: search.results.item\nid: 12\ndata: {}\n\n", f"id: {LATER}\ndata: {{}}\n\n",
    "event: responseCompleted\ndata: {}\n\n", "id: evt-7\ndata: {}\n\n",
]  # fmt: skip


@pytest_asyncio.fixture(loop_scope="session")
async def guarded(
    faults: FaultStore, tmp_path: Path, sqlite_template: Path
) -> AsyncIterator[Plane]:
    """It, where people are known and what is personal may not be read."""
    async with before_streams(faults, tmp_path, sqlite_template) as plane:
        blocklist, tenant = plane.services.blocklist, plane.tenants["acme"]
        await plane.services.ledger.write(
            lambda tx: blocklist.add(tx, tenant, [Name(PERSON), Name(MAIL)])  # type: ignore[attr-defined]
        )
        yield plane


@pytest.mark.parametrize(("sent", "expected"), GONE)
async def test_no_line_beside_the_data_says_who_is_blocked(
    guarded: Plane, faults: FaultStore, sent: str, expected: str
) -> None:
    """Names and ids are judged; comments say nothing; fields that nobody reads do not go on."""
    faults.script = sending(sent.encode())
    _, found = await fetch(guarded, "/events?user_id=u-1")
    assert found.decode() == expected


@pytest.mark.parametrize("sent", KEPT)
async def test_ordinary_lines_beside_the_data_stay(
    guarded: Plane, faults: FaultStore, sent: str
) -> None:
    """The negative twin."""
    faults.script = sending(sent.encode())
    _, found = await fetch(guarded, "/events?user_id=u-1")
    assert found.decode() == sent


LINES = [
    pytest.param(b'{"n":1} Alva Brenn\n', False, id="words-behind"),
    pytest.param(b'{"n":1}{"n":2}\n', False, id="two-values"),
    pytest.param(b'{"n":1}\r{"n":2}\n', False, id="two-values-and-cr"),
    pytest.param(b"# Alva Brenn\n", False, id="comment"),
    pytest.param(b"\x0b\n", False, id="vertical-tab"),
    pytest.param("\u00a0\n".encode(), False, id="hard-space"),
    pytest.param(b'\xef\xbb\xbf{"n":1}\n', False, id="mark"),
    pytest.param(b'{"n":1,"n":2}\n', False, id="twice"),
    pytest.param(b"ALVA\n", False, id="capitals"),
    pytest.param(b" \t \r\n", True, id="blank"),
    pytest.param(b"\n\n", True, id="empty"),
    pytest.param(b' {"n":1} \r\n', True, id="space-around"),
    pytest.param(b'{"n":1}', True, id="no-end"),
]


@pytest.mark.parametrize(("sent", "passes"), LINES)
async def test_a_line_is_one_value_and_nothing_else(
    streaming: Plane, faults: FaultStore, sent: bytes, passes: bool
) -> None:
    """Blank lines keep a connection alive; whatever else is no value ends the stream."""
    faults.script = sending(sent, kind="application/x-ndjson")
    headers = {"Authorization": f"Token {streaming.keys['acme']}"}
    found = b""
    async with streaming.http.get(
        URL(f"{streaming.url}/lines?user_id=u-1"), headers=headers
    ) as response:
        with contextlib.suppress(aiohttp.ClientPayloadError):
            async for chunk in response.content.iter_any():
                found += chunk
    assert (found == sent) is passes
    assert (b"upstream-garbled" in found) is not passes
    assert b"Brenn" not in found


async def test_a_word_in_capitals_is_no_mark_of_a_stream(
    streaming: Plane, faults: FaultStore
) -> None:
    """``[DONE]`` is; a name is not."""
    for word in ("ALVA", "[BRENN]", "ALVA_BRENN"):
        faults.script = sending(f"data: {word}\n\n".encode())
        with contextlib.suppress(aiohttp.ClientPayloadError):
            _, found = await fetch(streaming, "/events?user_id=u-1")
            assert word.encode() not in found


SAMPLES = [
    pytest.param(ServerSent, b"id: 1\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\n: x\r\n\r\ndata:b\r\n\r\n",
                 ['{"a":\n1}', None, "b"], id="crlf"),
    pytest.param(ServerSent, "data: ü😀\n\ndata\n\nevent: x\n\n".encode(), ["ü😀", "", None],
                 id="lf"),
    pytest.param(ServerSent, b"data: a\r\rdata: b\r\r", ["a", "b"], id="cr"),
    pytest.param(ServerSent, b"\xef\xbb\xbfdata: a\n\ndata: b", ["a", "b"], id="mark-and-no-end"),
    pytest.param(JsonLines, b"{\"a\":1}\n\n{\"b\":2}\r\n[3]", ['{"a":1}', None, '{"b":2}', "[3]"],
                 id="lines"),
]  # fmt: skip


@pytest.mark.parametrize(("framing", "raw", "expected"), SAMPLES)
def test_cuts_below_change_nothing(framing: Any, raw: bytes, expected: list[str | None]) -> None:
    """Whatever way the bytes arrive in, the events and their bytes are the same."""
    for first in range(len(raw) + 1):
        for second in range(first, len(raw) + 1):
            cutter = framing()
            pieces = (raw[:first], raw[first:second], raw[second:])
            found = [each for piece in pieces for each in cutter.feed(piece)]
            found += cutter.rest()
            assert [each.data for each in found] == expected
            assert b"".join(each.raw for each in found) == raw


@pytest.mark.parametrize(
    ("route", "why"),
    [
        ("{match: POST /memories, op: write, streams: sse}", "cannot stream"),
        ("{match: GET /x, op: list, streams: bytes}", "cannot stream"),
        ("{match: GET /x, op: list, streams: websocket}", "sse, ndjson or bytes"),
    ],
)
def test_a_route_that_cannot_stream_is_no_profile(tmp_path: Path, route: str, why: str) -> None:
    """Only what can be looked at streams; what nobody looks at holds no memories."""
    with pytest.raises(Problem, match="invalid-config") as caught:
        load_profile(profile(tmp_path, f"\n  - {route}\n"))
    assert why in caught.value.detail


@pytest.mark.parametrize("framing", [ServerSent, JsonLines])
@pytest.mark.parametrize("pieces", [1, 7], ids=["whole", "in-pieces"])
def test_an_event_beyond_the_limit_is_refused_also_where_its_end_came_with_it(
    framing: type[ServerSent | JsonLines], pieces: int
) -> None:
    """The limit is of the event, not of what waits for its end."""
    for beyond in (False, True):
        start, end = (b"data: ", b"\n\n") if framing is ServerSent else (b"", b"\n")
        filler = b'"' + b"x" * (LARGEST - len(start + end) - 2 + beyond) + b'"'
        raw, read = start + filler + end, framing()
        step = len(raw) // pieces + 1
        chunks = [raw[at : at + step] for at in range(0, len(raw), step)]
        if beyond:
            with pytest.raises(Problem, match="upstream-garbled"):
                [event for chunk in chunks for event in read.feed(chunk)]
        else:
            assert [e.raw for chunk in chunks for e in read.feed(chunk)] == [raw]
