"""A configured classifier completes the packaged one, sees no clear words, and fails closed."""

import json
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import pytest
from aiohttp import web

from detectors.detection import Analysis, CategoryScore, Detection
from detectors.errors import ClassifierTimeout, ClassifierUnavailable
from detectors.settings import Tier
from policies.schema import CATEGORIES
from proxy.app.classifier import LARGEST_ANSWER, Classified, Endpoint
from proxy.config.schema import ClassifierSection, DetectionSection
from tests.support.fault_store import FaultStore, Received, answer, fault_store

TEXT = "Alva Brenn was at the clinic, alva@example.org"
FOUND = Analysis(
    (
        Detection("PERSON", 0, 10, 0.9, "model", "Alva Brenn"),
        Detection("EMAIL_ADDRESS", 30, 46, 0.9, "pattern", "alva@example.org"),
    ),
    (CategoryScore("professional", 0.6),),
    "en",
)


class Packaged:
    """Finds the same in every text."""

    ready = True

    async def analyse(
        self, texts: Sequence[str], *, scope: str | None = None, tier: Tier | None = None
    ) -> list[Analysis]:
        """The analysis above, for the text above."""
        return [FOUND if text == TEXT else Analysis((), (), "en") for text in texts]


@pytest.fixture
async def endpoint() -> AsyncIterator[FaultStore]:
    """A scripted endpoint."""
    async with fault_store() as store:
        yield store


def said(*results: Any) -> Callable[[Received], web.Response]:
    """An endpoint that gives these results for a request."""
    content = json.dumps({"results": list(results)})
    return lambda _: answer({"choices": [{"message": {"content": content}}]})


@pytest.fixture
async def classified(endpoint: FaultStore) -> AsyncIterator[Classified]:
    """The packaged detectors with the scripted classifier."""
    made = Classified(Packaged(), Endpoint(endpoint.url, "m-1", key="k-1", deadline=60.0), "full")
    yield made
    await made.close()


def names(analysis: Analysis) -> dict[str, float]:
    """Categories with their scores."""
    return {one.name: one.score for one in analysis.categories}


async def test_it_adds_categories_and_takes_none_away(
    endpoint: FaultStore, classified: Classified
) -> None:
    """What it says nothing of, or little, stays as the packaged heads said."""
    endpoint.script = said({"health": 0.9, "professional": 0.0, "financial": 0.3})
    (found,) = await classified.analyse([TEXT])
    assert names(found) == {"health": 0.9, "professional": 0.6}
    assert found.detections == FOUND.detections


async def test_it_sees_no_word_that_was_detected(
    endpoint: FaultStore, classified: Classified
) -> None:
    """Every detection is replaced by its type, whatever the policy does with it."""
    endpoint.script = said({})
    await classified.analyse([TEXT])
    (request,) = endpoint.requests
    assert request.target.endswith("/chat/completions")
    assert request.values("authorization") == ["Bearer k-1"]
    told = json.loads(request.json()["messages"][1]["content"])
    assert told == ["[person] was at the clinic, [email_address]"]
    assert b"Alva" not in request.body
    assert b"alva@" not in request.body


async def test_it_sees_the_text_where_that_is_configured(endpoint: FaultStore) -> None:
    """Only then."""
    endpoint.script = said({})
    made = Classified(Packaged(), Endpoint(endpoint.url, "m-1", raw=True), "full")
    await made.analyse([TEXT])
    await made.close()
    assert json.loads(endpoint.requests[0].json()["messages"][1]["content"]) == [TEXT]


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(lambda _: answer({"error": "x"}, 500), id="error"),
        pytest.param(lambda _: answer({"error": "x"}, 401), id="refused"),
        pytest.param(lambda _: answer({}, 302, Location="/elsewhere"), id="redirect"),
        pytest.param(lambda _: answer({"choices": []}), id="no choice"),
        pytest.param(lambda _: web.Response(body=b"\xff\xfe"), id="no JSON"),
        pytest.param(lambda _: web.Response(body=b" " * (LARGEST_ANSWER + 1)), id="endless"),
        pytest.param(lambda _: answer({"choices": [{"message": {"content": "ok"}}]}), id="words"),
        pytest.param(said(), id="too few"),
        pytest.param(said({}, {}), id="too many"),
        pytest.param(said([]), id="no object"),
        pytest.param(said({"health": "high"}), id="no number"),
        pytest.param(said({"health": True}), id="a truth value"),
        pytest.param(said({"health": 7}), id="no probability"),
        pytest.param(said({"health": float("nan")}), id="not a number"),
    ],
)
async def test_what_cannot_be_used_is_no_answer(
    endpoint: FaultStore, classified: Classified, script: Any
) -> None:
    """Nothing is analysed then: the gateway answers 503 and forwards nothing."""
    endpoint.script = script
    with pytest.raises(ClassifierUnavailable):
        await classified.analyse([TEXT])


async def test_an_absent_or_slow_endpoint_is_no_answer(endpoint: FaultStore) -> None:
    """No port, and no answer within the deadline."""
    absent = Classified(Packaged(), Endpoint("http://127.0.0.1:9", "m-1"), "full")
    slow = Classified(Packaged(), Endpoint(endpoint.url, "m-1", deadline=0.0), "full")
    with pytest.raises(ClassifierUnavailable):
        await absent.analyse([TEXT])
    with pytest.raises(ClassifierTimeout):
        await slow.analyse([TEXT])
    await absent.close()
    await slow.close()


async def test_patterns_alone_ask_nobody(endpoint: FaultStore, classified: Classified) -> None:
    """The tier `structured` judges no categories; nor are numbers asked about."""
    await classified.analyse([TEXT], tier="structured")
    await classified.analyse(["12 34", ""])
    assert endpoint.requests == []


async def test_long_texts_are_asked_about_piece_by_piece(
    endpoint: FaultStore, classified: Classified
) -> None:
    """A text has the categories of all its pieces, and nothing of it is left out."""
    asked: list[str] = []

    def script(request: Received) -> web.Response:
        texts = json.loads(request.json()["messages"][1]["content"])
        asked.extend(texts)
        return said(*({"health": 0.8 if "ward" in text else 0.0} for text in texts))(request)

    endpoint.script = script
    text = "word " * 30_000 + "ward"
    (found,) = await classified.analyse([text])
    assert names(found) == {"health": 0.8}
    assert "".join(asked) == text


async def test_one_tenants_answers_are_remembered_for_it_alone(
    endpoint: FaultStore, classified: Classified
) -> None:
    """Asked once per tenant; without a tenant every time."""
    endpoint.script = said({"health": 0.9})
    for scope in ("ten_1", "ten_1", "ten_2", None, None):
        (found,) = await classified.analyse([TEXT], scope=scope)
        assert names(found)["health"] == 0.9
    assert len(endpoint.requests) == 4


def test_it_is_off_unless_configured_and_speaks_tls() -> None:
    """No text leaves by default; plain HTTP only to this machine."""
    assert DetectionSection().classifier is None
    assert ClassifierSection(url="https://llm.example.org/v1", model="m").send == "redacted"
    assert ClassifierSection(url="http://127.0.0.1:9000/v1", model="m").key is None
    for url in ("http://llm.example.org/v1", "http://localhost.example.org/", "ftp://x"):
        with pytest.raises(ValueError, match="pattern"):
            ClassifierSection(url=url, model="m")
    assert "other" not in CATEGORIES
