"""A store's error below 500 tells the client what is wrong, and nothing that others wrote."""

import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from proxy.embedded.engine import WRONG_TYPE
from proxy.gateway.hop import refusals
from proxy.upstreams import asked, conditions, translate
from proxy.upstreams.profile import load_profile
from tests.support.fault_store import FaultStore, answer
from tests.support.gateway import Plane

ADD, LIST = "/v3/memories/add/", "/v3/memories/"
SAID = "Tilda keeps geese, call 212 555 0143"
WRITE = {
    "messages": [{"role": "user", "content": SAID}],
    "user_id": "u-1",
    "infer": False,
}
CANARY = "kingfisher moored beside Torvald Heskin"
ROUTES = [
    pytest.param("POST", ADD, WRITE, id="write"),
    pytest.param("POST", LIST, {"filters": {"user_id": "u-1"}}, id="list"),
    pytest.param("GET", "/memories?user_id=u-1", None, id="open-source"),
    pytest.param("GET", "/v1/ping/", None, id="pass"),
]
QUOTES = [
    pytest.param({"detail": f"conflict with {CANARY}"}, id="detail"),
    pytest.param({"error": "conflict", "existing": {"memory": CANARY}}, id="item"),
    pytest.param({"detail": [{"loc": ["body"], "msg": "invalid", "input": CANARY}]}, id="list"),
    pytest.param({"detail": "conflict", CANARY: 1}, id="key"),
    pytest.param(CANARY, id="text"),
    pytest.param({"detail": "conflict", "request_id": CANARY}, id="request-id"),
    pytest.param(
        {"detail": f"For further information visit https://errors.pydantic.dev/ {CANARY}"},
        id="beside-a-link",
    ),
]


def _says(body: Any, status: int, _: Any) -> web.Response:
    return answer(body, status)


@pytest.mark.parametrize("quote", QUOTES)
@pytest.mark.parametrize(("method", "path", "body"), ROUTES)
async def test_an_error_that_quotes_somebody_is_replaced(
    faulty: Plane, faults: FaultStore, quote: Any, method: str, path: str, body: Any
) -> None:
    """The status and the member in which the SDKs look stay; the same without a quote passes."""
    for status in (400, 404, 409, 422, 429):
        faults.script = partial(_says, quote, status)
        found, said = await faulty.call(method, path, body)
        assert (found, said["detail"]) == (status, refusals.WITHHELD)
        assert "kingfisher" not in str(said)
        assert "Heskin" not in str(said)


PLAIN = [
    pytest.param({"detail": "Memory not found!"}, id="absent"),
    pytest.param({"error": "Filters are required and cannot be empty."}, id="filters"),
    pytest.param(
        {"detail": [{"type": "string_too_short", "loc": ["body", "messages", 0, "content"],
                     "msg": "String should have at least 1 character",
                     "ctx": {"min_length": 1}}]},
        id="pydantic",
    ),
    pytest.param(
        {"detail": "2 validation errors for MatchExcept\nexcept.list[str].0\n  Input should be a "
                   "valid string [type=string_type, input_value=1.5, input_type=float]\n    For "
                   "further information visit https://errors.pydantic.dev/2.14/v/string_type"},
        id="filter-of-the-vector-store",
    ),
    pytest.param(
        {"detail": "Cannot mix range operators ({'gt'}) with non-range operators ({'nin'}) for "
                   "field 'user_id'. Use AND to combine them as separate conditions."},
        id="filter-of-two-kinds",
    ),
    pytest.param({"detail": WRONG_TYPE}, id="filter-of-the-embedded-store"),
    pytest.param({"detail": "Rate limit exceeded. Try again in 12 seconds."}, id="rate"),
    pytest.param(
        {"detail": "no", "code": "conflict", "request_id": "0f8fad5bd9cb469fa16570867728950e"},
        id="request-id",
    ),
]  # fmt: skip


@pytest.mark.parametrize("said", PLAIN)
@pytest.mark.parametrize(("method", "path", "body"), ROUTES)
async def test_an_error_in_the_words_of_any_interface_passes(
    faulty: Plane, faults: FaultStore, said: Any, method: str, path: str, body: Any
) -> None:
    """It stays what it is."""
    faults.script = lambda _: answer(said, 422)
    assert await faulty.call(method, path, body) == (422, said)


async def test_an_error_may_repeat_the_request(faulty: Plane, faults: FaultStore) -> None:
    """What the client said comes back to it, its hidden words too."""

    def echo(request: Any) -> Any:
        sent = request.json()["messages"][0]["content"]
        assert "0143" not in sent
        return answer({"detail": [{"msg": "invalid", "input": sent}]}, 422)

    faults.script = echo
    status, said = await faulty.call("POST", ADD, WRITE)
    assert (status, said["detail"][0]["input"]) == (422, SAID)


def test_reasons_of_our_own_translation_are_plain() -> None:
    """What the platform's dialect over the open-source server refuses with passes."""
    source = "".join(
        Path(str(each.__file__)).read_text("utf-8") for each in (asked, conditions, translate)
    )
    reasons = re.findall(r'(?:Unsupported|[^_]refusal)\(\s*(?:\d+, )?f?"([^"]*)"', source)
    assert len(reasons) >= 25
    dialect = set(refusals._words(load_profile("mem0-platform").known_keys))
    for reason in reasons:
        words = list(refusals._words([re.sub(r"\{[^}]*\}", " ", reason)]))
        assert words
        assert [w for w in words if not refusals.is_common(w) and w not in dialect] == []
