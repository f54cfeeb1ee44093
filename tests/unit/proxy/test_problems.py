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


@pytest.mark.parametrize(
    ("errors", "detail"),
    [
        ([{"pointer": "/user_id", "detail": "A wildcard is not an owner id."}],
         "Not valid. /user_id: A wildcard is not an owner id."),
        ([{"pointer": "", "detail": "Leave it out."}], "Not valid. Leave it out."),
        ([{"pointer": "/a", "detail": "Too long."}, {"pointer": "/b", "detail": "Too short."}],
         "Not valid. /a: Too long."),
        ([{"pointer": "/a"}], "Not valid."),
        ([], "Not valid."),
    ],
    ids=["one", "nowhere", "two", "no-words", "none"],
)  # fmt: skip
def test_the_first_error_stands_in_the_detail_of_the_body(
    errors: list[dict[str, str]], detail: str
) -> None:
    """Many clients show nothing else; what is logged stays our own sentence."""
    problem = Problem("invalid-request", "Not valid.", errors=errors)
    assert (problem.body("req_3")["detail"], problem.detail) == (detail, "Not valid.")
