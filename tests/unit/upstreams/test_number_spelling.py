"""Between the platform's dialect and the open-source server no number changes its spelling."""

import asyncio
import math
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from proxy.upstreams.translate import PlatformOverOss
from proxy.upstreams.transport import UpstreamReply, UpstreamRequest

ME = '"user_id":"u-1"'
OURS = '{"filters":{"user_id":"u-1"}}'
ADDED = '{"messages":[{"role":"user","content":"x"}],"user_id":"u-1","metadata":%s}'
JSON_TYPE = (("Content-Type", "application/json"),)
SPELLED = st.from_regex(
    r"-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?", fullmatch=True
).filter(lambda text: math.isfinite(float(text)))  # RFC 8259 §6


@dataclass
class Recorder:
    """A transport that notes what it was asked, and answers with these bytes."""

    answer: bytes = b'{"message":"Updated"}'
    asked: list[UpstreamRequest] = field(default_factory=list)

    async def send(self, request: UpstreamRequest) -> UpstreamReply:
        self.asked.append(request)
        return UpstreamReply(200, JSON_TYPE, self.answer)

    async def close(self) -> None:
        """Nothing is open."""


def sent(recorder: Recorder, method: str, path: str, body: str = "") -> bytes:
    """The answer to one request of the platform's dialect."""
    request = UpstreamRequest(method, path, JSON_TYPE, body.encode())
    said = asyncio.run(PlatformOverOss(recorder).send(request))
    assert said.status == 200, said.body
    return said.body


def every_spelling(test: Callable[..., None]) -> Callable[..., None]:
    """Numbers of the grammar, and those that Python writes otherwise."""
    for text in (
        "0.1234567890123456789012345", "1e-400", "-0", "-0.0", "1.10", "1e3", "1E+2", "1e308",
        "123456789012345678901234567890", "100000000000000000000000.5",
    ):  # fmt: skip
        test = example(text)(test)
    return given(SPELLED)(test)


WRITES = [
    ("POST", "/v3/memories/add/", ADDED, '{"results":[]}'),
    ("POST", "/v1/memories/", ADDED, '{"results":[]}'),
    ("PUT", "/v1/memories/m-1/", '{"text":"x","metadata":%s}', '{"id":"m-1","memory":"x"}'),
    ("PUT", "/v1/batch/", '{"memories":[{"memory_id":"m-1","metadata":%s}]}', '{"message":""}'),
]


@pytest.mark.parametrize(("method", "path", "body", "answer"), WRITES)
@every_spelling
def test_the_server_is_told_each_number_as_it_was_written(
    method: str, path: str, body: str, answer: str, number: str
) -> None:
    """Adds, updates and batches, however deep in the metadata it stands."""
    recorder = Recorder(answer.encode())
    metadata = f'{{"n":{number},"deep":[{{"n":{number}}}]}}'
    sent(recorder, method, path, body % metadata)
    assert metadata.encode() in recorder.asked[0].body


@every_spelling
def test_the_server_is_told_the_threshold_as_it_was_written(number: str) -> None:
    """Beside metadata it is the only number of the client's own that goes on."""
    recorder = Recorder(b'{"results":[]}')
    if 0 <= float(number) <= 1:
        body = f'{{"query":"x","filters":{{{ME}}},"threshold":{number}}}'
        sent(recorder, "POST", "/v3/memories/search/", body)
        assert f'"threshold":{number},'.encode() in recorder.asked[0].body


LISTED, BARE = '{"results":[%s]}', "%s"
READS = [
    ("GET", "/v1/memories/m-1/", "", BARE),
    ("GET", "/v1/memories/m-1/history/", "", "[%s]"),
    ("POST", "/v3/memories/", OURS, LISTED),
    ("POST", "/v2/memories/", OURS, LISTED),
    ("GET", "/v1/memories/?user_id=u-1", "", LISTED),
    ("POST", "/v3/memories/search/", '{"query":"x","filters":{"user_id":"u-1"}}', LISTED),
    ("POST", "/v1/memories/search/", '{"query":"x","user_id":"u-1"}', LISTED),
    ("PUT", "/v1/memories/m-1/", '{"text":"x"}', BARE),
    ("GET", "/v1/entities/", "", "[%s]"),
]


@pytest.mark.parametrize(("method", "path", "body", "answer"), READS)
@every_spelling
def test_the_client_reads_each_number_as_the_server_wrote_it(
    method: str, path: str, body: str, answer: str, number: str
) -> None:
    """In a score, in metadata and in members that nobody knows."""
    item = f'{{"id":"m-1","memory":"x",{ME},"score":{number},"zz":{{"n":[{number}]}}}}'
    said = sent(Recorder((answer % item).encode()), method, path, body)
    assert f'"score":{number},'.encode() in said
    assert f'"zz":{{"n":[{number}]}}'.encode() in said


@every_spelling
def test_a_filter_compares_what_numbers_are_worth(number: str) -> None:
    """Two spellings of one number are equal, and no number is above itself."""
    worth = repr(float(number)) if float(number) != int(float(number)) else number
    item = f'{{"id":"m-1","memory":"x",{ME},"metadata":{{"n":{number}}}}}'
    for test, meets in ((worth, True), (f'{{"lte":{worth}}}', True), (f'{{"gt":{worth}}}', False)):
        body = f'{{"filters":{{{ME},"n":{test}}}}}'
        said = sent(Recorder((LISTED % item).encode()), "POST", "/v3/memories/", body)
        assert (b'"m-1"' in said) is meets
