"""Everything ``serve`` would depend on, tried without it; nothing is made that is not there yet."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict

from policies import Policy, PolicyError
from policies import load as load_policy
from policies.access import only_observes
from proxy.app import tls_files
from proxy.app.build import open_detectors, open_store
from proxy.app.diagnosis import (
    Finding,
    of_detection,
    of_erasures,
    of_keys,
    of_ledger,
    of_log,
    of_policy,
    of_stores,
)
from proxy.app.genesis import ledger_url, signing_key, witness_of
from proxy.app.identity import of_issuers, of_lets
from proxy.app.kek import open_kek
from proxy.audit.signer import VERIFIER_SUFFIX
from proxy.clock import SystemClock
from proxy.config import Config
from proxy.keys.errors import KekRefused, KekUnavailable
from proxy.keys.file import FileKek
from proxy.keys.kek import Kek
from proxy.keys.ring import INSTALLATION, KeyRing
from proxy.ledger import connect, tenants, wrapped
from proxy.ledger.engine import Ledger
from proxy.problems import Problem

_PROBE = b"expunge doctor"
Part = Callable[[Config, AsyncExitStack], Awaitable[Sequence[Finding]]]


async def checkup(config: Config) -> list[dict[str, str]]:
    """Every finding: policies, ledger, keys, detection, stores, their layers, our certificate."""
    parts: dict[str, Part] = {
        "policy": _policies,
        "ledger": _ledger,
        "detection": _detection,
        "stores": _stores,
        "identity": _identity,
        "listen.tls": _tls,
    }
    found: list[Finding] = []
    async with AsyncExitStack() as opened:
        for name, part in parts.items():
            try:
                found += await part(config, opened)
            except Problem as problem:
                found.append(Finding(name, "failed", problem.detail, problem.hint))
    return [asdict(finding) for finding in found]


async def _policies(config: Config, _opened: AsyncExitStack) -> list[Finding]:
    sources = dict.fromkeys([config.policy, *(t.policy for t in config.tenants if t.policy)])
    return [_policy(source) for source in sources]


def _policy(source: str) -> Finding:
    try:
        found = load_policy(source)
        return of_policy(f"policy {source}", found.digest, observes=only_observes(found))
    except PolicyError as error:
        return Finding(f"policy {source}", "failed", str(error.errors[0]),
                       f"Run 'expunge policy check {source}'.")  # fmt: skip


async def _ledger(config: Config, opened: AsyncExitStack) -> list[Finding]:
    """The ledger as it is, without bringing its schema up to date; then the keys in it."""
    kek = open_kek(config)
    opened.push_async_callback(kek.close)
    ledger = _opened(config, opened)
    if ledger is None:
        path = connect.sqlite_path(connect.parse(ledger_url(config)))
        made = Finding("ledger", "warning", f"{path} is not there yet.", "'serve' makes it.")
        return [made, *await _provider(config, kek)]
    found = [*await of_ledger(ledger), *await _log(config, ledger)]
    if not await _holds_keys(ledger):
        return [*found, *await _provider(config, kek)]
    try:
        keyring = await KeyRing.open(ledger, kek, SystemClock())
    except Problem as problem:
        return [*found, Finding("keys", "failed", problem.detail, problem.hint)]
    opened.push_async_callback(keyring.close)
    return [*found, *await of_keys(keyring), *await of_erasures(ledger)]


def _opened(config: Config, opened: AsyncExitStack) -> Ledger | None:
    """The ledger as it is; None before there is one."""
    url = connect.parse(ledger_url(config))
    path = connect.sqlite_path(url)
    if path is not None and not path.exists():
        return None
    ledger = Ledger(url, connect.writer_engine(url), connect.reader_engine(url))
    opened.push_async_callback(ledger.close)
    return ledger


async def _log(config: Config, ledger: Ledger) -> list[Finding]:
    """The audit log, once there is a key that signs it."""
    public_key = signing_key(config).with_suffix(VERIFIER_SUFFIX)
    if not public_key.exists():
        return []
    return await of_log(ledger, public_key.read_text().strip(), witness_of(config))


async def _holds_keys(ledger: Ledger) -> bool:
    try:
        return await ledger.read(lambda tx: wrapped.secret(tx, INSTALLATION)) is not None
    except Problem:
        return False


async def _provider(config: Config, kek: Kek) -> list[Finding]:
    """Whether the provider wraps and opens, where no ledger has a key of it yet."""
    path = config.keys.file or config.state_dir / "keys" / "kek.json"
    if isinstance(kek, FileKek) and not path.exists():
        return [Finding("keys", "warning", f"{path} is not there yet.", "'serve' makes it.")]
    try:
        opens = await kek.unwrap(await kek.wrap(_PROBE, _PROBE), _PROBE) == _PROBE
    except (KekUnavailable, KekRefused):
        opens = False
    if not opens:
        return [Finding("keys", "failed", f"The provider {kek.provider} does not wrap and open.",
                        "Check the section 'keys' and the provider.")]  # fmt: skip
    return [Finding("keys", "ok", f"{kek.provider} wraps and opens; no epoch is in use yet.")]


async def _identity(config: Config, opened: AsyncExitStack) -> list[Finding]:
    """As ``serve`` would find it: the tenants of the ledger, and those that it would make."""
    found, ledger = await of_issuers(config), _opened(config, opened)
    try:
        there = await ledger.read(tenants.every) if ledger is not None else []
    except Problem:
        return found  # what ails the ledger is said already
    governing = {each.name: config.policy for each in there if each.state == "active"}
    governing |= {each.name: each.policy or config.policy for each in config.tenants}
    loaded = {source: _loaded(source) for source in governing.values()}
    governed = {name: loaded[source] for name, source in governing.items()}
    return [*found, *of_lets(config.identity, governed)]


def _loaded(source: str) -> Policy | None:
    try:
        return load_policy(source)
    except PolicyError:
        return None  # that is said already


async def _tls(config: Config, _opened: AsyncExitStack) -> list[Finding]:
    """Whether callers will take the certificate of the listeners; preflight says if it is none."""
    dates = tls_files.validity(config.listen.tls) if config.listen.tls else None
    if dates is None:
        return []
    (begins, ends), now = dates, SystemClock().now()
    name, hint = "listen.tls", "Renew listen.tls.certificate, or set the clock."
    if now > ends:
        return [Finding(name, "failed", f"The certificate expired on {ends:%Y-%m-%d}.", hint)]
    if now < begins:
        detail = f"The certificate holds only from {begins:%Y-%m-%d}."
        return [Finding(name, "failed", detail, hint)]
    return [Finding(name, "ok", f"The certificate holds until {ends:%Y-%m-%d}.")]


async def _detection(config: Config, opened: AsyncExitStack) -> list[Finding]:
    section = config.detection.model_copy(update={"workers": 1})
    return await of_detection(await open_detectors(section, opened))


async def _stores(config: Config, opened: AsyncExitStack) -> list[Finding]:
    found: list[Finding] = []
    for upstream in config.upstreams:
        try:
            binding = open_store(upstream)
        except Problem as problem:
            name = f"store {upstream.name}"
            found.append(Finding(name, "failed", problem.detail, problem.hint))
            continue
        opened.push_async_callback(binding.close)
        found += await of_stores({upstream.name: binding})
    return found
