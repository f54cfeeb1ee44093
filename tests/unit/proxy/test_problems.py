"""Problems: one shape for every error, from one table."""

import pytest

from proxy.problems import SLUGS, Problem


@pytest.mark.parametrize("slug", SLUGS)
def test_every_slug_gives_a_whole_problem(slug: str) -> None:
    """Type, title, status, detail, instance, hint and upstream are always there."""
    body = Problem(slug, "It happened.").body("req_1")
    assert body["type"] == f"urn:expunge:problem:{slug}"
    assert body["status"] == SLUGS[slug].status
    assert body["instance"] == "req_1"
    assert all(body[key] for key in ("title", "detail", "hint", "upstream"))
    assert "errors" not in body
    assert "rules" not in body


def test_optional_members_appear_when_given() -> None:
    """Errors, rules and a specific hint replace the silence and the default."""
    problem = Problem(
        "write-rejected", "No.", hint="Ask.", rules=["r1"], errors=[{"pointer": "/a"}],
        upstream="unknown", retry_after=3,
    )  # fmt: skip
    body = problem.body("req_2")
    assert (body["hint"], body["rules"], body["errors"]) == ("Ask.", ["r1"], [{"pointer": "/a"}])
    assert (body["upstream"], problem.retry_after) == ("unknown", 3)


def test_an_unknown_slug_is_a_bug() -> None:
    """Only slugs of the table exist."""
    with pytest.raises(KeyError):
        Problem("no-such-slug", "")


def test_the_detail_stays_out_of_the_exception_text() -> None:
    """str() of a problem, which may land in a log, is its slug."""
    assert str(Problem("internal", "secret words")) == "internal"
