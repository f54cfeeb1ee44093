"""The data plane over real parts: ledger, keys, vault, policy, detection in this process."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web

import policies
from detectors.detection import Analysis
from detectors.engine import Detector
from detectors.errors import DetectionUnavailable
from detectors.settings import DetectorSettings, Tier
from proxy.audit.log import AuditLog
from proxy.audit.signer import Signer
from proxy.clock import FrozenClock
from proxy.erasure.search.means import Means
from proxy.erasure.service import ErasureService
from proxy.gateway.identity.identify import Authenticator
from proxy.gateway.server import Gateway, Listener, data_runner
from proxy.gateway.services import GatewayServices
from proxy.gateway.wire.limits import Limits
from proxy.keys.file import FileKek
from proxy.keys.ring import KeyRing
from proxy.ledger.engine import Ledger
from proxy.rights.in_force import Decisions
from proxy.tokens.blocklist import Blocklist
from proxy.tokens.vault import TokenVault
from proxy.upstreams.binding import connect
from proxy.upstreams.layers.base import Layer
from proxy.upstreams.transport import Timeouts

LISTENERS: tuple[Listener, ...] = ("httptools", "aiohttp")
PROFILES = ("mem0-platform", "mem0-oss")


@lru_cache
def detector(tier: Any = "structured") -> Detector:
    """The real detector, loaded once for all tests."""
    return Detector(DetectorSettings(tier=tier))


@lru_cache
def policy(name: str = "builtin/gdpr-default") -> policies.Policy:
    """A builtin policy."""
    return policies.load(name)


class InProcess:
    """Real detection without worker processes; ``failure`` is raised instead, if set."""

    def __init__(self, tier: Any = "structured") -> None:
        self._detector = detector(tier)
        self.failure: Exception | None = None
        self.seen: list[str] = []
        self.tiers: list[Tier | None] = []

    @property
    def ready(self) -> bool:
        """Whether a worker runs."""
        return not isinstance(self.failure, DetectionUnavailable)

    async def analyse(
        self, texts: Sequence[str], *, scope: str | None = None, tier: Tier | None = None
    ) -> list[Analysis]:
        self.seen += texts
        self.tiers.append(tier)
        if self.failure is not None:
            raise self.failure
        return await asyncio.to_thread(self._detector.analyse, list(texts), tier=tier)


@dataclass
class Plane:
    """A running data plane with two tenants."""

    url: str
    services: GatewayServices
    clock: FrozenClock
    detectors: InProcess
    tenants: dict[str, str]
    keys: dict[str, str]
    http: aiohttp.ClientSession
    urls: dict[str, str]  # of each listener

    def through(self, listener: str) -> "Plane":
        """The same plane, reached through this listener."""
        return replace(self, url=self.urls[listener])

    async def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        tenant: str | None = "acme",
        headers: dict[str, str] | None = None,
        raw: bytes | None = None,
    ) -> tuple[int, Any]:
        """Status and parsed body of one request."""
        sent = dict(headers or {})
        if tenant is not None:
            sent.setdefault("Authorization", f"Token {self.keys[tenant]}")
        options: dict[str, Any] = {"data": raw} if raw is not None else {}
        if raw is not None:
            sent.setdefault("Content-Type", "application/json")
        if body is not None:
            options = {"json": body}
        from yarl import URL

        async with self.http.request(
            method, URL(self.url + path, encoded=True), headers=sent, **options
        ) as response:
            content = await response.read()
            try:
                return response.status, await response.json(content_type=None)
            except ValueError:
                return response.status, content

    async def add(self, text: str, user: str = "u-1", *, tenant: str = "acme", **more: Any) -> str:
        """Store one memory and give its id."""
        body = {
            "messages": [{"role": "user", "content": text}],
            "user_id": user,
            "infer": False,
            **more,
        }
        status, answer = await self.call("POST", "/v3/memories/add/", body, tenant=tenant)
        assert status == 200, answer
        found: str = answer["results"][0]["id"]
        return found


async def add_tenants(
    services: GatewayServices, names: dict[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Tenants and a client key of each, by short name."""
    ring = services.keyring
    auth = Authenticator(services.ledger, ring, services.clock)
    tenants, keys = {}, {}
    for short, name in names.items():
        tenants[short] = await services.ledger.write(partial(ring.create_tenant, name=name))
        keys[short] = await services.ledger.write(partial(auth.issue_key, tenant_id=tenants[short]))
    return tenants, keys


@asynccontextmanager
async def data_plane(
    folder: Path,
    store_url: str,
    api_key: str,
    template: Path,
    clock: FrozenClock,
    *,
    tier: Any = "structured",
    profiles: Sequence[str] = PROFILES,
    owner_form: Any = None,
    limits: Limits | None = None,
    timeouts: Timeouts | None = None,
    change: Callable[[policies.Policy], policies.Policy] = lambda found: found,
    ways: Callable[[Authenticator, Ledger, KeyRing, FrozenClock], Any] = lambda keys, *_: keys,
    region: str | None = "local",
    second: Callable[[InProcess], Any] | None = None,
    layers: Mapping[str, Layer] | None = None,
    passthrough: str | None = None,
    transport: Any = None,
) -> AsyncIterator[Plane]:
    """A data plane in front of a store, with the tenants ``acme`` and ``globex``.

    Args:
        second: detectors that ask somebody else besides the packaged ones.
    """
    folder.mkdir(exist_ok=True)  # noqa: ASYNC240  (a test's own folder)
    shutil.copy(template, folder / "ledger.db")
    ledger = await Ledger.open(f"sqlite+aiosqlite:///{folder}/ledger.db")
    keyring = await KeyRing.open(ledger, FileKek(folder / "keys" / "kek.json"), clock)
    auth = Authenticator(ledger, keyring, clock)
    binding = connect(
        "mem0", store_url, profiles=profiles, key=api_key, owner_form=owner_form,
        timeouts=timeouts, region=region, layers=layers, passthrough=passthrough,
        transport=transport,
    )  # fmt: skip
    stores = {"mem0": binding}
    detectors = InProcess(tier)
    active = change(policy())
    vault, blocklist = (
        TokenVault(ledger, keyring, clock),
        Blocklist(ledger, keyring, clock, detectors),
    )
    audit = AuditLog(clock)
    means = Means(
        ledger, keyring, vault, blocklist, {"mem0": binding.store}, lambda _: active, audit,
        Signer.open(folder / "log.key", "example.org/log"), clock, detectors,  # type: ignore[arg-type]
    )  # fmt: skip
    services = GatewayServices(
        ledger=ledger,
        keyring=keyring,
        vault=vault,
        blocklist=blocklist,
        detectors=second(detectors) if second else detectors,
        packaged=detectors if second else None,
        policies=lambda _: active,
        stores=stores,
        erasure=ErasureService(means),
        audit=audit,
        clock=clock,
        auth=ways(auth, ledger, keyring, clock),
        limits=limits or Limits(),
        wishes=Decisions(means),
    )
    tenants, keys = await add_tenants(services, {name: name for name in ("acme", "globex")})
    gateway = Gateway(services)
    runners = {kind: data_runner(gateway, kind, shutdown_timeout=2) for kind in LISTENERS}
    for runner in runners.values():
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
    urls = {kind: f"http://127.0.0.1:{made.addresses[0][1]}" for kind, made in runners.items()}
    async with aiohttp.ClientSession() as http:
        url = urls["httptools"]
        yield Plane(url, services, clock, detectors, tenants, keys, http, urls)
    for runner in runners.values():
        await runner.cleanup()
    await binding.close()
    await keyring.close()
    await ledger.close()


def with_section(found: policies.Policy, section: str, **changes: Any) -> policies.Policy:
    """A policy with some fields of a section changed."""
    part = getattr(found, section)
    return replace(found, **{section: part.model_copy(update=changes)})
