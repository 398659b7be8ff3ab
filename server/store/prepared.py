"""Statements that are compiled once, and run on SQLite by its driver.

They are what each finished game costs in the one thread that writes. By SQLAlchemy a run takes ten times as long as in
SQLite, and under the interpreter's lock, which the event loop needs. PostgreSQL is waited for without it: there they
run as all others do.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.dialects import sqlite


class Prepared:
    """One statement, in the form of each database. ``columns`` are those that an INSERT is given."""

    def __init__(self, statement: Any, postgres: Any = None, *, columns: Sequence[str] | None = None) -> None:
        self._postgres = statement if postgres is None else postgres
        compiled = statement.compile(dialect=sqlite.dialect(), column_keys=columns)
        self._text = str(compiled)
        self._names: list[str] = list(compiled.positiontup or ())

    def run(self, connection: Connection, rows: Sequence[Mapping[str, Any]]) -> list[tuple[Any, ...]]:
        """Run it for each of ``rows``, in a transaction that has begun; what it returns, for all of them."""
        if connection.dialect.name != "sqlite":
            result = connection.execute(self._postgres, rows)
            return [tuple(row) for row in result] if result.returns_rows else []
        execute, text, names = driver(connection).execute, self._text, self._names
        found: list[tuple[Any, ...]] = []
        for row in rows:
            found += execute(text, [row[name] for name in names]).fetchall()
        return found


def driver(connection: Connection) -> sqlite3.Connection:
    """The driver's own connection to SQLite."""
    own = connection.connection.driver_connection
    assert isinstance(own, sqlite3.Connection)
    return own
