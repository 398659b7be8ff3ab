"""What goes out on one socket: at once where it can, and else through a bounded queue.

The crowd is never waited for. A text is handed to the line while that takes it; from then on texts queue, and
a task sends one after another as the client reads. Frames are offered, and an outbox that is full says no: the
watch behind it is then told to resync. Answers to the socket's own commands always fit, for a socket has only so
many commands under way. A send that takes longer than its deadline means that nobody reads any more; the
socket is given up then, and nobody else has noticed.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Protocol

from server.live.tally import Tally

FRAMES_AT_MOST = 64
"""Frames that may wait for one socket (DESIGN 7)."""

SEND_DEADLINE_S = 20.0
"""After so long in one send the reader counts as dead."""


class Line(Protocol):
    """The way to one client."""

    def write(self, text: str) -> bool:
        """Hand over a text at once; False, and nothing has happened, where that would have to wait."""
        ...

    async def send(self, text: str) -> None:
        """Hand over a text as soon as there is room for it."""
        ...


class Outbox:
    """The outgoing side of one socket. ``failed`` is called when a send ends in an error."""

    def __init__(
        self,
        line: Line,
        *,
        failed: Callable[[], None] | None = None,
        deadline_s: float | None = None,
        tally: Tally | None = None,
    ) -> None:
        self._line = line
        self._write = line.write
        self._failed = failed
        self._tally = tally or Tally()
        self._deadline_s = SEND_DEADLINE_S if deadline_s is None else deadline_s
        self._queue: deque[str] = deque()
        self._sender: asyncio.Task[None] | None = None
        self._drained: asyncio.Future[None] | None = None
        self._sending_since: float | None = None
        self._stopped = False
        self._loop = asyncio.get_running_loop()

    def __len__(self) -> int:
        return len(self._queue)

    @property
    def full(self) -> bool:
        return len(self._queue) >= FRAMES_AT_MOST

    def put(self, text: str) -> None:
        """Say an answer; never refused."""
        if self._sender is None:
            if self._write(text):
                self._tally.frames += 1
                return
            if self._stopped:
                return
            self._sender = self._loop.create_task(self._send_queued(), name="outbox")
            self._sender.add_done_callback(self._sent)
        self._queue.append(text)

    def offer(self, text: str) -> bool:
        """Say a frame, or say no when the queue is full."""
        if len(self._queue) >= FRAMES_AT_MOST:
            return False
        self.put(text)
        return True

    async def room(self) -> None:
        """Wait until the queue is no longer full: for those who send a long backlog. Cancelled when there will be no
        room any more."""
        while self.full:
            if self._drained is None:
                self._drained = self._loop.create_future()
            await asyncio.shield(self._drained)

    async def emptied(self) -> None:
        """Wait until all that was queued has been handed over, or cannot be."""
        if self._sender is not None:
            await asyncio.wait([self._sender])

    def stop(self) -> None:
        """Send nothing more of what is queued."""
        self._stopped = True
        if self._sender is not None:
            self._sender.cancel()

    async def _send_queued(self) -> None:
        queue, line, clock, tally = self._queue, self._line, self._loop.time, self._tally
        while queue:
            self._sending_since = clock()
            await line.send(queue[0])
            self._sending_since = None
            queue.popleft()
            tally.frames += 1
            if self._drained is not None and not self.full:
                self._drained.set_result(None)
                self._drained = None
        self._sender = None  # here, where the queue is known to be empty, and not a turn of the loop later

    def _sent(self, sender: asyncio.Task[None]) -> None:
        if not sender.cancelled() and sender.exception() is None:
            return
        # The sender stays where it is, so that nothing goes past what could not be sent.
        self._stopped = True
        if self._drained is not None:
            self._drained.cancel()
        if not sender.cancelled() and self._failed is not None:
            self._failed()

    @property
    def stuck(self) -> bool:
        """Whether one send has lasted longer than its deadline: nobody reads any more. Whoever owns the outbox asks
        once a second, which costs less than a timer a send."""
        return self._sending_since is not None and self._loop.time() - self._sending_since > self._deadline_s
