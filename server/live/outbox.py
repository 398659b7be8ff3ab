"""What waits to be sent on one socket: a bounded queue and the task that empties it.

The crowd is never waited for. Frames are offered, and an outbox that is full says no: the watch behind it
is then told to resync. Answers to the socket's own commands always fit, for a socket has only so many
commands under way. A send that takes longer than its deadline means that nobody reads any more; the
socket is given up then, and nobody else has noticed.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

from server.live.tally import Tally

FRAMES_AT_MOST = 64
"""Frames that may wait for one socket (DESIGN 7)."""

SEND_DEADLINE_S = 20.0
"""After so long in one send the reader counts as dead."""


class Outbox:
    """The outgoing side of one socket; ``send`` sends one text and may wait for the network."""

    def __init__(
        self, send: Callable[[str], Awaitable[None]], *, deadline_s: float | None = None, tally: Tally | None = None
    ) -> None:
        self._send = send
        self._tally = tally or Tally()
        self._deadline_s = SEND_DEADLINE_S if deadline_s is None else deadline_s
        self._queue: deque[str] = deque()
        self._wake: asyncio.Future[None] | None = None
        self._drained: asyncio.Future[None] | None = None
        self._empty = asyncio.Event()
        self._empty.set()
        self._sending_since: float | None = None
        self._loop = asyncio.get_running_loop()

    def __len__(self) -> int:
        return len(self._queue)

    @property
    def full(self) -> bool:
        return len(self._queue) >= FRAMES_AT_MOST

    def put(self, text: str) -> None:
        """Queue an answer; never refused."""
        self._queue.append(text)
        self._empty.clear()
        if self._wake is not None:
            if not self._wake.done():  # it is when the task has been cancelled: nobody is there to be told
                self._wake.set_result(None)
            self._wake = None

    def offer(self, text: str) -> bool:
        """Queue a frame, or say no when the queue is full."""
        if len(self._queue) >= FRAMES_AT_MOST:
            return False
        self.put(text)
        return True

    async def room(self) -> None:
        """Wait until the queue is no longer full: for those who send a long backlog."""
        while self.full:
            if self._drained is None:
                self._drained = self._loop.create_future()
            await asyncio.shield(self._drained)

    async def emptied(self) -> None:
        """Wait until all that was queued has been handed over."""
        await self._empty.wait()

    async def run(self) -> None:
        """Send what is queued, for ever."""
        queue, send, clock, tally = self._queue, self._send, self._loop.time, self._tally
        try:
            while True:
                if not queue:
                    self._empty.set()
                    self._wake = self._loop.create_future()
                    await self._wake
                while queue:
                    self._sending_since = clock()
                    await send(queue[0])
                    self._sending_since = None
                    queue.popleft()
                    tally.frames += 1
                    if self._drained is not None and not self.full:
                        self._drained.set_result(None)
                        self._drained = None
        finally:
            if self._drained is not None:
                self._drained.cancel()

    @property
    def stuck(self) -> bool:
        """Whether one send has lasted longer than its deadline: nobody reads any more. Whoever owns the outbox asks
        once a second, which costs less than a timer a send."""
        return self._sending_since is not None and self._loop.time() - self._sending_since > self._deadline_s
