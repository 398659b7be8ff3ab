"""The log in a SQLite file: a batch is one statement, written in the one thread that writes."""

import sqlite3
from collections.abc import Sequence

import msgspec
from sqlalchemy import Connection

from server.play.records import Header, Record
from server.store import games
from server.store.appending import Place, append_batch
from server.store.eventlog import Append, Appended, Failed
from server.store.faults import Fault, fault, reason
from server.store.sqlite_database import SqliteDatabase

# One parameter for the whole batch: binding rows one by one would take and give back the interpreter's lock
# for each. `WHERE true` is for SQLite's parser, which else reads ON CONFLICT as the ON of a join.
_INSERT = """
INSERT INTO events (game_id, seq, type, v, seat, at, command_id, data, link, digest)
SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]'),
       json_extract(value, '$[3]'), json_extract(value, '$[4]'), json_extract(value, '$[5]'),
       json_extract(value, '$[6]'), json_extract(value, '$[7]'), json_extract(value, '$[8]'),
       json_extract(value, '$[9]')
FROM json_each(?1) WHERE true
ON CONFLICT (game_id, seq) DO NOTHING
"""
_INSERT_AND_TELL = _INSERT + "RETURNING game_id, seq"

_READ = """
SELECT seq, type, v, seat, at, command_id, data, link, digest FROM events
WHERE game_id = ?1 AND seq > ?2 AND seq <= ?3 ORDER BY seq LIMIT ?4
"""

_HEADER = f"SELECT {', '.join(Header.__struct_fields__)} FROM games WHERE id = ?1"

_HEAD = """
SELECT game_id, seq, link FROM json_each(?1) JOIN events ON game_id = value
WHERE seq = (SELECT max(seq) FROM events WHERE game_id = value)
"""

_LAST = (1 << 63) - 1
_ALL = -1  # no LIMIT, in SQLite


class SqliteLog:
    """See `EventLog`."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    async def append(self, batch: Sequence[Append]) -> list[Appended]:
        try:
            return await self._database.alone(lambda connection: append_batch(connection, batch, _insert))
        except Exception as error:  # of a connection that could not be opened: nothing was written
            if fault(error) is not Fault.STORAGE:
                raise
            return [Failed(reason(error), unknown=False)] * len(batch)

    async def read(self, game: str, after: int = 0, limit: int | None = None, until: int | None = None) -> list[Record]:
        return await self._database.read(_read, game, after, limit, until)

    async def head(self, games: Sequence[str]) -> dict[str, tuple[int, str]]:
        return await self._database.read(_head, games)

    async def header(self, game: str) -> Header | None:
        return await self._database.read(_header, game)

    async def opened(self, player: str, command_id: str) -> Header | None:
        return await self._database.read(games.opened, player, command_id)


def _insert(connection: Connection, records: Sequence[Record]) -> set[Place]:
    rows = [
        (one.game, one.seq, one.type, one.v, one.seat, one.at, one.command_id, one.data, one.link, one.digest)
        for one in records
    ]
    batch = (msgspec.json.encode(rows).decode(),)
    # Each row that a statement returns is a step of its own, and after each step the interpreter's lock has to be
    # waited for, up to 5 ms while the event loop is busy. So rows are asked for only when some were left out.
    connection.exec_driver_sql("SAVEPOINT events")
    if connection.exec_driver_sql(_INSERT, batch).rowcount == len(records):
        return {(one.game, one.seq) for one in records}
    connection.exec_driver_sql("ROLLBACK TO events")
    return {(game, seq) for game, seq in connection.exec_driver_sql(_INSERT_AND_TELL, batch)}


def _read(connection: Connection, game: str, after: int, limit: int | None, until: int | None) -> list[Record]:
    last, count = _LAST if until is None else until, _ALL if limit is None else limit
    return [Record(game, *row) for row in _driver(connection).execute(_READ, (game, after, last, count))]


def _header(connection: Connection, game: str) -> Header | None:
    row = _driver(connection).execute(_HEADER, (game,)).fetchone()
    if row is None:
        return None
    header = dict(zip(Header.__struct_fields__, row, strict=True))
    header["ranked"] = bool(header["ranked"])
    return Header(**header)


def _driver(connection: Connection) -> sqlite3.Connection:
    """The driver's own connection, for what opens a game: SQLAlchemy's rows would double the time of its log."""
    driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    return driver


def _head(connection: Connection, games: Sequence[str]) -> dict[str, tuple[int, str]]:
    rows = connection.exec_driver_sql(_HEAD, (msgspec.json.encode(games).decode(),))
    return {game: (seq, link) for game, seq, link in rows}
