"""An application asked over bare ASGI: every byte that goes out, before any client makes sense of it."""

import asyncio
import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from starlette.types import ASGIApp, Message

Headers = Iterable[tuple[str, str]]

ADDRESS = "192.0.2.1"
PATIENCE_S = 20.0


class Answer(NamedTuple):
    """One answer over HTTP, exactly as it was sent: names, values and order of its headers included."""

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


async def ask(
    app: ASGIApp,
    method: str,
    target: str,
    *,
    headers: Headers = (),
    body: bytes = b"",
    address: str = ADDRESS,
) -> Answer:
    """Send one request; ``target`` is the path with its query."""
    path, _, query = target.partition("?")
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": query.encode(),
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers],
        "client": (address, 40000),
        "server": ("moontide.test", 80),
    }
    incoming: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
    sent: list[Message] = []

    async def receive() -> Message:
        if not incoming:
            await asyncio.Event().wait()  # the client stays, and says no more
        return incoming.pop()

    async def send(message: Message) -> None:
        sent.append(message)

    async with asyncio.timeout(PATIENCE_S):
        await app(scope, receive, send)
    start = sent[0]
    assert start["type"] == "http.response.start"
    whole = b"".join([message.get("body", b"") for message in sent[1:]])
    return Answer(start["status"], tuple((bytes(name), bytes(value)) for name, value in start["headers"]), whole)


class Socket:
    """One WebSocket. ``heard`` holds what was sent since the last `take`, frames as they are."""

    def __init__(self, app: ASGIApp) -> None:
        self._incoming: asyncio.Queue[Message] = asyncio.Queue()
        self._news = asyncio.Event()
        self.heard: list[Message] = []
        scope = {
            "type": "websocket",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "scheme": "ws",
            "path": "/v1/live",
            "raw_path": b"/v1/live",
            "root_path": "",
            "query_string": b"",
            "headers": [(b"host", b"moontide.test")],
            "client": (ADDRESS, 40000),
            "server": ("moontide.test", 80),
            "subprotocols": [],
        }
        self._incoming.put_nowait({"type": "websocket.connect"})
        self._served = asyncio.ensure_future(app(scope, self._incoming.get, self._send))
        self._served.add_done_callback(lambda served: self._news.set())

    async def _send(self, message: Message) -> None:
        self.heard.append(message)
        self._news.set()

    def say(self, text: str) -> None:
        self._incoming.put_nowait({"type": "websocket.receive", "text": text})

    async def until(self, *kinds: str) -> None:
        """Wait until a message of one of these kinds has been heard: a ``t``, or a type of ASGI."""
        async with asyncio.timeout(PATIENCE_S):
            while not any(kind_of(message) in kinds for message in self.heard):
                if self._served.done():
                    self._served.result()
                    raise AssertionError(f"it ended before {kinds}: {self.heard}")
                self._news.clear()
                await self._news.wait()

    def take(self) -> list[Message]:
        heard, self.heard = self.heard, []
        return heard

    async def close(self) -> None:
        """Hang up, and wait until the server has seen it."""
        self._incoming.put_nowait({"type": "websocket.disconnect", "code": 1000})
        await asyncio.wait([self._served])


def kind_of(message: Message) -> str:
    """The ``t`` of a frame; of what is no frame, its type in ASGI."""
    text = message.get("text")
    return json.loads(text)["t"] if text else message["type"]
