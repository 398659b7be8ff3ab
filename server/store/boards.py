"""Boards as they are read: the top, the rows around one, a rank, how many there are and how they spread.

Rows come best first and, among equals, by entrant, so that pages do not overlap; a rank never depends on that.
All that is asked here costs about the same however many stand on a board: rows come from one index, ranks are
sums over buckets (`rank_buckets`), and one rank gives those of all rows that follow without a gap.

Whoever asks for more than one thing wants `Database.snapshot`, so that the answers are of one moment.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from msgspec import Struct
from sqlalchemy import Connection

from server.play.ranking import Ranking, percentile
from server.play.records import Result
from server.store.board_statements import COUNT, ENTRANT, KEY, PARTS, SPREAD, rank_statement
from server.store.players import Player


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
        rows = _rows(connection, "all", board, ranking, limit=limit)
        return _ranked(rows, Rank(0, sum(row[KEY] == rows[0][KEY] for row in rows), 0))
    rows = _rows(connection, "below", board, ranking, **after._asdict(), limit=limit)[:limit]
    return _ranked_within(connection, board, ranking, rows)


def around(connection: Connection, board: str, ranking: Ranking, entrant: str, *, limit: int) -> list[Row]:
    """At most ``limit`` rows with the entrant's own in the middle, or as near to it as an end of the board allows;
    none where the entrant has no row."""
    here = _rows(connection, "at", board, ranking, entrant=entrant)
    if not here:
        return []
    others = limit - 1
    rows = _rows(connection, "around", board, ranking, entrant=entrant, key=here[0][KEY], limit=others)
    own = next((index for index, row in enumerate(rows) if row[ENTRANT] == entrant), 0)
    first = max(0, min(own - others // 2, len(rows) - limit))
    return _ranked_within(connection, board, ranking, rows[first : first + limit])


def has_more(connection: Connection, board: str, ranking: Ranking, position: Position) -> bool:
    """Whether any row stands behind this position."""
    return bool(_rows(connection, "below", board, ranking, **position._asdict(), limit=1))


def standing(connection: Connection, board: str, ranking: Ranking, entrant: str) -> Own | None:
    """The entrant's own row, or None."""
    found = _rows(connection, "at", board, ranking, entrant=entrant)
    if not found:
        return None
    rank = rank_of(connection, board, ranking, found[0][KEY])
    return Own(_as_row(found[0], rank.rank), rank)


def rank_of(connection: Connection, board: str, ranking: Ranking, key: int) -> Rank:
    """Where this key stands on a board, whether or not anyone there has it."""
    buckets = ranking.buckets(key)
    edges = {f"edge{level}": bucket for level, bucket in enumerate(buckets)}
    given = {"board": board, "lens": ranking.lens, "key": key, **edges}
    *better, equal, everyone = connection.execute(rank_statement(len(buckets)), given).one()
    return Rank(sum(better), equal, everyone)


def count(connection: Connection, board: str) -> int:
    """How many stand on a board."""
    return int(connection.execute(COUNT, {"board": board, "lens": ""}).scalar_one())


def histogram(connection: Connection, board: str, ranking: Ranking) -> list[Bar]:
    """How the entrants of a board spread over wins and scores, best first; what nobody has is left out."""
    bars = []
    for bucket, entrants in connection.execute(SPREAD, {"board": board, "lens": ranking.lens}):
        keys = ranking.unpack(bucket)
        bars.append(Bar(bool(keys["won"]), keys["score"], entrants))
    return bars


# -- rows -------------------------------------------------------------------------------------------


def _rows(connection: Connection, part: str, board: str, ranking: Ranking, **where: object) -> list[Any]:
    """The rows of a part of a board with all that a board shows of them, best first."""
    found = connection.execute(PARTS[part], {"board": board, "lens": ranking.lens, **where})
    return sorted(found, key=lambda row: (-row[KEY], row[ENTRANT]))


def _ranked_within(connection: Connection, board: str, ranking: Ranking, rows: Sequence[Any]) -> list[Row]:
    """Rows that follow one another on the board, with their ranks: the first one's tells those of all."""
    if not rows:
        return []
    return _ranked(rows, rank_of(connection, board, ranking, rows[0][KEY]))


def _ranked(rows: Sequence[Any], first: Rank) -> list[Row]:
    """Number rows that follow one another, of which the first has this rank: equals share one, the next after them
    has a gap. Of the first's equals some may stand before the rows, so they are counted, of all others none."""
    ranked: list[Row] = []
    rank, behind = first.rank, first.rank + first.equal
    for index, row in enumerate(rows):
        if row[KEY] != rows[0][KEY]:
            if row[KEY] != rows[index - 1][KEY]:
                rank = behind
            behind += 1
        ranked.append(_as_row(row, rank))
    return ranked


def _as_row(row: Any, rank: int) -> Row:
    key, entrant, try_number, player, name, tag, created_at, *fields = row
    return Row(
        rank,
        Position(key, entrant),
        None if player is None else Player(player, name, tag, created_at),
        Result(**dict(zip(Result.__struct_fields__, fields, strict=True))),
        try_number,
    )
