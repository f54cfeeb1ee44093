"""Logs: unknown keys, messages and local variables never get out."""

import json
import logging

import pytest

from proxy import telemetry
from proxy.telemetry.metrics import LOG_KEYS_DROPPED

CANARY = "canary-basalt-77"


def _dropped() -> float:
    return LOG_KEYS_DROPPED._value.get()


@pytest.fixture
def lines(capsys: pytest.CaptureFixture[str]) -> "object":
    """Configure JSON logs and return a reader of what was written."""
    telemetry.configure(level="debug")

    def read() -> list[dict[str, object]]:
        return [json.loads(line) for line in capsys.readouterr().err.splitlines()]

    return read


def test_allowed_keys_pass_and_others_are_dropped_and_counted(lines) -> None:
    """A key that is not on the list is removed with its value, and counted."""
    before = _dropped()
    telemetry.get_logger("test").info("write.rejected", status=422, body=CANARY)
    (line,) = lines()
    assert (line["event"], line["status"]) == ("write.rejected", 422)
    assert CANARY not in json.dumps(line)
    assert _dropped() == before + 1


def test_exceptions_log_class_and_line_only(lines) -> None:
    """Neither the message of an exception nor local variables appear."""
    try:
        int(CANARY)
    except ValueError:
        telemetry.get_logger("test").exception("step.failed")
    (line,) = lines()
    assert line["error_class"] == "ValueError"
    assert str(line["error_at"]).startswith("test_telemetry_logs.py:")
    assert CANARY not in json.dumps(line)


def test_third_party_messages_are_reduced_to_their_origin(lines) -> None:
    """A library that logs matched text gets its logger name and level through, not the text."""
    logging.getLogger("some-library").warning("Failed to validate text %s", CANARY)
    (line,) = lines()
    assert (line["component"], line["level"]) == ("some-library", "warning")
    assert CANARY not in json.dumps(line)
