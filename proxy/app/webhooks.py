"""Calling webhooks of recipients: HTTPS to public addresses alone, no redirects."""

import ipaddress
import socket
from collections.abc import Callable, Collection, Mapping
from urllib.parse import urlsplit

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

TIMEOUT_S = 10.0
NAT64 = ipaddress.ip_network("64:ff9b::/96")

Allowed = Callable[[str], bool]


def is_public(address: str) -> bool:
    """Whether an address is on the open internet, whatever notation hides another one in it."""
    found = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address):
        if found in NAT64:
            return is_public(str(ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)))
        if inner := found.ipv4_mapped or found.sixtofour or (found.teredo or (None, None))[1]:
            return is_public(str(inner))
    return found.is_global and not found.is_multicast


class _Guarded(AbstractResolver):
    """Names resolve only if every address is allowed; the connection goes to what was checked."""

    def __init__(self, allowed: Allowed) -> None:
        self._inner, self._allowed = aiohttp.ThreadedResolver(), allowed

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Addresses of a name; raises ``OSError`` if one of them is not allowed."""
        found = await self._inner.resolve(host, port, family)
        if not all(self._allowed(each["host"]) for each in found):
            raise OSError("the name has an address that is not public")
        return found

    async def close(self) -> None:
        """Nothing is open."""


class Webhooks:
    """Posts notices.

    Args:
        allowed: which addresses may be called.
        schemes: which URLs may be called.
    """

    def __init__(self, allowed: Allowed = is_public, schemes: Collection[str] = ("https",)) -> None:
        self._allowed, self._schemes = allowed, frozenset(schemes)

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> bool:
        """Whether the recipient took it: any 2xx; its answer is not read."""
        if not self._callable(url):
            return False
        connector = aiohttp.TCPConnector(resolver=_Guarded(self._allowed), use_dns_cache=False)
        timeout = aiohttp.ClientTimeout(total=TIMEOUT_S)
        try:
            async with (
                aiohttp.ClientSession(
                    connector=connector, timeout=timeout, trust_env=False,
                    cookie_jar=aiohttp.DummyCookieJar(),
                ) as session,
                session.post(
                    url, data=body, headers=dict(headers), allow_redirects=False
                ) as reply,
            ):  # fmt: skip
                return 200 <= reply.status < 300
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError):
            return False

    def _callable(self, url: str) -> bool:
        try:
            parts = urlsplit(url)
            host = parts.hostname or ""
        except ValueError:
            return False
        if parts.scheme not in self._schemes or not host or parts.username is not None:
            return False
        try:
            return self._allowed(host)  # an address is not looked up, so it is checked here
        except ValueError:
            return True
