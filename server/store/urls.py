"""Where a database is: ``sqlite:///path/to/games.db`` or ``postgresql+asyncpg://user@host/name``."""

from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from server.store.errors import UnreadableDatabase


def database_url(text: str) -> URL:
    """Read the address of a database; `UnreadableDatabase` if it is none that we can use.

    ``postgresql://`` and ``postgres://`` mean the same as ``postgresql+asyncpg://``.
    """
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        raise UnreadableDatabase(f"not the address of a database: {_hidden(text)}") from None
    if url.drivername in ("postgresql", "postgres"):
        url = url.set(drivername="postgresql+asyncpg")
    if url.drivername == "postgresql+asyncpg":
        return url
    if url.drivername == "sqlite" and url.database and url.database != ":memory:" and not url.host and not url.query:
        return url
    raise UnreadableDatabase(
        f"not a database that can be used: {shown(url)} (sqlite:///path/to/games.db or postgresql+asyncpg://host/name)"
    )


def is_sqlite(url: URL) -> bool:
    return url.drivername == "sqlite"


def sqlite_path(url: URL) -> Path:
    """The file of a SQLite database."""
    assert url.database is not None
    return Path(url.database)


def shown(url: URL) -> str:
    """The address without its password and its options."""
    return (
        str(sqlite_path(url))
        if is_sqlite(url) and url.database
        else url.set(query={}).render_as_string(hide_password=True)
    )


def _hidden(text: str) -> str:
    return text.rpartition("@")[2]
