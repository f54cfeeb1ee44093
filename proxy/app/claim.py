"""One service for one SQLite ledger: whoever serves from it holds a lock on a file beside it.

A service that is alone answers before its last commit (ADR 0019), which another one would not know
to wait for. Commands that use the ledger for a moment need no claim.
"""

import errno
import fcntl
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from proxy.app.genesis import ledger_url
from proxy.config import Config
from proxy.ledger import connect
from proxy.problems import Problem

SUFFIX = ".service"
_WITHOUT_LOCKS = frozenset({errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL})


@asynccontextmanager
async def claimed(config: Config) -> AsyncIterator[tuple[int, ...]]:
    """The ledger is this service's own while the block lasts.

    Gives the descriptors that its workers must inherit: the lock is free once all of these
    processes have ended, however they end. There are none with a database server, which several
    services may share.

    Raises:
        Problem: ``ledger-taken``; ``ledger-unavailable`` where the file system knows no locks.
    """
    path = connect.sqlite_path(connect.parse(ledger_url(config)))
    if path is None:
        yield ()
        return
    real = path.resolve()  # two names of one file are one ledger
    beside = real.with_name(real.name + SUFFIX)
    connect.prepare_file(beside)
    with beside.open("rb") as file:
        _lock(file.fileno())
        yield (file.fileno(),)


def _lock(descriptor: int) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Problem("ledger-taken", "Another service runs with this ledger.") from None
    except OSError as failure:
        if failure.errno not in _WITHOUT_LOCKS:
            raise
        raise Problem(
            "ledger-unavailable",
            f"The file system of the ledger has no locks ({os.strerror(failure.errno)}): nothing "
            "would keep a second service from it.",
            hint="Keep the ledger on a local disk, or in PostgreSQL.",
        ) from None
