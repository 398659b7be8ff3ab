"""The load: many connections, one message under way on each, as cheap as Python can make it.

A client library would cost more than the server that it asks. So frames are made beforehand (masked with zeros,
as the protocol allows), answers are found by counting frames, and nothing is decoded while the clock runs. It
runs in a process of its own: ``python -m tests.bench.load`` reads a plan as JSON on standard input and prints
its figures as JSON. The echo runs show how much it can do at the most.
"""

import asyncio
import json
import sys
from time import perf_counter
from typing import Any

UPGRADE = (
    "GET {path} HTTP/1.1\r\nHost: bench\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


def ws_frame(text: str) -> bytes:
    """A client's text frame, masked with zeros."""
    data = text.encode()
    if len(data) < 126:
        return bytes([0x81, 0x80 | len(data)]) + b"\0\0\0\0" + data
    return bytes([0x81, 0x80 | 126]) + len(data).to_bytes(2, "big") + b"\0\0\0\0" + data


def http_request(path: str, body: str, token: str) -> bytes:
    data = body.encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer {token}\r\nContent-Length: {len(data)}\r\n\r\n"
    )
    return head.encode() + data


class Connection(asyncio.Protocol):
    """Sends the next message when the last one has been answered; notes how long each took.

    ``opening`` is what is sent first, each with the words of the answer to wait for.
    """

    def __init__(
        self, plan: dict[str, Any], messages: list[bytes], opening: list[tuple[bytes, bytes]], state: "Run"
    ) -> None:
        self._messages = iter(messages)
        self._opening = opening
        self._http = plan["kind"] == "http"
        self._ends = plan["answer"].encode()
        self._run = state
        self._buffer = b""
        self._sent_at = 0.0
        self._ready = asyncio.get_running_loop().create_future()
        self._transport: Any = None
        self._going = False

    async def open(self) -> None:
        await self._ready

    def connection_made(self, transport: Any) -> None:  # uvloop's is no asyncio.Transport by name
        self._transport = transport
        self._open_on()

    def _open_on(self) -> None:
        """Send the next opening words, or be ready."""
        self._buffer = b""
        if self._opening:
            self._transport.write(self._opening[0][0])
        else:
            self._ready.set_result(None)

    def begin(self) -> None:
        self._going = True
        self._next()

    def _next(self) -> None:
        message = next(self._messages, None)
        if message is None or self._run.over:
            self._run.finished(self)
            return
        self._sent_at = perf_counter()
        self._transport.write(message)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if not self._going:
            if self._opening and self._opening[0][1] in self._buffer:
                self._opening = self._opening[1:]
                self._open_on()
            return
        at = self._buffer.find(self._ends)
        if at < 0:
            return
        if self._http and not _whole(self._buffer):
            return
        self._buffer = b""
        self._run.took.append(perf_counter() - self._sent_at)
        self._next()

    def connection_lost(self, error: Exception | None) -> None:
        if not self._ready.done():
            self._ready.set_exception(ConnectionError("closed before it was open"))
        self._run.finished(self)


def _whole(buffer: bytes) -> bool:
    """Whether an HTTP answer has come with all of its body."""
    head, found, body = buffer.partition(b"\r\n\r\n")
    if not found:
        return False
    at = head.lower().find(b"content-length: ")
    end = head.find(b"\r\n", at)
    return len(body) >= int(head[at + 16 : end if end > 0 else None])


class Run:
    """What all connections share: whether the time is over, and how long each answer took (s)."""

    def __init__(self, connections: int) -> None:
        self.over = False
        self.took: list[float] = []
        self._left = connections
        self._done: set[int] = set()
        self.all_done = asyncio.Event()

    def finished(self, connection: Connection) -> None:
        if id(connection) not in self._done:
            self._done.add(id(connection))
            self._left -= 1
            if not self._left:
                self.all_done.set()


async def run(plan: dict[str, Any]) -> dict[str, Any]:
    """``plan``: kind (ws or http), port, path, opening and messages (a list a connection), answer, seconds."""
    loop = asyncio.get_running_loop()
    state = Run(len(plan["messages"]))
    connections = []
    for messages in plan["messages"]:
        opening: list[tuple[bytes, bytes]] = []
        if plan["kind"] == "ws":
            opening.append((UPGRADE.format(path=plan["path"]).encode(), b"\r\n\r\n"))
            if plan["opening"]:
                opening.append((ws_frame(plan["opening"]), b'"t":"welcome"'))
            ready = [ws_frame(message) for message in messages]
        else:
            ready = [http_request(message["path"], message["body"], plan["token"]) for message in messages]
        made = Connection(plan, ready, opening, state)
        await loop.create_connection(lambda made=made: made, "127.0.0.1", plan["port"])
        async with asyncio.timeout(10):
            await made.open()
        connections.append(made)
    began = perf_counter()
    for connection in connections:
        connection.begin()
    try:
        async with asyncio.timeout(plan["seconds"]):
            await state.all_done.wait()
    except TimeoutError:
        pass
    elapsed = perf_counter() - began
    state.over = True
    took = sorted(state.took)
    return {
        "answers": len(took),
        "seconds": elapsed,
        "per_second": len(took) / elapsed,
        **{f"p{name}_ms": took[min(len(took) - 1, int(len(took) * part))] * 1000 for name, part in PARTS if took},
    }


PARTS = (("50", 0.5), ("99", 0.99), ("99.9", 0.999))


def main() -> None:
    import uvloop

    print(json.dumps(uvloop.run(run(json.load(sys.stdin)))))


if __name__ == "__main__":
    main()
