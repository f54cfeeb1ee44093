"""What opens a session or a file for whoever has it: cookies, signatures of links."""

import re
from collections.abc import Iterator

from detectors.detection import Detection
from detectors.recognisers.base import Recogniser, matches
from detectors.recognisers.no_secrets import is_no_secret

RECOGNISER = "session_cookie"
_COOKIES = re.compile(
    r"(?<![^\W_])(?:set-)?cookies?(?:\\{0,8}[\"'])?\s{0,3}[:=]\s{0,3}(?:\\{0,8}[\"']|\{\s*[\"'])?"
    r"(?P<pairs>[^\n]{8,8000})|(?:\s-b|--cookie)[ =][\"']?(?P<option>[^\n\"']{8,4000})",
    re.IGNORECASE,
)
_COOKIE = re.compile(
    r"(?P<name>[\w.$-]{2,80})\\{0,8}[\"']?\s?[=:]\s?\\{0,8}[\"']?(?P<value>[^\s;,\"'\\]{8,4000})"
)
# Of sites and of frameworks: PHP, Java, Rails, Django, Express, Laravel, WordPress, ASP.NET.
_OF_SESSION = re.compile(
    r"sess|(?:^|[^a-z])s?sid(?:$|[^a-z])|\bs[sh]id|sapisid|auth|token|remember|logged_?in|jwt|sso"
    r"|connect\.|cf_clearance|li_at|(?:csrf|xsrf)|(?:^|[-_])user_?(?:key|hash)|login|identity|wordpress_sec|aspnet",
    re.IGNORECASE,
)
_LIKE_ONE = re.compile(r"(?=.*\d)(?=.*[^\W\d_]).{8,}|[^\W\d_]{20,}|\d{12,}")
_SIGNATURE = re.compile(
    r"(?:[?&;,\s](?:sig|signature|hdnea|hmac)|(?<!\w)(?:x-(?:amz|goog|oss|cos|ms)-)?(?:signature|security-token)"
    r"|oauth_signature)=[\"']?(?P<value>(?=[\w%+/~.-]*\d)(?=[\w%+/~.-]*[A-Za-z])[\w%+/~.-]{20,2000}={0,2})",
    re.IGNORECASE,
)


def find_cookies(text: str) -> Iterator[Detection]:
    """Values of cookies that are named as those of a session, in any header or setting of them."""
    for header in _COOKIES.finditer(text):
        for cookie in _COOKIE.finditer(text, *header.span(str(header.lastgroup))):
            value = cookie["value"]
            named = _OF_SESSION.search(cookie["name"]) and _LIKE_ONE.fullmatch(value)
            if named and not is_no_secret(value, quoted=False):
                yield Detection("API_KEY", *cookie.span("value"), 0.85, RECOGNISER)


RECOGNISERS = (
    Recogniser(RECOGNISER, (r"cookie", r"\s-b[ =]"), find_cookies),
    Recogniser(
        "link_signature",
        (r"(?:sig|signature|hdnea|hmac|security-token)=",),
        matches("API_KEY", "link_signature", _SIGNATURE, 0.85, "value"),
    ),
)
