"""Rows to values."""

from typing import Any, TypeVar

T = TypeVar("T")


def record(kind: type[T], row: Any) -> T:
    """The value of type ``kind`` whose fields are the row's columns."""
    return kind(**row._mapping)  # noqa: SLF001  (public in SQLAlchemy, whatever its name)
