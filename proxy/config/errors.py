"""Configuration mistakes: all of them at once, each with its place."""

import errno
import os
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ConfigIssue:
    """One mistake.

    Args:
        source: file name, or the name of the environment variable.
        line: line in the file, counted from 1; 0 where there is none.
        path: dotted path of the setting.
        message: what is wrong, without the value.
        suggestion: the nearest valid key, or empty.
    """

    source: str
    line: int
    path: str
    message: str
    suggestion: str = ""

    def __str__(self) -> str:
        place = f"{self.source}:{self.line}" if self.line else self.source
        meant = f" (did you mean '{self.suggestion}'?)" if self.suggestion else ""
        return f"{place}: {self.path or 'document'}: {self.message}{meant}"


class ConfigError(Exception):
    """The configuration is not valid; ``issues`` holds everything that is wrong with it."""

    def __init__(self, issues: Sequence[ConfigIssue]) -> None:
        super().__init__("; ".join(str(issue) for issue in issues))
        self.issues = tuple(issues)


class AddressTaken(OSError):
    """Something else listens on an address.

    Args:
        address: host and port.
    """

    def __init__(self, address: object) -> None:
        super().__init__(errno.EADDRINUSE, f"{os.strerror(errno.EADDRINUSE)}: {address}")
        self.address = address
