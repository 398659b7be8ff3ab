"""One connection of the load, with one message under way: as cheap as Python can make it.

Frames are made beforehand and nothing is decoded while the clock runs: an answer is a frame, or an HTTP body, that
has come whole and has the right words in it. Whatever else is said ends the run, since it would measure refusals.
"""

import asyncio
from collections import deque
from collections.abc import Iterable, Sequence
from time import perf_counter
from typing import Any

from tests.bench.frames import pong


class Run:
    """What the connections of a run share. ``answer`` is in every good answer; ``took`` holds how long each took (s).

    ``paced``: messages are sent when `Connection.due` says so; otherwise the next one follows each answer.
    """

    def __init__(self, connections: int, answer: bytes, *, paced: bool) -> None:
        self.answer = answer
        self.paced = paced
        self.over = False
        self.took: list[float] = []
        self._ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._left = connections

    async def wait(self, seconds: float) -> None:
        """Until nobody has anything more to say, and for so long at the most. RuntimeError if it has failed."""
        await asyncio.wait([self._ended], timeout=seconds)
        if self._ended.done():
            self._ended.result()

    def finished(self) -> None:
        self._left -= 1
        if not self._left and not self._ended.done():
            self._ended.set_result(None)

    def failed(self, why: str) -> None:
        if not self._ended.done():
            self._ended.set_exception(RuntimeError(why))


class Connection(asyncio.Protocol):
    """``opening`` is what is sent first, each with the words of the answer to wait for."""

    def __init__(self, run: Run, messages: Iterable[bytes], opening: Sequence[tuple[bytes, bytes]]) -> None:
        self._run = run
        self._messages = iter(messages)
        self._opening = deque(opening)
        self._rest = b""
        self._since = 0.0
        self._waiting: deque[float] = deque()
        self._busy = False
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._transport: Any = None  # uvloop's is no asyncio.Transport by name

    # -- opening ------------------------------------------------------------------------------------

    async def open(self) -> None:
        await self._ready

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        self._open_on()

    def _open_on(self) -> None:
        """Send the next opening words, or be ready."""
        self._rest = b""
        if self._opening:
            self._transport.write(self._opening[0][0])
        else:
            self._ready.set_result(None)

    def data_received(self, data: bytes) -> None:
        data = self._rest + data if self._rest else data
        if self._ready.done():
            self._rest = self._take(data)
        elif self._opening and self._opening[0][1] in data:
            self._opening.popleft()
            self._open_on()
        else:
            self._rest = data

    def connection_lost(self, error: Exception | None) -> None:
        if not self._ready.done():
            self._ready.set_exception(ConnectionError("closed before it was open"))
        self._run.failed(f"a connection was lost: {error}")

    # -- asking -------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Send the first message, then each as the last is answered."""
        self._send(perf_counter())

    def due(self, at: float) -> None:
        """A message is to be sent now. Where the last is still under way it waits for its answer; how long it takes
        counts from ``at`` (of `perf_counter`) all the same."""
        if self._busy:
            self._waiting.append(at)
        else:
            self._send(at)

    def _send(self, since: float) -> None:
        message = next(self._messages, None)
        if message is None or self._run.over:
            if self._run.paced:
                self._run.failed("more messages are due than there are")
            self._run.finished()
            return
        self._since = since
        self._busy = True
        self._transport.write(message)

    def _answered(self) -> None:
        now = perf_counter()
        self._run.took.append(now - self._since)
        if not self._run.paced:
            self._send(now)
        elif self._waiting:
            self._send(self._waiting.popleft())
        else:
            self._busy = False

    def _take(self, data: bytes) -> bytes:
        """Take in what has come whole; the rest."""
        raise NotImplementedError


class Socket(Connection):
    """A WebSocket."""

    def _take(self, data: bytes) -> bytes:
        at, end = 0, len(data)
        while end - at >= 2:
            size, body = data[at + 1], at + 2
            if size == 126:
                if end - at < 4:
                    break
                size, body = data[at + 2] << 8 | data[at + 3], at + 4
            after = body + size
            if after > end:
                break
            if data.find(self._run.answer, body, after) >= 0:
                self._answered()
            elif data[at] == 0x89:
                self._transport.write(pong(data[body:after]))
            else:
                self._run.failed(f"the server said {data[body:after]!r}")
            at = after
        return data[at:]


class Kept(Connection):
    """A kept HTTP connection."""

    def _take(self, data: bytes) -> bytes:
        head, found, body = data.partition(b"\r\n\r\n")
        if not found:
            return data
        at = head.lower().find(b"content-length: ")
        end = head.find(b"\r\n", at)
        if len(body) < int(head[at + 16 : end if end > 0 else None]):
            return data
        if self._run.answer in head:
            self._answered()
        else:
            self._run.failed(f"the server answered {head!r} {body!r}")
        return b""
