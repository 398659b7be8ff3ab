"""Whose fault an error of a database is: the storage's, the moment's, or the row's.

Decides what follows (DESIGN 6): a storage that fails is reported and comes back by itself, a deadlock is
tried again, a bad row is left out so that its neighbours can go on.
"""

import os
import sqlite3
from enum import Enum

import asyncpg
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout


class Fault(Enum):
    STORAGE = "storage"  # gone, full, locked for too long, damaged
    MOMENT = "moment"  # a deadlock or a serialisation failure: rolled back, may be tried again at once
    ROW = "row"  # what was written, or how


# The low byte of SQLite's result codes (sqlite.org/rescode.html).
_SQLITE_STORAGE = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_NOTADB,
    }
)
# Classes of SQLSTATE (PostgreSQL, appendix A): connection, authorisation, no such database, resources,
# operator intervention (shutdown, cancelled), system (I/O), damaged data; 25006 is a standby after a failover.
_POSTGRES_STORAGE = ("08", "25006", "28", "3D", "53", "57", "58", "XX")
# Serialisation, deadlock, and a plan that was cached before a migration.
_POSTGRES_MOMENT = ("40001", "40P01", "0A000")


def fault(error: BaseException) -> Fault:
    """Whose fault ``error`` is, which a database's driver or SQLAlchemy raised."""
    if isinstance(error, DBAPIError):
        if error.connection_invalidated:
            return Fault.STORAGE
        origin: BaseException = error.orig or error
    else:
        origin = error
    if isinstance(origin, (OSError, TimeoutError, PoolTimeout)):
        return Fault.STORAGE
    code = getattr(origin, "sqlite_errorcode", None)
    if code is not None:
        return Fault.STORAGE if code & 0xFF in _SQLITE_STORAGE else Fault.ROW
    state = getattr(origin, "sqlstate", None)
    if state is not None:
        if state in _POSTGRES_MOMENT:
            return Fault.MOMENT
        return Fault.STORAGE if state.startswith(_POSTGRES_STORAGE) else Fault.ROW
    if isinstance(origin.__cause__ or origin, (ValueError, TypeError)):
        return Fault.ROW  # the driver could not encode it
    if isinstance(origin, asyncpg.InterfaceError) or isinstance(error, (OperationalError, InterfaceError)):
        return Fault.STORAGE  # the driver gave no code: it had no answer from a server
    return Fault.ROW


def may_have_been_stored(error: BaseException) -> bool:
    """Whether a statement that was its own transaction may have been committed all the same, by SQLite's error: it
    undoes everything but what it could not bring to the disk for certain."""
    code = getattr(error, "sqlite_errorcode", None)
    return code is None or code & 0xFF == sqlite3.SQLITE_IOERR


def is_damage(error: BaseException) -> bool:
    """Whether what is stored cannot be read because it is damaged, while the database answers otherwise."""
    origin = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    code = getattr(origin, "sqlite_errorcode", None)
    if code is not None:
        return code & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
    return str(getattr(origin, "sqlstate", None)).startswith("XX")


def reason(error: BaseException) -> str:
    """What happened, in one line for people and logs; never what was written."""
    origin = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    if isinstance(origin, OSError) and origin.errno and origin.errno > 0:
        return os.strerror(origin.errno)
    text = str(origin).rpartition(">: ")[2].strip().partition("\n")[0]
    return text or type(origin).__name__
