"""SQLite for one machine: one thread writes, a few read (write-ahead log: they do not wait for each other)."""

import asyncio
import os
from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import Concatenate, ParamSpec, Self, TypeVar

from sqlalchemy import URL, Connection, Engine

from server.store.database import Database
from server.store.errors import StoreUnavailable, UnreadableDatabase
from server.store.faults import Fault, fault, reason
from server.store.prepared import driver
from server.store.sqlite_engine import refuse_other_file, sqlite_engine
from server.store.urls import sqlite_path
from server.store.workers import Workers

LOOK_EVERY_S = 0.05
"""How often a busy connection looks whether its file is still the one at its path. The look takes longer than it seems:
the interpreter's lock has to be waited for behind it."""

P = ParamSpec("P")
T = TypeVar("T")


class SqliteDatabase(Database):
    dialect = "sqlite"
    # `exclusively` keeps other servers off the file; command-line tools do not append to logs that are played on.
    sole_writer = True

    def __init__(self, url: URL, *, readers: int) -> None:
        self._path = sqlite_path(url)
        writing, reading = sqlite_engine(self._path), sqlite_engine(self._path, writes=False)
        self._writer = Workers("sqlite-writer", 1, lambda: self._connect(partial(_to_write, writing)), **self._care())
        self._readers = Workers("sqlite-reader", readers, lambda: self._connect(reading.connect), **self._care())

    @classmethod
    async def start(cls, url: URL, *, readers: int, to_write: bool = True) -> Self:
        path = sqlite_path(url)
        refuse_other_file(path)
        database = cls(url, readers=readers)
        try:
            await (database.write if to_write else database.read)(lambda connection: None)
        except StoreUnavailable as error:
            await database.close()
            raise UnreadableDatabase(f"{path} cannot be used: {error}") from error
        return database

    async def read(self, job: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._in_transaction(self._readers, lambda connection: job(connection, *args, **kwargs))

    async def snapshot(self, job: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.read(job, *args, **kwargs)  # a reader's transaction sees one moment anyway

    async def write(self, job: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._in_transaction(self._writer, lambda connection: job(connection, *args, **kwargs))

    def alone(
        self, job: Callable[[Connection], T], otherwise: Callable[[Exception], T] | None = None
    ) -> asyncio.Future[T]:
        """The answer of ``job`` on the writer's connection, outside of a transaction: for the log, which begins
        and ends its own. Errors come as the driver raised them, or as what ``otherwise`` makes of them."""
        return self._writer.run(job, otherwise)

    async def time(self) -> int | None:
        return None

    async def close(self) -> None:
        await asyncio.gather(self._writer.close(), self._readers.close())

    async def _in_transaction(self, workers: Workers, job: Callable[[Connection], T]) -> T:
        def run(connection: Connection) -> T:
            with connection.begin():
                return job(connection)

        try:
            return await workers.run(run)
        except Exception as error:
            if fault(error) is Fault.STORAGE:
                raise StoreUnavailable(reason(error)) from error
            raise

    def _care(self) -> "dict[str, Callable[..., bool]]":
        return {"current": self._is_current, "spoiled": lambda error: fault(error) is Fault.STORAGE}

    def _connect(self, connect: Callable[[], Connection]) -> Connection:
        connection = connect()
        connection.info["file"] = self._file()
        connection.info["looked_at"] = monotonic()
        return connection

    def _is_current(self, connection: Connection) -> bool:
        # A file that was removed or replaced can still be written to, and nobody would ever see it again.
        if connection.invalidated:
            return False
        now = monotonic()
        if now - connection.info["looked_at"] < LOOK_EVERY_S:
            return True
        connection.info["looked_at"] = now
        return bool(connection.info["file"] == self._file())

    def _file(self) -> tuple[int, int] | None:
        try:
            status = os.stat(self._path)
        except OSError:
            return None
        return status.st_dev, status.st_ino


def _to_write(engine: Engine) -> Connection:
    """The connection of the one who writes. What undoes a single statement is kept in memory: else a file is made and
    removed for it, again and again."""
    connection = engine.connect()
    driver(connection).execute("PRAGMA temp_store=MEMORY")
    return connection
