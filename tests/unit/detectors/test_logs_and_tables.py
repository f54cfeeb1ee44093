"""Lines of a log or a table are whole: no number reaches from one into the next."""

from collections.abc import Callable

import pytest

# Lines in which nothing is a telephone number, an address or a card, and nearly the same number.
LINES = {
    "iso date": ("jobs done 120\n2026-11-29 next run", "call 415-555\n0132"),
    "time, then a date": ("finished at 03:00\n2026-11-28 started", "finished.\n+49 171\n5550192"),
    "status, then a time stamp": ("status=200\n2026-11-29 10:15:31 INFO", "tel 0171 / 555\n0192"),
    "waiting, then a date": ("waiting 0\n2026-11-29 10:15 pool 12", "ring 415\n555 0142"),
    "day first": ("calls 12\n29.11.2026 34", "call 415.555\n0142"),
    "dated cells": ("1003,12,2026-11-29\n1004,13,2026-11-30", "1003,12,415-555-0142"),
    "cells of digits": ("id;calls\n1003;5550\n1004;5551", "who;calls\n415-555-0142;5551"),
    "cells between bars": ("| calls | 12 |\n| 2026-11-29 | 13 |", "| calls | 415-555-0142 |"),
    "a clock in a line": (
        "E1205 12:00:01.123456 1 watch.go:138] call",
        "at 12:00 ring 415-555-0142",
    ),
    "compact stamp": ("mobile users 120\n20261129T101530Z ok", "mobile 415-555-\n0142"),
    "seconds since 1970": ("1700000000 200\n1700000075 404", "ring 415-555\n0142"),
    "dates in a row": ("calls on 2026-11-29 2026-11-30", "called on 2026-11-29 415-555-0142"),
    "a date after a number": ("dial 17 2026-11-29", "dial 415-555-0142 2026-11-29"),
    "bullets": ("Calls\n- 09:00\n- 2026-11-30 review", "Calls\n- 415-555-0142\n- 2026-11-30"),
}
TYPES = ("PHONE_NUMBER", "CREDIT_CARD", "US_SSN", "IP_ADDRESS", "BANK_ACCOUNT")


@pytest.mark.parametrize(("lines", "twin"), LINES.values(), ids=LINES)
def test_no_number_is_made_of_two_lines(
    values_of: Callable[[str, str], list[str]], lines: str, twin: str
) -> None:
    """Nothing of the lines is taken; a number that is broken over lines, or beside, still is."""
    assert [found for kind in TYPES for found in values_of(kind, lines)] == []
    assert values_of("PHONE_NUMBER", twin)


def test_an_address_at_the_beginning_of_a_line_is_found_alone(
    values_of: Callable[[str, str], list[str]],
) -> None:
    """What stands at the end of the line before is none of it."""
    lines = "GET / 200 5123\n203.0.113.21 - - GET /a.css 304 0"
    assert values_of("IP_ADDRESS", lines) == ["203.0.113.21"]
