"""A database that answers: functions on a sync `sqlalchemy.Connection`, each run in one transaction.

    answer = await database.read(games.header, game_id)
    await database.write(players.rename, player_id, "Ada")

The same functions run on SQLite (in threads) and on PostgreSQL (in greenlets), so they are written once.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection

from server.store.urls import database_url, is_sqlite

P = ParamSpec("P")
T = TypeVar("T")


class Database(ABC):
    """What stores. Open one with `Database.open`, close it when done."""

    dialect: str  # "sqlite" or "postgresql"
    sole_writer: bool  # whether no other process writes while this one serves

    @staticmethod
    async def open(url: str, *, connections: int = 8, to_write: bool = True) -> "Database":
        """The database at ``url``, which has been migrated (`migrate.upgrade`).

        ``connections`` bounds readers of a SQLite file, or all connections to PostgreSQL. With ``to_write`` it is
        tried at once whether the file can be written. Raises `UnreadableDatabase` where there is nothing to read.
        """
        where = database_url(url)
        if is_sqlite(where):
            from server.store.sqlite_database import SqliteDatabase

            return await SqliteDatabase.start(where, readers=connections, to_write=to_write)
        from server.store.postgres_database import PostgresDatabase

        return await PostgresDatabase.start(where, connections=connections)

    @abstractmethod
    async def read(self, job: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The answer of ``job(connection, ...)``, which only reads. `StoreUnavailable` if the storage fails."""

    @abstractmethod
    async def snapshot(self, job: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """As `read`; and all that ``job`` reads is of one moment, whatever is written meanwhile."""

    @abstractmethod
    async def write(self, job: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The answer of ``job(connection, ...)``, after its transaction has been committed.

        Whatever it raises rolls back. Once begun it is finished, also when the caller is cancelled. It may run
        more than once (deadlocks), so it does nothing but talk to the database. `StoreUnavailable` if the
        storage fails; then it is not known whether the commit took place.
        """

    @abstractmethod
    async def time(self) -> int | None:
        """What the database's own clock says, in milliseconds UTC; None where that is this machine's."""

    @abstractmethod
    async def close(self) -> None:
        """Finish what has been begun, then let go of everything."""
