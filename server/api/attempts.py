"""Counts over all processes, in the database: per address and window of time."""

from server.api.errors import ProblemError, too_many
from server.clock import Clock
from server.store import counters
from server.store.database import Database

HOUR_MS = 3_600_000
TEN_MINUTES_MS = 600_000
DAY_MS = 24 * HOUR_MS

WRONG_CODES = 5
"""Wrong pairing and recovery codes of one address in ten minutes (DESIGN 8, "Limits")."""


class Attempts:
    """What one address may do in a window of time, whichever process it asks."""

    def __init__(self, database: Database, clock: Clock, *, players_per_hour: int) -> None:
        self._database = database
        self._clock = clock
        self._players_per_hour = players_per_hour
        self._swept = 0

    async def new_player(self, address: str) -> None:
        """Count a new player; raises ``too_many_requests``."""
        await self._count("player", address, HOUR_MS, self._players_per_hour)

    async def code(self, address: str) -> "Guess":
        """Count a pairing or recovery code that is about to be tried; give it `Guess.back` if it was right.

        Counted first and given back, so that many guesses at once are no more than the limit.
        """
        return Guess(self._database, address, await self._count("code", address, TEN_MINUTES_MS, WRONG_CODES))

    async def _count(self, kind: str, address: str, window_ms: int, limit: int) -> int:
        now = self._clock.now()
        window = now - now % window_ms
        if not await self._database.write(counters.hit, kind, address, window, limit):
            raise _enough(window + window_ms - now)
        if window > self._swept:
            self._swept = window
            await self._database.write(counters.forget_before, window - DAY_MS)
        return window


class Guess:
    """One try that has been counted."""

    def __init__(self, database: Database, address: str, window: int) -> None:
        self._database = database
        self._address = address
        self._window = window

    async def back(self) -> None:
        """It was right, and does not count."""
        await self._database.write(counters.give_back, "code", self._address, self._window)


def _enough(wait_ms: int) -> ProblemError:
    return too_many(-(-wait_ms // 1000), "enough for now from this address")
