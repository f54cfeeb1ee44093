"""Addresses of hosts and of network cards."""

import ipaddress
import re
from collections.abc import Iterator

from detectors.detection import Detection
from detectors.recognisers.base import Recogniser, before, matches, words

# A word that names an address may stand close before: "ip84.115.17.203"; or signs of emphasis.
V4 = re.compile(
    r"(?:(?<![\w.-])|(?<=(?<![\w.-])_)|(?<=(?<![\w.-])__)|(?<=(?<![a-z])ip)|(?<=(?<![a-z])ipv4)|(?<=(?<![a-z])addr)|(?<=(?<![a-z])host))"
    r"\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?(?=_{0,2}(?![\w-]|\.\w))",
    re.IGNORECASE,
)
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
# Addresses that nobody is reached by from outside, and resolvers that everybody asks.
NOBODYS = tuple(
    map(
        ipaddress.ip_network,
        ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "fc00::/7"),
    )
)
# "Chrome/120.0.0.0", "Newtonsoft.Json 13.0.3.0", "numpy==4.2.1.0": versions behind a name.
OF_A_PROGRAM = re.compile(
    r"(?:\b[A-Z]\w+(?:/|\.[A-Z]\w+[ :@])|[\w\]](?:==|~=|>=|<=|!=) ?)\d+(?:\.\d+){2}\.0\Z"
)
PROGRAM_REACH = 48
RESOLVERS = frozenset(
    map(
        ipaddress.ip_address,
        (
            "8.8.8.8", "8.8.4.4", "1.1.1.1", "1.0.0.1", "9.9.9.9", "149.112.112.112",
            "208.67.222.222", "208.67.220.220", "94.140.14.14", "94.140.15.15",
            "2001:4860:4860::8888", "2001:4860:4860::8844", "2606:4700:4700::1111",
            "2606:4700:4700::1001", "2620:fe::fe", "2620:fe::9",
        ),
    )
)  # fmt: skip


# What a telephone and its card are known by in the network, where the text says so.
OF_A_PHONE = re.compile(
    r"(?<![^\W\d_])(?:IMEI(?:SV)?|IMSI|ICCID)(?: ?[12])?(?!\w)[^\d\n]{1,40}"
    r"(?P<value>(?<![\w+])\d(?:[ .-]?\d){13,19})(?![\w-])",
    re.IGNORECASE,
)


def find_v4(text: str) -> Iterator[Detection]:
    """IPv4 addresses that may be somebody's, unless the text calls them a version."""
    for match in V4.finditer(text):
        versioned = before(text, match.start(), VERSION_WORDS, VERSION_REACH)
        near = max(0, match.start() - PROGRAM_REACH)
        if not (versioned or OF_A_PROGRAM.search(text[near : match.end()])):
            yield from _checked(match)


def find_v6(text: str) -> Iterator[Detection]:
    """IPv6 addresses that may be somebody's."""
    for match in V6.finditer(text):
        yield from _checked(match)


def _checked(match: re.Match[str]) -> Iterator[Detection]:
    try:
        address = ipaddress.ip_interface(match[0])
    except ValueError:
        return
    if not _is_nobodys(address):
        yield Detection("IP_ADDRESS", *match.span(), 0.9, "ip")


def _is_nobodys(address: ipaddress.IPv4Interface | ipaddress.IPv6Interface) -> bool:
    """Whether an address is loopback, of an inner network, a public resolver, a block or a mask."""
    ip, network = address.ip, address.network
    if ip.is_loopback or ip.is_unspecified or ip.is_multicast or ip in RESOLVERS:
        return True
    if network.num_addresses > 1 and ip == network.network_address:
        return True
    return _is_mask(ip) or any(ip in inner for inner in NOBODYS if inner.version == ip.version)


def _is_mask(ip: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Whether an address only masks others, as 255.255.240.0 does."""
    host = ~int(ip) & 0xFFFFFFFF
    return ip.version == 4 and int(ip) >> 24 == 255 and host & (host + 1) == 0


RECOGNISERS = (
    Recogniser("ip", (r"(?:\d{1,3}\.){3}\d",), find_v4),
    Recogniser("ip", (r"[0-9a-f]{0,4}:[0-9a-f]{0,4}:",), find_v6),
    Recogniser(
        "mac",
        (r"[0-9a-f]{2}[:-][0-9a-f]{2}[:-]", r"[0-9a-f]{4}\.[0-9a-f]{4}\."),
        matches("MAC_ADDRESS", "mac", MAC, 0.9),
    ),
    Recogniser(
        "imei", (r"IMEI|IMSI|ICCID",), matches("MAC_ADDRESS", "imei", OF_A_PHONE, 0.9, "value")
    ),
)
