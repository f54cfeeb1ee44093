"""What may go wrong with a store, as erasure and retention need to tell it apart."""

from proxy.problems import Problem


class StoreError(Exception):
    """Root: a call to a store did not give a usable answer; ``upstream`` names the store."""

    upstream: str | None = None


class StoreUnavailable(StoreError):
    """Nothing was done: not reachable, refused, or asked to wait.

    Args:
        retry_after: seconds the store asked for, if it did.
    """

    def __init__(self, retry_after: float | None = None) -> None:
        super().__init__("the store is not available")
        self.retry_after = retry_after


class StoreUnknown(StoreError):
    """It may or may not have been done: look again before anything is claimed."""

    def __init__(self) -> None:
        super().__init__("the outcome at the store is not known")


def of_problem(problem: Problem) -> StoreError:
    """A transport's problem in these terms."""
    return StoreUnavailable() if problem.upstream == "not_sent" else StoreUnknown()
