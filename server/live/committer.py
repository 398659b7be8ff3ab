"""Group commit: what arrives while a commit is under way goes into the next one together.

There is no artificial window, and nobody waits for a turn of the event loop to end: the log itself takes what has
gathered, at the moment when it can store it. Alone, an append is committed at once; under load, each commit carries
all that came during the one before, so the cost of one disk flush is shared, and neither the loop nor the disk
waits for the other. The caller does not wait here: its callback is called when the outcome is known, so a caller
that is cancelled changes nothing.

Where the log has two lanes, plain appends, which touch nothing else, have one of their own: a game that ends costs ten
statements, and the moves of others need not wait for them. Nothing is overtaken by that: of one game one append is
under way at a time.
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
        tally = tally or Tally()
        self._lanes = [_Lane(events, number, batch, tally, self._settled) for number in range(events.lanes)]
        self._plain, self._other = self._lanes[0], self._lanes[-1]
        self._bound = waiting
        self._idle = asyncio.Event()
        self._idle.set()
        self._room = asyncio.Event()
        self._room.set()

    async def close(self) -> None:
        """Commit what has been accepted."""
        await self._idle.wait()

    @property
    def has_room(self) -> bool:
        return sum([len(lane.waiting) for lane in self._lanes]) < self._bound

    async def room(self) -> None:
        """Wait until the queue has room: back-pressure on those who would add to it."""
        await self._room.wait()

    def submit(self, append: Append, done: Done) -> None:
        """Queue one append; ``done`` is called once, in this loop, with what became of it."""
        self._idle.clear()
        (self._plain if append.is_plain else self._other).submit(append, done)
        if not self.has_room:
            self._room.clear()

    def _settled(self) -> None:
        if self.has_room:
            self._room.set()
        if all([lane.is_idle for lane in self._lanes]):
            self._idle.set()


class _Lane:
    """What waits for one kind of commit, and those under way. ``settled`` is called after each."""

    def __init__(self, events: EventLog, number: int, batch: int, tally: Tally, settled: Callable[[], None]) -> None:
        self._log = events
        self._number = number
        self._batch = batch
        self._tally = tally
        self._settled = settled
        self._asked: _Batch | None = None
        self._under_way: set[_Batch] = set()
        self.waiting: deque[tuple[Append, Done]] = deque()

    @property
    def is_idle(self) -> bool:
        return not self.waiting and not self._under_way

    def submit(self, append: Append, done: Done) -> None:
        self.waiting.append((append, done))
        if self._asked is None:
            self._ask()

    def take(self) -> list[tuple[Append, Done]]:
        """What goes into the next commit. The log may ask in a thread of its own: whoever submits after this moment
        finds that nobody is asked, and asks again."""
        self._asked = None
        waiting = self.waiting
        taken: list[tuple[Append, Done]] = []
        while waiting and len(taken) < self._batch:
            taken.append(waiting.popleft())
        return taken

    def _ask(self) -> None:
        """Let the log take what waits as soon as it can."""
        batch = self._asked = _Batch(self)
        self._under_way.add(batch)
        try:
            asyncio.ensure_future(self._log.drain(batch.take, self._number)).add_done_callback(batch.stored)
        except Exception as error:
            self.settle(batch, batch.failed(error))

    def settle(self, batch: "_Batch", results: list[Appended]) -> None:
        """Tell what became of a batch."""
        self._under_way.discard(batch)
        if results:
            self._tally.committed(results, perf_counter() - batch.began)
        for (_, done), result in zip(batch.taken, results, strict=True):
            try:
                done(result)
            except Exception:
                log.exception("what follows from an append failed")
        if self.waiting and self._asked is None:  # it was too much for one commit
            self._ask()
        self._settled()


class _Batch:
    """One commit: what it has taken, and since when."""

    def __init__(self, lane: _Lane) -> None:
        self._lane = lane
        self.taken: list[tuple[Append, Done]] = []
        self.began = perf_counter()

    def take(self) -> list[Append]:
        self.began = perf_counter()
        self.taken = self._lane.take()
        return [append for append, _ in self.taken]

    def stored(self, answers: asyncio.Future[list[Appended]]) -> None:
        error = asyncio.CancelledError() if answers.cancelled() else answers.exception()
        self._lane.settle(self, answers.result() if error is None else self.failed(error))

    def failed(self, error: BaseException) -> list[Appended]:
        """What a log that raises means for those who waited for it."""
        if not self.taken:
            self.take()
        log.error("a batch of %d appends failed", len(self.taken), exc_info=error)
        return [Failed(repr(error), unknown=True)] * len(self.taken)
