"""How often an address did something in a window of time: limits that hold over all processes."""

from typing import Any

from sqlalchemy import Connection, delete, update
from sqlalchemy.dialects import postgresql, sqlite

from server.store.tables import counters


def hit(connection: Connection, kind: str, address: str, window_start: int, limit: int) -> bool:
    """Count one, if that keeps the window within ``limit``; whether it did. Atomic: of many at once, no more than
    ``limit`` get True. ``window_start`` is in ms."""
    if limit < 1:
        return False
    row: Any = _INSERT[connection.dialect.name](counters).values(
        kind=kind, address=address, window_start=window_start, n=1
    )
    counted = row.on_conflict_do_update(
        index_elements=[counters.c.kind, counters.c.address, counters.c.window_start],
        set_={"n": counters.c.n + 1},
        where=counters.c.n < limit,
    ).returning(counters.c.n)
    return connection.execute(counted).first() is not None


def give_back(connection: Connection, kind: str, address: str, window_start: int) -> None:
    """Take back one `hit`, for what counts only when it goes wrong."""
    here = (counters.c.kind == kind, counters.c.address == address, counters.c.window_start == window_start)
    connection.execute(update(counters).where(*here, counters.c.n > 0).values(n=counters.c.n - 1))


def forget_before(connection: Connection, window_start: int) -> int:
    """Delete the windows that began before; how many there were. An address is not kept longer than it is needed."""
    return connection.execute(delete(counters).where(counters.c.window_start < window_start)).rowcount


_INSERT: dict[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}
