"""The storage of one process, opened: the database and the log in it."""

import asyncio
from dataclasses import dataclass

from server.settings import Settings
from server.store.database import Database
from server.store.eventlog import EventLog
from server.store.migrate import refuse_other_schema, upgrade
from server.store.postgres_database import PostgresDatabase
from server.store.postgres_log import PostgresLog
from server.store.sqlite_database import SqliteDatabase
from server.store.sqlite_log import SqliteLog


@dataclass(frozen=True)
class Store:
    """What a server keeps. ``log`` is the events, ``database`` everything beside them."""

    database: Database
    log: EventLog

    async def close(self) -> None:
        await self.database.close()


async def open_store(where: Settings | str) -> Store:
    """Bring a database to this version's schema and open it, from the settings or just its address.

    See `upgrade` and `Database.open` for what is raised.
    """
    url, connections = (where, 8) if isinstance(where, str) else (where.database, where.database_connections)
    await asyncio.to_thread(upgrade, url)
    database = await Database.open(url, connections=connections)
    return Store(database, log_of(database))


async def open_existing(url: str, *, connections: int = 2) -> Store:
    """Open a database as it is, for a tool that reads beside a server: nothing is made, migrated or written.

    See `refuse_other_schema` and `Database.open` for what is raised.
    """
    database = await Database.open(url, connections=connections, to_write=False)
    try:
        await database.read(refuse_other_schema, url)
    except BaseException:
        await database.close()
        raise
    return Store(database, log_of(database))


def log_of(database: Database) -> EventLog:
    """The log that is kept in this database."""
    match database:
        case SqliteDatabase():
            return SqliteLog(database)
        case PostgresDatabase():
            return PostgresLog(database)
        case _:
            raise TypeError(f"no log is kept in {type(database).__name__}")
