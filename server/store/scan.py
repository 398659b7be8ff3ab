"""Going through all that is stored, a piece at a time: for tools that look at every game beside a server.

Games are walked in the order of their ids, so that a walk holds a cursor and nothing else, and a game that is
dealt meanwhile is met or not but never met twice.
"""

from collections.abc import Iterator

from sqlalchemy import Connection, exists, func, select

from server.play.records import Record
from server.store.tables import events, games, results

RECORDS_AT_ONCE = 1000


def count_games(connection: Connection) -> int:
    return connection.execute(select(func.count()).select_from(games)).scalar_one()


def count_boards(connection: Connection) -> int:
    return connection.execute(select(func.count(results.c.board.distinct()))).scalar_one()


def next_games(connection: Connection, after: str | None, limit: int) -> list[str]:
    """The ids of the next games behind ``after`` (None: from the first on), at most ``limit``; also of those that
    have events and no row."""
    rows = select(games.c.id).order_by(games.c.id).limit(limit)
    if after is not None:
        rows = rows.where(games.c.id > after)
    known = [*connection.execute(rows).scalars()]

    rowless = ~exists().where(games.c.id == events.c.game_id)
    strays = select(events.c.game_id).distinct().where(rowless).order_by(events.c.game_id).limit(limit)
    if after is not None:
        strays = strays.where(events.c.game_id > after)
    if len(known) == limit:
        strays = strays.where(events.c.game_id < known[-1])
    return sorted([*known, *connection.execute(strays).scalars()])[:limit]


def records_of(connection: Connection, game: str) -> Iterator[Record]:
    """A game's events in the order of seq; no more than a thousand are held."""
    after = 0
    while True:
        page = _RECORDS.where(events.c.game_id == game, events.c.seq > after)
        found = [Record(*row) for row in connection.execute(page)]
        yield from found
        if len(found) < RECORDS_AT_ONCE:
            return
        after = found[-1].seq


_FIELDS = ("game_id" if field == "game" else field for field in Record.__struct_fields__)
_RECORDS = select(*(events.c[field] for field in _FIELDS)).order_by(events.c.seq).limit(RECORDS_AT_ONCE)
