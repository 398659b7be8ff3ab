"""The WebSocket at /v1/live: many channels and commands on one connection (DESIGN 8, "On the socket").

    connect -> hello (within 10 s, with the token) -> welcome -> watch, unwatch, command, ping … -> close

Reading never waits for the crowd, and sending never waits for reading: what goes out passes through one
`Outbox`, so an ``event`` that was published before a command's ``ack`` arrives before it. Commands of one
socket may be under way side by side, those on one game one after another.

Where the server offers a direct line (`server.api.direct`), a command that has to wait for nothing is taken in the
very call that brings it. Everything else, and every other server, goes the way of ASGI: what is said may differ in
nothing but its speed.
"""

import asyncio

from msgspec import MsgspecError
from starlette.types import Receive, Scope, Send

from server.api import messages
from server.api.auth import Identity
from server.api.direct import DIRECT, Direct
from server.api.errors import ProblemError
from server.api.messages import (
    CommandMessage,
    Draining,
    Hello,
    Ping,
    Pong,
    SocketLimits,
    Unwatch,
    WatchRequest,
    Welcome,
)
from server.api.services import Services
from server.api.socket_commands import SocketCommands
from server.api.socket_watches import CHANNELS_AT_MOST, SocketWatches
from server.api.sockets import SOCKETS_AT_MOST
from server.api.voice import Voice
from server.live.outbox import Outbox
from server.play.codec import utc_text
from server.settings import FRAME_BYTES
from server.store.errors import StoreUnavailable

HELLO_WITHIN_S = 10.0

NORMAL, UNSUPPORTED, POLICY, INTERNAL, RESTART, TRY_AGAIN = 1000, 1003, 1008, 1011, 1012, 1013


class Closed(Exception):
    """The client has gone."""


class Connection:
    """One socket, from its hello to its end."""

    def __init__(self, services: Services, scope: Scope, receive: Receive, send: Send) -> None:
        self._services = services
        self._receive = receive
        self._send = send
        self._direct: Direct | None = scope.get("extensions", {}).get(DIRECT)
        self.write = _never if self._direct is None else self._direct.write
        self._at_rest = False
        self._outbox = Outbox(self, failed=self._cannot_send, tally=services.tally)
        self._voice = Voice(self._outbox, services.ids)
        self._commands: SocketCommands | None = None
        self._watches: SocketWatches | None = None
        self._task = asyncio.current_task()
        self._closing: tuple[int, str] | None = None
        self.identity: Identity | None = None
        self._loop = asyncio.get_running_loop()
        self.heard_at = self._loop.time()

    # -- life ---------------------------------------------------------------------------------------

    async def run(self) -> None:
        await self._receive()  # websocket.connect
        await self._send({"type": "websocket.accept"})
        try:
            await self._hello()
            if self._direct is not None:
                self._direct.listen(self._take)
            while True:
                self._at_rest = True
                text = await self._next()
                self._at_rest = False
                await self._handle(text)
        except Closed:
            pass
        except asyncio.CancelledError:
            if self._closing is None:
                raise
            assert self._task is not None
            self._task.uncancel()
            if self._closing[0] == RESTART and self._commands is not None:
                await self._commands.settled()
        finally:
            self._at_rest = False
            self._services.sockets.remove(self)
            if self._watches is not None:
                self._watches.stop()
            if self._commands is not None:
                self._commands.stop()
            if self._closing is None or self._closing[0] == INTERNAL:
                self._outbox.stop()
        if self._closing is not None:
            self._services.tally.dropped[self._closing[1]] += 1
            await self._say_goodbye(*self._closing)

    def close(self, code: int, reason: str) -> None:
        """End this connection from outside; what is queued is still sent if the reader takes it at once."""
        if self._closing is None:
            self._closing = (code, reason)
            assert self._task is not None
            self._task.cancel()

    @property
    def stuck(self) -> bool:
        """Whether the client has stopped reading."""
        return self._outbox.stuck

    def drain(self, reconnect_in_ms: int) -> None:
        """Tell the client that this process stops."""
        self._voice.say(Draining(reconnect_in_ms))

    async def retire(self) -> None:
        """Take no more, answer what is under way, and close: the process ends. Returns when it is done."""
        self.close(RESTART, "restarting")
        assert self._task is not None
        await asyncio.wait([self._task])

    async def _say_goodbye(self, code: int, reason: str) -> None:
        try:
            async with asyncio.timeout(1.0):
                await self._outbox.emptied()
                await self._send({"type": "websocket.close", "code": code, "reason": reason})
        except (TimeoutError, OSError, RuntimeError):
            pass  # nobody reads there any more; the kernel's user timeout ends the connection
        finally:
            self._outbox.stop()

    def _cannot_send(self) -> None:
        self.close(INTERNAL, "not_reading")

    # -- the line (see `Outbox`) ----------------------------------------------------------------------

    async def send(self, text: str) -> None:
        await self._send({"type": "websocket.send", "text": text})

    def _take(self, text: str) -> bool:
        """Take a command at once, if nothing that came before it is still being dealt with."""
        if not self._at_rest:
            return False
        try:
            message = messages.decode_client(text)
        except (MsgspecError, ValueError, RecursionError):
            return False  # what is wrong with it is said the usual way
        if type(message) is not CommandMessage or len(text) > FRAME_BYTES:
            return False
        assert self._commands is not None
        self.heard_at = self._loop.time()
        return self._commands.start_now(message)

    async def _next(self) -> str:
        """The next text from the client."""
        message = await self._receive()
        if message["type"] != "websocket.receive":
            raise Closed
        self.heard_at = self._loop.time()
        text = message.get("text")
        if text is None:
            await self._end(UNSUPPORTED, "text frames only")
        assert isinstance(text, str)
        if len(text) > FRAME_BYTES:
            await self._end(1009, "too_large")
        return text

    async def _end(self, code: int, reason: str) -> None:
        self._closing = (code, reason)
        raise Closed

    async def _hello(self) -> None:
        try:
            async with asyncio.timeout(HELLO_WITHIN_S):
                text = await self._next()
        except TimeoutError:
            await self._end(POLICY, "unauthenticated")
        try:
            hello = messages.decode_client(text)
        except (MsgspecError, ValueError, RecursionError):
            hello = None
        if not isinstance(hello, Hello):
            await self._end(POLICY, "unauthenticated")
        assert isinstance(hello, Hello)
        try:
            self.identity = await self._services.authenticate(hello.token)
        except StoreUnavailable:
            await self._end(TRY_AGAIN, "unavailable")
        if self.identity is None:
            await self._end(POLICY, "unauthenticated")
        assert self.identity is not None
        if not self._services.sockets.add(self):
            await self._end(POLICY, "too_many_requests")
        limits = SocketLimits(FRAME_BYTES, CHANNELS_AT_MOST, SOCKETS_AT_MOST)
        heartbeat_s = self._services.settings.heartbeat_s
        self._voice.say(Welcome(utc_text(self._services.clock.now()), _number(heartbeat_s), limits))
        if self._services.draining.is_set():
            self.drain(0)
        self._commands = SocketCommands(self._services, self.identity.player, self._voice)
        self._watches = SocketWatches(self._services, self.identity.player, self._voice)
        for request in hello.resume:
            await self._watches.watch(request)

    # -- messages -----------------------------------------------------------------------------------

    async def _handle(self, text: str) -> None:
        try:
            message = messages.decode_client(text)
        except (MsgspecError, ValueError, RecursionError) as error:
            self._refuse_unreadable(text, error)
            return
        assert self._commands is not None and self._watches is not None
        if isinstance(message, CommandMessage):
            await self._commands.start(message)
        elif isinstance(message, Ping):
            self._voice.say(Pong(utc_text(self._services.clock.now())))
        elif isinstance(message, WatchRequest):
            await self._watches.watch(message)
        elif isinstance(message, Unwatch):
            self._watches.unwatch(message.channel)
        else:
            self._voice.refuse(ProblemError("invalid_body", "hello comes once, as the first message"))

    def _refuse_unreadable(self, text: str, error: Exception) -> None:
        names = messages.names_in(text)
        detail = str(error) or "the message is nested too deeply"
        if names.get("t") == "command":
            problem = ProblemError("invalid_command", detail, reason="malformed")
        else:
            problem = ProblemError("invalid_body", detail)
        self._voice.refuse(problem, command_id=names.get("command_id"), channel=names.get("channel"))


def _never(text: str) -> bool:
    """Without a direct line all that is said has to wait its turn."""
    return False


def _number(seconds: float) -> float | int:
    """Seconds as one writes them: 20, not 20.0."""
    return int(seconds) if seconds.is_integer() else seconds


class LiveEndpoint:
    """The ASGI application of the route."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await Connection(self._services, scope, receive, send).run()
