"""The WebSocket at /v1/live: many channels and commands on one connection (DESIGN 8, "On the socket").

    connect -> hello (within 10 s, with the token) -> welcome -> watch, unwatch, command, ping … -> close

Reading never waits for the crowd, and sending never waits for reading: what goes out passes through one
`Outbox`, so an ``event`` that was published before a command's ``ack`` arrives before it. Commands of one
socket may be under way side by side, those on one game one after another.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Any

from msgspec import UNSET, MsgspecError
from starlette.types import Receive, Scope, Send

from server.api import messages
from server.api.auth import Identity
from server.api.errors import ProblemError, as_problem, not_found, too_many
from server.api.games import stale_problem
from server.api.messages import (
    CommandMessage,
    Draining,
    Hello,
    Ping,
    Pong,
    Refused,
    Resync,
    Selected,
    SocketLimits,
    StateMessage,
    Unwatch,
    Watching,
    WatchRequest,
    Welcome,
)
from server.api.services import Services
from server.api.sockets import SOCKETS_AT_MOST
from server.live.access import may_play, may_read
from server.live.outbox import Outbox
from server.live.referee import Chosen, Taken
from server.live.watch import FILL_AT_MOST, Watch
from server.play.codec import utc_text
from server.play.records import Header
from server.play.refusals import Stale
from server.play.view import view
from server.settings import FRAME_BYTES

log = logging.getLogger("moontide.socket")

HELLO_WITHIN_S = 10.0
CHANNELS_AT_MOST = 64
UNDER_WAY_AT_MOST = 16

NORMAL, UNSUPPORTED, POLICY, INTERNAL, RESTART = 1000, 1003, 1008, 1011, 1012


class Closed(Exception):
    """The client has gone."""


class Connection:
    """One socket, from its hello to its end."""

    def __init__(self, services: Services, receive: Receive, send: Send) -> None:
        self._services = services
        self._receive = receive
        self._send = send
        self._outbox = Outbox(self._send_text)
        self._watches: dict[str, Watch] = {}
        self._under_way = 0
        self._settled = asyncio.Event()
        self._settled.set()
        self._room: asyncio.Future[None] | None = None
        self._waiting: dict[str, asyncio.Task[None]] = {}
        self._task = asyncio.current_task()
        self._closing: tuple[int, str] | None = None
        self.identity: Identity | None = None
        self.heard_at = asyncio.get_running_loop().time()

    # -- life ---------------------------------------------------------------------------------------

    async def run(self) -> None:
        await self._receive()  # websocket.connect
        await self._send({"type": "websocket.accept"})
        writer = asyncio.create_task(self._outbox.run(), name="outbox")
        writer.add_done_callback(self._writer_done)
        try:
            await self._hello()
            while True:
                await self._handle(await self._next())
        except Closed:
            pass
        except asyncio.CancelledError:
            if self._closing is None:
                raise
            assert self._task is not None
            self._task.uncancel()
            if self._closing[0] == RESTART:
                await self._settled.wait()
        finally:
            self._services.sockets.remove(self)
            for watch in self._watches.values():
                watch.stop()
            for task in self._waiting.values():
                task.cancel()
            writer.remove_done_callback(self._writer_done)
            if self._closing is None or self._closing[0] == INTERNAL:
                writer.cancel()
        if self._closing is not None:
            await self._say_goodbye(writer, *self._closing)

    def close(self, code: int, reason: str) -> None:
        """End this connection from outside; what is queued is still sent if the reader takes it at once."""
        if self._closing is None:
            self._closing = (code, reason)
            assert self._task is not None
            self._task.cancel()

    def say(self, message: messages.ServerMessage) -> None:
        self._outbox.put(messages.encode(message))

    @property
    def stuck(self) -> bool:
        """Whether the client has stopped reading."""
        return self._outbox.stuck

    def drain(self, reconnect_in_ms: int) -> None:
        """Tell the client that this process stops."""
        self.say(Draining(reconnect_in_ms))

    async def retire(self) -> None:
        """Take no more, answer what is under way, and close: the process ends. Returns when it is done."""
        self.close(RESTART, "restarting")
        assert self._task is not None
        await asyncio.wait([self._task])

    async def _say_goodbye(self, writer: asyncio.Task[None], code: int, reason: str) -> None:
        try:
            async with asyncio.timeout(1.0):
                if not writer.done():
                    await self._outbox.emptied()
                    writer.cancel()
                await self._send({"type": "websocket.close", "code": code, "reason": reason})
        except (TimeoutError, OSError, RuntimeError):
            pass  # nobody reads there any more; the kernel's user timeout ends the connection
        finally:
            writer.cancel()

    def _writer_done(self, writer: asyncio.Task[None]) -> None:
        """The writer only ends when it is cancelled or the reader is dead."""
        if not writer.cancelled() and writer.exception() is not None:
            self.close(INTERNAL, "not_reading")

    async def _send_text(self, text: str) -> None:
        await self._send({"type": "websocket.send", "text": text})

    async def _next(self) -> str:
        """The next text from the client."""
        message = await self._receive()
        if message["type"] != "websocket.receive":
            raise Closed
        self.heard_at = asyncio.get_running_loop().time()
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
        self.identity = await self._services.authenticate(hello.token)
        if self.identity is None:
            await self._end(POLICY, "unauthenticated")
        if not self._services.sockets.add(self):
            await self._end(POLICY, "too_many_requests")
        limits = SocketLimits(FRAME_BYTES, CHANNELS_AT_MOST, SOCKETS_AT_MOST)
        heartbeat_s = self._services.settings.heartbeat_s
        self.say(Welcome(utc_text(self._services.clock.now()), _number(heartbeat_s), limits))
        if self._services.draining.is_set():
            self.drain(0)
        for request in hello.resume:
            await self._watch(request)

    # -- messages -----------------------------------------------------------------------------------

    async def _handle(self, text: str) -> None:
        try:
            message = messages.decode_client(text)
        except (MsgspecError, ValueError, RecursionError) as error:
            self._refuse_unreadable(text, error)
            return
        kind = type(message)
        if kind is CommandMessage:
            assert isinstance(message, CommandMessage)
            await self._start_command(message)
        elif kind is Ping:
            self.say(Pong(utc_text(self._services.clock.now())))
        elif isinstance(message, WatchRequest):
            await self._watch(message)
        elif isinstance(message, Unwatch):
            watch = self._watches.pop(message.channel, None)
            if watch is not None:
                watch.stop()
        else:
            self._refuse(ProblemError("invalid_body", "hello comes once, as the first message"))

    def _refuse_unreadable(self, text: str, error: Exception) -> None:
        names = messages.names_in(text)
        detail = str(error) or "the message is nested too deeply"
        if names.get("t") == "command":
            problem = ProblemError("invalid_command", detail, reason="malformed")
        else:
            problem = ProblemError("invalid_body", detail)
        self._refuse(problem, command_id=names.get("command_id"), channel=names.get("channel"))

    def _refuse(self, error: BaseException, *, command_id: str | None = None, channel: str | None = None) -> None:
        """Answer with the problem that an error means; a fault of our own is logged and told as such."""
        request_id = self._services.ids.request()
        problem = as_problem(error) if isinstance(error, Exception) else None
        if problem is None:
            log.error("a message failed", exc_info=error, extra={"request_id": request_id})
            problem = ProblemError("internal", "a fault of the server; it has been logged")
        self.say(
            Refused(
                problem.body(request_id),
                UNSET if command_id is None else command_id,
                UNSET if channel is None else channel,
            )
        )

    # -- commands -----------------------------------------------------------------------------------

    async def _start_command(self, message: CommandMessage) -> None:
        """Begin a command beside those under way; reading goes on, unless too many are.

        Most are decided at once. Those that have to wait for something before get a task each, one after another
        for one game, so that the order in which they were sent is kept.
        """
        assert self.identity is not None
        game, player = message.game, self.identity.player
        while self._under_way >= UNDER_WAY_AT_MOST:
            self._room = asyncio.get_running_loop().create_future()
            await self._room
        self._under_way += 1
        self._settled.clear()

        def reply(answer: Taken | Chosen | BaseException) -> None:
            self._under_way -= 1
            if not self._under_way:
                self._settled.set()
            if self._room is not None and not self._room.done():
                self._room.set_result(None)
            self._answer(message.command_id, answer)

        try:
            if self._services.limits is not None:
                self._services.limits.command(player)
            if game not in self._waiting and self._services.referee.command_now(game, player, message, reply):
                return
        except Exception as error:
            reply(error)
            return
        task = asyncio.create_task(self._command(message, self._waiting.get(game), reply))
        self._waiting[game] = task
        task.add_done_callback(lambda done: self._waiting.pop(game) if self._waiting.get(game) is done else None)

    async def _command(
        self, message: CommandMessage, before: asyncio.Task[None] | None, reply: Callable[[Any], None]
    ) -> None:
        """A command that cannot be decided at once, after the one ``before`` it."""
        assert self.identity is not None
        header: Header | None = None
        if before is not None:
            await asyncio.wait([before])
        try:
            header = await self._services.referee.header(message.game, self.identity.player)
            if header is None or not await self._services.may_read(header, self.identity.player):
                raise not_found()
            if not may_play(header, self.identity.player):
                raise ProblemError("forbidden", "this game may be watched, but it is another player's")
            answer = await self._services.referee.command(header, message)
        except Exception as error:
            if isinstance(error, Stale) and header is not None:
                error = stale_problem(header, error, now=self._services.clock.now())
            reply(error)
        else:
            reply(answer)

    def _answer(self, command_id: str, answer: Taken | Chosen | BaseException) -> None:
        if isinstance(answer, Taken):
            self._outbox.put(f'{{"t":"ack","command_id":"{command_id}","seq":{answer.events[-1].record.seq}}}')
        elif isinstance(answer, Chosen):
            chosen = answer.selection
            self.say(Selected(command_id, answer.seq, chosen.selection, chosen.fits, chosen.reason))
        else:
            self._refuse(answer, command_id=command_id)

    # -- watching -----------------------------------------------------------------------------------

    async def _watch(self, request: WatchRequest) -> None:
        try:
            await self._watch_game(request)
        except Exception as error:
            self._refuse(error, channel=request.channel)

    async def _watch_game(self, request: WatchRequest) -> None:
        assert self.identity is not None
        services, channel, player = self._services, request.channel, self.identity.player
        if services.limits is not None:
            services.limits.read(player)
        kind, _, game_id = channel.partition(":")
        if kind != "game":
            raise ProblemError("invalid_body", f"no channel {channel!r}: it is 'game:' and the id of a game")
        old = self._watches.pop(channel, None)
        if old is not None:
            old.stop()
        if len(self._watches) >= CHANNELS_AT_MOST:
            raise too_many(1, f"a socket follows {CHANNELS_AT_MOST} channels at most")

        header = await services.referee.header(game_id, player)
        if header is None or not await services.may_read(header, player):
            raise not_found()
        on_board = not may_read(header, player, now=services.clock.now())  # nothing else lets him see it

        def still_allowed(header: Header) -> bool:
            return may_read(header, player, now=services.clock.now(), on_board=on_board)

        watch = Watch(
            header=header,
            hub=services.hub,
            referee=services.referee,
            outbox=self._outbox,
            legal=request.legal,
            allowed=still_allowed,
        )
        game = await services.referee.look(game_id)
        if game is None:
            raise not_found()
        head = game.playthrough.seq
        # From here to `follow` nothing waits, so no event can come between what is told and what is heard.
        if request.after is UNSET:
            state = view(game.header, game.playthrough, now=services.clock.now(), legal=request.legal)
            self.say(StateMessage(channel, head, state))
            watch.follow(head)
        elif request.after == head:
            self.say(Watching(channel, head))
            watch.follow(head)
        elif request.after > head or head - request.after > FILL_AT_MOST:
            self.say(Resync(channel))
            return
        else:
            watch.fill(request.after, announce=True)
        self._watches[channel] = watch


def _number(seconds: float) -> float | int:
    """Seconds as one writes them: 20, not 20.0."""
    return int(seconds) if seconds.is_integer() else seconds


class LiveEndpoint:
    """The ASGI application of the route."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await Connection(self._services, receive, send).run()
