"""How a SQLite file is opened: by whom it is made, what it promises, and what it refuses.

journal_mode=WAL          readers and the one writer do not wait for each other
synchronous=FULL          a commit is on the disk before it is acknowledged
recursive_triggers=ON     else INSERT OR REPLACE deletes rows of the log past its trigger
foreign_keys=ON           off unless asked for; off while migrating, where tables are rebuilt
busy_timeout              how long a command-line tool and a server wait for each other's transaction
"""

import sqlite3
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.pool import NullPool

from server.store.errors import UnreadableDatabase

MAGIC = b"SQLite format 3\0"
OLDEST = (3, 35, 0)  # RETURNING
BUSY_MS = 5_000


def sqlite_engine(path: Path, *, create: bool = False, writes: bool = True, foreign_keys: bool = True) -> Engine:
    """An engine on the file, a fresh connection each time. Nothing is opened yet.

    ``create``: make the file where there is none (never its folder). ``writes``: begin every transaction as a
    writer, so that it cannot fail halfway for want of the lock; without, the connection cannot write at all.
    """
    if sqlite3.sqlite_version_info < OLDEST:
        raise UnreadableDatabase(f"SQLite {sqlite3.sqlite_version} is too old: 3.35 or newer is needed")
    address = f"file:{quote(str(path))}?mode={'rwc' if create else 'rw'}"

    def connect() -> sqlite3.Connection:
        # isolation_level=None: transactions begin where SQLAlchemy says so, not where the driver guesses.
        connection = sqlite3.connect(address, uri=True, isolation_level=None, timeout=BUSY_MS / 1000)
        try:
            connection.execute(f"PRAGMA foreign_keys={'ON' if foreign_keys else 'OFF'}")
            connection.execute("PRAGMA recursive_triggers=ON")
            connection.execute("PRAGMA synchronous=FULL")
            if writes:
                connection.execute("PRAGMA journal_mode=WAL")
            else:
                connection.execute("PRAGMA query_only=ON")
        except BaseException:
            connection.close()
            raise
        return connection

    engine = create_engine("sqlite://", creator=connect, poolclass=NullPool)
    begin = "BEGIN IMMEDIATE" if writes else "BEGIN"

    @event.listens_for(engine, "begin")
    def _begin(connection: Any) -> None:
        connection.exec_driver_sql(begin)

    return engine


def refuse_other_file(path: Path) -> None:
    """Raise `UnreadableDatabase` where ``path`` is something that can be no SQLite file; touches nothing."""
    try:
        with path.open("rb") as file:
            start = file.read(len(MAGIC))
    except FileNotFoundError:
        return
    except OSError as error:
        raise UnreadableDatabase(f"{path} cannot be used: {error.strerror}") from error
    if start not in (b"", MAGIC):
        raise UnreadableDatabase(f"{path} is no SQLite database")
