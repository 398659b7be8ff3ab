"""The open sockets of this process: how many a token has, and what each second has to be seen to.

Once a second the sockets that have been silent for too long are closed, and one query over the tokens of
the others finds those that have been revoked: so a revocation holds within a second in every process,
without a broker.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection
from typing import Protocol

from server.api.auth import Identity

log = logging.getLogger("moontide.sockets")

SOCKETS_AT_MOST = 5
"""Sockets of one token at a time (DESIGN 8, "Limits")."""

SILENT_AFTER = 2.5
"""After so many heartbeats without a frame a socket is closed."""

TOKENS_A_QUERY = 1000
"""That are looked up at a time: a statement takes only so many parameters, and making it holds up everybody."""

POLICY, INTERNAL = 1008, 1011


class Socket(Protocol):
    """What the registry needs to know of a connection."""

    heard_at: float

    @property
    def stuck(self) -> bool: ...

    @property
    def identity(self) -> Identity | None: ...

    def close(self, code: int, reason: str) -> None: ...

    def drain(self, reconnect_in_ms: int) -> None: ...

    async def retire(self) -> None: ...


class Sockets:
    """All sockets that have said hello. ``revoked`` tells which of some token ids are revoked."""

    def __init__(
        self, revoked: Callable[[Collection[str]], Awaitable[Collection[str]]], *, limited: bool, heartbeat_s: float
    ) -> None:
        self._revoked = revoked
        self._limited = limited
        self._silent_after_s = SILENT_AFTER * heartbeat_s
        self._of_token: dict[str, dict[Socket, None]] = {}
        self._task: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return sum(map(len, self._of_token.values()))

    def start(self) -> None:
        self._task = asyncio.create_task(self._watch_over(), name="sockets")

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def add(self, socket: Socket) -> bool:
        """Enter a socket that has said hello; False when its token has too many already."""
        assert socket.identity is not None
        of_token = self._of_token.setdefault(socket.identity.token, {})
        if self._limited and len(of_token) >= SOCKETS_AT_MOST:
            return False
        of_token[socket] = None
        return True

    def remove(self, socket: Socket) -> None:
        if socket.identity is not None:
            of_token = self._of_token.get(socket.identity.token, {})
            of_token.pop(socket, None)
            if not of_token:
                self._of_token.pop(socket.identity.token, None)

    def drain(self, spread_ms: int) -> None:
        """Tell every socket that this process stops, each with a time of its own within ``spread_ms``."""
        sockets = [socket for of_token in self._of_token.values() for socket in of_token]
        for number, socket in enumerate(sockets):
            socket.drain(spread_ms * number // max(1, len(sockets)))

    async def retire(self) -> None:
        """Let every socket answer what it has been sent and close; returns when they are gone."""
        sockets = [socket for of_token in self._of_token.values() for socket in of_token]
        await asyncio.gather(*(socket.retire() for socket in sockets))

    def close_token(self, token_id: str) -> None:
        """Close the sockets of a token that was revoked here: at once."""
        for socket in tuple(self._of_token.get(token_id, ())):
            socket.close(POLICY, "unauthenticated")

    async def _watch_over(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(min(1.0, self._silent_after_s / 2))
            now = loop.time()
            for of_token in tuple(self._of_token.values()):
                for socket in tuple(of_token):
                    if now - socket.heard_at > self._silent_after_s:
                        socket.close(POLICY, "silent")
                    elif socket.stuck:
                        socket.close(INTERNAL, "not_reading")
            try:
                await self._close_revoked()
            except Exception as error:
                log.warning("could not look for revoked tokens: %r", error)

    async def _close_revoked(self) -> None:
        tokens = tuple(self._of_token)
        for start in range(0, len(tokens), TOKENS_A_QUERY):
            for token_id in await self._revoked(tokens[start : start + TOKENS_A_QUERY]):
                self.close_token(token_id)
