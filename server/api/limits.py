"""How much one client may ask: token buckets in memory, and counts in the database for what must not be tried often.

Buckets hold for one process: behind several, a client gets as many times the rate. Counts hold for all of
them. `MOONTIDE_LIMITS=off` turns both off.
"""

import math
import time
from collections.abc import Callable

from server.api.errors import ProblemError, too_many


class Buckets:
    """A token bucket a key: ``rate`` tokens a second for long, ``burst`` at once. Full buckets are forgotten."""

    def __init__(
        self, rate: float, burst: int, *, now: Callable[[], float] = time.monotonic, at_most: int = 50_000
    ) -> None:
        self._rate = rate
        self._burst = burst
        self._now = now
        self._bound = at_most
        # For each key the moment at which its bucket is full again: one number says how much is in it.
        self._full_at: dict[str, float] = {}

    def __len__(self) -> int:
        return len(self._full_at)

    def take(self, key: str) -> float:
        """Take one token: 0.0, or the seconds after which there will be one, and then nothing is taken."""
        now = self._now()
        full_at = max(self._full_at.get(key, now), now) + 1 / self._rate
        wait = full_at - now - self._burst / self._rate
        if wait > 1e-9:
            return wait
        if key not in self._full_at and len(self._full_at) >= self._bound:
            self._forget(now)
        self._full_at[key] = full_at
        return 0.0

    def _forget(self, now: float) -> None:
        self._full_at = {key: full_at for key, full_at in self._full_at.items() if full_at > now}
        if len(self._full_at) >= self._bound:
            # All are in use, by as many keys as one likes to invent: those nearest to full lose least.
            kept = sorted(self._full_at.items(), key=lambda item: item[1])[self._bound // 2 :]
            self._full_at = dict(kept)


class Limits:
    """The buckets of one process: one set for commands, one for everything else."""

    def __init__(self, commands: Buckets, reads: Buckets) -> None:
        self._commands = commands
        self._reads = reads

    def command(self, player: str) -> None:
        """Count a command; raises ``too_many_requests``."""
        self._require(self._commands.take(player))

    def read(self, key: str) -> None:
        """Count any other request of a player or an address; raises ``too_many_requests``."""
        self._require(self._reads.take(key))

    def _require(self, wait: float) -> None:
        if wait:
            raise slow_down(wait)


def slow_down(seconds: float) -> ProblemError:
    return too_many(max(1, math.ceil(seconds)), "too many requests; slow down")
