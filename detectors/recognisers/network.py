"""Addresses of hosts and of network cards."""

import ipaddress
import re
from collections.abc import Iterator

from detectors.detection import Detection
from detectors.recognisers.base import Recogniser, before, matches, words

V4 = re.compile(r"(?<![\w.-])\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?(?![\w-]|\.\w)")
V6 = re.compile(
    r"(?<![\w:.])(?:[0-9a-f]{1,4}:|::)[0-9a-f:]{2,34}(?:(?:\d{1,3}\.){3}\d{1,3})?"
    r"(?:%\w{1,15})?(?:/\d{1,3})?(?![\w:])",
    re.IGNORECASE,
)
MAC = re.compile(
    r"(?<![\w:.-])(?:[0-9a-f]{2}([:-])(?:[0-9a-f]{2}\1){4}[0-9a-f]{2}"
    r"|(?=[\d.]*[a-f])[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4})(?![\w:-]|\.\w)",
    re.IGNORECASE,
)
VERSION_WORDS = words(
    r"version|ver|v|release|released|build|firmware|driver|upgrade[ds]?(?: to)?|patch|section"
    r"|chapter|rfc|oid|clause"
)
VERSION_REACH = 14


def find_v4(text: str) -> Iterator[Detection]:
    """IPv4 addresses other than loopback, unless the text calls them a version."""
    for match in V4.finditer(text):
        if not before(text, match.start(), VERSION_WORDS, VERSION_REACH):
            yield from _checked(match)


def find_v6(text: str) -> Iterator[Detection]:
    """IPv6 addresses other than loopback."""
    for match in V6.finditer(text):
        yield from _checked(match)


def _checked(match: re.Match[str]) -> Iterator[Detection]:
    try:
        address = ipaddress.ip_interface(match[0])
    except ValueError:
        return
    if not (address.ip.is_loopback or address.ip.is_unspecified):
        yield Detection("IP_ADDRESS", *match.span(), 0.9, "ip")


RECOGNISERS = (
    Recogniser("ip", (r"(?:\d{1,3}\.){3}\d",), find_v4),
    Recogniser("ip", (r"[0-9a-f]{0,4}:[0-9a-f]{0,4}:",), find_v6),
    Recogniser(
        "mac",
        (r"[0-9a-f]{2}[:-][0-9a-f]{2}[:-]", r"[0-9a-f]{4}\.[0-9a-f]{4}\."),
        matches("MAC_ADDRESS", "mac", MAC, 0.9),
    ),
)
