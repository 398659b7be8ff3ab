"""Time as the server knows it: whole milliseconds since 1970, UTC."""

import time
from datetime import UTC, datetime, timedelta
from typing import Protocol

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


class Clock(Protocol):
    """What tells the time. A seam of ``create_app``: tests bring one that they move by hand."""

    def now(self) -> int:
        """Milliseconds UTC. May go back; whoever needs order takes the maximum with what came before."""
        ...


class SystemClock:
    """The machine's own clock."""

    def now(self) -> int:
        return time.time_ns() // 1_000_000


def parse_time(text: str) -> int:
    """Milliseconds UTC of an ISO 8601 time that names its offset; as clients send one.

    Raises ValueError for anything else, a time without an offset included.

    >>> parse_time("2026-11-30T10:00:00.007Z")
    1796032800007
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a time like 2026-11-30T10:00:00.000Z") from None
    if moment.tzinfo is None:
        raise ValueError(f"{text!r} names no time zone; write it like 2026-11-30T10:00:00.000Z")
    return (moment - _EPOCH) // _MILLISECOND
