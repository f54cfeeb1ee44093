"""Everything that cannot be read, scanned or governed is refused, and the store sees nothing."""

import asyncio
import gzip
import json
import zlib
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any

import brotli
import pytest
import zstandard

from detectors.errors import (
    ClassifierTimeout,
    ClassifierUnavailable,
    DetectionOverloaded,
    DetectionTimeout,
    DetectionUnavailable,
)
from proxy.gateway.wire.limits import Limits
from proxy.problems import Problem
from tests.support.fault_store import MEMORY_ID, FaultStore, added, answer
from tests.support.gateway import Plane, with_section

Opened = Callable[..., AbstractAsyncContextManager[Plane]]

ADD = "/v3/memories/add/"
TEXT = "write to alva.brenn@example.org please"
GOOD: dict[str, Any] = {
    "messages": [{"role": "user", "content": TEXT}],
    "user_id": "u-1",
    "infer": False,
}
GOOD_BYTES = json.dumps(GOOD).encode()


def with_user(spelled: str) -> bytes:
    return b'{"messages":[{"role":"user","content":"x"}],"user_id":' + spelled.encode() + b"}"


def bomb() -> bytes:
    return gzip.compress(b'{"messages": "' + b"a" * 50_000_000 + b'"}')


BODIES = [
    pytest.param(b"{", {}, 400, "malformed-body", id="cut-off"),
    pytest.param(b"[1, 2", {}, 400, "malformed-body", id="cut-off-list"),
    pytest.param(b'"text"', {}, 400, "invalid-request", id="no-object"),
    pytest.param(b"\xef\xbb\xbf" + GOOD_BYTES, {}, 400, "malformed-body", id="byte-order-mark"),
    pytest.param(GOOD_BYTES.decode().encode("utf-16"), {}, 400, "malformed-body", id="utf-16"),
    pytest.param(b'{"user_id": "\xff"}', {}, 400, "malformed-body", id="invalid-utf-8"),
    pytest.param(with_user('"\\ud800"'), {}, 400, "malformed-body", id="half-a-surrogate"),
    pytest.param(b'{"user_id":"a","user_id":"b"}', {}, 400, "duplicate-key", id="duplicate-key"),
    pytest.param(
        b'{"user_id":"a","metadata":{"a":1,"a":2}}', {}, 400, "duplicate-key", id="nested-duplicate"
    ),
    pytest.param(b'{"a": NaN, "user_id": "u"}', {}, 400, "malformed-body", id="nan"),
    pytest.param(b'{"a": -Infinity}', {}, 400, "malformed-body", id="infinity"),
    pytest.param(b'{"a": 1e999}', {}, 400, "malformed-body", id="overflowing-number"),
    pytest.param(b"[" * 100 + b"]" * 100, {}, 413, "too-large", id="deep"),
    pytest.param(b"[" * 200_000 + b"]" * 200_000, {}, 413, "too-large", id="very-deep"),
    pytest.param(
        GOOD_BYTES, {"Content-Type": "text/plain"}, 415, "unsupported-coding", id="plain-text"
    ),
    pytest.param(
        GOOD_BYTES, {"Content-Type": "multipart/form-data; boundary=x"}, 415, "unsupported-coding",
        id="multipart",
    ),
    pytest.param(
        b"user_id=a&messages=b", {"Content-Type": "application/x-www-form-urlencoded"}, 415,
        "unsupported-coding", id="form",
    ),
    pytest.param(
        GOOD_BYTES, {"Content-Type": "application/json; charset=utf-7"}, 415, "unsupported-coding",
        id="utf-7",
    ),
    pytest.param(
        GOOD_BYTES, {"Content-Encoding": "bogus"}, 415, "unsupported-coding", id="unknown-coding"
    ),
    pytest.param(
        GOOD_BYTES, {"Content-Encoding": "gzip, bogus"}, 415, "unsupported-coding",
        id="unknown-in-chain",
    ),
    pytest.param(
        GOOD_BYTES, {"Content-Encoding": "gzip, gzip, gzip, gzip"}, 415, "unsupported-coding",
        id="long-chain",
    ),
    pytest.param(GOOD_BYTES, {"Content-Encoding": "gzip"}, 400, "malformed-body", id="mislabelled"),
    pytest.param(
        gzip.compress(GOOD_BYTES)[:-9], {"Content-Encoding": "gzip"}, 400, "malformed-body",
        id="cut-off-gzip",
    ),
    pytest.param(gzip.compress(GOOD_BYTES), {}, 400, "malformed-body", id="unlabelled-gzip"),
    pytest.param(bomb(), {"Content-Encoding": "gzip"}, 413, "too-large", id="gzip-bomb"),
    pytest.param(
        brotli.compress(b"a" * 50_000_000), {"Content-Encoding": "br"}, 413, "too-large",
        id="brotli-bomb",
    ),
    pytest.param(
        zstandard.compress(b"a" * 50_000_000), {"Content-Encoding": "zstd"}, 413, "too-large",
        id="zstd-bomb",
    ),
    pytest.param(b" " * 5_000_000, {}, 413, "too-large", id="oversized"),
    pytest.param(with_user("null"), {}, 400, "invalid-request", id="no-owner"),
    pytest.param(with_user('""'), {}, 400, "invalid-request", id="empty-owner"),
    pytest.param(with_user('"*"'), {}, 400, "invalid-request", id="wildcard-owner"),
    pytest.param(with_user('["u-1","u-2"]'), {}, 400, "invalid-request", id="list-owner"),
    pytest.param(with_user('{"$ne":""}'), {}, 400, "invalid-request", id="operator-owner"),
    pytest.param(with_user('"u-1\\u0000"'), {}, 400, "invalid-request", id="nul-in-owner"),
    pytest.param(with_user('"u\\u200b-1"'), {}, 400, "invalid-request", id="invisible-in-owner"),
    pytest.param(with_user("true"), {}, 400, "invalid-request", id="boolean-owner"),
    pytest.param(
        json.dumps({**GOOD, "metadata": {"expunge": {"derived_from": [1]}}}).encode(), {}, 400,
        "invalid-request", id="malformed-provenance",
    ),
    pytest.param(
        json.dumps({**GOOD, "expiration_date": "next week"}).encode(), {}, 400, "invalid-request",
        id="malformed-expiry",
    ),
    pytest.param(
        json.dumps(
            {**GOOD, "messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {
                "url": "https://example.org/a.png"}}]}]}
        ).encode(), {}, 415, "unsupported-coding", id="image",
    ),
    pytest.param(
        json.dumps({**GOOD, "metadata": {"scan": "data:image/png;base64,iVBORw0KGgo="}}).encode(),
        {}, 415, "unsupported-coding", id="embedded-data",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("body", "headers", "status", "slug"), BODIES)
async def test_a_bad_body_is_refused(
    faulty: Plane,
    faults: FaultStore,
    body: bytes,
    headers: dict[str, str],
    status: int,
    slug: str,
) -> None:
    """A clear problem, and no request at the store."""
    found, answer = await faulty.call("POST", ADD, raw=body, headers=headers)
    assert (found, answer["type"]) == (status, f"urn:expunge:problem:{slug}")
    assert answer["upstream"] == "not_sent"
    assert answer["hint"]
    assert faults.requests == []


CODINGS = [
    pytest.param(GOOD_BYTES, "identity", id="identity"),
    pytest.param(gzip.compress(GOOD_BYTES), "gzip", id="gzip"),
    pytest.param(gzip.compress(GOOD_BYTES), "x-gzip", id="x-gzip"),
    pytest.param(zlib.compress(GOOD_BYTES), "deflate", id="deflate"),
    pytest.param(brotli.compress(GOOD_BYTES), "br", id="br"),
    pytest.param(zstandard.compress(GOOD_BYTES), "zstd", id="zstd"),
    pytest.param(gzip.compress(gzip.compress(GOOD_BYTES)), "gzip, gzip", id="gzip-twice"),
    pytest.param(gzip.compress(GOOD_BYTES), "gzip,identity", id="gzip-identity"),
    pytest.param(brotli.compress(zlib.compress(GOOD_BYTES)), "deflate, br", id="deflate-br"),
    pytest.param(
        gzip.compress(GOOD_BYTES[:9]) + gzip.compress(GOOD_BYTES[9:]), "gzip", id="members"
    ),
]


@pytest.mark.parametrize(("body", "coding"), CODINGS)
async def test_every_legal_coding_is_scanned(
    faulty: Plane, faults: FaultStore, body: bytes, coding: str
) -> None:
    """The address is gone whatever the body was packed in."""
    faults.script = lambda _: added()
    status, _ = await faulty.call("POST", ADD, raw=body, headers={"Content-Encoding": coding})
    assert status == 200
    (request,) = faults.requests
    assert "alva.brenn" not in request.body.decode()
    assert request.values("content-encoding") == []


ROUTES = [
    ("POST", "/v9/memories/add/"), ("GET", "/v1/unknown/"), ("PATCH", "/v1/memories/abc/"),
    ("OPTIONS", "/v3/memories/"), ("TRACE", "/v1/memories/abc/"), ("HEAD", "/v1/memories/abc/"),
    ("DELETE", "/mem%256Fries?user_id=u-2"), ("DELETE", "/mem%6Fries?user_id=u-2"),
    ("GET", "/memories/%2e%2e/reset"), ("GET", "/memories/../reset"), ("GET", "/memories/./x"),
    ("GET", "/memories/%252e%252e/x"), ("POST", "/store%2Fitems"), ("POST", "//memories"),
    ("GET", "/memories;x"), ("GET", "/memories/a;b"), ("GET", "/v1//memories/"),
    ("GET", "/v1/memories/a%2Fb/"), ("GET", "/V1/memories/abc/"), ("GET", "/v1/memories/abc"),
    ("POST", "/v1/exports/"), ("POST", "/v1/exports/get/"), ("POST", "/v1/summary/"),
    ("POST", "/api/v1/webhooks/projects/p/"), ("PATCH", "/api/v1/orgs/organizations/o/projects/p/"),
    ("GET", "/v2/profiles/jobs/x/"), ("GET", "/v1/events/"), ("GET", "/v1/memories/events/"),
    ("POST", "/configure"), ("GET", "/configure/providers"), ("POST", "/generate-instructions"),
    ("GET", "/requests"), ("GET", "/api-keys"), ("GET", "/docs"), ("GET", "/openapi.json"),
    ("GET", "/healthz"), ("GET", "/metrics"), ("GET", "/"), ("GET", "/v1/stats/"),
    ("GET", "/v2/entities/user/u-1/profile/"), ("POST", "/v1/users/"),
    # a route is there for these, but what stands for the owner could be read in two ways
    ("DELETE", "/v2/entities/user/%2e%2e/"), ("DELETE", "/v2/entities/user/%252e/"),
    ("DELETE", "/v2/entities/user/u-1;x/"), ("DELETE", "/v2/entities/user/a%5C..;/"),
    ("DELETE", "/entities/user/%2E."), ("DELETE", "/entities/user/u-1;u-2"),
]  # fmt: skip


@pytest.mark.parametrize(("method", "path"), ROUTES, ids=lambda value: str(value))
async def test_an_unlisted_route_is_refused(
    faulty: Plane, faults: FaultStore, method: str, path: str
) -> None:
    """403 route-not-covered; no path is the proxy's own, not even for health."""
    status, answer = await faulty.call(method, path)
    assert status == 403
    if method != "HEAD":
        assert answer["type"] == "urn:expunge:problem:route-not-covered"
    assert faults.requests == []


@pytest.mark.parametrize("owner", [".", "..", "%2e%2e", "%2E."])
async def test_who_deletes_an_owner_of_dots_by_path_is_told_how_to(
    faulty: Plane, faults: FaultStore, owner: str
) -> None:
    """A path of dots is nobody's; the query names such an owner."""
    status, answer = await faulty.call("DELETE", f"/v2/entities/user/{owner}/")
    assert (status, faults.requests) == (403, [])
    assert "user_id=.." in answer["hint"]


def message(**changes: Any) -> dict[str, Any]:
    return {**GOOD, "messages": [{"role": "user", "content": "x", **changes}]}


def beside(**more: Any) -> dict[str, Any]:
    return {**GOOD, "messages": [], **more}


def asked(**filters: Any) -> dict[str, Any]:
    return {"query": "x", "filters": {"user_id": "u-1", **filters}}


SEARCH, LIST = "/v3/memories/search/", "/v3/memories/"
PLACES: list[tuple[str, str, str, Any]] = [
    ("content", "POST", ADD, GOOD),
    ("name", "POST", ADD, message(name=TEXT)),
    ("part", "POST", ADD, message(content=[{"type": "text", "text": TEXT}])),
    ("role", "POST", ADD, message(role=TEXT)),
    ("metadata", "POST", ADD, beside(metadata={"a": [{"b": TEXT}]})),
    ("metadata key", "POST", ADD, beside(metadata={TEXT: 1})),
    ("instructions", "POST", ADD, beside(custom_instructions=TEXT)),
    ("includes", "POST", ADD, beside(includes=TEXT)),
    ("unknown member", "POST", ADD, beside(never_heard_of={"x": [TEXT]})),
    ("number", "POST", ADD, beside(metadata={"card": 4111111111111111})),
    ("query", "POST", SEARCH, {**asked(), "query": TEXT}),
    ("filter", "POST", SEARCH, asked(who=TEXT)),
    ("list filter", "POST", LIST, asked(OR=[{"who": TEXT, "user_id": "u-1"}])),
    ("parameter", "GET", "/memories?user_id=u-1&query=mail%20alva.brenn%40example.org", None),
    ("parameter name", "GET", "/memories?user_id=u-1&alva.brenn@example.org=1", None),
    ("bare parameter", "GET", "/memories?user_id=u-1&:alva.brenn%40example.org", None),
    ("oss content", "POST", "/memories", GOOD),
    ("oss prompt", "POST", "/memories", {**GOOD, "prompt": TEXT}),
    ("oss query", "POST", "/search", {"query": TEXT, "user_id": "u-1"}),
]


@pytest.mark.parametrize(
    ("method", "path", "body"), [case[1:4] for case in PLACES], ids=[case[0] for case in PLACES]
)
async def test_a_canary_in_any_place_does_not_reach_the_store(
    faulty: Plane, faults: FaultStore, method: str, path: str, body: Any
) -> None:
    """Content, metadata, keys, instructions, queries, filters, parameters, numbers: all scanned."""
    faults.script = lambda _: added()
    await faulty.call(method, path, body)
    sent = "".join(r.target + r.body.decode() for r in faults.requests)
    assert faults.requests
    assert "alva.brenn" not in sent
    assert "4111111111111111" not in sent


HEADERS = [
    ("X-Note", "alva.brenn@example.org", None), ("User-Agent", "alva.brenn@example.org", None),
    ("Accept", "text/alva.brenn@example.org", None), ("Date", "alva.brenn@example.org", None),
    ("traceparent", "00-alva.brenn@example.org", None), ("Referer", "//x/?alva.brenn@a.org", None),
    ("traceparent", f"00-{'0a' * 16}-{'b1' * 8}-01", "kept"), ("X-Other", "blue", "kept"),
    ("X.alva.brenn%40example.org", "1", None), ("X-4111111111111111", "1", None),
    ("X-Tenant-Id", "1", "kept"), ("Accept-Encoding", "gzip;q=alva.brenn@example.org", None),
    ("Accept-Encoding", "gzip;q=0.5, br", "kept"), ("Content-Type", "text/alva.brenn", None),
    ("User-Agent", "python-httpx/0.28.1", "kept"), ("X-Mem0-Client", "mem0-python/2.2.1", "kept"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value", "kept"), HEADERS)
async def test_headers_are_scanned_one_by_one(
    faulty: Plane, faults: FaultStore, name: str, value: str, kept: str | None
) -> None:
    """What holds personal data, or is not what it should be, is left out."""
    await faulty.call("GET", "/v1/ping/", headers={name: value})
    (request,) = faults.requests
    assert (value in request.values(name)) is bool(kept)


NAMED_HEADERS = [
    *((name, True) for name in (
        "X-GitHub-Api-Version", "X-CF-Ray", "X-Goog-Api-Client", "X-Cloudflare-Ray", "X-Amz-Date",
        "X-MS-Client-Request-Id", "X-Sentry-Auth", "X-Stripe-Client", "X-Mistral-Client",
        "X-Atlassian-Token", "X-Azure-Ref", "X-Vercel-Id", "X-Langfuse-Sdk-Name", "X-Tenant-Id",
    )),
    *((name, False) for name in (
        "X-Patient-Jane-Doe", "X-GitHub-Jane-Doe", "X-Goog-Alva-Brenn", "X-Customer-Alva-Brenn",
        "X-MS-Jane-Doe", "X-Stripe-Alva-Brenn",
    )),
]  # fmt: skip


@pytest.mark.parametrize(("name", "kept"), NAMED_HEADERS)
async def test_a_maker_in_a_header_name_is_no_person(
    named: Plane, faults: FaultStore, name: str, kept: bool
) -> None:
    """Headers of common services go on; a person in a name does not, whosever prefix it has."""
    await named.call("GET", "/v1/ping/", headers={name: "1"})
    (request,) = faults.requests
    assert (request.values(name) == ["1"]) is kept


EXPONENTS = [
    ("4.111111111111111e15", True), ("4.111111111111111E+15", True), ("41111111111111.11e2", True),
    ("411111111111111100000e-5", True), ("0.0004111111111111111e19", True),
    ("1e3", False), ("6.02e23", False), ("1.5e-7", False), ("1e300", False), ("2.5E6", False),
]  # fmt: skip


@pytest.mark.parametrize(("number", "card"), EXPONENTS)
async def test_a_card_in_exponent_form_is_a_card(
    faulty: Plane, faults: FaultStore, number: str, card: bool
) -> None:
    """Numbers are scanned with their digits in a row; others keep their spelling."""
    faults.script = lambda _: added()
    metadata = b'"metadata": {"n": ' + number.encode() + b"}"
    raw = GOOD_BYTES.rstrip()[:-1] + b", " + metadata + b"}"
    status, _ = await faulty.call("POST", ADD, raw=raw)
    assert status == 200
    assert (number.encode() in faults.requests[0].body) is not card
    assert (b"4111111111111111" in faults.requests[0].body) is False


WRAPPED = ("mail alva.brenn@example.org", "card 4111 1111 1111 1111")


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
@pytest.mark.parametrize("text", WRAPPED)
async def test_json_in_strings_is_read_however_often_it_was_escaped(
    faulty: Plane, faults: FaultStore, text: str, depth: int
) -> None:
    """A program writes a document into a string of a document, and again."""
    value: object = {"note": text}
    for _ in range(depth):
        value = {"inner": json.dumps(value)}
    faults.script = lambda _: added()
    await faulty.call("POST", ADD, {**GOOD, "metadata": value})
    sent = b"".join(request.body for request in faults.requests)
    assert b"alva.brenn" not in sent
    assert b"4111 1111" not in sent


@pytest.mark.parametrize("said", ["json; name=alva.brenn", "vnd.alva.brenn+json"])
async def test_a_content_type_carries_nothing_but_its_charset(
    faulty: Plane, faults: FaultStore, said: str
) -> None:
    """A parameter or a subtype could hold anything."""
    headers = {"Content-Type": f"application/{said}"}
    status, _ = await faulty.call("POST", ADD, raw=GOOD_BYTES, headers=headers)
    assert status == 415
    assert faults.requests == []


async def test_a_canary_in_a_header_does_not_reach_the_store(
    faulty: Plane, faults: FaultStore
) -> None:
    """A header that holds personal data is left out; its neighbours go on."""
    faults.script = lambda _: added()
    headers = {"X-Note": "alva.brenn@example.org", "X-Other": "blue"}
    await faulty.call("POST", ADD, GOOD, headers=headers)
    (request,) = faults.requests
    assert request.values("x-note") == []
    assert request.values("x-other") == ["blue"]


FAILURES = [
    pytest.param(DetectionUnavailable("dead"), 503, "detection-unavailable", id="dead"),
    pytest.param(DetectionTimeout("slow"), 503, "detection-unavailable", id="slow"),
    pytest.param(DetectionOverloaded("full"), 503, "overloaded", id="overloaded"),
    pytest.param(RuntimeError("bug"), 500, "internal", id="broken"),
]


@pytest.mark.parametrize(("failure", "status", "slug"), FAILURES)
@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        pytest.param("POST", ADD, GOOD, id="add"),
        pytest.param("POST", "/v3/memories/search/", {"query": "x y", "filters": {"user_id": "u"}},
                     id="search"),
    ],
)  # fmt: skip
async def test_without_detection_nothing_is_sent(
    faulty: Plane,
    faults: FaultStore,
    failure: Exception,
    status: int,
    slug: str,
    method: str,
    path: str,
    body: Any,
) -> None:
    """A dead, slow, full or broken detector closes the way; nothing is half-written."""
    faulty.detectors.failure = failure
    found, answer = await faulty.call(method, path, body)
    assert (found, answer["type"]) == (status, f"urn:expunge:problem:{slug}")
    assert answer["upstream"] == "not_sent"
    assert ("detection.queue" in answer["hint"]) == (slug == "overloaded")
    assert faults.requests == []


OF_MEMORIES = [
    pytest.param("POST", "/v3/memories/", {"filters": {"user_id": "u-1"}}, id="list"),
    pytest.param("GET", "/memories?user_id=u-1", None, id="open-source-list"),
    pytest.param("POST", "/v3/memories/search/", {"query": "x", "filters": {"user_id": "u-1"}},
                 id="search"),
    pytest.param("GET", f"/v1/memories/{MEMORY_ID}/", None, id="get"),
    pytest.param("GET", f"/v1/memories/{MEMORY_ID}/history/", None, id="history"),
]  # fmt: skip


@pytest.mark.parametrize(("method", "path", "body"), OF_MEMORIES)
async def test_where_no_detector_runs_no_memory_is_asked_for(
    faulty: Plane, faults: FaultStore, method: str, path: str, body: Any
) -> None:
    """Nor on a request that was just answered; once one runs it is, and what shows none goes on."""
    faults.script = lambda _: added()
    await faulty.add("likes tea")
    shown = [] if "history" in path else faults.kept[MEMORY_ID] if method == "GET" else {}
    faults.script = lambda _: answer({"results": []} if "_id" in str((path, body)) else shown)
    before = await faulty.call(method, path, body)
    assert before[0] == 200
    faulty.detectors.failure = DetectionUnavailable("dead")
    faults.requests.clear()
    for _ in range(2):
        status, problem = await faulty.call(method, path, body)
        assert (status, problem["type"]) == (503, "urn:expunge:problem:detection-unavailable")
        assert problem["upstream"] == "not_sent"
    assert (faults.requests, faults.read_backs[1:]) == ([], [])
    assert (await faulty.call("GET", "/v1/ping/"))[0] == 200
    faulty.detectors.failure = None
    assert await faulty.call(method, path, body) == before


@pytest.mark.parametrize(
    ("who", "looks"), [("vault", "known_mentions"), ("blocklist", "blocked_mentions")]
)
async def test_a_look_up_that_does_not_end_is_refused_as_late_detection_is(
    faulty: Plane, faults: FaultStore, monkeypatch: pytest.MonkeyPatch, who: str, looks: str
) -> None:
    """Looking up whom a text names has the deadline of detection, and nothing is sent after it."""

    async def endless(*_: Any, **__: Any) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(getattr(faulty.services, who), looks, endless)
    monkeypatch.setattr("proxy.gateway.request.detect.seconds_for", lambda *_: 0.01)
    found, answer = await faulty.call("POST", ADD, GOOD)
    assert (found, answer["type"]) == (503, "urn:expunge:problem:detection-unavailable")
    assert answer["upstream"] == "not_sent"
    assert faults.requests == []


@pytest.mark.parametrize("who", ["vault", "blocklist"])
async def test_a_ledger_that_lets_a_look_up_wait_is_named_as_the_reason(
    faulty: Plane, faults: FaultStore, monkeypatch: pytest.MonkeyPatch, who: str
) -> None:
    """Nobody is sent to look at detection when it is the ledger that stands still."""

    async def endless(_: Any) -> None:
        await asyncio.Event().wait()

    async def looks(*_: Any, **__: Any) -> None:
        await faulty.services.ledger.read(endless)

    name = {"vault": "known_mentions", "blocklist": "blocked_mentions"}[who]
    monkeypatch.setattr(getattr(faulty.services, who), name, looks)
    monkeypatch.setattr("proxy.gateway.request.detect.seconds_for", lambda *_: 0.05)
    found, answer = await faulty.call("POST", ADD, GOOD)
    assert (found, answer["type"]) == (503, "urn:expunge:problem:ledger-unavailable")
    assert answer["upstream"] == "not_sent"
    assert faults.requests == []


async def test_without_a_ledger_nothing_is_sent(
    faulty: Plane, faults: FaultStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write whose intent cannot be recorded is not forwarded."""

    async def full(_: Any) -> Any:
        raise Problem("ledger-unavailable", "The disk is full.")

    await faulty.call("POST", ADD, GOOD)
    before = len(faults.requests)
    monkeypatch.setattr(faulty.services.ledger, "write", full)
    status, answer = await faulty.call("POST", ADD, GOOD)
    assert (status, answer["type"]) == (503, "urn:expunge:problem:ledger-unavailable")
    assert len(faults.requests) == before


KEYS = [
    pytest.param({}, id="none"),
    pytest.param({"Authorization": "Token wrong"}, id="wrong"),
    pytest.param({"Authorization": "Basic dTpw"}, id="other-scheme"),
    pytest.param({"Authorization": "Token store-key"}, id="the-stores-key"),
    pytest.param({"X-API-Key": ""}, id="empty"),
]


@pytest.mark.parametrize("headers", KEYS)
async def test_without_a_credential_nothing_is_sent(
    faulty: Plane, faults: FaultStore, headers: dict[str, str]
) -> None:
    """Missing, wrong and foreign credentials get the same 401."""
    status, answer = await faulty.call("POST", ADD, GOOD, tenant=None, headers=headers)
    assert (status, answer["type"]) == (401, "urn:expunge:problem:unauthenticated")
    assert faults.requests == []


async def test_two_credentials_that_disagree_are_none(faulty: Plane, faults: FaultStore) -> None:
    """Nobody may be two tenants at once."""
    headers = {"X-API-Key": faulty.keys["globex"]}
    status, _ = await faulty.call("POST", ADD, GOOD, headers=headers)
    assert status == 401
    assert faults.requests == []


async def test_guessing_is_slowed_down(faulty: Plane) -> None:
    """After too many refused credentials an address has to wait, and only then."""
    for _ in range(faulty.services.limits.failed_attempts):
        assert (await faulty.call("GET", "/v1/ping/", tenant=None))[0] == 401
    status, answer = await faulty.call("GET", "/v1/ping/", tenant=None)
    assert (status, answer["type"]) == (429, "urn:expunge:problem:rate-limited")


MOST = 20_000
MUCH: list[Any] = [
    pytest.param(lambda n: {"messages": message("x" * n)}, id="one-text"),
    pytest.param(
        lambda n: {"messages": [each for _ in range(100) for each in message("x" * (n // 100))]},
        id="many-texts",
    ),
    pytest.param(lambda n: {"metadata": {"note": "x" * n}}, id="metadata"),
    pytest.param(lambda n: {"metadata": {"x" * n: 1}}, id="key"),
    pytest.param(lambda n: {"metadata": {"a": ["x" * (n // 2), {"b": "y" * (n // 2)}]}}, id="deep"),
    pytest.param(lambda n: {"custom_instructions": "x" * n}, id="instructions"),
    pytest.param(lambda n: {"messages": message("界" * n)}, id="characters-not-bytes"),
]


def message(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]


@pytest.mark.parametrize("much", MUCH)
async def test_more_text_than_can_be_scanned_is_refused_for_good(
    opened_plain: Opened, faults: FaultStore, much: Callable[[int], dict[str, Any]]
) -> None:
    """413 with the limit's name before anything is spent on it, not a 503 that is tried again."""
    change = partial(with_section, section="write", max_characters=10 * MOST)
    async with opened_plain(change=change, limits=Limits(text=MOST)) as plane:
        status, answer = await plane.call("POST", ADD, {**GOOD, **much(MOST + 100)})
        assert (status, answer["type"]) == (413, "urn:expunge:problem:too-large")
        assert f"{MOST} are allowed" in answer["detail"]
        assert "limits.text" in answer["hint"]
        assert answer["upstream"] == "not_sent"
        assert plane.detectors.seen == faults.requests == []
        faults.script = lambda _: added()
        status, answer = await plane.call("POST", ADD, {**GOOD, **much(MOST - 400)})
        assert status == 200, answer
        assert sum(map(len, plane.detectors.seen)) >= MOST - 500


@pytest.mark.parametrize("over", [0, 1])
@pytest.mark.parametrize("place", ["content", "metadata"])
async def test_a_text_over_the_limit_is_refused_before_it_is_scanned(
    opened_plain: Opened, faults: FaultStore, place: str, over: int
) -> None:
    """Nothing is spent on it, and the answer says how long it may be; at the limit it passes."""
    change = partial(with_section, section="write", max_characters=40)
    text = "x" * (40 + over)
    said = [{"role": "user", "content": text if place == "content" else "y"}]
    body = {**GOOD, "messages": said, "metadata": {"note": text}}
    async with opened_plain(change=change) as plane:
        status, answer = await plane.call("POST", ADD, body)
        if over:
            assert (status, answer["type"]) == (413, "urn:expunge:problem:too-large")
            told = "The policy lets no text through that has more than 40 characters."
            assert (answer["detail"], answer["rules"]) == (told, ["write.max_characters"])
            assert answer["hint"] == "Split it, or raise write.max_characters in the policy."
            assert plane.detectors.seen == faults.requests == []
        else:
            assert text in plane.detectors.seen
            assert faults.requests


@pytest.mark.parametrize("owner", ["*", "u*", "*-1"])
async def test_why_an_owner_id_is_refused_is_in_the_detail(
    faulty: Plane, faults: FaultStore, owner: str
) -> None:
    """The store's SDK shows the detail alone."""
    status, answer = await faulty.call("POST", ADD, {**GOOD, "user_id": owner})
    told = "An owner id is not valid. /user_id: A wildcard is not an owner id."
    assert (status, answer["detail"], faults.requests) == (400, told, [])


NAMED = [
    pytest.param(DetectionUnavailable("no detection worker is ready"),
                 "Detection is not running: no detection worker is ready.",
                 "Nothing was sent. Retry.", id="workers"),
    pytest.param(DetectionUnavailable("The encoder model is missing."),
                 "Detection is not running: the encoder model is missing.",
                 "Nothing was sent. Retry.", id="model"),
    pytest.param(DetectionUnavailable(), "Detection is not running.",
                 "Nothing was sent. Retry.", id="unsaid"),
    pytest.param(ClassifierUnavailable("the classifier gave no answer that can be used"),
                 "Detection is not running: the classifier gave no answer that can be used.",
                 "Look at its endpoint; see url, model and key of detection.classifier.",
                 id="classifier"),
    pytest.param(ClassifierTimeout("the classifier did not answer in time"),
                 "Detection did not finish in time: the classifier did not answer in time.",
                 "Look at its endpoint, or raise detection.classifier.deadline.", id="late"),
    pytest.param(DetectionTimeout("one of the operator's patterns took too long"),
                 "Detection did not finish in time: one of the operator's patterns took too long.",
                 "Split long texts, or raise detection.deadline or detection.workers.",
                 id="pattern"),
]  # fmt: skip


@pytest.mark.parametrize(("failure", "detail", "hint"), NAMED)
async def test_which_detector_failed_is_told(
    faulty: Plane, failure: Exception, detail: str, hint: str
) -> None:
    """With what helps against it."""
    faulty.detectors.failure = failure
    status, answer = await faulty.call("POST", ADD, GOOD)
    assert (status, answer["detail"], answer["hint"]) == (503, detail, hint)
