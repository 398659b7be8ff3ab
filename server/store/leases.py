"""Leases: what only one process may do at a time. A holder that dies loses its lease when the time is up."""

from typing import Any

from sqlalchemy import Connection, delete, or_
from sqlalchemy.dialects import postgresql, sqlite

from server.store.tables import leases


def take(connection: Connection, name: str, holder: str, *, now: int, lasts_ms: int) -> bool:
    """Take a lease that is free or over, or prolong one's own; whether ``holder`` has it now."""
    insert: Any = _INSERT[connection.dialect.name](leases).values(name=name, holder=holder, expires_at=now + lasts_ms)
    taken = insert.on_conflict_do_update(
        index_elements=[leases.c.name],
        set_={"holder": holder, "expires_at": now + lasts_ms},
        where=or_(leases.c.holder == holder, leases.c.expires_at <= now),
    ).returning(leases.c.name)
    return connection.execute(taken).first() is not None


def release(connection: Connection, name: str, holder: str) -> None:
    """Give back a lease, if ``holder`` still has it."""
    connection.execute(delete(leases).where(leases.c.name == name, leases.c.holder == holder))


_INSERT: dict[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}
