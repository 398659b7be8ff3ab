"""The rows of games: made with a game's first event, asked without a replay, changed hardly ever."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypedDict, Unpack

from sqlalchemy import ColumnElement, Connection, Row, and_, or_, select, tuple_, update

from server.play.records import Header
from server.store.prepared import Insertion
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
    return {game for (game,) in _INSERT.add(connection, rows)}


def header(connection: Connection, game: str) -> Header | None:
    """The row of a game, or None where there is none."""
    row = connection.execute(_COLUMNS.where(games.c.id == game)).first()
    return None if row is None else _as_header(row)


def opened(connection: Connection, player: str, command_id: str) -> Header | None:
    """The game that this command of this player has made, or None."""
    mine = and_(games.c.player == player, games.c.command_id == command_id)
    row = connection.execute(_COLUMNS.where(mine)).first()
    return None if row is None else _as_header(row)


class Filters(TypedDict, total=False):
    """Which games of a list: of a code, of a ruleset, with a status, with ``since <= created_at < until``; with
    ``open_at`` only those that are not sealed at that time (ms UTC). None is as if it were not there."""

    code: str | None
    ruleset: str | None
    status: str | None
    since: int | None
    until: int | None
    open_at: int | None


def of_player(
    connection: Connection, player: str, *, limit: int, cursor: Cursor | None = None, **filters: Unpack[Filters]
) -> list[Header]:
    """A player's games, newest first, at most ``limit``, after ``cursor``."""
    return _page(connection, games.c.player == player, filters, limit, cursor)


def public(
    connection: Connection, *, limit: int, cursor: Cursor | None = None, **filters: Unpack[Filters]
) -> list[Header]:
    """The games that anyone may find and watch, in pages as those of `of_player`."""
    return _page(connection, games.c.watching == "public", filters, limit, cursor)


def set_watching(connection: Connection, game: str, watching: str) -> bool:
    """Who may watch: private, link or public. False where there is no such game."""
    return connection.execute(update(games).where(games.c.id == game).values(watching=watching)).rowcount == 1


def _is_open(now: int) -> ColumnElement[bool]:
    """What `secrecy.is_sealed` says of a row, in SQL; a race is never open, since no row tells whether it is over."""
    return or_(games.c.purpose == "open", and_(games.c.purpose == "daily", games.c.until <= now))


def _page(
    connection: Connection, whose: ColumnElement[bool], filters: Filters, limit: int, cursor: Cursor | None
) -> list[Header]:
    query = _COLUMNS.where(whose, *_conditions(filters))
    if cursor is not None:
        query = query.where(tuple_(games.c.created_at, games.c.id) < cursor)
    newest_first = query.order_by(games.c.created_at.desc(), games.c.id.desc()).limit(limit)
    return [_as_header(row) for row in connection.execute(newest_first)]


def _conditions(filters: Filters) -> Iterator[ColumnElement[bool]]:
    for name, value in filters.items():
        if value is not None:
            yield _CONDITIONS[name](value)


def _as_row(header: Header) -> dict[str, Any]:
    return {field: getattr(header, field) for field in Header.__struct_fields__}


def _as_header(row: Row[Any]) -> Header:
    return Header(**row._mapping)


_CONDITIONS: dict[str, Callable[[Any], ColumnElement[bool]]] = {
    "code": lambda code: games.c.code == code,
    "ruleset": lambda ruleset: games.c.ruleset == ruleset,
    "status": lambda status: games.c.status == status,
    "since": lambda since: games.c.created_at >= since,
    "until": lambda until: games.c.created_at < until,
    "open_at": _is_open,
}
_COLUMNS = select(*(games.c[field] for field in Header.__struct_fields__))
_INSERT = Insertion(games, ["id"])
