"""Group commit: what arrives while a commit is under way goes into the next one together.

There is no artificial window. Alone, an append is committed at once; under load, each commit carries all
that gathered during the one before, so the cost of one disk flush is shared. The caller does not wait
here: its callback is called when the outcome is known, so a caller that is cancelled changes nothing.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from time import perf_counter

from server.live.tally import Tally
from server.store.eventlog import Append, Appended, EventLog, Failed

log = logging.getLogger("moontide.committer")

Done = Callable[[Appended], None]


class Committer:
    """Feeds an event log with batches. ``batch`` bounds one commit, ``waiting`` what may queue before it."""

    def __init__(self, events: EventLog, *, batch: int = 512, waiting: int = 4096, tally: Tally | None = None) -> None:
        self._log = events
        self._tally = tally or Tally()
        self._batch = batch
        self._bound = waiting
        self._waiting: deque[tuple[Append, Done]] = deque()
        self._wake = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()
        self._task: asyncio.Task[None] | None = None
        self._closing = False

    def start(self) -> None:
        self._task = asyncio.create_task(self._run(), name="committer")

    async def close(self) -> None:
        """Commit what has been accepted, then stop."""
        self._closing = True
        self._wake.set()
        if self._task is not None:
            await self._task

    @property
    def has_room(self) -> bool:
        return len(self._waiting) < self._bound

    async def room(self) -> None:
        """Wait until the queue has room: back-pressure on those who would add to it."""
        await self._room.wait()

    def submit(self, append: Append, done: Done) -> None:
        """Queue one append; ``done`` is called once, in this loop, with what became of it."""
        self._waiting.append((append, done))
        if len(self._waiting) >= self._bound:
            self._room.clear()
        self._wake.set()

    async def _run(self) -> None:
        while True:
            if not self._waiting:
                if self._closing:
                    return
                self._wake.clear()
                await self._wake.wait()
                # No window: whoever is about to append in this very turn of the loop comes along.
                await asyncio.sleep(0)
                continue
            taken = [self._waiting.popleft() for _ in range(min(self._batch, len(self._waiting)))]
            self._room.set()
            for (_, done), result in zip(taken, await self._commit([append for append, _ in taken]), strict=True):
                try:
                    done(result)
                except Exception:
                    log.exception("what follows from an append failed")

    async def _commit(self, batch: list[Append]) -> list[Appended]:
        results: list[Appended]
        began = perf_counter()
        try:
            results = await self._log.append(batch)
        except Exception as error:
            log.exception("a batch of %d appends failed", len(batch))
            results = [Failed(repr(error), unknown=True)] * len(batch)
        self._tally.committed(results, perf_counter() - began)
        return results
