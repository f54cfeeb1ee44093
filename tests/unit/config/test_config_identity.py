"""Ways in and stores as configured: what is unsafe or contradictory is refused with its place."""

from pathlib import Path

import pytest

from proxy.config import ConfigError
from proxy.config.load import loads

HEAD = "apiVersion: expunge/v1\nkind: Config\n"
STORE = "upstreams: [{name: m, url: 'http://127.0.0.1:1'}]\n"
JWT = "issuer: i, audience: [a], algorithms: [RS256], jwks_file: k.json"
CONTROL = f"{JWT}, planes: [control], roles_claim: roles"
TLS = "tls: {certificate: c, key: k%s}"
REFUSED = {
    "no audience": "identity: {jwt: [{issuer: i, algorithms: [RS256], jwks_file: k}]}",
    "empty audience": f"identity: {{jwt: [{{{JWT.replace('[a]', '[]')}}}]}}",
    "no algorithm": "identity: {jwt: [{issuer: i, audience: [a], jwks_file: k}]}",
    "shared secret": f"identity: {{jwt: [{{{JWT.replace('RS256', 'HS256')}}}]}}",
    "none": f"identity: {{jwt: [{{{JWT.replace('RS256', 'none')}}}]}}",
    "no keys": f"identity: {{jwt: [{{{JWT.replace(', jwks_file: k.json', '')}}}]}}",
    "two sources": f"identity: {{jwt: [{{{JWT}, jwks_url: 'https://h/k'}}]}}",
    "plain far away": f"identity: {{jwt: [{{{JWT.replace('jwks_file: k.json', 'jwks_url: http://h/k')}}}]}}",
    "long skew": f"identity: {{jwt: [{{{JWT}, skew: PT6M}}]}}",
    "keys read too often": f"identity: {{jwt: [{{{JWT}, refresh: PT29S}}]}}",
    "issuer twice": f"identity: {{jwt: [{{{JWT}}}, {{{JWT}}}]}}",
    "control without roles": f"identity: {{jwt: [{{{JWT}, planes: [control]}}]}}",
    "no plane": f"identity: {{jwt: [{{{JWT}, planes: []}}]}}",
    "another plane": f"identity: {{jwt: [{{{JWT}, planes: [console]}}]}}",
    "all tenants on the data plane": f"identity: {{jwt: [{{{JWT}, all_tenants: staff}}]}}",
    "all tenants and one": f"identity: {{jwt: [{{{CONTROL}, all_tenants: s, tenants: {{s: t}}}}]}}",
    "all tenants by a tenant's name": "tenants: [{name: staff}]\n"
    f"identity: {{jwt: [{{{CONTROL}, all_tenants: staff}}]}}",
    "issuer twice for a plane": f"identity: {{jwt: [{{{CONTROL}}}, {{{CONTROL}}}]}}",
    "sidecar beside tokens for both": "identity: {static: {tenant: t}, "
    f"jwt: [{{{CONTROL.replace('[control]', '[data, control]')}}}]}}",
    "sidecar beyond loopback": "listen: {data: '0.0.0.0:80'}\nidentity: {static: {tenant: t}}",
    "sidecar beside tokens": f"identity: {{static: {{tenant: t}}, jwt: [{{{JWT}}}]}}",
    "sidecar of no role": "identity: {static: {tenant: t, roles: [admin]}}",
    "certificate of no role": f"listen: {{{TLS % ', client_ca: a'}}}\n"
    "identity: {certificates: [{name: 'cn:a', tenant: t, roles: [app, admin]}]}",
    "certificates without tls": "identity: {certificates: [{name: 'cn:a', tenant: t}]}",
    "certificates without ca": f"listen: {{{TLS % ''}}}\n"
    "identity: {certificates: [{name: 'cn:a', tenant: t}]}",
    "bare name": f"listen: {{{TLS % ', client_ca: a'}}}\n"
    "identity: {certificates: [{name: agent, tenant: t}]}",
}  # fmt: skip
ACCEPTED = {
    "token": f"identity: {{jwt: [{{{JWT}}}]}}",
    "token for control": f"identity: {{jwt: [{{{CONTROL}, all_tenants: staff}}]}}",
    "issuer once for each plane": f"identity: {{jwt: [{{{CONTROL}}}, {{{JWT}}}]}}",
    "sidecar beside tokens for control": "identity: {static: {tenant: t}, "
    f"jwt: [{{{CONTROL}}}]}}",
    "keys read as often as may be": f"identity: {{jwt: [{{{JWT}, refresh: PT30S}}]}}",
    "local keys": f"identity: {{jwt: [{{{JWT.replace('jwks_file: k.json', 'jwks_url: http://127.0.0.1:9/k')}}}]}}",
    "sidecar": "identity: {static: {tenant: t}}",
    "sidecar on ipv6": "listen: {data: '[::1]:80'}\nidentity: {static: {tenant: t}}",
    "sidecar of another role": "identity: {static: {tenant: t, roles: [auditor]}}",
    "sidecar said openly": "listen: {data: '0.0.0.0:80'}\n"
    "identity: {static: {tenant: t, beyond_loopback: true}}",
    "certificates": f"listen: {{{TLS % ', client_ca: a'}}}\n"
    "identity: {certificates: [{name: 'uri:spiffe://a/b', tenant: t}]}",
}  # fmt: skip


@pytest.mark.parametrize("section", REFUSED.values(), ids=REFUSED)
def test_unsafe_ways_in_are_refused(section: str, tmp_path: Path) -> None:
    """At the start, by the section it stands in."""
    with pytest.raises(ConfigError) as refused:
        loads((HEAD + STORE + section).encode(), {}, base=tmp_path)
    assert any("identity" in str(issue) for issue in refused.value.issues)


@pytest.mark.parametrize("section", ACCEPTED.values(), ids=ACCEPTED)
def test_their_safe_twins_are_accepted(section: str, tmp_path: Path) -> None:
    """The same with what was missing."""
    assert loads((HEAD + STORE + section).encode(), {}, base=tmp_path).config


@pytest.mark.parametrize(
    "more", ["tls: {certificate: c}", "http_proxy: 'http://user:word@h:1'", "region: 'e u'"]
)
def test_half_a_pair_a_secret_in_a_url_and_odd_regions_are_refused(
    more: str, tmp_path: Path
) -> None:
    """Settings of a store."""
    store = f"upstreams: [{{name: m, url: 'https://h', {more}}}]\n"
    with pytest.raises(ConfigError):
        loads((HEAD + store).encode(), {}, base=tmp_path)


PASSING = "{name: %s, url: 'http://127.0.0.1:1', credential: {env: KEY}, passthrough: %s}"


@pytest.mark.parametrize(
    ("stores", "said"),
    [
        ("{name: m, url: 'http://127.0.0.1:1', passthrough: authorization}",
         "passthrough needs credential: erasures"),
        (PASSING % ("m", "cookie"), "authorization"),
        (f"{PASSING % ('m', 'authorization')}, {PASSING % ('n', 'x-api-key')}", "one header"),
    ],
    ids=["nothing for erasures", "another header", "no header left"],
)  # fmt: skip
def test_what_could_not_be_told_apart_or_erased_is_refused(
    stores: str, said: str, tmp_path: Path
) -> None:
    """At the start and by 'config check', in words."""
    with pytest.raises(ConfigError) as refused:
        loads(f"{HEAD}upstreams: [{stores}]\n".encode(), {}, base=tmp_path)
    assert any(said in str(issue) for issue in refused.value.issues)


def test_a_credential_is_passed_on_where_it_is_said_alone(tmp_path: Path) -> None:
    """Off by default; one store may have it and another not."""
    one = PASSING % ("m", "authorization")
    other = "{name: n, url: 'http://127.0.0.1:2'}"
    config = loads(f"{HEAD}upstreams: [{one}, {other}]\n".encode(), {}, base=tmp_path).config
    assert [store.passthrough for store in config.upstreams] == ["authorization", None]
    assert config.passed == "authorization"
    plain = loads(f"{HEAD}upstreams: [{other}]\n".encode(), {}, base=tmp_path).config
    assert plain.passed is None
