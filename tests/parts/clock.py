"""A clock that stands until the test moves it."""


class ManualClock:
    """`server.clock.Clock` for tests; times are milliseconds UTC."""

    #: 2026-11-30T10:00:00.000Z
    START = 1_796_032_800_000

    def __init__(self, at: int = START) -> None:
        self.at = at

    def now(self) -> int:
        return self.at

    def tick(self, ms: int = 1) -> int:
        """Let time pass (or, below zero, jump back); the new time."""
        self.at += ms
        return self.at
