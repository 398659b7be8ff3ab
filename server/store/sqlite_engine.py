"""How a SQLite file is opened: by whom it is made, what it promises, and what it refuses.

journal_mode=WAL          readers and the one writer do not wait for each other
synchronous=FULL          a commit is on the disk before it is acknowledged
recursive_triggers=ON     else INSERT OR REPLACE deletes rows of the log past its trigger
foreign_keys=ON           off unless asked for; off while migrating, where tables are rebuilt
busy_timeout              how long a command-line tool and a server wait for each other's transaction
cache_size=-8192          KiB that a connection keeps: the top of a large board does not fit into the usual 2,000
"""

import sqlite3
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.pool import NullPool

from server.store.errors import UnreadableDatabase

OLDEST = (3, 35, 0)  # RETURNING
BUSY_MS = 5_000
STATEMENTS_KEPT = 256
"""Compiled statements that a connection keeps: the log's inserts, one for each number of rows, and all others."""


def sqlite_engine(path: Path, *, create: bool = False, writes: bool = True, foreign_keys: bool = True) -> Engine:
    """An engine on the file, a fresh connection each time. Nothing is opened yet.

    ``create``: make the file where there is none (never its folder). ``writes``: begin every transaction as a
    writer, so that it cannot fail halfway for want of the lock; without, the connection cannot write at all.
    """
    if sqlite3.sqlite_version_info < OLDEST:
        raise UnreadableDatabase(f"SQLite {sqlite3.sqlite_version} is too old: 3.35 or newer is needed")
    address = _address(path, "rwc" if create else "rw")

    def connect() -> sqlite3.Connection:
        # isolation_level=None: transactions begin where SQLAlchemy says so, not where the driver guesses.
        connection = sqlite3.connect(
            address, uri=True, isolation_level=None, timeout=BUSY_MS / 1000, cached_statements=STATEMENTS_KEPT
        )
        # A damaged byte may leave text that is none. It is to be read, and found out by its link, not to be taken
        # for a database that does not answer.
        connection.text_factory = _text
        try:
            connection.execute(f"PRAGMA foreign_keys={'ON' if foreign_keys else 'OFF'}")
            connection.execute("PRAGMA recursive_triggers=ON")
            connection.execute("PRAGMA synchronous=FULL")
            connection.execute("PRAGMA cache_size=-8192")
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


def _text(stored: bytes) -> str:
    return stored.decode(errors="replace")


def refuse_other_file(path: Path) -> None:
    """Raise `UnreadableDatabase` where ``path`` can be no SQLite database; changes nothing.

    SQLite itself has to look: when a process closes a file, the kernel takes all the locks that the process
    has on it, those of its open databases too (sqlite.org/howtocorrupt.html, 2.2). SQLite knows; we would not.
    """
    if path.is_dir():
        raise UnreadableDatabase(f"{path} cannot be used: it is a folder")
    if not path.exists():
        return
    connection = sqlite3.connect(_address(path, "ro"), uri=True, timeout=BUSY_MS / 1000)
    try:
        connection.execute("PRAGMA schema_version")
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_NOTADB:
            raise UnreadableDatabase(f"{path} is no SQLite database") from error
        # Whatever else there is to say of it is said, better, where it is opened to be used.
    finally:
        connection.close()


def _address(path: Path, mode: str) -> str:
    return f"file:{quote(str(path))}?mode={mode}"
