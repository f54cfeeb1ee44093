"""Headers of clients: ordinary ones reach the store as they are, personal data in none of them."""

import pytest

from proxy.tokens.blocklist import Blocklist
from proxy.tokens.index.spelling import Name
from tests.support.fault_store import FaultStore, added
from tests.support.gateway import Plane

PING = "/v1/ping/"
ADD = "/v3/memories/add/"
UUID = "8f14e45f-ceea-467f-9d1c-3b2a1c0d9e8f"
WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)"
MAC = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)"

ORDINARY = [
    ("User-Agent", f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {WEBKIT} Chrome/126.0.0.0"),
    ("User-Agent", f"{MAC} Version/17.4 Safari/605.1.15"),
    ("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0"),
    ("User-Agent", "python-requests/2.32.3"), ("User-Agent", "okhttp/4.12.0"),
    ("User-Agent", "axios/1.7.2"), ("User-Agent", "curl/8.5.0"), ("User-Agent", "node"),
    ("User-Agent", "Go-http-client/2.0"), ("User-Agent", "PostmanRuntime/7.39.0"),
    ("User-Agent", "Java-http-client/21.0.3"), ("User-Agent", "Dart/3.4 (dart:io)"),
    ("User-Agent", "Apache-HttpClient/5.3.1 (Java/17.0.11)"), ("User-Agent", "Ruby"),
    ("User-Agent", "AsyncOpenAI/Python 1.35.3"), ("User-Agent", "aiohttp/3.9.5 Python/3.12"),
    ("User-Agent", "LangChain/0.2 (Python 3.12; Linux)"), ("User-Agent", "mem0ai-node/2.1.0"),
    ("User-Agent", "kube-probe/1.30"), ("User-Agent", "insomnia/10.1.0"),
    ("User-Agent", "claude-code/1.0.30"), ("User-Agent", "OpenTelemetry-Collector-Contrib/0.102.0"),
    ("User-Agent", "azsdk-python-identity/1.17.1 Python/3.12.4"), ("User-Agent", "Uptime-Kuma/1"),
    ("Accept", "*/*"), ("Accept", "application/json, text/plain, */*"), ("DNT", "1"),
    ("Accept-Language", "de-DE,de;q=0.9,en-US;q=0.8"), ("Content-Language", "zh-Hant"),
    ("Cache-Control", "no-cache"), ("Pragma", "no-cache"), ("Sec-GPC", "1"), ("Save-Data", "on"),
    ("Origin", "https://app.example.com"), ("Origin", "http://localhost:3000"), ("Origin", "null"),
    ("Referer", "https://app.example.com/"), ("Referer", "http://localhost:3000/"),
    ("Sec-Fetch-Mode", "cors"), ("Sec-Fetch-Site", "same-site"), ("Sec-Fetch-Dest", "empty"),
    ("Sec-CH-UA", '"Chromium";v="126", "Google Chrome";v="126", "Not-A.Brand";v="8"'),
    ("Sec-CH-UA-Platform", '"Windows"'), ("Sec-CH-UA-Mobile", "?0"), ("Priority", "u=1, i"),
    ("traceparent", f"00-{'0a' * 16}-{'b1' * 8}-01"), ("tracestate", "dd=s:1;o:rum;t.dm:-4"),
    ("tracestate", "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"),
    ("baggage", f"sentry-environment=production,sentry-release=1.4.2,sentry-trace_id={'0a' * 16}"),
    ("sentry-trace", f"{'0a' * 16}-{'0b' * 8}-1"), ("b3", f"{'80f198ee' * 4}-{'e457b5a2' * 2}-1"),
    ("X-Request-Id", UUID), ("X-Request-Id", "req_01J0Z8M7YQ"), ("X-Request-Id", "abc-def"),
    ("X-Correlation-Id", "checkout-7f3a"), ("Idempotency-Key", UUID),
    ("Idempotency-Key", "order-2024-001"), ("X-Session-Id", "sess_9f8a7b6c"),
    ("X-B3-TraceId", "463ac35c9f6413ad" * 2), ("X-Datadog-Trace-Id", "7277407061855694839"),
    ("X-Amzn-Trace-Id", "Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=1"),
    ("X-Cloud-Trace-Context", "105445aa7843bc8bf206b12000100000/1;o=1"),
    ("X-Datadog-Sampling-Priority", "1"), ("X-Datadog-Tags", "_dd.p.dm=-1"),
    ("X-Csrf-Token", "4f9b1c4e6a7d8b9c0d1e2f3a4b5c6d7e"), ("X-Requested-With", "XMLHttpRequest"),
    ("X-Stainless-Lang", "python"), ("X-Stainless-Os", "MacOS"), ("X-Stainless-Arch", "arm64"),
    ("X-Stainless-Runtime", "CPython"), ("X-Stainless-Runtime-Version", "3.12.4"),
    ("X-Mem0-Client", "mem0-python/2.2.1"), ("X-Mem0-Source", "langchain"),
    ("X-App-Name", "Support Desk"), ("X-App-Version", "4.2.0"), ("X-Environment", "staging"),
    ("X-Client-Name", "billing-service"), ("X-Client", "ios"), ("X-Tenant-Id", "acme"),
    ("X-Api-Version", "2024-06-01"), ("X-Retry-Count", "2"), ("Prefer", "respond-async, wait=10"),
    ("If-Match", '"33a64df551425fcc55e4d42a148795d9f25f89d4"'), ("Max-Forwards", "5"),
    ("X-LangChain-Project", "default"), ("X-Title", "My Assistant"), ("X-Region", "eu-central-1"),
    ("X-Goog-Api-Client", "gl-python/3.12.0 grpc/1.62.2"), ("X-Device-Id", "a1b2c3d4e5f6"),
    ("X-Feature-Flags", "new-ui,beta"), ("X-Team", "platform"), ("X-Service", "memory-api"),
    ("X-Timezone", "America/New_York"), ("X-Timezone", "America/Argentina/Buenos_Aires"),
    ("X-Timezone", "Antarctica/McMurdo"), ("X-User-Timezone", "America/Los_Angeles"),
    ("Timezone", "Europe/Berlin"), ("Time-Zone", "America/St_Johns"), ("X-Timezone", "+02:00"),
    ("X-Locale", "en_US"), ("X-Locale", "zh-Hans-CN"), ("X-Locale", "de_DE.UTF-8"),
    ("X-Locale", "es-419"), ("X-Country", "Germany"), ("X-Timezone-Offset", "-120"),
    ("X-User", "admin"), ("X-User-Type", "premium"), ("X-User-Role", "admin"),
    ("X-User-Agent", "grpc-web-javascript/0.1"), ("X-Owner", "platform"), ("X-Account", "acme"),
    ("X-Page", "/guides/getting-started?tab=overview"), ("X-Empty", ""),
]  # fmt: skip

PERSONAL = [
    ("Origin", "https://orla-quist.example.org"), ("From", "Orla Quist <orla.quist@example.org>"),
    ("From", "orla.quist@example.org"), ("From", "Orla Quist"), ("Referer", "orla.quist"),
    ("Referer", "//x/?orla.quist@example.org"), ("Referer", "https://orla-quist.example.org/x"),
    ("X-Page", "https://app.example.com/customers/Orla%20Quist/notes"),
    ("X-Page", "https://app.example.com/customers/orla-quist"), ("X-Page", "/notes/orla_quist/3"),
    ("X-Page", "/k/ORLA_QUIST"), ("X-Page", "/k/ORLA-QUIST"), ("X-Page", "orla--quist"),
    ("X-Page", "/search?q=Orla+Quist"), ("X-Page", "/search?q=Orla%2520Quist&page=2"),
    ("X-Page", "/search?mail=orla.quist%40example.org"), ("X-User", "orla.quist"),
    ("X-User", "oquist"), ("X-Username", "oquist85"), ("X-Remote-User", "oquist"),
    ("X-Auth-Request-Preferred-Username", "oquist"), ("X-Patient", "keller"),
    ("X-Last-Name", "keller"), ("X-Phone", "0301234567"), ("X-Real-Name", "=?utf-8?q?Orla_Quist?="),
    ("baggage", "userId=7,userName=Orla%20Quist"), ("baggage", "user.name=orla.quist"),
    ("tracestate", "vendor=orla.quist@example.org"), ("tracestate", "vendor=orla-quist"),
    ("X-Session-Id", "orla-quist-1985"), ("Idempotency-Key", "orla-quist-20260101"),
    ("Idempotency-Key", "Orla-Quist-1"), ("X-Request-Id", "Orla-Quist"),
    ("X-Correlation-Id", "OrlaQuist"), ("X-Request-Id", "orla.quist"),
    ("User-Agent", "MyApp/1.0 (orla.quist@example.org)"), ("User-Agent", "OrlaQuist/1.0"),
    ("User-Agent", "MyApp/1.0 (contact Orla Quist)"), ("User-Agent", "MyApp/1.0 (orla.quist)"),
    ("X-App-Name", "orla quist crm"), ("X-Mem0-Source", "orla.quist"),
    ("If-Match", '"orla-quist"'), ("Accept-Language", "Orla-Quist"),
    ("Prefer", 'return=minimal; user="Orla Quist"'), ("X-Note", "Patient has diabetes"),
    ("X-Timezone", "Europe/Orla_Quist"), ("X-Page", "/k/Orla_QUIST"), ("X-Locale", "Orla-Quist"),
    ("X-Diagnosis", "diabetes"), ("X-Client-Ip", "84.112.7.9"), ("X-Password", "hunter2"),
    ("X-Api-Token", "hunter2"), ("X-Auth-Token", "4f9b1c4e6a7d8b9c0d1e2f3a4b5c6d7e"),
]  # fmt: skip

ORIGINS = [
    ("https://app.example.com/customers/Orla%20Quist/notes", "https://app.example.com/"),
    ("https://app.example.com?mail=orla.quist@example.org", "https://app.example.com/"),
    ("http://localhost:3000/chat#orlaquist", "http://localhost:3000/"),
    ("app://desk/threads/7", "app://desk/"),
]


@pytest.mark.parametrize(("name", "value"), ORDINARY)
async def test_an_ordinary_header_goes_on_as_it_is(
    named: Plane, faults: FaultStore, name: str, value: str
) -> None:
    """What browsers, SDKs, tracing and gateways send is no personal data."""
    status, _ = await named.call("GET", PING, headers={name: value})
    assert (status, faults.requests[0].values(name)) == (200, [value])


@pytest.mark.parametrize(("name", "value"), PERSONAL)
async def test_a_header_with_personal_data_is_left_out(
    named: Plane, faults: FaultStore, name: str, value: str
) -> None:
    """However it is joined or escaped, and whatever header it stands in; the request goes on."""
    status, _ = await named.call("GET", PING, headers={name: value, "X-Other": "blue"})
    (request,) = faults.requests
    assert (status, request.values(name), request.values("x-other")) == (200, [], ["blue"])


@pytest.mark.parametrize(("value", "origin"), ORIGINS)
async def test_of_a_referer_the_origin_goes_on(
    named: Plane, faults: FaultStore, value: str, origin: str
) -> None:
    """The path and query of a page are words of its user."""
    await named.call("GET", PING, headers={"Referer": value})
    assert faults.requests[0].values("referer") == [origin]


BLOCKED = [
    ("X-Request-Id", "Wexxa-Zyblik"), ("X-Request-Id", "wexxa_zyblik"), ("X-Page", "/wexxaZyblik"),
    ("X-Page", "/notes/Wexxa%20Zyblik/3"), ("X-Page", "/notes/wexxa-zyblik?tab=1"),
    ("X-Note", "Wexxa Zyblik"), ("User-Agent", "App/1.0 (wexxa.zyblik)"),
]  # fmt: skip


@pytest.mark.parametrize("call", ["read", "write"])
@pytest.mark.parametrize(("name", "value"), BLOCKED)
async def test_a_header_that_names_somebody_blocked_is_left_out(
    faulty: Plane, faults: FaultStore, name: str, value: str, call: str
) -> None:
    """As the store does not see it, the request is no reason to refuse; nobody learns of it."""
    blocklist, tenant = faulty.services.blocklist, faulty.tenants["acme"]
    assert isinstance(blocklist, Blocklist)
    await faulty.services.ledger.write(lambda tx: blocklist.add(tx, tenant, [Name("Wexxa Zyblik")]))
    faults.script = lambda _: added()
    messages = [{"role": "user", "content": "likes rye bread"}]
    body = {"messages": messages, "user_id": "u-1", "infer": False}
    asked = ("POST", ADD, body) if call == "write" else ("GET", PING, None)
    status, _ = await faulty.call(*asked, headers={name: value})
    assert (status, faults.requests[0].values(name)) == (200, [])
