"""The rows of games: made with a game's first event, asked without a replay, changed hardly ever."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, or_, select, tuple_, update
from sqlalchemy.dialects import postgresql, sqlite

from server.play.records import Header
from server.store.tables import games

Cursor = tuple[int, str]
"""Where a list goes on: created_at and id of the last game that was shown."""


def add_headers(connection: Connection, headers: Sequence[Header]) -> set[str]:
    """Insert rows of new games in one statement; the ids that went in.

    Left out are those whose (player, command_id) or id is taken. Sorted by what they may collide on, so that
    two processes that open the same games wait for each other in the same order.
    """
    rows = [_as_row(header) for header in headers]
    rows.sort(key=lambda row: (row["player"] or "", row["command_id"]))
    return set(connection.execute(_INSERT[connection.dialect.name], rows).scalars())


def header(connection: Connection, game: str) -> Header | None:
    """The row of a game, or None where there is none."""
    row = connection.execute(_COLUMNS.where(games.c.id == game)).first()
    return None if row is None else _as_header(row)


def opened(connection: Connection, player: str, command_id: str) -> Header | None:
    """The game that this command of this player has made, or None."""
    mine = and_(games.c.player == player, games.c.command_id == command_id)
    row = connection.execute(_COLUMNS.where(mine)).first()
    return None if row is None else _as_header(row)


def of_player(
    connection: Connection,
    player: str,
    *,
    limit: int,
    cursor: Cursor | None = None,
    code: str | None = None,
    ruleset: str | None = None,
    status: str | None = None,
    since: int | None = None,
    until: int | None = None,
    open_at: int | None = None,
) -> list[Header]:
    """A player's games, newest first, at most ``limit``, after ``cursor``; ``since <= created_at < until``. With
    ``open_at`` only those that are not sealed at that time (ms UTC)."""
    query = _COLUMNS.where(games.c.player == player)
    if open_at is not None:
        query = query.where(_is_open(open_at))
    for column, value in ((games.c.code, code), (games.c.ruleset, ruleset), (games.c.status, status)):
        if value is not None:
            query = query.where(column == value)
    if since is not None:
        query = query.where(games.c.created_at >= since)
    if until is not None:
        query = query.where(games.c.created_at < until)
    return _page(connection, query, limit, cursor)


def public(
    connection: Connection, *, limit: int, cursor: Cursor | None = None, open_at: int | None = None
) -> list[Header]:
    """The games that anyone may find and watch, newest first; with ``open_at`` as in `of_player`."""
    query = _COLUMNS.where(games.c.watching == "public")
    return _page(connection, query if open_at is None else query.where(_is_open(open_at)), limit, cursor)


def set_watching(connection: Connection, game: str, watching: str) -> bool:
    """Who may watch: private, link or public. False where there is no such game."""
    return connection.execute(update(games).where(games.c.id == game).values(watching=watching)).rowcount == 1


def _is_open(now: int) -> ColumnElement[bool]:
    """What `secrecy.is_sealed` says of a row, in SQL; a race is never open, since no row tells whether it is over."""
    return or_(games.c.purpose == "open", and_(games.c.purpose == "daily", games.c.until <= now))


def _page(connection: Connection, query: Select[Any], limit: int, cursor: Cursor | None) -> list[Header]:
    place = tuple_(games.c.created_at, games.c.id)
    if cursor is not None:
        query = query.where(place < cursor)
    newest_first = query.order_by(games.c.created_at.desc(), games.c.id.desc()).limit(limit)
    return [_as_header(row) for row in connection.execute(newest_first)]


def _as_row(header: Header) -> dict[str, Any]:
    return {field: getattr(header, field) for field in Header.__struct_fields__}


def _as_header(row: Row[Any]) -> Header:
    return Header(**row._mapping)


_COLUMNS = select(*(games.c[field] for field in Header.__struct_fields__))
_INSERT = {
    "sqlite": sqlite.insert(games).on_conflict_do_nothing().returning(games.c.id),
    "postgresql": postgresql.insert(games).on_conflict_do_nothing().returning(games.c.id),
}
