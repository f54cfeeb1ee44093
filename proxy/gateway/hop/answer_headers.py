"""Headers of a store's answer: those go on that say what any server says, and nothing of anybody.

A store writes into them what it likes, and nobody looks there for what others wrote. So name and
value are made of the words of HTTP, streams and any interface, of numbers, dates and opaque marks.
"""

import re

from proxy.gateway.exchange import Exchange
from proxy.gateway.hop import refusals

# What belongs between the store and us.
_NEVER = frozenset(
    {"www-authenticate", "authentication-info", "authorization", "x-api-key", "x-auth-token",
     "set-cookie2", "cookie"}
)  # fmt: skip
_COOKIE = re.compile(r"(?P<name>[\w.-]{1,80})=(?P<value>[^;]*)(?P<rest>(?:;.*)?)")
_DAY, _MONTH = "Mon|Tue|Wed|Thu|Fri|Sat|Sun", "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
_CLEAR = re.compile(
    rf"(?:{_DAY}), \d\d (?:{_MONTH}) (?:20\d\d|1970) \d\d:\d\d:\d\d GMT"
    r"|\b20\d\d-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)?)?\b"
    r"|(?i:\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b)"
    r"|(?i:\b(?=[0-9]*[a-f])[0-9a-f]{16,128}\b)"
    r"|\b1[4-9][0-9]{8}(?:[0-9]{3}){0,3}\b"  # seconds since 1970, or finer
    r"|\b(?:s-max|max-)age=\d{1,10}\b|\bma=\d{1,10}\b|\b0\.\d{1,20}\b",
    re.ASCII,
)
_SIX = re.compile(r"\d(?:[\s\-./()]*\d){6,}")  # more digits in a row than a counter has
_WORD = re.compile(r"[^\W_]+")
_DIGITS, _LETTERS = re.compile(r"[0-9]+"), re.compile(r"[^\W0-9_]+")
_SHORT, _LONG = 6, 8
_DIGEST = r"[A-Za-z0-9+/]{22}==|[A-Za-z0-9+/]{43}=|[A-Za-z0-9+/]{86}=="
_DIGESTS = re.compile(rf"(?:(?:md5|sha-\d{{3}})=)?:?(?:{_DIGEST}):?")
_EXACT = {
    "content-type": re.compile(
        r"(?:application|text|audio|image|video|font)/[a-z0-9.+-]{1,80}"
        r"(?:; ?charset=\"?[A-Za-z0-9-]{1,20}\"?)?;?",
        re.IGNORECASE,
    ),
    "content-language": re.compile(r"[a-z]{2,3}(?:-[A-Za-z]{2,4})?"),
    "content-range": re.compile(r"bytes (?:\d+-\d+|\*)/(?:\d+|\*)"),
    "etag": re.compile(
        r'(?:W/)?"(?:(?=[0-9-]*[a-f])(?=[a-f-]*[0-9])[0-9a-f-]{1,80}'
        r'|[0-9a-f]{1,8}-[A-Za-z0-9+/]{27})"'
    ),
    "x-amzn-trace-id": re.compile(r"(?:(?:Root|Self)=1-[0-9a-f]{8}-[0-9a-f]{24};?)+"),
    "cf-ray": re.compile(r"[0-9a-f]{16}(?:-[A-Z]{3})?"),
    **dict.fromkeys(("content-md5", "digest", "content-digest", "repr-digest"), _DIGESTS),
}  # what has words of its own kind
_OTHER_CHARSET = re.compile(
    r";\s*charset\s*=\s*(?![\"']?(?:utf-?8|us-ascii)[\"']?\s*(?:;|$))[^;]*", re.IGNORECASE
)
_COUNTS = re.compile(r"age|retry-after|(?:x-)?rate-?limit.*|.*-(?:time|ms|duration|count)")
_COUNT = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,20})?(?:ms|s)?")
_SAID = """
accel accept after age allow alt amazon amz amzn apache attempt attempts aws azure base block br
buffering burst bytes cache caddy camera cdn cf charset chunk close cloudflare cloudfront cohort
completed compress control cookie core correlation cors cowboy credentialless credentials cross
csp db debian debug default deflate delay delta deny deprecation dest digest disposition dnt done
dur duration dynamic embedder encoding envoy etag evt expose express fastapi fastify finish flask
fly fonts frame frames framework geolocation goog google granian gunicorn gws gzip heartbeat
heroku hit hits hsts html hypercorn identity ietf img immutable includesubdomains inline istio
keepalive language last lineage link litellm ma maxage microphone middleware miss mode modified ms
nel nginx node nofollow noindex none nosniff octet off openai opener openresty over parent payment
permissions ping plain policy pop powered pragma preflight preload priority private process
progress protection proto proxy public python qdrant queue quota ranges rate ratelimit ratelimited
referrer refresh rel remaining render repr req request requestid requests reset revalidate
revalidated robots root rps runtime same sameorigin samesite sampled sdk sec security self
served server sha
shard side sniff src stale starlette stop storage stream strict subdomains sunset svc tag tags
timing token tool trace traceid traceparent tracestate traefik transform transport ubuntu unsafe
upstream usage uvicorn varnish vary vegur vercel via waitress warning weak werkzeug window worker
x xss zstd prev title anchor canonical
affinity awsalb awsalbcors csrf csrftoken domain expires httponly jsessionid lax partitioned path
route secure session sessionid sid sticky
"""
_OF_HTTP = frozenset(_SAID.split())


def may_be_read(exchange: Exchange, name: str, value: str) -> bool:
    """Whether a header of the answer goes on.

    Args:
        name: in lower case.
    """
    if name == "set-cookie":
        return _is_plain_cookie(value)
    exact = _EXACT.get(name)
    if name in _NEVER or (exact is None and not is_ordinary(name)):
        return False
    if exact is not None and exact.fullmatch(value):
        return True
    if _COUNTS.fullmatch(name) and _COUNT.fullmatch(value):
        return True
    said = (exchange.raw.header(name), exchange.raw.header("origin"))
    return is_ordinary(value) or value in said


def _is_plain_cookie(value: str) -> bool:
    """Whether a cookie has an ordinary name and attributes, and a mark or a short word as value."""
    cookie = _COOKIE.fullmatch(value)
    if cookie is None or not is_ordinary(f"{cookie['name']} {cookie['rest']}"):
        return False
    return len(cookie["value"]) <= _SHORT // 2 or is_ordinary(cookie["value"])


def as_read(name: str, value: str) -> str:
    """The header as it goes on: a type without a charset in which the body was not read.

    JSON and event streams are UTF-8 and have no other (RFC 8259 §8.1; HTML Standard §9.2.5).
    """
    return _OTHER_CHARSET.sub("", value) if name == "content-type" else value


def is_ordinary(value: str) -> bool:
    """Whether a text is made of the words of any server, numbers, dates and opaque marks."""
    rest = _CLEAR.sub(" , ", value)
    return not _SIX.search(rest) and all(_is_known(word) for word in _WORD.findall(rest))


def has_long_number(value: str) -> bool:
    """Whether a number in it could be a telephone's, a card's or a person's."""
    return _SIX.search(_CLEAR.sub(" , ", value)) is not None


def _is_known(word: str) -> bool:
    """A word of any server, or a mark: letters and digits in turn, as no name has them."""
    lower = word.lower()
    if refusals.is_common(lower) or lower in _OF_HTTP:
        return True
    groups = len(_DIGITS.findall(word))
    if len(word) <= _SHORT:
        return groups > 0 and max(map(len, _LETTERS.findall(word))) <= _SHORT // 2
    return groups > 1 and len(word) >= _LONG
