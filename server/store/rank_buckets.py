"""How many stand in which part of a board, so that a rank is a sum of a few hundred numbers at most.

What a bucket is, the ranking says (`Ranking.buckets`). Each count is spread over slots, one a writer process as
far as possible: finishes on one board in several processes would else queue up at one row. What a slot holds
may be below zero, where a player came through one process and went on through another; only sums mean something.
"""

import os
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection
from sqlalchemy.dialects import postgresql, sqlite

from server.play.ranking import Ranking
from server.store.prepared import Prepared
from server.store.tables import rank_buckets

SLOTS: Final = 8
"""Enough for the processes of one machine. Two that share a slot wait for each other, and are right all the same."""


class Bucket(NamedTuple):
    """One bucket of a board; ``bucket`` is the best key that it can hold."""

    board: str
    lens: str
    level: int
    bucket: int


Counts = Counter[Bucket]


def tally(counts: Counts, board: str, ranking: Ranking, key: int, n: int) -> None:
    """Add ``n`` to the counts of all buckets that a key is in."""
    for level, bucket in enumerate(ranking.buckets(key)):
        counts[Bucket(board, ranking.lens, level, bucket)] += n


def add(connection: Connection, counts: Mapping[Bucket, int], *, slot: int | None = None) -> None:
    """Add to what is stored, in the order of the keys (DESIGN 6: what waits, waits in one order); into this process's
    slot, unless one is given."""
    if slot is None:
        slot = 0 if connection.dialect.name == "sqlite" else os.getpid() % SLOTS
    rows = [{**bucket._asdict(), "slot": slot, "n": n} for bucket, n in sorted(counts.items()) if n]
    if rows:
        _ADD.write(connection, rows)


def _upsert(insert: Any) -> Any:
    row = insert(rank_buckets)
    return row.on_conflict_do_update(
        index_elements=list(rank_buckets.primary_key.columns), set_={"n": rank_buckets.c.n + row.excluded.n}
    )


_ADD = Prepared(_upsert(sqlite.insert), _upsert(postgresql.insert))
