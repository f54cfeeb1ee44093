"""Construct every service from the configuration, and release it again in reverse."""

import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any

from detectors.errors import DetectionError
from detectors.settings import DetectorSettings
from detectors.suspicion import suspicion
from detectors.workers.pool import Detecting, DetectorPool
from proxy.app.classifier import Classified, Endpoint
from proxy.app.credentials import Configured
from proxy.app.diagnosis import Diagnosis, of_log
from proxy.app.gauges import refresh
from proxy.app.genesis import (
    ledger_url,
    mark_used,
    open_signer,
    require_known,
    require_signer,
    witness_of,
)
from proxy.app.identity import bearer, callers, of_identity, tell_doubts
from proxy.app.kek import open_kek
from proxy.app.policies import Policies
from proxy.app.readiness import Readiness
from proxy.app.secrets import read
from proxy.app.self_test import SelfTest
from proxy.app.webhooks import Webhooks
from proxy.audit.log import AuditLog
from proxy.audit.sequencer import Sequencer
from proxy.audit.witness import Witness
from proxy.background import spawn
from proxy.clock import Clock
from proxy.config import Config, Secret, UpstreamConfig
from proxy.config.schema import DetectionSection
from proxy.control.credentials import Credentials
from proxy.control.openapi import document
from proxy.control.routes import ROUTES
from proxy.control.services import ControlServices, Front
from proxy.erasure.search.meaning import encode
from proxy.erasure.search.means import Means
from proxy.erasure.service import ErasureService
from proxy.gateway.identity.identify import Authenticator
from proxy.gateway.memories.pending import PendingWrites
from proxy.gateway.services import GatewayServices
from proxy.gateway.wire.decoding_limits import DecodeLimits
from proxy.gateway.wire.limits import Limits
from proxy.keys.ring import KeyRing
from proxy.ledger.engine import Ledger, Tx
from proxy.problems import Problem
from proxy.retention.reviews import Reviews
from proxy.retention.sweeper import Sweeper
from proxy.rights.access import Access
from proxy.rights.holds import Holds
from proxy.rights.outbox import Outbox
from proxy.rights.pins import Pins
from proxy.rights.quarantine import Quarantine
from proxy.rights.rectify import Rectification
from proxy.rights.wishes import Wishes
from proxy.tokens.blocklist import Blocklist
from proxy.tokens.vault import TokenVault
from proxy.upstreams.binding import UpstreamBinding, connect
from proxy.upstreams.layers import from_config
from proxy.upstreams.transport import Timeouts


@dataclass(frozen=True, slots=True)
class Task:
    """Work that is done again and again beside the requests."""

    name: str
    every: timedelta
    work: Callable[[], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class Services:
    """Everything that runs."""

    gateway: GatewayServices
    control: ControlServices
    readiness: Readiness
    tasks: tuple[Task, ...]


@asynccontextmanager
async def build(config: Config, clock: Clock) -> AsyncIterator[Services]:
    """All services, open while the block lasts.

    Raises:
        Problem: something could not be opened; what was open is closed again.
        PolicyError: a policy does not load.
    """
    config.state_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    async with AsyncExitStack() as opened:
        ledger = await Ledger.open(ledger_url(config))
        opened.push_async_callback(ledger.close)
        witness = witness_of(config)
        await require_known(config, ledger, witness)
        keyring = await KeyRing.open(ledger, open_kek(config), clock)
        opened.push_async_callback(keyring.close)
        await mark_used(config)
        detectors = await open_detectors(config.detection, opened)
        stores = {up.name: open_store(up) for up in config.upstreams}
        for binding in stores.values():
            opened.push_async_callback(binding.close)
        yield await _assemble(config, clock, ledger, keyring, detectors, stores, witness)


async def open_detectors(section: DetectionSection, opened: AsyncExitStack) -> Detecting:
    """Detector workers, warm, stopped with ``opened``; raises ``detection-unavailable``."""
    pool = DetectorPool(
        DetectorSettings(
            tier=section.tier,
            languages=section.languages,
            countries=section.countries,
            recognisers_file=section.recognisers,
        ),
        workers=section.workers,
        deadline=section.deadline.total_seconds(),
        queue_limit=section.queue,
    )
    opened.push_async_callback(pool.stop)
    try:
        await pool.start()
    except DetectionError as error:  # its messages are ours and name no text
        raise Problem(
            "detection-unavailable",
            f"The detectors could not be loaded: {error}.",
            hint="Check the installation and the memory that is free.",
        ) from None
    return _classified(section, pool, opened)


def _classified(section: DetectionSection, pool: DetectorPool, opened: AsyncExitStack) -> Detecting:
    """The workers, with the classifier's opinion where one is configured."""
    given = section.classifier
    if given is None:
        return pool
    endpoint = Endpoint(
        given.url, given.model, None if given.key is None else read(given.key),
        given.deadline.total_seconds(), raw=given.send == "text",
    )  # fmt: skip
    classified = Classified(pool, endpoint, section.tier)
    opened.push_async_callback(classified.close)
    return classified


def open_store(upstream: UpstreamConfig) -> UpstreamBinding:
    """A store as configured; raises ``invalid-config``."""
    waits = upstream.timeouts
    return connect(
        upstream.name,
        upstream.url,
        profiles=upstream.profiles,
        key=None if upstream.credential is None else read(upstream.credential),
        owner_form="keep" if upstream.owner_ids == "keep" else "opaque",
        layers=from_config({name: _resolved(how) for name, how in upstream.layers.items()}),
        timeouts=Timeouts(
            waits.connect.total_seconds(), waits.read.total_seconds(), waits.total.total_seconds()
        ),
        region=upstream.region,
        tls=_tls_of(upstream),
        http_proxy=upstream.http_proxy,
        transport=upstream.transport,
        passthrough=upstream.passthrough,
    )


def _tls_of(upstream: UpstreamConfig) -> ssl.SSLContext | None:
    """How we speak TLS to a store; None where it speaks plain HTTP."""
    if not upstream.url.startswith("https:"):
        return None
    tls = upstream.tls
    try:
        made = ssl.create_default_context(cafile=None if tls.ca is None else str(tls.ca))
        made.minimum_version = ssl.TLSVersion.TLSv1_2
        if tls.certificate is not None and tls.key is not None:
            made.load_cert_chain(tls.certificate, tls.key)
    except OSError:  # SSLError is one
        raise Problem("invalid-config", f"The TLS files of the store {upstream.name} are no PEM "
                      "files that can be read.", hint="See upstreams[].tls.") from None  # fmt: skip
    return made


def _resolved(layer: Mapping[str, Any]) -> dict[str, Any]:
    """A layer's settings with secrets (``dsn: {env: NAME}``) read."""
    return {
        name: read(Secret.model_validate(value)) if isinstance(value, dict) else value
        for name, value in layer.items()
    }


async def _assemble(
    config: Config,
    clock: Clock,
    ledger: Ledger,
    keyring: KeyRing,
    detectors: Detecting,
    stores: Mapping[str, UpstreamBinding],
    witness: Witness,
) -> Services:
    audit = AuditLog(clock)
    signer = await require_signer(config, ledger) or await open_signer(config)
    client_keys = Authenticator(ledger, keyring, clock)
    tokens = Credentials(
        ledger, keyring, clock, bearer=bearer(config.identity.issuers("control"), clock),
        failed_attempts=config.identity.failed_attempts,
    )  # fmt: skip
    configured = Configured(ledger, keyring, clock)
    sources = await configured.tenants(config, client_keys)
    await configured.tokens(config, tokens)
    policies = Policies(config.policy, sources, _audited(ledger, audit))
    await tell_doubts(config, ledger, policies)
    vault = TokenVault(ledger, keyring, clock)
    blocklist = Blocklist(ledger, keyring, clock, detectors)
    means = Means(
        ledger=ledger, keyring=keyring, vault=vault, blocklist=blocklist,
        stores={name: binding.store for name, binding in stores.items()}, policies=policies,
        audit=audit, signer=signer, clock=clock, detectors=detectors,
        encode=encode if config.detection.tier == "full" else None,
    )  # fmt: skip
    erasure = ErasureService(means)
    sweeper, wishes = Sweeper(means, erasure), Wishes(means)
    readiness = Readiness(ledger, lambda: detectors.ready, policies.report, keyring.opens)
    readiness.log = lambda: witness.agrees
    diagnosis = Diagnosis(
        ledger, keyring, detectors, stores, policies.report,
        partial(of_identity, config, ledger, policies),
        partial(of_log, ledger, signer.verifier_key, witness),
    )  # fmt: skip
    gateway = GatewayServices(
        ledger=ledger, keyring=keyring, vault=vault, blocklist=blocklist, detectors=detectors,
        policies=policies, stores=stores, erasure=erasure, audit=audit, clock=clock,
        auth=callers(config, client_keys, ledger, keyring, clock), limits=_limits(config),
        wishes=wishes.now, deadline=config.detection.deadline.total_seconds(),
        packaged=detectors.packaged if isinstance(detectors, Classified) else None,
    )  # fmt: skip
    control = ControlServices(
        front=_front(config, readiness, diagnosis), credentials=tokens, client_keys=client_keys,
        ledger=ledger, keyring=keyring, audit=audit, clock=clock, policies=policies,
        detectors=detectors, report_policies=policies.report, vault=vault, blocklist=blocklist,
        means=means, erasure=erasure, public_key=signer.verifier_key, sweeper=sweeper,
        holds=Holds(means, erasure), access=Access(means), wishes=wishes,
        rectification=Rectification(means, erasure), reviews=Reviews(means, erasure),
        quarantine=Quarantine(means, erasure, suspicion), pins=Pins(means), witness=witness,
    )  # fmt: skip
    sequencer = Sequencer(ledger, signer, clock, witness)
    tasks = (
        Task("erasures", timedelta(seconds=1), erasure.run_due),
        Task("received-erasures", timedelta(seconds=15), erasure.plan_received),
        Task("overtaken-erasures", timedelta(minutes=1), erasure.end_overtaken),
        Task("sweeper", config.retention.sweep_every, sweeper.run_once),
        Task("pending-writes", config.retention.poll_every, PendingWrites(gateway).run_once),
        Task("audit-sequencer", config.audit.sequence_every, sequencer.run_once),
        Task("notices", timedelta(seconds=5), Outbox(means, Webhooks().post).run_once),
        Task("policies", timedelta(seconds=1), policies.look),
        *_looks(config, gateway, erasure, keyring),
    )
    return Services(gateway, control, readiness, tasks)


def _looks(
    config: Config, gateway: GatewayServices, erasure: ErasureService, keyring: KeyRing
) -> Iterator[Task]:
    """The gauges, and the self-test where one is wanted."""
    every, started = config.self_test.every, gateway.clock.now()
    test = SelfTest(gateway, erasure.forget, keyring.create_tenant, started=started)
    shown = None if every is None else test
    yield Task("gauges", timedelta(seconds=15), partial(refresh, gateway.ledger, shown))
    if every is not None:
        yield Task("self-test", every, test.run_once)


def _limits(config: Config) -> Limits:
    given = config.limits
    return Limits(
        body=given.body,
        values=given.values,
        text=given.text,
        decode=DecodeLimits(size=given.unpacked, ratio=given.ratio),
        body_seconds=given.body_time.total_seconds(),
        headers=given.headers,
        line=given.line,
        concurrent=given.requests,
        concurrent_of_tenant=given.tenant_requests,
        connections=given.connections,
        idle_seconds=given.idle.total_seconds(),
        failed_attempts=config.identity.failed_attempts,
    )


def _front(config: Config, readiness: Readiness, diagnosis: Diagnosis) -> Front:
    listen = config.listen
    return Front(
        base_path=listen.base_path,
        allowed_hosts=frozenset(
            {listen.control.host.lower(), *map(str.lower, listen.allowed_hosts)}
        ),
        allowed_origins=frozenset(listen.allowed_origins),
        readiness=readiness.report,
        diagnosis=diagnosis.run,
        openapi=document(ROUTES, listen.base_path),
    )


def _audited(ledger: Ledger, audit: AuditLog) -> Callable[[str, Mapping[str, Any]], None]:
    """Record what happens to the policies in the audit log."""

    def tell(event: str, fields: Mapping[str, Any]) -> None:
        async def unit(tx: Tx) -> None:
            await audit.append(tx, None, event, fields)

        _ = spawn(ledger.write(unit), name="audit-policy")

    return tell
