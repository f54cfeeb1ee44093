"""What can be wrong with a policy, and where."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PolicyIssue:
    """One fault: ``line`` and ``column`` count from 1 (0: the whole file); ``path`` is dotted."""

    file: str
    line: int
    column: int
    path: str
    message: str
    suggestion: str = ""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}: " if self.line else f"{self.file}: "
        hint = f" ({self.suggestion})" if self.suggestion else ""
        return f"{place}{self.path + ': ' if self.path else ''}{self.message}{hint}"


class PolicyError(Exception):
    """A policy that does not load; ``errors`` holds every fault found, in file order."""

    def __init__(self, errors: Sequence[PolicyIssue]) -> None:
        super().__init__("\n".join(map(str, errors)))
        self.errors = tuple(errors)
