"""A server of a bench as a process of its own: ``python -m tests.bench.serve echo|orm|moontide PORT DATABASE``."""

import sys

from starlette.applications import Starlette

from server import logs
from server.operate.listen import bind
from server.operate.web import Server
from server.settings import Settings


def main(kind: str, port: str, database: str) -> None:
    logs.setup("error", "text")
    settings = Settings(port=int(port), database=database, limits=False, dailies=False)
    with bind(settings) as sock:
        Server(application(kind, settings), settings, lambda: print("ready", flush=True)).run([sock])


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
