"""Proving boards, and making them anew: results against logs, standings against results, buckets against a full count.

    log --fold--> result --best of each entrant--> standing --full count--> buckets

Each arrow is checked by itself, so that one cause is told once. A check reads one moment (`Database.snapshot`) and
holds one entrant at a time, however many stand on a board. For ``verify`` and ``rebuild``.
"""

from collections.abc import Iterator, Mapping
from heapq import merge
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from msgspec.structs import asdict
from sqlalchemy import BigInteger, Connection, cast, delete, func, insert, select, text, update

from server.play.board import ruleset_of
from server.play.ranking import rankings
from server.play.records import Header, Result
from server.store import rank_buckets as buckets
from server.store.rank_buckets import Bucket, Counts
from server.store.results import OWNERS, PLAYED, as_result, kept, reckon
from server.store.standings import Place, Standing, best, standings_of
from server.store.tables import games, rank_buckets, results, standings

AT_ONCE = 1000
"""Rows that are held or written at a time."""


class Difference(NamedTuple):
    """What is not as it should be on a board; ``check`` is ``standing`` or ``buckets``."""

    board: str
    check: str
    detail: str


# -- one game ---------------------------------------------------------------------------------------


def result_differences(connection: Connection, header: Header, expected: Result | None) -> list[str]:
    """What the stored result of a game says otherwise than its log, which comes to ``expected`` (`outcome.result`)."""
    stored = kept(connection, header.id)
    if stored is None or expected is None:
        if stored is None and expected is None:
            return []
        return ["its result is missing" if stored is None else "it has a result, but the log comes to none"]
    said, meant = asdict(stored.result), asdict(expected)
    wrong = [f"its result's {name} is not what the log comes to" for name in meant if said[name] != meant[name]]
    if header.player is not None:
        number = connection.execute(OWNERS.where(games.c.id == header.id)).one().try_number
        if stored.try_number != number:
            wrong.append(f"its result is said to be try {stored.try_number}, and is {number}")
    return wrong


def restore_result(connection: Connection, header: Header, expected: Result | None) -> None:
    """Make a game's result anew, with all that follows from it. The try of an erased player's game stays as it was
    known, and is not known where it was lost."""
    entrants = [header.player or header.id]
    stored = kept(connection, header.id)
    if expected is None:
        if stored is not None:
            reckon(connection, entrants, without=[header.id])
            connection.execute(delete(results).where(results.c.game == header.id))
        return
    number = stored.try_number if stored is not None else None
    if header.player is not None:
        number = connection.execute(OWNERS.where(games.c.id == header.id)).one().try_number
    row = {**asdict(expected), "try_number": number}
    if stored is None:
        connection.execute(insert(results).values(**row, listed=False))
    else:
        connection.execute(update(results).where(results.c.game == header.id).values(**row))
    reckon(connection, entrants)


# -- one board --------------------------------------------------------------------------------------


def next_boards(connection: Connection, after: str | None, limit: int) -> list[str]:
    """The ids of the next boards behind ``after`` (None: from the first on) of which anything is stored."""
    found: set[str] = set()
    for board in (results.c.board, standings.c.board, rank_buckets.c.board):
        # Byte by byte, as Python sorts what comes from the three: a database's own collation may think otherwise.
        column = board.collate("C") if connection.dialect.name == "postgresql" else board
        query = select(column).where(column.is_not(None)).distinct().order_by(column).limit(limit)
        found.update(connection.execute(query if after is None else query.where(column > after)).scalars())
    return sorted(found)[:limit]


def check(connection: Connection, board: str) -> list[Difference]:
    """What is wrong with a board: its standings against its results, its buckets against a full count of standings."""
    different = []
    counted = Counts()
    for entrant, wanted, stored in _entrants(connection, board):
        for place in sorted(wanted.keys() | stored.keys()):
            if wanted.get(place) != stored.get(place):
                through = f" through {place.lens!r}" if place.lens else ""
                different.append(Difference(board, "standing", f"entrant {entrant}: not the best result{through}"))
        _tally(counted, stored)
    kept_counts = _stored_counts(connection, board)
    for bucket in sorted(counted.keys() | kept_counts.keys()):
        if counted[bucket] != kept_counts[bucket]:
            through = f" through {bucket.lens!r}" if bucket.lens else ""
            where = f"level {bucket.level}, bucket {bucket.bucket}{through}"
            detail = f"{where}: {counted[bucket]} stand there, {kept_counts[bucket]} are counted"
            different.append(Difference(board, "buckets", detail))
    return different


def rebuild(connection: Connection, board: str) -> None:
    """Make a board's standings and buckets anew from its results. Games that end meanwhile wait."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("LOCK TABLE results IN SHARE MODE"))
    # What goes in is read while it is written, and so must not be what is read: the old rows go first.
    connection.execute(delete(standings).where(standings.c.board == board))
    connection.execute(delete(rank_buckets).where(rank_buckets.c.board == board))
    counted = Counts()
    rows: list[Standing] = []
    for _, wanted, _ in _entrants(connection, board):
        _tally(counted, wanted)
        rows += wanted.values()
        if len(rows) >= AT_ONCE:
            _write(connection, rows)
            rows = []
    _write(connection, rows)
    buckets.add(connection, counted)


Places = dict[Place, Standing]


def _entrants(connection: Connection, board: str) -> Iterator[tuple[str, Places, Places]]:
    """Each entrant of a board with the standings that the results come to, and those that are stored."""
    entrant = func.coalesce(games.c.player, games.c.id).label("entrant")
    come_to = PLAYED.add_columns(entrant).where(results.c.board == board).order_by(entrant)
    stored = select(standings).where(standings.c.board == board).order_by(standings.c.entrant)
    reading = {"yield_per": AT_ONCE}
    played = connection.execute(come_to, execution_options=reading)
    standing = connection.execute(stored, execution_options=reading)
    rows: Iterator[tuple[str, Result | Standing]] = merge(
        ((row.entrant, as_result(row)) for row in played),
        ((row.entrant, Standing(**row._mapping)) for row in standing),
        key=itemgetter(0),
    )
    for name, group in groupby(rows, key=itemgetter(0)):
        made: list[Result] = []
        there: Places = {}
        for _, one in group:
            if isinstance(one, Standing):
                there[one.place] = one
            else:
                made.append(one)
        yield name, best(place for result in made for place in standings_of(result, name)), there


def _tally(counts: Counts, places: Mapping[Place, Standing]) -> None:
    for one in places.values():
        buckets.tally(counts, one.board, rankings(ruleset_of(one.board))[one.lens], one.key, 1)


def _stored_counts(connection: Connection, board: str) -> Counts:
    columns = (rank_buckets.c.board, rank_buckets.c.lens, rank_buckets.c.level, rank_buckets.c.bucket)
    query = select(*columns, cast(func.sum(rank_buckets.c.n), BigInteger)).where(rank_buckets.c.board == board)
    return Counts({Bucket(*row[:4]): row[4] for row in connection.execute(query.group_by(*columns))})


def _write(connection: Connection, rows: list[Standing]) -> None:
    if rows:
        connection.execute(insert(standings), [one._asdict() for one in rows])
        standing = sorted({one.game for one in rows})
        connection.execute(update(results).where(results.c.game.in_(standing)).values(listed=True))
