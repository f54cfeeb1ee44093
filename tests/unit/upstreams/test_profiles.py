"""Profiles load strictly and list what the SDKs call."""

from pathlib import Path

import pytest

from proxy.problems import Problem
from proxy.upstreams.profile import load_profile

PLATFORM = [
    ("GET", "/v1/ping/", "pass"), ("POST", "/v3/memories/add/", "write"),
    ("POST", "/v3/memories/", "list"), ("POST", "/v3/memories/search/", "search"),
    ("GET", "/v1/memories/ab-1/", "get"), ("PUT", "/v1/memories/ab-1/", "update"),
    ("DELETE", "/v1/memories/ab-1/", "delete"), ("GET", "/v1/memories/ab-1/history/", "history"),
    ("DELETE", "/v1/memories/", "delete_owner"), ("GET", "/v1/entities/", "owners"),
    ("DELETE", "/v2/entities/user/a%2Fb/", "delete_owner"), ("PUT", "/v1/batch/", "batch_update"),
    ("DELETE", "/v1/batch/", "batch_delete"), ("POST", "/v1/exports/", "deny"),
    ("POST", "/v1/exports/get/", "deny"), ("GET", "/v1/memories/events/", "deny"),
    ("GET", "/v1/event/e-1/", "event"), ("DELETE", "/v2/entities/team/x/", None),
    ("PATCH", "/v1/memories/ab-1/", None), ("GET", "/v1/memories/a/b/", None),
]  # fmt: skip
OSS = [
    ("POST", "/memories", "write"), ("GET", "/memories", "list"), ("POST", "/search", "search"),
    ("GET", "/memories/ab-1", "get"), ("PUT", "/memories/ab-1", "update"),
    ("DELETE", "/memories/ab-1", "delete"), ("GET", "/memories/ab-1/history", "history"),
    ("DELETE", "/memories", "delete_owner"), ("GET", "/entities", "owners"),
    ("DELETE", "/entities/run/r-1", "delete_owner"), ("POST", "/reset", "reset"),
    ("POST", "/configure", "deny"), ("GET", "/memories/", None), ("GET", "/auth/me", None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "method", "path", "op"),
    [("mem0-platform", *row) for row in PLATFORM] + [("mem0-oss", *row) for row in OSS],
)
def test_a_route_has_one_operation(name: str, method: str, path: str, op: str | None) -> None:
    """The first line that fits decides; what fits none is not covered."""
    found = load_profile(name).find(method, path)
    assert (found[0].op if found else None) == op


BROKEN = [
    pytest.param("name: mem0-oss", "nome: x", "name", id="missing-key"),
    pytest.param("op: write", "op: wirte", "op", id="unknown-operation"),
    pytest.param("      infer: $.infer", "      infre: $.infer", "infre", id="unknown-key"),
    pytest.param("meta: $.metadata", "meta: metadata", "selector", id="no-selector"),
    pytest.param("add: POST /memories", "add: POST /memory", "route", id="unknown-use"),
    pytest.param("schema: expunge.profile/1", "schema: expunge.profile/9", "schema", id="schema"),
    pytest.param("routes:", "routes: [", "readable", id="yaml"),
]


@pytest.mark.parametrize(("old", "new", "said"), BROKEN)
def test_a_broken_profile_does_not_load(tmp_path: Path, old: str, new: str, said: str) -> None:
    """The problem names what is wrong."""
    source = Path("proxy/upstreams/profiles/mem0-oss.yaml").read_text("utf-8")
    assert old in source
    path = tmp_path / "broken.yaml"
    path.write_text(source.replace(old, new, 1), "utf-8")
    with pytest.raises(Problem) as caught:
        load_profile(path)
    assert caught.value.slug == "invalid-config"
    assert said in caught.value.detail


def test_a_profile_of_ones_own_loads(tmp_path: Path) -> None:
    """The shipped text under another path is a profile too."""
    path = tmp_path / "mine.yaml"
    path.write_text(Path("proxy/upstreams/profiles/mem0-oss.yaml").read_text("utf-8"), "utf-8")
    assert load_profile(path).name == "mem0-oss"


def with_route(folder: Path, route: str) -> Path:
    """Mem0's own profile with one route more, before all others."""
    source = Path("proxy/upstreams/profiles/mem0-oss.yaml").read_text("utf-8")
    path = folder / "profile.yaml"
    path.write_text(source.replace("\nroutes:\n", f"\nroutes:\n  - {route}\n", 1), "utf-8")
    return path


HITS = [
    pytest.param("op: list", "$.top_k", "hits", id="of-a-list"),
    pytest.param("op: search, streams: sse", "$.top_k", "hits", id="of-a-stream"),
    pytest.param("op: search", "query:top_k", "body", id="in-the-query"),
    pytest.param("op: search", '"$.page[0]"', "body", id="within-a-list"),
]


@pytest.mark.parametrize(("op", "limit", "said"), HITS)
def test_hits_that_could_not_be_asked_for_do_not_load(
    tmp_path: Path, op: str, limit: str, said: str
) -> None:
    """A number is put where the profile says, so that must be one place of the body."""
    hits = f"hits: {{limit: {limit}, usual: 10, maximum: 100}}"
    path = with_route(tmp_path, f"{{match: GET /x, {op}, {hits}}}")
    with pytest.raises(Problem) as caught:
        load_profile(path)
    assert said in caught.value.detail


BATCHES = [
    pytest.param("PUT /b", 'id: "$.ids[*]"', "items", id="changes-without-items"),
    pytest.param("PUT /b", 'items: "$.rows[*]"', "in.id", id="no-id"),
    pytest.param("DELETE /b", 'id: "query:ids"', "in.id", id="in-the-query"),
    pytest.param("DELETE /b", "id: $.id", "in.id", id="no-list"),
    pytest.param("DELETE /b", 'items: "$.rows[0]", id: "@.ids[*]"', "lists", id="one-of-a-list"),
    pytest.param("DELETE /b", 'items: "$.rows[*]", id: $.id', "starts with", id="from-the-root"),
    pytest.param("DELETE /b", 'id: "@.ids[*]"', "starts with", id="from-no-item"),
]


@pytest.mark.parametrize(("match", "selectors", "said"), BATCHES)
def test_a_batch_that_cannot_be_checked_does_not_load(
    tmp_path: Path, match: str, selectors: str, said: str
) -> None:
    """A batch whose memories the check cannot walk to would reach the store unchecked."""
    op = "batch_update" if match.startswith("PUT") else "batch_delete"
    path = with_route(tmp_path, f"{{match: {match}, op: {op}, in: {{{selectors}}}}}")
    with pytest.raises(Problem) as caught:
        load_profile(path)
    assert said in caught.value.detail
