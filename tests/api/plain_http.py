"""HTTP/1.1 in its plainest form, one connection: what a quick client sends, without a library between."""

import asyncio
import json
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from tests.api.client import hold


@dataclass(frozen=True)
class Reply:
    """One answer."""

    status: int
    headers: dict[str, str]
    content: bytes

    def json(self) -> Any:
        return json.loads(self.content)


class Wire:
    """One connection that is kept. Answers are held against the document, as everywhere in these tests."""

    def __init__(self, port: int) -> None:
        self._port = port

    async def __aenter__(self) -> Self:
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        return self

    async def __aexit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._writer.close()

    async def ask(self, method: str, path: str, body: Any = None, token: str | None = None) -> Reply:
        content = b"" if body is None else json.dumps(body).encode()
        head = f"{method} {path} HTTP/1.1\r\nHost: moontide\r\nContent-Length: {len(content)}\r\n"
        if body is not None:
            head += "Content-Type: application/json\r\n"
        if token is not None:
            head += f"Authorization: Bearer {token}\r\n"
        self._writer.write(head.encode() + b"\r\n" + content)
        lines = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:-2])}
        reply = Reply(
            int(lines[0].split(" ")[1]), headers, await self._reader.readexactly(int(headers.get("content-length", 0)))
        )
        hold(method, path.partition("?")[0], reply.status, headers.get("content-type", ""), reply.content)
        return reply
