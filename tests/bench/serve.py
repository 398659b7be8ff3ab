"""A server of a bench as a process of its own: ``python -m tests.bench.serve echo|moontide PORT DATABASE``."""

import sys

from server import logs
from server.operate.listen import bind
from server.operate.web import Server
from server.settings import Settings


def main(kind: str, port: str, database: str) -> None:
    logs.setup("error", "text")
    settings = Settings(port=int(port), database=database, limits=False, dailies=False)
    if kind == "echo":
        from tests.bench.echo import create_echo

        app = create_echo()
    else:
        from server.api.app import create_app

        app = create_app(settings)
    with bind(settings) as sock:
        Server(app, settings, lambda: print("ready", flush=True)).run([sock])


if __name__ == "__main__":
    main(*sys.argv[1:])
