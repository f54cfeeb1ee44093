"""What ``serve`` would refuse although the file is well formed: secrets, key lengths, files."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from policies import PolicyError
from policies import load as load_policy
from policies.access import unlisted
from proxy.app import tls_files
from proxy.app.identity import lets
from proxy.config import Config, ConfigIssue, Secret
from proxy.config.load import Loaded
from proxy.control.credentials import SHORTEST_TOKEN
from proxy.problems import Problem
from proxy.upstreams.binding import spoken_and_wire
from proxy.upstreams.layers import from_config

SHORTEST_CLIENT_KEY = 16  # the data plane refuses shorter ones
Mistakes = Iterator[tuple[str, str]]


def refused(loaded: Loaded) -> list[ConfigIssue]:
    """Everything that keeps ``serve`` from starting, each with its place."""
    checks: tuple[Callable[[Config], Mistakes], ...] = (
        _secrets, _lengths, _files, _tls, _policies, _stores,
    )  # fmt: skip
    return [_issue(loaded, *found) for check in checks for found in check(loaded.config)]


def absent_layers(loaded: Loaded) -> list[ConfigIssue]:
    """Layers whose path is not there: erasures would end incomplete, although ``serve`` starts."""
    return [
        _issue(loaded, f"upstreams.{index}.layers.{name}.path", "there is no such file or folder")
        for index, store in enumerate(loaded.config.upstreams)
        for name, how in store.layers.items()
        if how.get("path") and not Path(how["path"]).exists()
    ]


def closed_purposes(loaded: Loaded) -> list[ConfigIssue]:
    """Purposes that a tenant's policy does not list, of its ways in; ``serve`` starts with them."""
    config = loaded.config
    own = {tenant.name: tenant.policy for tenant in config.tenants}
    found = []
    for let in lets(config.identity):
        try:
            wrong = unlisted(load_policy(own.get(let.tenant) or config.policy), let.purposes)
        except PolicyError:
            continue  # what ails the policy is said already
        if wrong:
            place = f"{let.path}.purposes"
            found.append(_issue(loaded, place, f"no request can have this purpose: {wrong}"))
    return found


def _issue(loaded: Loaded, path: str, message: str) -> ConfigIssue:
    parts = path.split(".")
    ends = range(len(parts), 0, -1)
    known = (loaded.origins.get(".".join(parts[:end])) for end in ends)
    source, _, line = next((place for place in known if place), "default").partition(":")
    return ConfigIssue(source, int(line) if line.isdecimal() else 0, path, message)


def _given(config: Config) -> Iterator[tuple[str, Secret, int]]:
    """Every secret that is used, with the shortest length it may have."""
    keys = config.keys
    needed = {"env": ("secret", keys.secret), "vault-transit": ("token", keys.token)}
    name, secret = needed.get(keys.provider, ("", None))
    if secret is not None:
        yield f"keys.{name}", secret, 1
    if config.ledger.url_secret is not None:
        yield "ledger.url_secret", config.ledger.url_secret, 1
    for index, store in enumerate(config.upstreams):
        if store.credential is not None:
            yield f"upstreams.{index}.credential", store.credential, 1
    for index, tenant in enumerate(config.tenants):
        for place, key in enumerate(tenant.keys):
            yield f"tenants.{index}.keys.{place}", key, SHORTEST_CLIENT_KEY
    for index, token in enumerate(config.tokens):
        yield f"tokens.{index}.secret", token.secret, SHORTEST_TOKEN


def _value(secret: Secret) -> str:
    try:
        return secret.read()
    except LookupError:
        return ""


def _secrets(config: Config) -> Mistakes:
    for path, secret, _ in _given(config):
        if not _value(secret):
            yield path, f"the secret {secret} is missing or empty"


def _lengths(config: Config) -> Mistakes:
    for path, secret, least in _given(config):
        length = len(_value(secret))
        if 0 < length < least:
            yield path, f"the secret {secret} has {length} characters, at least {least} are needed"


def _files(config: Config) -> Mistakes:
    tls = config.listen.tls
    named: dict[str, Path | None] = {
        "listen.tls.certificate": tls.certificate if tls else None,
        "listen.tls.key": tls.key if tls else None,
        "listen.tls.client_ca": tls.client_ca if tls else None,
        "detection.recognisers": config.detection.recognisers,
    }
    for index, store in enumerate(config.upstreams):
        for name in ("ca", "certificate", "key"):
            named[f"upstreams.{index}.tls.{name}"] = getattr(store.tls, name)
    for index, issuer in enumerate(config.identity.jwt):
        named[f"identity.jwt.{index}.jwks_file"] = issuer.jwks_file
        named[f"identity.jwt.{index}.ca"] = issuer.ca
    for path, file in named.items():
        if file is not None and not file.is_file():
            yield path, "there is no such file"


def _tls(config: Config) -> Mistakes:
    tls = config.listen.tls
    if tls is not None and all(
        file is None or file.is_file() for file in (tls.certificate, tls.key, tls.client_ca)
    ):
        yield from tls_files.mistakes(tls)


def _policies(config: Config) -> Mistakes:
    named = {"policy": config.policy}
    named |= {f"tenants.{i}.policy": t.policy for i, t in enumerate(config.tenants) if t.policy}
    for path, source in named.items():
        try:
            load_policy(source)
        except PolicyError as error:
            for issue in error.errors:
                yield path, str(issue)


def _stores(config: Config) -> Mistakes:
    for index, store in enumerate(config.upstreams):
        for place, profile in enumerate(store.profiles):
            yield from _tried(f"upstreams.{index}.profiles.{place}", spoken_and_wire, profile)
        layers: dict[str, Mapping[str, Any]] = dict(store.layers)
        yield from _tried(f"upstreams.{index}.layers", from_config, layers)


def _tried(path: str, make: Callable[[Any], object], given: Any) -> Mistakes:
    try:
        make(given)
    except Problem as problem:
        for error in problem.errors:
            yield f"{path}.{error['pointer'].rpartition('/')[2]}", str(error["detail"])
        if not problem.errors:
            yield path, problem.detail
    except OSError:
        yield path, "it cannot be read"
