"""How far this process's clock is from the database's.

Several processes stamp events, and take deadlines of dailies, each by its own clock; the database's is the one
they have in common. A process whose clock is off says so in ``/readyz`` (DESIGN 10) and is sent no players until
somebody has set it right.
"""

import asyncio
import logging
from collections.abc import Callable

from server.clock import Clock
from server.store.database import Database
from server.store.errors import StoreUnavailable

log = logging.getLogger("moontide.clock")

AT_MOST_MS = 500
"""More than this and the process is not ready."""

MEASURE_EVERY_S = 60.0


class Drift:
    """Measures at start and each minute; ``tell`` is told each measure (s, positive where our clock is ahead)."""

    def __init__(self, database: Database, clock: Clock, tell: Callable[[float], None]) -> None:
        self._database = database
        self._clock = clock
        self._tell = tell
        self._task: asyncio.Task[None] | None = None
        self.ms = 0
        """Our clock minus the database's, as far as it is certain; 0 where the database has no clock of its own."""

    @property
    def too_far(self) -> bool:
        return abs(self.ms) > AT_MOST_MS

    async def start(self) -> None:
        """Measure once, then go on in the background."""
        if await self.measure():
            self._task = asyncio.create_task(self._go_on(), name="drift")

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def measure(self) -> bool:
        """Ask the database for its time; False where it has none of its own. One that is away leaves all as it is.

        The answer was given at some moment of the time that asking took, so only what is beyond that is certain: a
        slow network is no wrong clock.
        """
        loop = asyncio.get_running_loop()
        began, ours = loop.time(), self._clock.now()
        try:
            theirs = await self._database.time()
        except StoreUnavailable:
            return True
        if theirs is None:
            return False
        took_ms = (loop.time() - began) * 1000
        middle = ours + took_ms / 2 - theirs
        certain = max(0.0, abs(middle) - took_ms / 2)
        was_too_far = self.too_far
        self.ms = round(certain if middle > 0 else -certain)
        self._tell(middle / 1000)
        if self.too_far != was_too_far:
            say = log.error if self.too_far else log.info
            say("this machine's clock is %d ms from the database's", self.ms)
        return True

    async def _go_on(self) -> None:
        while True:
            await asyncio.sleep(MEASURE_EVERY_S)
            try:
                await self.measure()
            except Exception:
                log.exception("the clock could not be measured")
