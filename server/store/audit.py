"""What operators did: who, when, what, to whom. Only added to; written in the transaction of the deed."""

from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import Connection, insert, select

from server.store.tables import audit


class Entry(Struct, frozen=True):
    """One deed. ``id`` grows with time; ``at`` is ms UTC; ``subject`` what it was done to, ``detail`` the rest."""

    id: int
    at: int
    actor: str
    action: str
    subject: str | None
    detail: dict[str, Any]


def record_deed(
    connection: Connection, *, at: int, actor: str, action: str, subject: str | None = None, **detail: Any
) -> None:
    text = msgspec.json.encode(detail, order="sorted").decode()
    connection.execute(insert(audit).values(at=at, actor=actor, action=action, subject=subject, detail=text))


def deeds(connection: Connection, *, limit: int, before: int | None = None) -> list[Entry]:
    """The newest deeds, at most ``limit``; ``before`` is the id of the last that was shown."""
    query = select(audit).order_by(audit.c.id.desc()).limit(limit)
    if before is not None:
        query = query.where(audit.c.id < before)
    return [
        Entry(row.id, row.at, row.actor, row.action, row.subject, msgspec.json.decode(row.detail, type=dict[str, Any]))
        for row in connection.execute(query)
    ]
