"""The application behind the real uvicorn, on a free port, in the loop of the test itself."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

from starlette.applications import Starlette

from server.operate.listen import bind
from server.operate.web import Server
from server.settings import Settings


@dataclass(frozen=True)
class LiveApp:
    """Where a running application is found, and the application itself."""

    app: Starlette
    url: str
    live_url: str
    server: Server


@asynccontextmanager
async def live_app(app: Starlette, settings: Settings) -> AsyncIterator[LiveApp]:
    """Serve ``app``, start-up and all, exactly as ``serve`` does, until the block ends."""
    ready = asyncio.Event()
    with bind(settings) as sock:
        server = _Quiet(app, settings, ready.set)
        running = asyncio.create_task(server.serve([sock]), name="live_app")
        waiting = asyncio.create_task(ready.wait())
        await asyncio.wait((running, waiting), return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        if running.done():
            running.result()
        host = f"127.0.0.1:{sock.getsockname()[1]}"
        try:
            yield LiveApp(app, f"http://{host}", f"ws://{host}/v1/live", server)
        finally:
            server.should_exit = True
            await running


class _Quiet(Server):
    """Leaves the signals and the collector to pytest, and does not wait for clients that the test left open."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        self.patience = 0.2
        yield

    def settle(self) -> None:
        pass
