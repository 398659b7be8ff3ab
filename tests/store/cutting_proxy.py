"""A way to PostgreSQL that can be cut at the worst moment: when the server has done it and nobody was told."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from sqlalchemy import make_url


class CuttingProxy:
    """Passes bytes on. Once `arm`ed, the first packet of a client that ``matches`` is its connection's last."""

    def __init__(self, host: str, port: int) -> None:
        self._target = host, port
        self._matches: Callable[[bytes], bool] | None = None
        self._delivers = False
        self.cuts = 0

    def arm(self, matches: Callable[[bytes], bool], *, delivers: bool) -> None:
        """``delivers``: the packet still reaches the server, whose answer is then swallowed."""
        self._matches, self._delivers = matches, delivers

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there_reader, there_writer = await asyncio.open_connection(*self._target)
        back = asyncio.create_task(self._pass_back(there_reader, writer))
        try:
            while data := await reader.read(1 << 16):
                if self._matches is not None and self._matches(data):
                    self._matches = None
                    self.cuts += 1
                    back.cancel()
                    await asyncio.gather(back, return_exceptions=True)
                    if self._delivers:
                        there_writer.write(data)
                        await there_writer.drain()
                        await there_reader.read(1)  # the answer: it has been done
                    break
                there_writer.write(data)
                await there_writer.drain()
        finally:
            back.cancel()
            await asyncio.gather(back, return_exceptions=True)
            for one in (writer, there_writer):
                one.transport.abort()

    @staticmethod
    async def _pass_back(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()
        writer.close()


@asynccontextmanager
async def cutting_proxy(url: str) -> AsyncIterator[tuple[CuttingProxy, str]]:
    """A proxy before the database at ``url``, and the address to use it by."""
    where = make_url(url)
    assert where.host is not None and where.port is not None
    proxy = CuttingProxy(where.host, where.port)
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    try:
        yield proxy, where.set(port=port).render_as_string(hide_password=False)
    finally:
        server.close()
