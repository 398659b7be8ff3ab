"""What is written to a connection in one turn of the event loop goes out in one piece.

uvloop hands each write to the kernel at once. But an answer is written as a head and a body, and a move as an event and
an ack: two system calls, two packets, and a client that is woken twice.
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

AT_MOST = 1 << 16
"""Bytes that are held back; with more, a connection is written to at once."""


class Turn:
    """The connections that something is held back for until this turn ends."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._holding: list[Gathering] = []

    def ends_with(self, transport: "Gathering") -> None:
        if not self._holding:
            self._loop.call_soon(self._end)
        self._holding.append(transport)

    def _end(self) -> None:
        holding, self._holding = self._holding, []
        for transport in holding:
            transport.flush()


class Gathering:
    """A transport whose writes of one turn are one. Everything else is the transport's own."""

    __slots__ = ("_held", "_size", "_transport", "_turn", "get_extra_info", "is_closing")

    def __init__(self, transport: asyncio.Transport, turn: Turn) -> None:
        self._transport = transport
        self._turn = turn
        self._held: list[bytes] = []
        self._size = 0
        self.is_closing = transport.is_closing
        self.get_extra_info = transport.get_extra_info

    def write(self, data: bytes) -> None:
        if not self._held:
            self._turn.ends_with(self)
        self._held.append(data)
        self._size += len(data)
        if self._size > AT_MOST:
            self.flush()

    def flush(self) -> None:
        """Hand over what is held back."""
        held = self._held
        if not held:
            return
        self._held = []
        self._size = 0
        if not self._transport.is_closing():
            self._transport.write(held[0] if len(held) == 1 else b"".join(held))

    def close(self) -> None:
        self.flush()
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class GatheringHttp(HttpToolsProtocol):
    """uvicorn's HTTP over such a transport, and what a connection becomes by an upgrade."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        state: Any = self.server_state
        turn: Turn | None = getattr(state, "turn", None)
        if turn is None:
            turn = state.turn = Turn(self.loop)
        super().connection_made(Gathering(transport, turn))  # type: ignore[arg-type]
