"""Headers of requests: which go on, and what could be words in them."""

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from urllib.parse import unquote_plus
from zoneinfo import available_timezones

from detectors.recognisers.secret_names import secret_name
from detectors.words.folding import fold
from detectors.words.namelists import is_given_name, is_ordinary

_ORDINARY = frozenset(
    {
        "accept", "accept-charset", "accept-language", "access-control-request-headers",
        "access-control-request-method", "b3", "baggage", "cache-control", "dnt",
        "content-language",
        "from", "idempotency-key", "if-match", "if-modified-since", "if-none-match", "if-range",
        "if-unmodified-since", "max-forwards", "mem0-user-id", "origin", "pragma", "prefer",
        "priority", "range", "referer", "save-data", "sec-ch-ua", "sec-ch-ua-mobile",
        "sec-ch-ua-platform", "sec-fetch-dest", "sec-fetch-mode", "sec-fetch-site",
        "sec-fetch-user", "sec-gpc", "sentry-trace", "traceparent", "tracestate",
        "time-zone", "timezone", "uber-trace-id", "user-agent", "via",
        "x-accel-buffering", "x-amzn-trace-id", "x-api-version", "x-app-name", "x-app-version",
        "x-application", "x-b3-flags", "x-b3-parentspanid", "x-b3-sampled", "x-b3-spanid",
        "x-b3-traceid", "x-client-name", "x-client-version", "x-cloud-trace-context",
        "x-correlation-id", "x-csrf-token", "x-datadog-origin", "x-datadog-parent-id",
        "x-datadog-sampling-priority", "x-datadog-tags", "x-datadog-trace-id", "x-idempotency-key",
        "x-mem0-caller-type", "x-mem0-client", "x-mem0-client-language", "x-mem0-client-version",
        "x-mem0-source", "x-request-id", "x-request-start", "x-requested-with", "x-retry-count",
        "x-session-id", "x-stainless-arch", "x-stainless-async", "x-stainless-lang",
        "x-stainless-os", "x-stainless-package-version", "x-stainless-read-timeout",
        "x-stainless-retry-count", "x-stainless-runtime", "x-stainless-runtime-version",
        "x-stainless-timeout", "x-trace-id", "x-sdk-version", "x-xsrf-token",
        "x-amz-content-sha256", "x-amz-date", "x-amzn-requestid", "x-azure-ref", "x-cf-ray",
        "x-cloudflare-ray", "x-sentry-auth",
        "x-envoy-attempt-count", "x-envoy-expected-rq-timeout-ms", "x-github-api-version",
        "x-github-media-type", "x-goog-api-client", "x-goog-request-params", "x-goog-user-project",
        "x-langchain-project", "x-langfuse-ingestion-version", "x-langfuse-sdk-name",
        "x-langfuse-sdk-version", "x-litellm-call-id", "x-ms-client-request-id", "x-ms-version",
        "x-newrelic-id", "x-newrelic-transaction", "x-portkey-provider", "x-portkey-trace-id",
        "x-supabase-api-version", "x-vercel-id",
    }
)  # fmt: skip
_MAKERS = re.compile(
    r"x-(?:akamai|amzn?|anthropic|atlassian|b3|cf|cloudflare|cohere|datadog|envoy|fastly|github"
    r"|gitlab|goog|helicone|honeycomb|instana|istio|jira|langchain|langfuse|langsmith|linkedin"
    r"|litellm|mem0|mistral|ms|newrelic|openai|parse|portkey|qdrant|sentry|shopify|slack"
    r"|stainless|stripe|supabase|vercel)-"
)
_OF_ONES_OWN = re.compile(r"x-[a-z0-9-]{1,38}", re.ASCII)


# Of an address nothing goes on but where it leads: its path and query are words of a page.
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^/?#\s@\\]+", re.ASCII | re.IGNORECASE)
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[A-Z][a-z]{3})?(?:-[A-Z]{2})?", re.ASCII)  # ``sr-Latn-RS``
_LOCALE = re.compile(
    r"[a-z]{2}(?:[-_](?:Arab|Cyrl|Hans|Hant|Latn))?[-_](?:[A-Z]{2}|\d{3})(?:\.UTF-8)?", re.ASCII
)  # as systems write it, ``en_US.UTF-8``; three letters of a bare language may be somebody
_JOINED = re.compile(r"[-_. ~|]{1,2}|(?<=[a-z])(?=[A-Z])")
AGENT = "user-agent"
_WORDS = re.compile(
    rf"(?<![^\W_])[^\W\d_]{{2,}}(?:(?:{_JOINED.pattern})[^\W\d_]{{2,}})+(?![^\W_])"
)  # in a row, and no piece of an id


@lru_cache(maxsize=1024)
def may_pass(name: str) -> bool:
    """Whether a header of this name (in lower case) goes on, if nothing is found in it.

    A credential is somebody else's matter than the store's: ours is the one that it gets.
    """
    if name in _ORDINARY:
        return True
    if _OF_ONES_OWN.fullmatch(name) is None:
        return False
    secret = secret_name(name)
    return secret is None or not secret.sure


def passed(name: str, value: str) -> str | None:
    """What goes on of a value: of ``Referer`` the origin, if it has one; of others all."""
    if name.lower() != "referer":
        return value
    origin = _ORIGIN.match(value)
    return origin.group() + "/" if origin else None


def is_zone_or_locale(value: str) -> bool:
    """Whether a value tells no more than a client's time zone or language and region.

    Their words look like names: ``America/Argentina/Buenos_Aires``, ``Antarctica/McMurdo``.
    """
    return value in _zones() or _LOCALE.fullmatch(value) is not None


@cache
def _zones() -> frozenset[str]:
    """Names of the time zone database of the system; without one, detection judges them."""
    return frozenset(available_timezones())


def words(name: str) -> str:
    """What a name (in lower case) of a client's own says, to be scanned; empty if it is known.

    The makers of common libraries are no persons, whatever a model thinks of their names.

    The first letters are written large: a person's name in lower case reads like any word.
    """
    return _own(name).replace("-", " ").strip().title()


def called(name: str) -> str:
    """What a client of its own calls a value: ``patient`` of ``X-Patient``; empty if known."""
    return _own(name.lower())


def joined_words(name: str, value: str) -> Iterator[str]:
    """The words in a row that a value holds however it joins or escapes them, as a name has them.

    ``orla.quist``, ``/notes/Orla%20QUIST``, ``user=orla-quist;v=2``. Programs are called by words:
    ``claude-code``, ``kube-probe``.
    """
    for found in _WORDS.finditer(unquote_plus(unquote_plus(value))):
        said = _JOINED.sub(" ", found.group())
        program = name.lower() == AGENT and not _may_be_somebody(said.split())
        if _LANGUAGE.fullmatch(found.group()) is None and not program:
            yield said.title() if said.isupper() else said


def _may_be_somebody(words: Sequence[str]) -> bool:
    pairs = pairwise(map(fold, words))
    return any(is_given_name(one) and not is_ordinary(other) for one, other in pairs)


def _own(name: str) -> str:
    if name in _ORDINARY or not may_pass(name):
        return ""
    return _MAKERS.sub("x-", name)[2:]
