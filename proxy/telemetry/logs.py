"""Structured logs whose keys pass an allow-list; exceptions log class and line, nothing else."""

import logging
import sys
import traceback
from collections.abc import MutableMapping
from typing import Any, cast

import structlog

from proxy.telemetry.metrics import LOG_KEYS_DROPPED
from proxy.telemetry.names import ALLOWED_KEYS

Event = MutableMapping[str, Any]
Logger = structlog.stdlib.BoundLogger


def get_logger(name: str) -> Logger:
    """A logger called ``expunge.<name>``; events are constant dotted words."""
    return cast("Logger", structlog.get_logger(component=f"expunge.{name}"))


def configure(*, level: str = "info", pretty: bool = False) -> None:
    """Send all logs, third parties' too, through the allow-list to standard error.

    Args:
        level: debug, info, warning or error.
        pretty: for people at a terminal instead of JSON lines.
    """
    number = logging.getLevelNamesMapping()[level.upper()]
    renderer = (
        structlog.dev.ConsoleRenderer(colors=False)
        if pretty
        else structlog.processors.JSONRenderer()
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            summarise_exception,
            keep_allowed_keys,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
    )
    root = logging.getLogger()
    root.handlers = [_ThirdParty()]
    root.setLevel(logging.WARNING)


def summarise_exception(_: Any, __: str, event: Event) -> Event:
    """Replace ``exc_info`` by the exception's class and the line that raised it."""
    failure = event.pop("exc_info", None)
    if failure is True:
        failure = sys.exc_info()[1]
    if isinstance(failure, BaseException):
        event["error_class"] = type(failure).__qualname__
        frames = traceback.extract_tb(failure.__traceback__)
        if frames:
            event["error_at"] = f"{frames[-1].filename.rpartition('/')[2]}:{frames[-1].lineno}"
    return event


def keep_allowed_keys(_: Any, __: str, event: Event) -> Event:
    """Drop and count every key that is not on the list: the inverse of remembering to redact."""
    unknown = event.keys() - ALLOWED_KEYS
    if unknown:
        LOG_KEYS_DROPPED.inc(len(unknown))
        for key in unknown:
            del event[key]
    return event


class _ThirdParty(logging.Handler):
    """Other libraries' records: their logger, level, class and line; never their message."""

    def emit(self, record: logging.LogRecord) -> None:
        failure = record.exc_info[1] if record.exc_info else None
        where = f"{record.filename}:{record.lineno}"
        get_logger("library").bind(component=record.name).log(
            record.levelno, "library.logged", error_at=where,
            error_class=type(failure).__qualname__ if failure else None,
        )  # fmt: skip
