"""When answers are due: tables of dates."""

from datetime import UTC, date, datetime

import pytest

from proxy.erasure.requests.deadlines import Pause, acknowledgement_due, due, internal_due


def day(text: str) -> datetime:
    """Noon of a day."""
    return datetime.fromisoformat(f"{text}T12:00:00+00:00")


@pytest.mark.parametrize(
    ("regime", "received", "extended", "expected"),
    [
        pytest.param("gdpr", "2026-01-31", False, "2026-03-02", id="31-jan-ends-on-a-weekend"),
        pytest.param("gdpr", "2024-01-31", False, "2024-02-29", id="leap-day"),
        pytest.param("gdpr", "2026-09-03", False, "2026-10-05", id="saturday-moves-to-monday"),
        pytest.param("gdpr", "2026-11-30", True, "2027-03-01", id="extension-over-new-year"),
        pytest.param("uk", "2026-09-03", False, "2026-10-05", id="uk"),
        pytest.param("ccpa", "2026-01-01", False, "2026-02-15", id="ccpa-45-days-also-on-a-sunday"),
        pytest.param("ccpa", "2026-01-01", True, "2026-04-01", id="ccpa-90-in-all"),
        pytest.param("lgpd", "2026-01-01", False, "2026-01-16", id="lgpd"),
    ],
)
def test_due(regime: str, received: str, extended: bool, expected: str) -> None:
    """Calendar months, calendar days, working days."""
    assert due(regime, day(received), extended=extended).date().isoformat() == expected


def test_a_holiday_moves_the_end() -> None:
    """The next working day after a public holiday."""
    end = due("gdpr", day("2026-11-25"), holidays={date(2026, 12, 25)})
    assert end.date().isoformat() == "2026-12-28"


def test_only_the_uk_clock_stops_for_identification() -> None:
    """Ten days of asking count in the EU and not in the UK."""
    pause = Pause(day("2026-03-03"), day("2026-03-13"))
    assert due("gdpr", day("2026-03-02"), pauses=[pause]).date().isoformat() == "2026-04-02"
    assert due("uk", day("2026-03-02"), pauses=[pause]).date().isoformat() == "2026-04-13"


def test_acknowledgement() -> None:
    """Ten business days under the CCPA, nothing elsewhere."""
    found = acknowledgement_due("ccpa", day("2026-01-01"))
    assert found is not None
    assert found.date().isoformat() == "2026-01-15"
    assert acknowledgement_due("gdpr", day("2026-01-01")) is None


def test_the_internal_target_is_thirty_days() -> None:
    """Whatever the month."""
    assert internal_due(datetime(2026, 2, 1, tzinfo=UTC)).date().isoformat() == "2026-03-03"
