"""Time is whole milliseconds, and text that names no zone is no time."""

import time

import pytest

from server.clock import SystemClock, parse_time


def test_the_system_clock_tells_milliseconds_since_1970() -> None:
    before = time.time() * 1000
    assert before - 1 <= SystemClock().now() <= time.time() * 1000


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("1970-01-01T00:00:00.000Z", 0),
        ("2026-11-30T10:00:00.007Z", 1_796_032_800_007),
        ("2026-11-30T11:00:00.007+01:00", 1_796_032_800_007),
        ("1969-12-31T23:59:59.999Z", -1),
        ("2024-02-29T00:00:00Z", 1_709_164_800_000),
    ],
)
def test_a_time_is_read_to_the_millisecond(text: str, at: int) -> None:
    assert parse_time(text) == at


@pytest.mark.parametrize("text", ["", "yesterday", "2026-11-30", "2026-11-30T10:00:00", "2026-02-30T10:00:00Z"])
def test_what_is_no_time_is_refused_with_the_text_quoted(text: str) -> None:
    with pytest.raises(ValueError, match=r"2026-11-30T10:00:00\.000Z"):
        parse_time(text)
