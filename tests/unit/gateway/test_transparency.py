"""Where the policy is silent, bytes, headers, order and statuses pass unchanged."""

import gzip
import json
import zlib
from collections.abc import Callable
from typing import Any

import aiohttp
import brotli
import pytest
import zstandard
from aiohttp import web
from yarl import URL

from proxy.problems import Problem
from proxy.upstreams import plain_json
from tests.support.fault_store import FaultStore, added, answer
from tests.support.gateway import Plane

PING = "/v1/ping/"
LIST = "/v3/memories/"
MINE = b'{"filters": {"user_id": "u-1"}}'


async def fetch(
    plane: Plane, method: str, path: str, body: bytes | None = None, **headers: Any
) -> tuple[aiohttp.ClientResponse, bytes]:
    """One request, its answer not unpacked."""
    sent = [("Authorization", f"Token {plane.keys['acme']}"), ("Content-Type", "application/json")]
    sent += headers.pop("pairs", [])
    async with aiohttp.ClientSession(auto_decompress=False) as http, http.request(
        method, URL(plane.url + path, encoded=True), data=body, headers=sent,
        allow_redirects=False, skip_auto_headers=("Accept-Encoding", "User-Agent"),
    ) as response:  # fmt: skip
        return response, await response.read()


async def test_an_answer_that_needs_no_change_is_byte_identical(
    faulty: Plane, faults: FaultStore
) -> None:
    """Spacing, number spelling, escapes and member order of the store survive."""
    body = b'{ "b" : 1e3, "a":1.10,\t"id":12345678901234567890, "s":"\\u00e9\\/" }\n'
    faults.script = lambda _: web.Response(body=body, content_type="application/json")
    response, found = await fetch(faulty, "GET", PING)
    assert (response.status, found) == (200, body)


async def test_a_request_that_needs_no_change_is_byte_identical(
    faulty: Plane, faults: FaultStore
) -> None:
    """Body and query reach the store as they were sent; a packed body goes plain."""
    body = b'{ "feedback":"POSITIVE" ,"n":1.10 }'
    await fetch(faulty, "GET", PING + "?b=%7e&a=1&a=2&c", body)
    await fetch(faulty, "GET", PING, gzip.compress(body), pairs=[("Content-Encoding", "gzip")])
    request, packed = faults.requests
    assert request.target == PING + "?b=%7e&a=1&a=2&c"
    assert request.body == body
    assert packed.body == b'{"feedback":"POSITIVE","n":1.10}'
    assert packed.values("content-encoding") == []


async def test_a_rewritten_request_keeps_numbers_order_and_unknown_members(
    faulty: Plane, faults: FaultStore
) -> None:
    """Only the owner, the edited text and the stamp differ."""
    faults.script = lambda _: added()
    sent = (
        b'{"zeta":1e3,"messages":[{"role":"user","content":"mail a@example.org"}],"user_id":"u-1",'
        b'"alpha":1.10,"big":12345678901234567,"metadata":{"n":-0.0,"deep":[null,true,{}]},'
        b'"infer":false}'
    )
    await fetch(faulty, "POST", "/v3/memories/add/", sent)
    body = faults.requests[0].body.decode()
    assert list(json.loads(body)) == [
        "zeta", "messages", "user_id", "alpha", "big", "metadata", "infer",
    ]  # fmt: skip
    for spelled in ('"zeta":1e3', '"alpha":1.10', '"n":-0.0', '"deep":[null,true,{}]'):
        assert spelled in body


async def test_a_rewritten_answer_keeps_everything_else(faulty: Plane, faults: FaultStore) -> None:
    """An owner id goes back, a vector goes out; numbers, order and unknown members stay."""
    names = await faulty.services.keyring.tenant(faulty.tenants["acme"])
    from proxy.ledger import owners

    upstream = owners.upstream_id(names, "opaque", "user", "u-1")
    item = (
        f'{{"id":"11111111-1111-4111-8111-111111111111","score":1.10,"memory":"x","user_id":"{upstream}",'
        f'"embedding":[0.1,0.2],"n":12345678901234567890}}'
    )
    faults.script = lambda _: web.Response(
        body=f'{{"count":1,"results":[{item}],"e":1e3}}'.encode(), content_type="application/json"
    )
    _, found = await fetch(faulty, "POST", LIST, MINE)
    assert found.decode() == (
        '{"count":1,"results":[{"id":"11111111-1111-4111-8111-111111111111","score":1.10,'
        '"memory":"x","user_id":"u-1","n":12345678901234567890}],"e":1e3}'
    )


PACKINGS = [
    pytest.param(gzip.compress, "gzip", id="gzip"),
    pytest.param(zlib.compress, "deflate", id="deflate"),
    pytest.param(zstandard.compress, "zstd", id="zstd"),
    pytest.param(lambda data: gzip.compress(gzip.compress(data)), "gzip, gzip", id="twice"),
]


@pytest.mark.parametrize(("pack", "coding"), PACKINGS)
async def test_a_packed_answer_stays_readable(
    faulty: Plane, faults: FaultStore, pack: Any, coding: str
) -> None:
    """Unchanged: as the store packed it. Changed: unpacked, and the label goes."""
    headers = {"Content-Encoding": coding, "Content-Type": "application/json"}
    plain = b'{"status": "ok"}'
    faults.script = lambda _: web.Response(body=pack(plain), headers=headers)
    response, found = await fetch(faulty, "GET", PING, pairs=[("Accept-Encoding", coding)])
    assert response.headers["Content-Encoding"] == coding
    assert found == pack(plain)
    changed = b'{"status": "ok", "user_email": "x"}'
    faults.script = lambda _: web.Response(body=pack(changed), headers=headers)
    response, found = await fetch(faulty, "GET", PING, pairs=[("Accept-Encoding", coding)])
    assert "Content-Encoding" not in response.headers
    assert json.loads(found) == {"status": "ok"}
    assert int(response.headers["Content-Length"]) == len(found)


def with_field(flag: int, field: bytes) -> Callable[[bytes], bytes]:
    """A gzip member with one of the fields that its head may have (RFC 1952 §2.3)."""

    def pack(data: bytes) -> bytes:
        plain = gzip.compress(data)
        head = plain[:3] + bytes([flag]) + plain[4:10] + field
        checked = zlib.crc32(head).to_bytes(4, "little")[:2] if flag & 2 else b""
        return head + checked + plain[10:]

    return pack


NAMED = with_field(8, b"Ida Falk.json\0")
ROOMY = [
    pytest.param(NAMED, "gzip", id="file-name"),
    pytest.param(NAMED, "x-gzip", id="file-name-x-gzip"),
    pytest.param(with_field(16, b"of Ida Falk\0"), "gzip", id="comment"),
    pytest.param(with_field(4, b"\x08\x00Ida Falk"), "gzip", id="extra-field"),
    pytest.param(with_field(26, b"a\0Ida Falk\0"), "gzip", id="all-but-extra"),
    pytest.param(with_field(2, b""), "gzip", id="head-checksum"),
    pytest.param(lambda data: NAMED(b"") + gzip.compress(data), "gzip", id="empty-member-before"),
    pytest.param(lambda data: gzip.compress(data) + NAMED(b""), "gzip", id="empty-member-behind"),
    pytest.param(
        lambda data: gzip.compress(data[:9]) + NAMED(b"") + gzip.compress(data[9:]), "gzip",
        id="member-between",
    ),
    pytest.param(lambda data: gzip.compress(NAMED(data)), "gzip, gzip", id="within-another"),
    pytest.param(lambda data: NAMED(zlib.compress(data)), "deflate, gzip", id="around-another"),
    pytest.param(brotli.compress, "br", id="br-may-hold-metadata"),
]  # fmt: skip


@pytest.mark.parametrize(("pack", "coding"), ROOMY)
@pytest.mark.parametrize("method", ["list", "pass"])
async def test_an_answer_whose_packing_has_room_for_words_goes_plain(
    faulty: Plane, faults: FaultStore, pack: Any, coding: str, method: str
) -> None:
    """What stands in the packing beside the body is looked at by nobody, so it stays here."""
    plain = b'{"results":[]}' if method == "list" else b'{"status":"ok"}'
    headers = {"Content-Encoding": coding, "Content-Type": "application/json"}
    faults.script = lambda _: web.Response(body=pack(plain), headers=headers)
    asked = ("POST", LIST, MINE) if method == "list" else ("GET", PING, None)
    for _ in range(2):
        response, found = await fetch(faulty, *asked, pairs=[("Accept-Encoding", coding)])
        assert (response.status, found) == (200, plain)
        assert "Content-Encoding" not in response.headers


@pytest.mark.parametrize("status", [200, 201, 204, 304, 404, 409, 418, 422])
async def test_statuses_pass(faulty: Plane, faults: FaultStore, status: int) -> None:
    """The store's status is the client's, with or without a body."""
    body = b"" if status in (204, 304) else b'{"detail":"so"}'
    faults.script = lambda _: web.Response(
        status=status, body=body or None, content_type="application/json"
    )
    response, found = await fetch(faulty, "GET", PING)
    assert (response.status, found) == (status, body)


async def test_repeated_headers_pass_and_hop_headers_do_not(
    faulty: Plane, faults: FaultStore
) -> None:
    """Links and cookies stay two; what Connection names ends here; Via says who was between.

    A cookie comes back to no store: it is whoever balances the load, not the client, that set it.
    """
    reply = answer({"status": "ok"})
    for name, value in (
        ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"), ("Link", "</v1/ping>"), ("Link", "</x>"),
        ("Set-Cookie", "session=alva.brenn@example.org"), ("Set-Cookie", "brenn=1"),
        ("Connection", "X-Hop"), ("X-Hop", "1"), ("X-Request-ID", "abc1"), ("Keep-Alive", "x"),
    ):  # fmt: skip
        reply.headers.add(name, value)
    faults.script = lambda _: reply
    pairs = [
        ("X-Dup", "1"), ("X-Dup", "2"), ("Connection", "X-Secret"), ("X-Secret", "1"),
        ("X-Forwarded-For", "10.0.0.1"), ("X-HTTP-Method-Override", "DELETE"),
        ("Mem0-User-ID", "0cc175b9"), ("X-Mem0-Client", "mem0-python/2.2.1"), ("TE", "trailers"),
        ("Cookie", "a=1"),
    ]  # fmt: skip
    response, _ = await fetch(faulty, "GET", PING, pairs=pairs)
    assert response.headers.getall("Set-Cookie") == ["a=1", "b=2"]
    assert response.headers.getall("Link") == [
        f"<{faulty.url}{path}>" for path in ("/v1/ping", "/x")
    ]
    assert response.headers["X-Request-ID"] == "abc1"
    assert "X-Hop" not in response.headers
    assert "1.1 expunge" in response.headers["Via"]
    (request,) = faults.requests
    assert request.values("x-dup") == ["1", "2"]
    assert request.values("x-mem0-client") == ["mem0-python/2.2.1"]
    assert request.values("via") == ["1.1 expunge"]
    gone = ("x-secret", "x-forwarded-for", "x-http-method-override", "mem0-user-id", "te", "cookie")
    for name in gone:
        assert request.values(name) == [], name


@pytest.mark.parametrize(
    ("pairs", "sent"),
    [
        ([("Via", "1.1 corp-proxy")], "1.1 corp-proxy, 1.1 expunge"),
        ([("Via", "1.0 a, 2 b"), ("Via", "1.1 c:8080")], "1.0 a, 2 b, 1.1 c:8080, 1.1 expunge"),
        ([("Via", "1.1 a"), ("Via", "1.1 b (alva.brenn@example.org)")], "1.1 a, 1.1 expunge"),
        ([("Via", "1.1 a"), ("Connection", "Via")], "1.1 expunge"),
    ],
    ids=["one", "several lines", "an address in a comment", "ends here"],
)
async def test_who_was_between_before_stays_in_via(
    faulty: Plane, faults: FaultStore, pairs: list[tuple[str, str]], sent: str
) -> None:
    """In order, and we are the last (RFC 9110 §7.6.3); what would say who somebody is goes."""
    await fetch(faulty, "GET", PING, pairs=pairs)
    (request,) = faults.requests
    assert request.values("via") == [sent]


@pytest.mark.parametrize(
    ("said", "read"),
    [(["1.1 google"], "1.1 google, 1.1 expunge"), (["1.1 Alva Brenn"], "1.1 expunge")],
)
async def test_who_was_between_the_store_and_us_is_told(
    faulty: Plane, faults: FaultStore, said: list[str], read: str
) -> None:
    """As any header of an answer: if it is made of the words of such things."""
    reply = answer({"status": "ok"})
    for each in said:
        reply.headers.add("Via", each)
    faults.script = lambda _: reply
    response, _ = await fetch(faulty, "GET", PING)
    assert response.headers.getall("Via") == [read]


async def test_the_credentials_stay_on_their_side(faulty: Plane, faults: FaultStore) -> None:
    """The store sees the proxy's key only; the client sees no key at all."""
    for headers in ({}, {"X-API-Key": faulty.keys["acme"]}):
        tenant = None if headers else "acme"
        await faulty.call("GET", PING, tenant=tenant, headers=headers)
    for request in faults.requests:
        assert request.values("authorization") == ["Token store-key"]
        assert request.values("x-api-key") == []
        assert faulty.keys["acme"] not in str(request)


@pytest.mark.parametrize("name", ["a/b", "a b", "ü?x#y", "100%", "a%2Fb", "..", "a;b"])
async def test_an_owner_in_the_path_may_hold_anything(
    faulty: Plane, faults: FaultStore, name: str
) -> None:
    """Percent-encoded owner ids are read once and never reach the store as they are."""
    from urllib.parse import quote

    faults.script = lambda _: answer({"count": 0, "results": []})
    path = f"/v2/entities/user/{quote(name, safe='')}/"
    status, _ = await faulty.call("DELETE", path)
    expected = 403 if name == ".." else 200
    assert status == expected
    assert all(quote(name, safe="") not in request.target for request in faults.requests)


TEXTS = [
    '"a"',
    "1e3",
    "1.10",
    "-0",
    "12345678901234567890",
    "[]",
    "{}",
    "null",
    '{"a":[1,{"b":"ü"}]}',
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_document_is_written_as_it_was_read(text: str) -> None:
    """Reading and writing change no spelling."""
    assert plain_json.dump(plain_json.parse(text.encode())).decode() == text


@pytest.mark.parametrize(
    ("text", "reason"),
    [("1E400", "double"), ("[-2e999]", "double"), ('{"a":1.8e308}', "double"),
     ("NaN", "not valid JSON"), ("-Infinity", "not valid JSON"), ("01", "not valid JSON"),
     ("1.", "not valid JSON"), ("+1", "not valid JSON")],
)  # fmt: skip
def test_a_number_that_cannot_be_kept_is_refused_with_its_reason(text: str, reason: str) -> None:
    """One beyond a double is valid JSON, which Mem0 refuses as well; others are no JSON at all."""
    with pytest.raises(Problem) as refused:
        plain_json.parse(text.encode())
    assert refused.value.slug == "malformed-body"
    assert reason in refused.value.detail
