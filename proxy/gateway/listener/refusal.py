"""What a listener refuses by itself: bytes that are no request; no echo of them."""

from proxy.gateway.answers.errors import problem_reply
from proxy.gateway.listener.call import Answer
from proxy.problems import Problem
from proxy.telemetry import get_logger, metrics

_LOG = get_logger("gateway")


def refusal(problem: Problem, failure: BaseException | None = None) -> Answer:
    """The answer, counted and noted; the connection ends with it.

    Args:
        failure: what went wrong below the gateway, if anything did.
    """
    _LOG.warning("gateway.malformed", slug=problem.slug, exc_info=failure)
    metrics.REFUSALS.labels(problem.slug).inc()
    return Answer(problem_reply(problem, None), closes=True)


def too_long() -> Problem:
    """A line is longer than it may be."""
    return Problem(
        "too-large", "The request line or a header is too long.", hint="See limits.line."
    )


def head_too_long() -> Problem:
    """Request line and headers are longer together than they may be."""
    return Problem(
        "too-large",
        "The request line and the headers are too long together.",
        hint="Send fewer or shorter headers: 64 KiB in all.",
    )


def too_many() -> Problem:
    """There are more headers than there may be."""
    return Problem("too-large", "The request has too many headers.", hint="See limits.headers.")


def malformed() -> Problem:
    """The bytes are no request."""
    return Problem(
        "invalid-request",
        "The bytes are not a well-formed HTTP/1.1 request.",
        hint="Check the client's framing; the connection is closed.",
    )


def failed() -> Problem:
    """Something below the gateway went wrong."""
    return Problem("internal", "Something went wrong.", upstream="unknown")
