"""The days of the dailies: UTC, with their three instants (DESIGN 9).

opens_at        00:00        from here on an attempt may start
last_start_at   24:00        from here on none may
closes_at       01:00 of the next day: from here on no command counts, and everything is revealed
"""

import re
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

DAY_MS = 86_400_000
CLOSES_AFTER_MS = 3_600_000
"""How long an attempt that was started at the last moment still has."""

AHEAD = 2
"""How many days ahead a daily is committed to."""

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


class Day(NamedTuple):
    """One UTC day (YYYY-MM-DD) and its instants, milliseconds UTC."""

    date: str
    opens_at: int
    last_start_at: int
    closes_at: int


def day(text: str) -> Day:
    """The day that a text names; raises ValueError unless it is a date as YYYY-MM-DD.

    >>> day("2028-02-29").closes_at - day("2028-03-01").opens_at
    3600000
    """
    if not _DATE.fullmatch(text):
        raise ValueError(f"{text!r} is not a date like 2026-11-30")
    try:
        named = date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a day of the calendar") from None
    opens_at = int(datetime(named.year, named.month, named.day, tzinfo=UTC).timestamp()) * 1000
    return Day(text, opens_at, opens_at + DAY_MS, opens_at + DAY_MS + CLOSES_AFTER_MS)


def day_of(now: int) -> Day:
    """The day that ``now`` (ms UTC) is in."""
    return day(datetime.fromtimestamp(now // 1000, UTC).date().isoformat())


def days_ahead(now: int) -> list[Day]:
    """Today and the days that dailies are committed to in advance."""
    today = date.fromisoformat(day_of(now).date)
    return [day((today + timedelta(days=ahead)).isoformat()) for ahead in range(AHEAD + 1)]
