"""What a database failure means: the ledger is away, the unit clashed, or try once more."""

import sqlite3
from enum import Enum

from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from proxy.problems import Problem


class Conflict(Exception):
    """A row with this key exists, or a row it points to does not."""


class Verdict(Enum):
    """What to do with the transaction that met a failure."""

    UNAVAILABLE = "unavailable"  # the transaction is lost and so is every unit of it
    RETRY = "retry"  # only this unit, in a later transaction
    UNIT = "unit"  # only this unit, for good


_SQLITE = {
    5: "It is locked by another process.",
    7: "There is not enough memory.",
    8: "It is read-only.",
    10: "The disk cannot be read or written.",
    11: "The database file is damaged.",
    13: "The disk is full.",
    14: "The database file cannot be opened.",
    26: "The file is not a database.",
}
_POSTGRES = {
    "08": "The database cannot be reached.",
    "28": "The database refuses the credential.",
    "25": "It is read-only.",
    "3D": "The database does not exist.",
    "53": "The database is out of disk, memory or connections.",
    "55": "The database takes no connections now.",
    "55P03": "It is locked by another process.",
    "57": "The database is shutting down.",
    "57014": "The database stopped the statement.",
    "58": "The database's disk failed.",
    "XX": "The database is damaged.",
}
_RETRY = frozenset({"40001", "40P01"})
_SERIOUS = (SQLAlchemyError, sqlite3.Error, OSError, TimeoutError)


def is_database_failure(failure: BaseException) -> bool:
    """Whether ``failure`` came from the database or the way to it."""
    return isinstance(failure, _SERIOUS)


def judge(failure: BaseException) -> Verdict:
    """Decide how far a failure reaches."""
    if _sqlstate(failure) in _RETRY:
        return Verdict.RETRY
    return Verdict.UNAVAILABLE if _reason(failure) else Verdict.UNIT


def unavailable(failure: BaseException) -> Problem:
    """The problem a caller gets; it never carries the driver's own text."""
    return Problem("ledger-unavailable", _reason(failure) or "The database failed.")


def translate(failure: BaseException) -> BaseException:
    """The exception a caller of the ledger sees for ``failure``."""
    if isinstance(failure, IntegrityError):
        return Conflict("a row with this key exists already")
    if is_database_failure(failure) and judge(failure) is not Verdict.UNIT:
        return unavailable(failure)
    return failure


def _reason(failure: BaseException) -> str | None:
    if isinstance(failure, PoolTimeout):
        return "No connection became free in time."
    if isinstance(failure, DBAPIError) and failure.connection_invalidated:
        return "The connection was lost."
    if isinstance(failure, OSError | TimeoutError):
        return "The database cannot be reached."
    code = _sqlite_code(failure)
    if code is not None:
        return _SQLITE.get(code & 0xFF)
    state = _sqlstate(failure)
    return _POSTGRES.get(state) or _POSTGRES.get(state[:2])


def _origin(failure: BaseException) -> BaseException:
    return failure.orig if isinstance(failure, DBAPIError) and failure.orig else failure


def _sqlite_code(failure: BaseException) -> int | None:
    code = getattr(_origin(failure), "sqlite_errorcode", None)
    return code if isinstance(code, int) else None


def _sqlstate(failure: BaseException) -> str:
    return str(getattr(_origin(failure), "sqlstate", None) or "")
