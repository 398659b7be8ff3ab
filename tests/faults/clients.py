"""Clients that can do what real ones do when things go wrong: hang up at any moment, and send again."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Self

from websockets.asyncio.client import ClientConnection, connect


class Http:
    """One keep-alive connection, by hand: an HTTP library would not hang up before the answer."""

    def __init__(self, port: int, token: str | None = None) -> None:
        self._port = port
        self.token = token
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.cut()

    async def request(self, method: str, path: str, body: object = None) -> tuple[int, Any]:
        """The status and the JSON of the answer; ConnectionError if the connection ends before."""
        await self.send(method, path, body)
        try:
            return await self.answer()
        except asyncio.IncompleteReadError as error:
            self.cut()
            raise ConnectionResetError("no answer") from error

    async def send(self, method: str, path: str, body: object = None) -> None:
        """Send a request and wait for nothing."""
        if self._writer is None:
            self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        text = b"" if body is None else json.dumps(body).encode()
        lines = [f"{method} {path} HTTP/1.1", "Host: test", f"Content-Length: {len(text)}"]
        if body is not None:
            lines.append("Content-Type: application/json")
        if self.token is not None:
            lines.append(f"Authorization: Bearer {self.token}")
        self._writer.write("\r\n".join([*lines, "", ""]).encode() + text)
        await self._writer.drain()

    def cut(self) -> None:
        """Hang up, whatever is under way."""
        if self._writer is not None:
            self._writer.transport.abort()
            self._reader = self._writer = None

    async def answer(self) -> tuple[int, Any]:
        """The answer to what was sent."""
        assert self._reader is not None
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
        body = await self._reader.readexactly(int(headers.get("content-length", "0")))
        if headers.get("connection") == "close":
            self.cut()
        return int(head[0].split()[1]), json.loads(body) if body else None


async def new_player(http: Http) -> str:
    """Make a guest; the token, which the connection carries from now on."""
    status, made = await http.request("POST", "/v1/players", {})
    assert status == 201, made
    http.token = made["token"]
    return str(made["token"])


async def new_game(http: Http, code: str, command_id: str) -> str:
    status, view = await http.request("POST", "/v1/games", {"code": code, "command_id": command_id})
    assert status == 201, view
    return str(view["id"])


class Socket:
    """A WebSocket that has said hello."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection

    async def send(self, **message: Any) -> None:
        await self._connection.send(json.dumps(message))

    async def next(self) -> dict[str, Any]:
        """The next message; `websockets.ConnectionClosed` when there will be none."""
        return dict(json.loads(await self._connection.recv()))

    async def until(self, *kinds: str) -> dict[str, Any]:
        """The next message of one of these kinds; those before it are passed over."""
        while (message := await self.next())["t"] not in kinds:
            pass
        return message

    def cut(self) -> None:
        self._connection.transport.abort()


@asynccontextmanager
async def socket(port: int, token: str) -> AsyncIterator[Socket]:
    """A connection that is cut at the end of the block: nobody says goodbye here."""
    connection = await connect(f"ws://127.0.0.1:{port}/v1/live", compression=None, ping_interval=None)
    made = Socket(connection)
    try:
        await made.send(t="hello", token=token)
        await made.until("welcome")
        yield made
    finally:
        made.cut()
        await connection.wait_closed()
