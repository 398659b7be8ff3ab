"""The log in a SQLite file: a batch is one statement, written in the one thread that writes."""

import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from itertools import chain
from typing import Any

import msgspec
from sqlalchemy import Connection

from server.play.records import Header, Record
from server.store import games
from server.store.appending import Place, Way, append_batch, event_row, is_plain
from server.store.eventlog import Append, Appended, Failed, Won
from server.store.faults import Fault, fault, may_have_been_stored, reason
from server.store.prepared import driver
from server.store.sqlite_database import SqliteDatabase

_INTO = "INSERT INTO events (game_id, seq, type, v, seat, at, command_id, data, link, digest) VALUES "
_ROW = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_UNLESS_TAKEN_AND_TELL = " ON CONFLICT (game_id, seq) DO NOTHING RETURNING game_id, seq"

ROWS_AT_ONCE = 64
"""Rows of one statement. Each number of rows is a statement of its own, and the driver keeps so many compiled ones
(`sqlite_engine.STATEMENTS_KEPT`)."""

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

    lanes = 1  # there is one thread that writes, and each commit more is a flush more

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    async def append(self, batch: Sequence[Append]) -> list[Appended]:
        return await self.drain(lambda: batch)

    def drain(self, take: Callable[[], Sequence[Append]], lane: int = 0) -> Awaitable[list[Appended]]:
        taken: Sequence[Append] | None = None

        def store(connection: Connection) -> list[Appended]:
            nonlocal taken
            taken = take()
            return _append(connection, taken)

        def not_stored(error: Exception) -> list[Appended]:
            if taken is not None or fault(error) is not Fault.STORAGE:
                raise error
            # The connection could not be opened: nothing was written.
            return [Failed(reason(error), unknown=False)] * len(take())

        return self._database.alone(store, not_stored)

    async def read(self, game: str, after: int = 0, limit: int | None = None, until: int | None = None) -> list[Record]:
        return await self._database.read(_read, game, after, limit, until)

    async def head(self, games: Sequence[str]) -> dict[str, tuple[int, str]]:
        return await self._database.read(_head, games)

    async def header(self, game: str) -> Header | None:
        return await self._database.read(_header, game)

    async def opened(self, player: str, command_id: str) -> Header | None:
        return await self._database.read(games.opened, player, command_id)


def _append(connection: Connection, batch: Sequence[Append]) -> list[Appended]:
    if not batch:
        return []
    if len(batch) <= ROWS_AT_ONCE and is_plain(batch) and (answers := _append_plain(connection, batch)) is not None:
        return answers
    return append_batch(connection, batch, _WAY)


def _append_plain(connection: Connection, batch: Sequence[Append]) -> list[Appended] | None:
    """Store a plain batch as one statement that is its own transaction; None, and nothing stored, where it has to be
    taken apart.

    After each call of SQLite this thread has to take the interpreter's lock back from a busy event loop, which is
    nearly all that a commit costs. Here there is one call where a transaction of SQLAlchemy's has a dozen.
    """
    try:
        driver(connection).executemany(_statement(len(batch)), [_parameters([one.record for one in batch])])
    except Exception as error:
        if fault(error) is not Fault.STORAGE:
            return None
        connection.invalidate()
        return [Failed(reason(error), unknown=may_have_been_stored(error))] * len(batch)
    return [Won()] * len(batch)


def _insert(connection: Connection, records: Sequence[Record]) -> set[Place]:
    stored: set[Place] = set()
    for first in range(0, len(records), ROWS_AT_ONCE):
        stored |= _insert_some(connection, records[first : first + ROWS_AT_ONCE])
    return stored


def _insert_some(connection: Connection, records: Sequence[Record]) -> set[Place]:
    own, parameters = driver(connection), _parameters(records)
    # Each row that a statement returns is a step of its own, with a wait for the interpreter's lock behind it. So
    # rows are asked for only when some cannot go in; then nothing of the first statement has.
    try:
        own.executemany(_statement(len(records)), [parameters])
    except sqlite3.IntegrityError:
        return set(own.execute(_statement(len(records), _UNLESS_TAKEN_AND_TELL), parameters))
    return {(one.game, one.seq) for one in records}


class _Transaction:
    """One on the driver's own connection: see `Prepared`, by which everything in it is run. The driver begins it before
    the first change and ends it by calls of its own, which are one wait for the lock each."""

    def __init__(self, connection: Connection) -> None:
        self._driver = driver(connection)
        self._driver.isolation_level = "IMMEDIATE"

    def commit(self) -> None:
        self._end(self._driver.commit)

    def rollback(self) -> None:
        self._end(self._driver.rollback)

    def _end(self, how: Callable[[], None]) -> None:
        how()
        # Only where that went well: told this, the driver commits what is open. After a failure the connection is let
        # go as it is, and SQLite undoes the rest.
        self._driver.isolation_level = None


_WAY = Way(_Transaction, _insert)


@cache
def _statement(rows: int, ending: str = "") -> str:
    return _INTO + ", ".join([_ROW] * rows) + ending


def _parameters(records: Sequence[Record]) -> tuple[Any, ...]:
    return tuple(chain.from_iterable(map(event_row, records)))


def _read(connection: Connection, game: str, after: int, limit: int | None, until: int | None) -> list[Record]:
    last, count = _LAST if until is None else until, _ALL if limit is None else limit
    # By the driver, here and for the header: SQLAlchemy's rows would double the time of opening a game.
    return [Record(game, *row) for row in driver(connection).execute(_READ, (game, after, last, count))]


def _header(connection: Connection, game: str) -> Header | None:
    row = driver(connection).execute(_HEADER, (game,)).fetchone()
    if row is None:
        return None
    header = dict(zip(Header.__struct_fields__, row, strict=True))
    header["ranked"] = bool(header["ranked"])
    return Header(**header)


def _head(connection: Connection, games: Sequence[str]) -> dict[str, tuple[int, str]]:
    rows = connection.exec_driver_sql(_HEAD, (msgspec.json.encode(games).decode(),))
    return {game: (seq, link) for game, seq, link in rows}
