"""Kinds of setting: addresses, durations, sizes, paths and secrets by reference."""

import os
import re
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    ValidationInfo,
    WithJsonSchema,
    model_validator,
)

_DURATION = re.compile(r"P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?")
_SIZE = re.compile(r"(\d+)\s*(B|KiB|MiB|GiB)")
_UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
_ADDRESS = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[^:\s]+):(?P<port>\d{1,5})")


def _duration(value: Any) -> timedelta:
    if isinstance(value, timedelta):
        return value
    found = _DURATION.fullmatch(value) if isinstance(value, str) else None
    if found is None or not any(found.groups()):
        raise ValueError("is an ISO 8601 duration such as PT5S, PT10M or P1D")
    weeks, days, hours, minutes, seconds = (float(part or 0) for part in found.groups())
    return timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds)


def iso(value: timedelta) -> str:
    """A duration as ISO 8601 days and seconds."""
    seconds = value.total_seconds()
    if seconds and seconds % 86400 == 0:
        return f"P{int(seconds // 86400)}D"
    return f"PT{seconds:g}S"


def _size(value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    found = _SIZE.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise ValueError("is a size with a unit such as 512KiB or 10MiB")
    return int(found[1]) * _UNITS[found[2]]


def path_from(value: Any, info: ValidationInfo) -> Path:
    """A path; a relative one starts where the configuration file is."""
    if not isinstance(value, str | Path) or not str(value):
        raise ValueError("is a path")
    base = (info.context or {}).get("base")
    path = Path(value).expanduser()
    return path if base is None or path.is_absolute() else Path(base) / path


class Address(BaseModel):
    """Host and port of a listener."""

    model_config = ConfigDict(frozen=True)
    host: str
    port: int = Field(ge=0, le=65535)

    @model_validator(mode="before")
    @classmethod
    def _parse(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        found = _ADDRESS.fullmatch(value)
        if found is None:
            raise ValueError("is host:port such as 127.0.0.1:8080 or [::1]:8080")
        return {"host": found["host"].strip("[]"), "port": int(found["port"])}

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


Duration = Annotated[
    timedelta,
    BeforeValidator(_duration),
    PlainSerializer(iso),
    WithJsonSchema({"type": "string", "pattern": _DURATION.pattern}),
]
Size = Annotated[
    int,
    BeforeValidator(_size),
    WithJsonSchema({"type": ["integer", "string"], "pattern": _SIZE.pattern}),
]
FilePath = Annotated[
    Path, BeforeValidator(path_from), PlainSerializer(str), WithJsonSchema({"type": "string"})
]
Listen = Annotated[
    Address,
    PlainSerializer(str),
    WithJsonSchema({"type": "string", "pattern": _ADDRESS.pattern.replace("?P", "?")}),
]


class Secret(BaseModel):
    """A secret by reference: the name of an environment variable, or a file."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    env: str | None = Field(
        default=None, description="Name of the environment variable that holds it."
    )
    file: FilePath | None = Field(
        default=None, description="File that holds it; white space is trimmed."
    )

    @model_validator(mode="after")
    def _one(self) -> "Secret":
        if (self.env is None) == (self.file is None):
            raise ValueError("takes either env or file")
        return self

    def read(self) -> str:
        """The secret.

        Raises:
            LookupError: the variable or file is missing or empty; the message names no value.
        """
        if self.file is None:
            value = os.environ.get(self.env or "", "")
        else:
            value = self._file_text(self.file)
        if not value.strip():
            raise LookupError(f"{self} is missing or empty")
        return value.strip()

    @staticmethod
    def _file_text(path: Path) -> str:
        try:
            return path.read_text("utf-8")
        except OSError:
            return ""

    def __str__(self) -> str:
        return f"env:{self.env}" if self.file is None else f"file:{self.file}"
