"""Answers of every route in any media type: what is not read as JSON does not reach the client."""

from typing import Any

import pytest
from aiohttp import web

from tests.support.fault_store import MEMORY_ID, FaultStore, answer
from tests.support.gateway import Plane

NAME = "Ida Falk"
ONE = f"/v1/memories/{MEMORY_ID}/"
CALLS = [
    pytest.param("GET", "/v1/ping/", None, id="ping"),
    pytest.param("POST", "/v3/memories/", {"filters": {"user_id": "u-1"}}, id="list"),
    pytest.param("GET", "/v1/memories/?user_id=u-1", None, id="list-v1"),
    pytest.param("GET", "/memories?user_id=u-1", None, id="list-oss"),
    pytest.param(
        "POST", "/v3/memories/search/", {"query": "x", "filters": {"user_id": "u-1"}}, id="search"
    ),
    pytest.param(
        "POST", "/search", {"query": "x", "filters": {"user_id": "u-1"}}, id="search-oss"
    ),
    pytest.param("GET", ONE, None, id="get"),
    pytest.param("GET", f"{ONE}history/", None, id="history"),
    pytest.param("GET", f"/memories/{MEMORY_ID}", None, id="get-oss"),
    pytest.param("PUT", ONE, {"text": "y"}, id="update"),
    pytest.param("GET", "/v1/entities/", None, id="owners"),
    pytest.param(
        "POST", "/v1/feedback/", {"memory_id": MEMORY_ID, "feedback": "POSITIVE"}, id="feedback"
    ),
    pytest.param(
        "POST", "/v3/memories/add/",
        {"messages": [{"role": "user", "content": "x"}], "user_id": "u-1", "infer": False},
        id="add",
    ),
]  # fmt: skip
LINE = b'{"id": "%s", "memory": "%s"}' % (MEMORY_ID.encode(), NAME.encode())
FORM = b'--x\r\nContent-Disposition: form-data; name="m"\r\n\r\n%s\r\n--x--\r\n' % NAME.encode()
ANSWERS = [
    pytest.param("text/plain", NAME.encode(), id="text"),
    pytest.param("text/html", b"<p>%s</p>" % NAME.encode(), id="html"),
    pytest.param("text/plain", LINE, id="json-as-text"),
    pytest.param("application/octet-stream", LINE, id="json-as-bytes"),
    pytest.param("multipart/form-data; boundary=x", FORM, id="multipart"),
    pytest.param("multipart/mixed; boundary=x", FORM, id="mixed"),
    pytest.param("application/x-www-form-urlencoded", b"memory=Ida+Falk", id="form"),
    pytest.param("application/xml", b"<m>%s</m>" % NAME.encode(), id="xml"),
    pytest.param("application/x-ndjson", LINE + b"\n" + LINE, id="lines"),
    pytest.param("application/json", LINE + b"\n" + LINE, id="lines-as-json"),
    pytest.param("application/json-seq", b"\x1e" + LINE + b"\n", id="sequence"),
    pytest.param("text/event-stream", b"data: " + LINE + b"\n\n", id="events"),
    pytest.param("application/json", b"data: " + LINE + b"\n\n", id="events-as-json"),
    pytest.param("application/json, text/html", LINE, id="two-types"),
    pytest.param("", NAME.encode(), id="no-type"),
    pytest.param("nonsense", LINE, id="no-such-type"),
    pytest.param("application/json", NAME.encode().join([b'"', b'" x']), id="json-and-more"),
    pytest.param("application/json", NAME.encode("utf-16"), id="utf-16"),
    pytest.param("application/json", f'"{NAME}"'.encode("utf-16"), id="json-in-utf-16"),
]  # fmt: skip


@pytest.mark.parametrize(("method", "path", "body"), CALLS)
async def test_only_json_is_an_answer(
    faulty: Plane, faults: FaultStore, method: str, path: str, body: Any
) -> None:
    """Whatever the store calls it: 502, or its own status of failure, and none of its words."""
    faults.script = lambda _: answer(
        {"results": [{"id": MEMORY_ID, "data": {"memory": "x"}, "event": "ADD"}],
         "status": "SUCCEEDED"}
    )  # fmt: skip
    await faulty.add("x")
    for kind, said in (case.values for case in ANSWERS):
        for status in (200, 201, 206, 302, 404, 409, 500):
            headers = {"Content-Type": kind} if kind else {}
            faults.script = lambda _, s=status, b=said, h=headers: web.Response(
                status=s, body=b, headers=h
            )
            found, shown = await faulty.call(method, path, body)
            assert found == (500 if status == 500 else 502), (kind, said)
            assert "Falk" not in str(shown)


CHARSETS = [
    ("application/json", "application/json"),
    ("application/json; charset=utf-8", "application/json; charset=utf-8"),
    ("application/json;charset=UTF-8", "application/json;charset=UTF-8"),
    ('application/json; charset="utf8"', 'application/json; charset="utf8"'),
    ("application/json; charset=utf-7", "application/json"),
    ("application/json; charset=utf-16le", "application/json"),
    ('application/json; charset="utf-8x"', "application/json"),
    ("application/json; Charset = iso-8859-1", "application/json"),
]


@pytest.mark.parametrize(("said", "expected"), CHARSETS)
async def test_an_answer_is_called_what_it_was_read_as(
    faulty: Plane, faults: FaultStore, said: str, expected: str
) -> None:
    """Under another charset the same bytes may say what nobody has judged."""
    faults.script = lambda _: web.Response(body=b'{"status":"ok"}', headers={"Content-Type": said})
    headers = {"Authorization": f"Token {faulty.keys['acme']}"}
    async with faulty.http.get(faulty.url + "/v1/ping/", headers=headers) as response:
        assert response.headers.get("Content-Type") in (expected, None)
        assert (response.status, await response.read()) == (200, b'{"status":"ok"}')
