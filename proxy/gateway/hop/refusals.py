"""What a store may say when it refuses: words of the request, and the words of any interface.

A store's error could quote what somebody else has stored. Whether it does cannot be seen from the
outside, but a text made of these words alone tells nothing of anybody.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from proxy.gateway.exchange import Exchange

WITHHELD = "The store refused the request; its words are not shown, they may quote others."
MAX_DIGITS = 6
_WORD = re.compile(r"[^\W_]+")
_LINK = re.compile(r"For further information visit https://errors\.pydantic\.dev/[\w./]+")
_OF_REQUEST = re.compile(r"[0-9a-f]{8,32}|[0-9a-f-]{36}|(?:req|trace)[-_][0-9a-zA-Z-]{6,40}")
_NAMED = frozenset({"request_id", "trace_id", "requestId", "traceId", "correlation_id"})
_INTERFACE = """
a able about accept accepted access account add again agent agents all allow allowed alphanumeric
already also an and any api app apps are argument arguments array as asc ascending async
asynchronous at at1 attempts auth authentication authorization available aware background bad base64
batch be because been before between big billing body bool boolean booleans both but by call called
can cannot categories category character characters chat check child closed code collection column
com combination combine compare compared compatible complete condition conditions configuration
configured conflict connect connection contact contain contained containing contains content context
convert cookie core could create created credit credits ctx current currently cursor custom data
database date datetime day days dd decay decimal declined decode decoded delete deleted denied
deprecated desc descending detail details dev dict dictionaries dictionary dicts did different digit
digits dimension dimensions dims disabled division do docs documentation does done duplicate
duplicated each either embedded embedding embeddings empty enable enabled encoding end endpoint
entities entity entry eq equal equals error errors event events exactly example exceed exceeded
exceeding exceeds except exist existing exists expected expiration expired expires export exports
extra extract extracted extracting extraction facts fail failed false feature feedback field fields
filter filters finite first float follow following for forbidden format found free from full
function future ge generic get give given gone got graph greater group gt gte had has have header
headers help hex hint host hour hours how html http https icontains id identifier identifiers ids if
implemented import in include included inclusive increase index infer input inputs insert install
instead instruction instructions int integer integers internal internet into invalid io is iso it
item items its job jobs json key keys kind know knows kwargs language large later le least left len
length less letter letters level limit limits list lists llm loc local locked long longer lt lte
many match matchany matchexcept matchtext matchvalue max maximum may media mem mem0 memories memory
message messages metadata method min minimum minute minutes mismatch missing mix mm model models
month months more most msg much multiple must naive name named names narrow ne need needed needs
negative net network new next nin no non none nonetype not null number numbers numeric object
objects occurred of offer offset often ok on once one only open openai operation operations operator
operators option optional options or order org organization origin other out output outputs over own
owner owners page pages param parameter parameters params parent parse parsed parsing part pass
passed past patch path pattern payload pending per permission permissions pip plan platform please
positive post present previous procedural processed processing project prompt prompts property
provide provided provider providers pydantic query queue queued quota range rate rating reach
reached read reader reason received record records reduce ref refer reference refused rejected
remove request requested requests require required requires reserved reset resource resources
response result retry returned role root route run runs schema scope score scores search second
seconds see select semantic send sent separate server service set short should similarity single
size small so some sort sorted source spaces special specified specify sql start started starting
state status still store stored str string strings subscription success such summary support
supported sync synchronous syntax system take task tasks temporarily tenant text than that the their
them then there these they this threshold tier time timed timeout timestamp timezone to today token
tokens too top total true try tuple type types u1 unable unauthorized unavailable unexpected unique
unit units unknown unprocessable unsupported until up update updated updating upgrade uri url usage
use used user users using utc utf uuid v1 v2 v3 valid validation value values vector version via
wait want was way webhook webhooks week weeks were what when where which while whitespace wildcard
will with within without write wrong www year years yet you your yyyy z zone
"""
_COMMON = frozenset(_INTERFACE.split())


def is_plain(exchange: Exchange, answer: Any) -> bool:
    """Whether an error says nothing beyond the request and the words of any interface."""
    own = _own_words(exchange)
    return all(word in own or is_common(word) for word in _words(_strings(answer)))


def media_type(named: Mapping[str, str]) -> str:
    """The type of a problem's body: Mem0's client reads ``detail`` from plain JSON only.

    Args:
        named: headers of the request by their names in lower case.
    """
    return "application/json" if named.get("x-mem0-client") else "application/problem+json"


def withheld(exchange: Exchange) -> dict[str, Any]:
    """What stands in the place of an error that says more, where the SDKs look for it."""
    return {"detail": WITHHELD, exchange.profile.error_field: WITHHELD}


def is_common(word: str) -> bool:
    """Whether a word (in lower case) is one of any interface."""
    return word in _COMMON or (word.isdecimal() and len(word) <= MAX_DIGITS) or len(word) == 1


def _own_words(exchange: Exchange) -> set[str]:
    """Words of the request as the store has it, and the names of its dialect."""
    sent = [*_strings(exchange.body[0]), *exchange.query.names, *exchange.query.values]
    sent += [exchange.raw.target, *exchange.variables.values(), *exchange.profile.known_keys]
    return set(_words(sent))


def _words(texts: Any) -> Iterator[str]:
    for text in texts:
        for found in _WORD.finditer(_LINK.sub("", text)):
            yield found[0].lower()


def _strings(value: Any) -> Iterator[str]:
    """Every string, member name and number; ids by which a store knows a request are none."""
    stack = [value]
    while stack:
        part = stack.pop()
        if isinstance(part, dict):
            yield from part
            stack += [each for name, each in part.items() if not _is_request_id(name, each)]
        elif isinstance(part, list):
            stack += part
        elif part is not None and not isinstance(part, bool):
            yield str(part)


def _is_request_id(name: str, value: Any) -> bool:
    return name in _NAMED and isinstance(value, str) and _OF_REQUEST.fullmatch(value) is not None
