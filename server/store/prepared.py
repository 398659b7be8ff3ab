"""Statements that are compiled once, and run on SQLite by its driver.

They are what each finished game costs in the one thread that writes. By SQLAlchemy a run takes ten times as long as in
SQLite, and under the interpreter's lock, which the event loop needs. PostgreSQL is waited for without it: there they
run as all others do.

The driver gives the lock away around each call of SQLite and then has to wait for it: twice for a change by
`executemany`, three times by `execute`, more often where rows come back. So nothing is returned that can be counted.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite

Row = Mapping[str, Any]
"""The parameters of one run, by their names."""


class Prepared:
    """One statement, in the form of each database; all of it in a transaction that has begun."""

    def __init__(self, statement: Any, postgres: Any = None) -> None:
        self._postgres = statement if postgres is None else postgres
        compiled = statement.compile(dialect=sqlite.dialect())
        self._text = str(compiled)
        self._names: list[str] = list(compiled.positiontup or ())

    def read(self, connection: Connection, rows: Sequence[Row]) -> list[tuple[Any, ...]]:
        """What a query finds on SQLite, for all of ``rows``. (PostgreSQL is asked for all of them at once.)"""
        execute = driver(connection).execute
        return [found for row in rows for found in execute(self._text, self._values(row)).fetchall()]

    def write(self, connection: Connection, rows: Sequence[Row]) -> None:
        """Run it for each of ``rows``."""
        if connection.dialect.name != "sqlite":
            connection.execute(self._postgres, rows)
        else:
            driver(connection).executemany(self._text, map(self._values, rows))

    def _values(self, row: Row) -> list[Any]:
        return [row[name] for name in self._names]


class Insertion(Prepared):
    """Inserts rows, leaving out those whose place is taken."""

    def __init__(self, table: Table, key: Sequence[str]) -> None:
        self._key = key
        columns = [table.c[name] for name in key]
        super().__init__(
            sqlite.insert(table).on_conflict_do_nothing(),
            postgresql.insert(table).on_conflict_do_nothing().returning(*columns),
        )

    def add(self, connection: Connection, rows: Sequence[Row]) -> list[tuple[Any, ...]]:
        """Insert ``rows``; the keys of those that went in."""
        if connection.dialect.name != "sqlite":
            return [tuple(key) for key in connection.execute(self._postgres, rows)]
        executemany = driver(connection).executemany
        went_in = [row for row in rows if executemany(self._text, (self._values(row),)).rowcount == 1]
        return [tuple([row[name] for name in self._key]) for row in went_in]


def driver(connection: Connection) -> sqlite3.Connection:
    """The driver's own connection to SQLite."""
    own = connection.connection.driver_connection
    assert isinstance(own, sqlite3.Connection)
    return own
