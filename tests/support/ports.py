"""Ports of this machine."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def deaf_port() -> Iterator[int]:
    """A port on which nobody listens, and on which nobody can begin to while it is held.

    A port that was only free a moment ago may be another test's server by the time it is called.
    """
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield int(held.getsockname()[1])
