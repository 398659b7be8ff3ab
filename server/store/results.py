"""What finished games count: one row a game, made in the transaction of its last event, and never changed by playing.

A row says what the log says (`outcome.result`), and besides: which try it was, and whether it has had a row on its
board, since from then on everybody may see the game. Who played it stands in ``games`` alone.
"""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import asdict, replace
from sqlalchemy import Connection, Row, String, and_, bindparam, func, select, true, tuple_, update

from server.play.board import board_of
from server.play.records import Header, Result
from server.store.prepared import Insertion, Prepared
from server.store.standings import best, enter, lock_games, of_entrants, settle, standings_of
from server.store.tables import games, results, standings

ERASED_AT_ONCE = 500


class Kept(Struct, frozen=True, gc=False):
    """A stored result. ``try_number``: which of the player's games of this code it was, None where that cannot be
    told any more; ``listed``: whether it has had a row on its board."""

    result: Result
    try_number: int | None
    listed: bool


class _Owner(NamedTuple):
    """A row of `OWNERS`."""

    id: str
    player: str | None
    ranked: bool
    try_number: int


def record(connection: Connection, made: Sequence[Result]) -> None:
    """Store the results of games that have just ended, and put them on their boards.

    The rows of the games must be locked. What they say now counts, not what the writer knew of them: a player may
    have been erased a moment ago.
    """
    owners = _owners(connection, [one.game for one in made])
    new = {one.game: one if owners[one.game].ranked else replace(one, board=None) for one in made if one.game in owners}
    if not new:
        return
    rows = [
        {**asdict(new[game]), "try_number": owners[game].try_number or None, "listed": False} for game in sorted(new)
    ]
    stored = [game for (game,) in _ADD.add(connection, rows)]
    candidates = (one for game in stored for one in standings_of(new[game], owners[game].player or game))
    _list(connection, enter(connection, candidates))


def _owners(connection: Connection, made: Sequence[str]) -> dict[str, _Owner]:
    """What the rows of these games say of who played them."""
    if connection.dialect.name != "sqlite":
        rows = [tuple(row) for row in connection.execute(OWNERS.where(games.c.id.in_(made)))]
    else:
        rows = _OWNER.read(connection, [{"the_game": game} for game in made])
    return {row[0]: _Owner(*row) for row in rows}


def kept(connection: Connection, game: str) -> Kept | None:
    """What is stored of a game's result, or None."""
    row = connection.execute(select(results).where(results.c.game == game)).first()
    return None if row is None else Kept(as_result(row), row.try_number, row.listed)


def is_listed(connection: Connection, game: str) -> bool:
    """Whether a game has had a row on a board, so that everybody may see it once that board is revealed."""
    return bool(connection.execute(select(results.c.listed).where(results.c.game == game)).scalar())


def erase(connection: Connection, player: str) -> None:
    """Take a player off all games: the id and the salt that lead from a log to him, and with them his name on boards.

    A game that stands on a board stays on it, as an entrant by itself. The player's other games leave the boards,
    since nothing tells any more that they are of the same hand; so does one that stands only through a lens.
    """
    lock_games(connection, [player])
    theirs = games.c.player == player
    standing = select(standings.c.game).where(standings.c.entrant == player, standings.c.lens == "")
    stay = connection.execute(standing.order_by(standings.c.game)).scalars().all()
    others = (theirs, games.c.purpose == "open", games.c.id.not_in(standing))
    connection.execute(update(games).where(*others).values(ranked=False))
    left = select(games.c.id).where(theirs, games.c.ranked.is_(False))
    connection.execute(update(results).where(results.c.game.in_(left)).values(board=None, listed=False))
    connection.execute(update(games).where(theirs).values(player=None, salt=None))
    reckon(connection, [player])
    for first in range(0, len(stay), ERASED_AT_ONCE):
        reckon(connection, stay[first : first + ERASED_AT_ONCE])


def reckon(connection: Connection, entrants: Collection[str], *, without: Collection[str] = ()) -> None:
    """Bring what these entrants have on boards to what the rows of their games say, after something else than an end
    of a game has changed those: one no longer counts, or counts again. Finishes of theirs wait meanwhile. The games
    ``without`` are passed over, as if they had no results."""
    lock_games(connection, entrants)
    rows = connection.execute(PLAYED.where(of_entrants(entrants)).order_by(results.c.game)).all()
    found = [
        (as_result(row), board_of(_as_header(row)), row.player or row.game) for row in rows if row.game not in without
    ]
    moved = [{"the_game": one.game, "new_board": board} for one, board, _ in found if one.board != board]
    if moved:
        connection.execute(_MOVE, moved)
    wanted = best(one for result, board, who in found for one in standings_of(replace(result, board=board), who))
    settle(connection, entrants, wanted.values())
    _list(connection, {one.game for one in wanted.values()})


def as_result(row: Row[Any]) -> Result:
    return Result(**{name: getattr(row, name) for name in Result.__struct_fields__})


def _as_header(row: Row[Any]) -> Header:
    return Header(**{name: getattr(row, name) for name in Header.__struct_fields__})


def _list(connection: Connection, standing: Collection[str]) -> None:
    if standing:
        _LIST.write(connection, [{"the_game": game} for game in sorted(standing)])


_earlier = games.alias()
OWNERS = select(
    games.c.id,
    games.c.player,
    games.c.ranked,
    select(func.count())
    .where(
        _earlier.c.player == games.c.player,
        _earlier.c.code == games.c.code,
        _earlier.c.purpose == games.c.purpose,  # else a try would tell which code a sealed game has
        tuple_(_earlier.c.created_at, _earlier.c.id) <= tuple_(games.c.created_at, games.c.id),
    )
    .scalar_subquery()
    .label("try_number"),
)
_OWNER = Prepared(OWNERS.where(games.c.id == bindparam("the_game")))
PLAYED = select(results, *(games.c[name] for name in Header.__struct_fields__ if name != "ruleset")).join(
    games, games.c.id == results.c.game
)
_MOVE = (
    update(results)
    .where(results.c.game == bindparam("the_game"))
    .values(
        board=bindparam("new_board"),
        listed=and_(results.c.listed, bindparam("new_board", type_=String(64)).is_not(None)),
    )
)
_LIST = Prepared(update(results).where(results.c.game == bindparam("the_game")).values(listed=true()))
_ADD = Insertion(results, ["game"])
