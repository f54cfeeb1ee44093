"""One configured store: the dialects it is spoken to in, and its view for erasure."""

import ssl
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from proxy.ledger.owners import Form
from proxy.problems import Problem
from proxy.upstreams import translate
from proxy.upstreams.profile import Profile, Route, load_profile
from proxy.upstreams.store import Store
from proxy.upstreams.transport import AiohttpTransport, Timeouts, Transport
from proxy.upstreams.wire import WireTransport

Way = Literal["aiohttp", "httptools"]
_SHORTEST = 8  # letters of a credential that no other text has by chance


@dataclass(frozen=True, slots=True)
class Dialect:
    """One wire language of a store and the way to speak it."""

    profile: Profile
    transport: Transport
    secret: str = field(default="", repr=False)  # the store's credential: no client hears it

    def tells_secret(self, said: bytes | str) -> bool:
        """Whether the store's credential stands in what it said."""
        if len(self.secret) < _SHORTEST:
            return False
        return self.secret in said if isinstance(said, str) else self.secret.encode() in said


@dataclass(frozen=True, slots=True)
class UpstreamBinding:
    """A store under its configured name; the first dialect that lists a route serves it."""

    name: str
    dialects: tuple[Dialect, ...]
    store: Store
    region: str | None = None  # where the store is; "local" on the operator's own machines
    passthrough: str | None = None  # header with a client's own credential for it, in lower case

    def find(self, method: str, path: str) -> tuple[Dialect, Route, dict[str, str]] | None:
        """The route for a raw path."""
        for dialect in self.dialects:
            found = dialect.profile.find(method, path)
            if found is not None:
                return dialect, *found
        return None

    async def close(self) -> None:
        """Give the connections back."""
        for dialect in self.dialects:
            await dialect.transport.close()


def connect(
    name: str,
    base_url: str,
    *,
    profiles: Sequence[str],
    key: str | None,
    owner_form: Form | None = None,
    layers: Mapping[str, Any] | None = None,
    timeouts: Timeouts | None = None,
    region: str | None = None,
    tls: ssl.SSLContext | None = None,
    http_proxy: str | None = None,
    transport: Way | None = None,
    passthrough: str | None = None,
) -> UpstreamBinding:
    """Bind a store.

    Args:
        name: as configured; the ledger's rows carry it.
        base_url: where it is.
        profiles: names or paths; the first also drives erasure. ``mem0-platform-over-oss`` (after
            ``mem0-oss``) lets the platform's clients work in front of the open-source server.
        key: the store's credential, None if it wants none.
        owner_form: ``opaque`` (default of the profiles) or ``keep``.
        layers: connectors by layer name.
        timeouts: of each call.
        region: where the store is, for residency; ``local`` on the operator's own machines.
        tls: how to speak TLS to it; None: as the system does.
        http_proxy: URL of a proxy on the way; the environment's are never used.
        transport: the client's name; None: the fastest that can do what is asked.
        passthrough: header of a client's request that the store gets instead of ``key``.

    Raises:
        Problem: ``invalid-config``.
    """
    waits = timeouts or Timeouts()
    way = _way(transport, base_url, waits, tls, http_proxy)
    streaming = _way("aiohttp", base_url, waits, tls, http_proxy)
    dialects = tuple(_dialect(each, key, way, streaming) for each in profiles)
    first = dialects[0]
    return UpstreamBinding(
        name, dialects, Store(name, first.profile, first.transport, layers, owner_form), region,
        passthrough,
    )  # fmt: skip


def _way(
    name: Way | None,
    base_url: str,
    timeouts: Timeouts,
    tls: ssl.SSLContext | None,
    http_proxy: str | None,
) -> Callable[..., Transport]:
    """What makes the transports; only aiohttp's goes through another proxy."""
    if name == "aiohttp" or (name is None and http_proxy is not None):
        return partial(
            AiohttpTransport, base_url, timeouts=timeouts, tls=tls, http_proxy=http_proxy
        )
    if http_proxy is not None:
        raise Problem("invalid-config", "The transport httptools goes through no http_proxy.",
                      hint="Leave out one of the two.")  # fmt: skip
    return partial(WireTransport, base_url, timeouts=timeouts, tls=tls)


def _dialect(
    profile: str,
    key: str | None,
    way: Callable[..., Transport],
    streaming: Callable[..., Transport],
) -> Dialect:
    """A dialect; the platform's may also be spoken in front of the open-source server."""
    spoken, wire = spoken_and_wire(profile)
    made = (streaming if wire.streaming else way)(credential=_credential(wire, key))
    spoken_to = made if spoken is wire else translate.PlatformOverOss(made)
    return Dialect(spoken, spoken_to, key or "")


def spoken_and_wire(profile: str) -> tuple[Profile, Profile]:
    """What clients speak and what the store hears: one profile, but for a translated dialect.

    Raises:
        Problem: ``invalid-config``.
    """
    if profile == translate.NAME:
        return load_profile("mem0-platform"), load_profile("mem0-oss")
    found = load_profile(profile)
    return found, found


def _credential(profile: Profile, key: str | None) -> tuple[str, str] | None:
    if key is None:
        return None
    return profile.auth_header, f"{profile.auth_scheme} {key}".strip()
