"""Boards as they are read: the top, the rows around one, a rank, how many there are and how they spread.

Rows come best first and, among equals, by entrant, so that pages do not overlap; a rank never depends on that.
All that is asked here costs about the same however many stand on a board: rows come from one index, ranks are
sums over buckets (`rank_buckets`), and one rank gives those of all rows that follow without a gap.

Whoever asks for more than one thing wants `Database.snapshot`, so that the answers are of one moment.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from msgspec import Struct
from sqlalchemy import BigInteger, ColumnElement, Connection, ScalarSelect, Select, cast, func, select, union_all

from server.play.ranking import Ranking, percentile
from server.play.records import Result
from server.store.players import Player
from server.store.results import as_result
from server.store.tables import players, rank_buckets, results, standings


class Position(NamedTuple):
    """Where a row stands in the order of its board: a cursor for pages."""

    key: int
    entrant: str


class Rank(NamedTuple):
    """Where a key stands: how many entrants are strictly better, as good, and all in all on the board."""

    better: int
    equal: int
    players: int

    @property
    def rank(self) -> int:
        return self.better + 1

    @property
    def percentile(self) -> float:
        """How many of the others are strictly worse, in percent; of one who stands on the board."""
        return percentile(worse=self.players - self.better - self.equal, players=self.players)


class Row(Struct, frozen=True, gc=False):
    """A row of a board. ``player`` is None where he has been erased, ``try_number`` where nothing tells it any more."""

    rank: int
    position: Position
    player: Player | None
    result: Result
    try_number: int | None


class Own(Struct, frozen=True, gc=False):
    """A row by itself, with all that its place on the board says."""

    row: Row
    rank: Rank


class Bar(NamedTuple):
    """How many ended like this: won or not, with this score."""

    won: bool
    score: int
    n: int


def top(
    connection: Connection, board: str, ranking: Ranking, *, limit: int, after: Position | None = None
) -> list[Row]:
    """The best rows, at most ``limit``; or those behind a row that stands, or stood, at ``after``."""
    if after is None:
        rows = _rows(connection, _all(board, ranking, limit))
        return _ranked(rows, Rank(0, sum(row.key == rows[0].key for row in rows), 0))
    rows = _rows(connection, *_below(board, ranking, after, limit))[:limit]
    return _ranked_within(connection, board, ranking, rows)


def around(connection: Connection, board: str, ranking: Ranking, entrant: str, *, limit: int) -> list[Row]:
    """At most ``limit`` rows with the entrant's own in the middle, or as near to it as an end of the board allows;
    none where the entrant has no row."""
    here = _position(connection, board, ranking, entrant)
    if here is None:
        return []
    others = limit - 1
    parts = [*_above(board, ranking, here, others), _at(board, ranking, entrant), *_below(board, ranking, here, others)]
    rows = _rows(connection, *parts)
    own = next((index for index, row in enumerate(rows) if row.entrant == entrant), 0)
    first = max(0, min(own - others // 2, len(rows) - limit))
    return _ranked_within(connection, board, ranking, rows[first : first + limit])


def has_more(connection: Connection, board: str, ranking: Ranking, position: Position) -> bool:
    """Whether any row stands behind this position."""
    return any(connection.execute(part).first() for part in _below(board, ranking, position, 1))


def standing(connection: Connection, board: str, ranking: Ranking, entrant: str) -> Own | None:
    """The entrant's own row, or None."""
    found = _rows(connection, _at(board, ranking, entrant))
    if not found:
        return None
    rank = rank_of(connection, board, ranking, found[0].key)
    return Own(_as_row(found[0], rank.rank), rank)


def rank_of(connection: Connection, board: str, ranking: Ranking, key: int) -> Rank:
    """Where this key stands on a board, whether or not anyone there has it."""
    edges = (None, *ranking.buckets(key))
    in_buckets = [
        _counted(board, ranking.lens, level, above=below, upto=edge)
        for level, (edge, below) in enumerate(pairwise(edges))
    ]
    here = _here(board, ranking)
    one_by_one = _how_many(*here, standings.c.key > key, standings.c.key <= edges[-1])
    equal = _how_many(*here, standings.c.key == key)
    *better, equals, everyone = connection.execute(
        select(*in_buckets, one_by_one, equal, _counted(board, ranking.lens, 0))
    ).one()
    return Rank(sum(better), equals, everyone)


def count(connection: Connection, board: str) -> int:
    """How many stand on a board."""
    return connection.execute(select(_counted(board, "", 0))).scalar_one()


def histogram(connection: Connection, board: str, ranking: Ranking) -> list[Bar]:
    """How the entrants of a board spread over wins and scores, best first; what nobody has is left out."""
    n = cast(func.sum(rank_buckets.c.n), BigInteger)
    spread = (
        select(rank_buckets.c.bucket, n)
        .where(*_buckets(board, ranking.lens, 0))
        .group_by(rank_buckets.c.bucket)
        .having(n != 0)
        .order_by(rank_buckets.c.bucket.desc())
    )
    bars = []
    for bucket, entrants in connection.execute(spread):
        keys = ranking.unpack(bucket)
        bars.append(Bar(bool(keys["won"]), keys["score"], entrants))
    return bars


# -- rows -------------------------------------------------------------------------------------------


def _here(board: str, ranking: Ranking) -> tuple[ColumnElement[bool], ...]:
    return standings.c.board == board, standings.c.lens == ranking.lens


def _all(board: str, ranking: Ranking, limit: int) -> Select[Any]:
    return _PLACES.where(*_here(board, ranking)).order_by(*_BEST_FIRST).limit(limit)


def _at(board: str, ranking: Ranking, entrant: str) -> Select[Any]:
    return _PLACES.where(*_here(board, ranking), standings.c.entrant == entrant)


def _below(board: str, ranking: Ranking, position: Position, limit: int) -> list[Select[Any]]:
    """The rows behind a position, in two parts that are each one stretch of the index: equals, and worse ones."""
    here, (key, entrant) = _PLACES.where(*_here(board, ranking)), position
    equals = here.where(standings.c.key == key, standings.c.entrant > entrant)
    worse = here.where(standings.c.key < key)
    return [part.order_by(*_BEST_FIRST).limit(limit) for part in (equals, worse)]


def _above(board: str, ranking: Ranking, position: Position, limit: int) -> list[Select[Any]]:
    """The rows before a position, nearest first, in two parts likewise."""
    here, (key, entrant) = _PLACES.where(*_here(board, ranking)), position
    equals = here.where(standings.c.key == key, standings.c.entrant < entrant)
    better = here.where(standings.c.key > key)
    return [part.order_by(*_WORST_FIRST).limit(limit) for part in (equals, better)]


def _rows(connection: Connection, *parts: Select[Any]) -> Sequence[Any]:
    """The rows of these parts with all that a board shows of them, best first."""
    places = (
        union_all(*(select(part.subquery()) for part in parts)).subquery() if len(parts) > 1 else parts[0].subquery()
    )
    query = (
        select(places, results, *_PLAYER)
        .join(results, results.c.game == places.c.game)
        .outerjoin(players, players.c.id == places.c.entrant)
    )
    return sorted(connection.execute(query), key=lambda row: (-row.key, row.entrant))


def _position(connection: Connection, board: str, ranking: Ranking, entrant: str) -> Position | None:
    row = connection.execute(_at(board, ranking, entrant)).first()
    return None if row is None else Position(row.key, row.entrant)


# -- ranks ------------------------------------------------------------------------------------------


def _ranked_within(connection: Connection, board: str, ranking: Ranking, rows: Sequence[Any]) -> list[Row]:
    """Rows that follow one another on the board, with their ranks: the first one's tells those of all."""
    if not rows:
        return []
    return _ranked(rows, rank_of(connection, board, ranking, rows[0].key))


def _ranked(rows: Sequence[Any], first: Rank) -> list[Row]:
    """Number rows that follow one another, of which the first has this rank: equals share one, the next after them
    has a gap. Of the first's equals some may stand before the rows, so they are counted, of all others none."""
    ranked: list[Row] = []
    rank, behind = first.rank, first.rank + first.equal
    for index, row in enumerate(rows):
        if row.key != rows[0].key:
            if row.key != rows[index - 1].key:
                rank = behind
            behind += 1
        ranked.append(_as_row(row, rank))
    return ranked


def _as_row(row: Any, rank: int) -> Row:
    player = None if row.player is None else Player(row.player, row.player_name, row.tag, row.player_since)
    return Row(rank, Position(row.key, row.entrant), player, as_result(row), row.try_number)


def _buckets(board: str, lens: str, level: int) -> tuple[ColumnElement[bool], ...]:
    return rank_buckets.c.board == board, rank_buckets.c.lens == lens, rank_buckets.c.level == level


def _counted(
    board: str, lens: str, level: int, *, above: int | None = None, upto: int | None = None
) -> ScalarSelect[int]:
    """How many are counted in the buckets of a level with ``above < bucket <= upto``."""
    conditions = [*_buckets(board, lens, level)]
    if above is not None:
        conditions.append(rank_buckets.c.bucket > above)
    if upto is not None:
        conditions.append(rank_buckets.c.bucket <= upto)
    return select(func.coalesce(func.sum(rank_buckets.c.n), 0)).where(*conditions).scalar_subquery()


def _how_many(*conditions: ColumnElement[bool]) -> ScalarSelect[int]:
    return select(func.count()).select_from(standings).where(*conditions).scalar_subquery()


_PLACES = select(standings.c.entrant, standings.c.key, standings.c.game)
_BEST_FIRST = (standings.c.key.desc(), standings.c.entrant)
_WORST_FIRST = (standings.c.key, standings.c.entrant.desc())
_PLAYER = (
    players.c.id.label("player"),
    players.c.name.label("player_name"),
    players.c.tag,
    players.c.created_at.label("player_since"),
)
