"""uvicorn as we run it: how it starts in one line or fails in one, and how it ends within a time.

The application may have two async functions without arguments. ``app.state.drain`` is called when the process is
told to end: no connection comes in any more, and none is closed yet. What is under way then has some time to be
answered, and clients that were told to go elsewhere have some to go. ``app.state.retire`` is called for those who
have not gone; it ends their sockets in order. Whatever is left then is closed (1012).
"""

import asyncio
import gc
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from server.operate.direct import DirectSocket
from server.operate.gathering import GatheringHttp
from server.operate.listen import BACKLOG
from server.settings import FRAME_BYTES, Settings

log = logging.getLogger("moontide.serve")

#: Ctrl-C is a person who waits: everything is over within 3 s.
PATIENCE_AT_CTRL_C_S = 1.5
#: How long those who stay are waited for before their connections are closed: longer than clients are told to
#: take for going elsewhere, and no longer than it takes to tell them when a person waits.
FAREWELL_S = 2.5
FAREWELL_AT_CTRL_C_S = 0.2
#: What ending may take beyond the patience before the process is simply ended. Nothing is lost by that:
#: what was acknowledged is on the disk.
LAST_RESORT_S = 1.3


#: How long a thread that waits for the interpreter's lock waits before it asks for it (s). The thread that writes to
#: SQLite has to take it back after each statement; at Python's 5 ms a commit beside a busy event loop would mostly be
#: waiting. Measured: a fifth more moves a second over WebSocket.
SWITCH_INTERVAL_S = 0.0001


def config(app: Starlette) -> uvicorn.Config:
    """uvicorn's configuration; also what the tests and benches run, so that they measure the same."""
    return uvicorn.Config(
        app,
        loop="uvloop",
        http=GatheringHttp,
        ws=DirectSocket,
        ws_max_size=FRAME_BYTES,
        ws_per_message_deflate=False,
        backlog=BACKLOG,
        timeout_keep_alive=75,  # longer than proxies keep theirs, so that none is closed under a request
        proxy_headers=False,  # the API reads them itself, and knows whom to believe
        server_header=False,
        access_log=False,
        log_config=None,
    )


class Server(uvicorn.Server):
    """One process that serves until it is told to end: `run` returns then, and raises what start-up raised.

    ``patience`` is how long (s) what was accepted may take after that.
    """

    def __init__(self, app: Starlette, settings: Settings, on_ready: Callable[[], None]) -> None:
        super().__init__(config(app))
        sys.setswitchinterval(SWITCH_INTERVAL_S)
        self._app = app
        self.patience = settings.drain_s
        self._farewell = FAREWELL_S
        self._on_ready = on_ready
        self.config.load()
        self.config.lifespan_class = Lifespan

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.settle()
        self._on_ready()

    def settle(self) -> None:
        """What is in memory now stays there: the collector need not look at it again (DESIGN 3)."""
        gc.collect()
        gc.freeze()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if sig == signal.SIGINT:
            self.patience = min(self.patience, PATIENCE_AT_CTRL_C_S)
            self._farewell = FAREWELL_AT_CTRL_C_S
        timer = threading.Timer(self.patience + LAST_RESORT_S, os._exit, [1])
        timer.daemon = True
        timer.start()
        super().handle_exit(sig, frame)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        with super().capture_signals():
            yield
            # uvicorn would raise them again; to end when told to is no failure
            self._captured_signals.clear()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self.patience
        for server in self.servers:
            server.close()
        for connection in tuple(self.server_state.connections):
            if isinstance(connection, HttpToolsProtocol):
                _answer_once_more(connection)
        drain, retire = (getattr(self._app.state, name, None) for name in ("drain", "retire"))
        if drain is not None:
            farewell = min(deadline, loop.time() + self._farewell)
            with suppress(TimeoutError):
                async with asyncio.timeout_at(farewell):
                    await drain()
            if under_way := tuple(self.server_state.tasks):
                await asyncio.wait(under_way, timeout=max(0, farewell - loop.time()))
        if retire is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout_at(deadline):
                    await retire()
        # uvicorn waits this long for answers that are under way, then cancels them
        self.config.timeout_graceful_shutdown = max(0, deadline - loop.time())  # type: ignore[assignment]
        await super().shutdown(sockets)


def _answer_once_more(connection: HttpToolsProtocol) -> None:
    """Let the next answer on a kept connection, or the one under way, be its last and say so: a proxy that would send
    a request just when the connection is closed under it could not know whether it was done."""
    connection.app = _LastAnswer(connection.app)
    if connection.cycle is not None:
        connection.cycle.keep_alive = False


class _LastAnswer:
    """An application whose answers end their connection."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_closing(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], (b"connection", b"close")]
            await send(message)

        await self._app(scope, receive, send_closing)


class Lifespan:
    """The application's start and end for uvicorn, which would log what start-up raises; here it is raised."""

    def __init__(self, config: uvicorn.Config) -> None:
        self._app = config.loaded_app
        self._said: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._heard: asyncio.Queue[str] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None
        self.should_exit = False
        self.state: dict[str, Any] = {}

    async def startup(self) -> None:
        scope = {"type": "lifespan", "asgi": {"version": "3.0", "spec_version": "2.0"}, "state": self.state}
        self._task = asyncio.create_task(self._app(scope, self._said.get, self._hear), name="lifespan")
        await self._say("lifespan.startup")

    async def shutdown(self) -> None:
        await self._say("lifespan.shutdown")

    async def _say(self, event: str) -> None:
        assert self._task is not None
        self._said.put_nowait({"type": event})
        answer = asyncio.create_task(self._heard.get())
        await asyncio.wait((self._task, answer), return_when=asyncio.FIRST_COMPLETED)
        answer.cancel()
        if self._task.done():
            self._task.result()

    async def _hear(self, message: dict[str, Any]) -> None:
        # a failure is told by the exception that follows, which says more
        if message["type"].endswith(".complete"):
            self._heard.put_nowait(message["type"])
