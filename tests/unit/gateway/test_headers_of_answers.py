"""Headers of a store's answer: ordinary ones pass, none tells of others or our credential."""

import json
from functools import partial
from typing import Any

import pytest
from aiohttp import web

from proxy.gateway.hop import answer_headers
from tests.support.fault_store import FaultStore, answer
from tests.support.gateway import Plane

SECRET = "store-key"  # as the planes of these tests are configured
LIST, ADD = "/v3/memories/", "/v3/memories/add/"
MINE = {"filters": {"user_id": "u-1"}}
ASK = "/memories?user_id=u-1"

GONE = [
    ("X-Debug", "Alva Brenn called"), ("X-User", "Alva"), ("X-Trace", "alva-brenn"),
    ("X-Request-ID", "AlvaBrenn"), ("X-Request-ID", "ada1985"), ("X-Alva-Brenn", "1"),
    ("X-Num", "4111111111111111"), ("X-Number", "555-0134"), ("Set-Cookie", "session=alva"),
    ("Content-Disposition", 'attachment; filename="Alva Brenn.json"'), ("ETag", '"Alva Brenn"'),
    ("Warning", '199 - "Alva Brenn"'), ("WWW-Authenticate", f"Token {SECRET}"),
    ("X-Api-Key", SECRET), ("X-Request-ID", f"1-{SECRET}-2"), ("X-Trace", "山田"),
    ("Last-Modified", "Fri, 12 Apr 1985 00:00:00 GMT"), ("Link", '</x>; title="Alva Brenn"'),
    ("Cache-Control", "no-cache, alva"), ("Server", "alva-brenn/1"),
]  # fmt: skip
KEPT = [
    ("Cache-Control", "no-store, max-age=31536000"), ("Vary", "Accept-Encoding, Origin"),
    ("Server", "uvicorn"), ("Server", "their-store/2"), ("Retry-After", "7"), ("Age", "1234567"),
    ("Last-Modified", "Sat, 28 Nov 2026 10:00:00 GMT"), ("ETag", '"v1"'),
    ("Expires", "Thu, 01 Jan 1970 00:00:00 GMT"), ("ETag", 'W/"0815-abcdef1"'),
    ("ETag", 'W/"17-z8rRVBgZ8VXu3dRxk5mSRhMzm2k"'), ("X-Request-ID", "abc123"),
    ("X-Request-ID", "0f8fad5b-d9cb-469f-a165-70867728950e"), ("CF-Ray", "8a1b2c3d4e5f6789-AMS"),
    ("X-Request-ID", "req_8fkd93jfkw02"), ("X-Trace-Id", "0f8fad5bd9cb469fa16570867728950e"),
    ("X-RateLimit-Remaining", "2000000"), ("RateLimit-Policy", "100;w=60"),
    ("X-Process-Time", "1.2345678901"), ("Strict-Transport-Security", "max-age=31536000; preload"),
    ("Alt-Svc", 'h3=":443"; ma=86400'), ("X-Content-Type-Options", "nosniff"),
    ("Access-Control-Allow-Origin", "*"), ("Server-Timing", "db;dur=53.2"),
    ("Set-Cookie", "session=7e2j1i6g8d0s; Path=/; HttpOnly; SameSite=Lax; Max-Age=3600"),
    ("X-Amzn-Trace-Id", "Root=1-67891233-abcdef012345678912345678"),
    ("Digest", "sha-256=X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE="),
]  # fmt: skip
OF_BYTES = {
    "ETag",
    "Digest",
    "Last-Modified",
}  # they go with the bytes, where an error's body is replaced
STATUSES = [200, 404, 500]


def _says(body: Any, status: int, headers: dict[str, str], _: Any) -> web.Response:
    return answer(body, status, **headers)


@pytest.mark.parametrize("status", STATUSES)
async def test_headers_of_a_store_say_nothing_of_anybody(
    faulty: Plane, faults: FaultStore, status: int
) -> None:
    """Those made of the words of servers, numbers, dates and marks pass as they are."""
    key = {"Authorization": f"Token {faulty.keys['acme']}"}
    for pairs, expected in ((GONE, []), (KEPT, KEPT)):
        for name, value in pairs:
            faults.script = partial(_says, {"results": []}, status, {name: value})
            async with faulty.http.get(faulty.url + ASK, headers=key) as response:
                assert response.status == status
                found = response.headers.getall(name, [])
            if status == 200 or name not in OF_BYTES:
                assert found == ([value] if expected else []), (name, value)


OF_A_VERSION = {
    "Etag": '"a1b2c3"', "Last-Modified": "Sat, 28 Nov 2026 10:00:00 GMT",
    "Repr-Digest": "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:",
    "Content-Digest": "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:",
    "Content-Range": "bytes 0-1/17", "Accept-Ranges": "bytes",
}  # fmt: skip
TALLIES = {"X-Total": "17", "X-Total-Count": "17", "X-Count": "17"}


@pytest.mark.parametrize("rewritten", [True, False])
async def test_headers_of_other_bytes_stay_behind(
    faulty: Plane, faults: FaultStore, rewritten: bool
) -> None:
    """A version, a digest and a range are of the store's bytes; a tally counts what is hidden."""
    key = {"Authorization": f"Token {faulty.keys['acme']}"}
    foreign = {"id": "11111111-1111-4111-8111-111111111119", "memory": "x", "user_id": "elses"}
    shown = {"results": [foreign] if rewritten else []}
    faults.script = partial(_says, shown, 200, OF_A_VERSION | TALLIES)
    async with faulty.http.get(faulty.url + ASK, headers=key) as response:
        assert await response.json() == {"results": []}
        assert set(OF_A_VERSION) & {name.title() for name in response.headers} == (
            set() if rewritten else {*OF_A_VERSION}
        )
        assert not set(TALLIES) & {name.title() for name in response.headers}


async def test_a_judged_answer_has_no_version_to_ask_for(faulty: Plane, faults: FaultStore) -> None:
    """A client's copy may hold what has been erased since: the store is asked for the whole."""
    key = {"Authorization": f"Token {faulty.keys['acme']}"}
    asked = {"If-None-Match": '"a1b2c3"', "If-Modified-Since": "Sat, 28 Nov 2026 10:00:00 GMT",
             "Range": "bytes=0-5", "If-Range": '"a1b2c3"', "X-Retry-Count": "1"}  # fmt: skip
    faults.script = partial(_says, {"results": []}, 200, {})
    async with faulty.http.get(faulty.url + ASK, headers=key | asked) as response:
        assert response.status == 200
    sent = {name.title() for name, _ in faults.requests[-1].headers}
    assert sent & set(asked) == {"X-Retry-Count"}


async def test_what_the_client_said_comes_back(faulty: Plane, faults: FaultStore) -> None:
    """An echo of its own header is nothing that others wrote."""
    faults.script = partial(_says, {"results": []}, 200, {"X-Request-ID": "alva"})
    for said, expected in (("alva", "alva"), ("other", None)):
        headers = {"Authorization": f"Token {faulty.keys['acme']}", "X-Request-ID": said}
        async with faulty.http.get(faulty.url + ASK, headers=headers) as response:
            assert response.headers.get("X-Request-ID") == expected


@pytest.mark.parametrize(("status", "expected"), [(200, 502), (404, 502), (500, 500)])
@pytest.mark.parametrize(("method", "path", "body"), [("GET", ASK, None), ("POST", LIST, MINE)])
async def test_no_answer_shows_our_credential_for_the_store(
    faulty: Plane, faults: FaultStore, method: str, path: str, body: Any, status: int, expected: int
) -> None:
    """Wherever it stands in the body; the same body with a number there passes unchanged."""
    for said in (SECRET, 17):
        shown = {"results": [], "debug": [[said]]}
        faults.script = partial(_says, shown, status, {})
        found, got = await faulty.call(method, path, body)
        assert SECRET not in json.dumps(got)
        assert found == (expected if said == SECRET else status)
        assert said == SECRET or status != 200 or got == shown


@pytest.mark.parametrize("agent", [None, "mem0-python/2.2.1"])
@pytest.mark.parametrize("path", ["/v1/exports/", "/nothing/here"])
async def test_a_refused_path_is_said_in_the_type_that_the_client_reads(
    faulty: Plane, path: str, agent: str | None
) -> None:
    """Mem0's Python client shows the whole body, unless it is plain JSON."""
    headers = {"Authorization": f"Token {faulty.keys['acme']}"}
    headers |= {"X-Mem0-Client": agent} if agent else {}
    async with faulty.http.get(faulty.url + path, headers=headers) as response:
        said = await response.json(content_type=None)
        assert (response.status, said["status"]) == (403, 403)
        assert response.content_type == f"application/{'json' if agent else 'problem+json'}"


@pytest.mark.parametrize("agent", [None, "mem0-python/2.2.1"])
async def test_a_failure_of_the_store_too(
    faulty: Plane, faults: FaultStore, agent: str | None
) -> None:
    """The body in the place of the store's words."""
    faults.script = lambda _: web.Response(status=500, body=b"Alva Brenn", content_type="text/html")
    headers = {"Authorization": f"Token {faulty.keys['acme']}"}
    headers |= {"X-Mem0-Client": agent} if agent else {}
    async with faulty.http.get(faulty.url + ASK, headers=headers) as response:
        assert response.status == 500
        assert response.content_type == f"application/{'json' if agent else 'problem+json'}"


MARKS = ["12", "1732833238123-0", "0f8fad5b-d9cb-469f-a165-70867728950e", "evt-7", "1732833238"]
NUMBERS = ["555-0134", "120180-1234", "010190-123456", "123456-789012", "4111.1111", "2125550134"]


@pytest.mark.parametrize("value", NUMBERS)
def test_a_number_like_a_telephone_or_an_id_of_a_person_is_no_mark(value: str) -> None:
    """However its digits are set apart."""
    assert not answer_headers.is_ordinary(value)
    assert answer_headers.has_long_number(value)


@pytest.mark.parametrize("value", MARKS)
def test_counters_times_and_uuids_are_marks(value: str) -> None:
    """The negative twin."""
    assert answer_headers.is_ordinary(value)
