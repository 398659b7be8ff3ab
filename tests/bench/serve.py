"""A server of a bench as a process of its own: ``python -m tests.bench.serve echo|orm|moontide PORT DATABASE``."""

import sys
from collections.abc import Callable

from starlette.applications import Starlette
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from server import logs
from server.operate.listen import bind
from server.operate.web import Server
from server.settings import Settings


def main(kind: str, port: str, database: str) -> None:
    logs.setup("error", "text")
    settings = Settings(port=int(port), database=database, limits=False, dailies=False)
    server = Server if kind == "moontide" else Bare
    with bind(settings) as sock:
        server(application(kind, settings), settings, lambda: print("ready", flush=True)).run([sock])


class Bare(Server):
    """The same server with uvicorn's own protocols: what it does for an application that knows nothing of ours."""

    def __init__(self, app: Starlette, settings: Settings, on_ready: Callable[[], None]) -> None:
        super().__init__(app, settings, on_ready)
        self.config.http_protocol_class = HttpToolsProtocol
        self.config.ws_protocol_class = WebSocketsSansIOProtocol


def application(kind: str, settings: Settings) -> Starlette:
    if kind == "echo":
        from tests.bench.echo import create_echo

        return create_echo()
    if kind == "orm":
        from tests.bench.orm import create_orm

        return create_orm(settings)
    from server.api.app import create_app

    return create_app(settings)


if __name__ == "__main__":
    main(*sys.argv[1:])
