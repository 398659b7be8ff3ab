"""The statements that boards are read with: each is put together once, which costs more than to execute it.

All take ``board`` and ``lens``, and what their names say besides. The parts of a board give, in no order, rows of

    key, entrant, try_number, the player's id, name, tag and created_at (or None four times), the fields of a `Result`
"""

from functools import cache
from itertools import pairwise
from typing import Any

from sqlalchemy import BigInteger, Select, and_, bindparam, cast, func, select, union_all

from server.play.records import Result
from server.store.tables import players, rank_buckets, results, standings

KEY, ENTRANT = 0, 1
"""Where they stand in a row."""

_BEST_FIRST = (standings.c.key.desc(), standings.c.entrant)
_WORST_FIRST = (standings.c.key, standings.c.entrant.desc())
_LIMIT: Any = bindparam("limit")
_AT_KEY = standings.c.key == bindparam("key")
_AT_ENTRANT = standings.c.entrant == bindparam("entrant")
_PLACES = select(standings.c.key, standings.c.entrant, standings.c.game).where(
    standings.c.board == bindparam("board"), standings.c.lens == bindparam("lens")
)
_ALL = _PLACES.order_by(*_BEST_FIRST).limit(_LIMIT)
_AT = _PLACES.where(_AT_ENTRANT)
# Each in two parts that are one stretch of the index: equals, and those that are worse, or better.
_BELOW = [
    _PLACES.where(condition).order_by(*_BEST_FIRST).limit(_LIMIT)
    for condition in (
        and_(_AT_KEY, standings.c.entrant > bindparam("entrant")),
        standings.c.key < bindparam("key"),
    )
]
_ABOVE = [
    _PLACES.where(condition).order_by(*_WORST_FIRST).limit(_LIMIT)
    for condition in (
        and_(_AT_KEY, standings.c.entrant < bindparam("entrant")),
        standings.c.key > bindparam("key"),
    )
]


def _with_all_that_is_shown(*parts: Select[Any]) -> Select[Any]:
    first = parts[0].subquery()
    places = first if len(parts) == 1 else union_all(*(select(part.subquery()) for part in parts)).subquery()
    return (
        select(
            places.c.key,
            places.c.entrant,
            results.c.try_number,
            players.c.id,
            players.c.name,
            players.c.tag,
            players.c.created_at,
            *(results.c[name] for name in Result.__struct_fields__),
        )
        .join_from(places, results, results.c.game == places.c.game)
        .outerjoin(players, players.c.id == places.c.entrant)
    )


PARTS = {
    "all": _with_all_that_is_shown(_ALL),
    "at": _with_all_that_is_shown(_AT),
    "below": _with_all_that_is_shown(*_BELOW),
    "around": _with_all_that_is_shown(*_ABOVE, _AT, *_BELOW),
}
"""``all``: the best ``limit`` rows. ``at``: that of ``entrant``. ``below``: up to ``limit`` equals, and as many worse
ones, behind the position of ``key`` and ``entrant``. ``around``: the same on both sides of it, and the row there."""


def _level(level: int) -> Select[Any]:
    """The counts of one level of a board."""
    here = (rank_buckets.c.board == bindparam("board"), rank_buckets.c.lens == bindparam("lens"))
    total = func.coalesce(cast(func.sum(rank_buckets.c.n), BigInteger), 0)
    return select(total).where(*here, rank_buckets.c.level == level)


@cache
def rank_statement(levels: int) -> Select[Any]:
    """How many are better than ``key``, whose buckets are ``edge0``, ``edge1``, ... of so many levels: a number for
    each level, and one for what is looked at one by one; then how many are equal, and how many there are."""
    edges: list[Any] = [None, *(bindparam(f"edge{level}") for level in range(levels))]
    sums = []
    for level, (above, below) in enumerate(pairwise(edges)):
        counted = _level(level).where(rank_buckets.c.bucket > below)
        sums.append(counted if above is None else counted.where(rank_buckets.c.bucket <= above))
    standing_here = (standings.c.board == bindparam("board"), standings.c.lens == bindparam("lens"))
    standing = select(func.count()).select_from(standings).where(*standing_here)
    sums.append(standing.where(standings.c.key > bindparam("key"), standings.c.key <= edges[-1]))
    sums.append(standing.where(_AT_KEY))
    return select(*(one.scalar_subquery() for one in (*sums, _level(0))))


COUNT = _level(0)
SPREAD = (
    select(rank_buckets.c.bucket, cast(func.sum(rank_buckets.c.n), BigInteger).label("n"))
    .where(
        rank_buckets.c.board == bindparam("board"),
        rank_buckets.c.lens == bindparam("lens"),
        rank_buckets.c.level == 0,
    )
    .group_by(rank_buckets.c.bucket)
    .having(func.sum(rank_buckets.c.n) != 0)
    .order_by(rank_buckets.c.bucket.desc())
)
