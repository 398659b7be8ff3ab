"""``serve``: bring the database up to date, listen, say where, and serve until told to end."""

import os
import signal
from dataclasses import replace

import click

from server import logs
from server.operate.listen import bind, url_of
from server.operate.options import database_option, load_settings, setting_option, usable_database
from server.settings import Settings


@click.command()
@setting_option("host")
@setting_option("port", "NUMBER")
@database_option
@setting_option("workers", "NUMBER")
@click.option("--worker", type=int, hidden=True, help="Be one of several processes; see workers.py.")
def serve(host: str | None, port: str | None, database: str | None, workers: str | None, worker: int | None) -> None:
    """Serve players over HTTP and WebSocket, until Ctrl-C or SIGTERM.

    The database is made, or brought up to date, first.
    """
    settings = load_settings(host=host, port=port, database=database, workers=workers)
    logs.setup(settings.log_level, settings.log_format)
    if worker is not None:
        serve_as_worker(settings, worker)
    elif settings.workers > 1:
        serve_with_workers(settings)
    else:
        serve_alone(settings)


def serve_alone(settings: Settings) -> None:
    """One process. Raises `Failure` when it cannot start."""
    with bind(settings) as sock:
        from server.api.app import create_app
        from server.operate.web import Server

        with usable_database():
            Server(create_app(settings), settings, lambda: announce(settings, url_of(settings.host, sock))).run([sock])


def serve_with_workers(settings: Settings) -> None:
    """A parent and its server processes. Raises `Failure` when they cannot start."""
    from server.operate.workers import run_workers

    bind(settings).close()  # refuses a port that somebody listens on, even one that shares it
    with bind(settings, shared=True) as held:
        settings = replace(settings, port=held.getsockname()[1])
        migrate(settings)
        run_workers(settings, lambda: announce(settings, url_of(settings.host, held)))


def serve_as_worker(settings: Settings, fd: int) -> None:
    """One of several processes; ``fd`` leads to the parent, which has migrated the database."""
    from server.api.app import create_app
    from server.operate.web import Server
    from server.operate.workers import Parent

    parent = Parent(fd)
    parent.when_gone(lambda: os.kill(os.getpid(), signal.SIGTERM))
    with bind(settings, shared=True) as sock, usable_database():
        Server(create_app(settings), settings, parent.say_ready).run([sock])


def migrate(settings: Settings) -> None:
    """Bring the database to this version's schema, before several processes open it. Raises `Failure`."""
    from server.store.migrate import upgrade

    with usable_database():
        upgrade(settings.database)


def announce(settings: Settings, url: str) -> None:
    """Tell the person who started it, on standard output; the logs are on standard error."""
    database = settings.shown()["MOONTIDE_DATABASE"]
    click.echo(f"Moontide is ready at {url} (database {database}). Ctrl-C ends it.")
