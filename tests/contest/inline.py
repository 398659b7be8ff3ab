"""A SQLite database without threads: each job runs at once, in the loop. For tests that ask some 10,000 times."""

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from sqlalchemy import Connection

from server.store.database import Database
from server.store.migrate import upgrade
from server.store.open import Store
from server.store.sqlite_engine import sqlite_engine
from server.store.sqlite_log import SqliteLog
from server.store.urls import database_url, sqlite_path

T = TypeVar("T")


class InlineDatabase(Database):
    """What `SqliteDatabase` is, with the same two kinds of connections and the same transactions."""

    dialect = "sqlite"
    sole_writer = True

    def __init__(self, url: str) -> None:
        path = sqlite_path(database_url(url))
        self._writer = sqlite_engine(path).connect()
        self._reader = sqlite_engine(path, writes=False).connect()

    async def read(self, job: Callable[..., T], *args: Any, **kwargs: Any) -> T:
        with self._reader.begin():
            return job(self._reader, *args, **kwargs)

    snapshot = read

    async def write(self, job: Callable[..., T], *args: Any, **kwargs: Any) -> T:
        with self._writer.begin():
            return job(self._writer, *args, **kwargs)

    async def alone(self, job: Callable[[Connection], T], otherwise: Callable[[Exception], T] | None = None) -> T:
        return job(self._writer)

    async def time(self) -> int | None:
        return None

    async def close(self) -> None:
        self._writer.close()
        self._reader.close()


async def open_inline(url: str) -> Store:
    """A new database at ``url``, of this version's schema."""
    await asyncio.to_thread(upgrade, url)
    database = InlineDatabase(url)
    return Store(database, SqliteLog(database))  # type: ignore[arg-type]  # it asks for `alone` and `read`
