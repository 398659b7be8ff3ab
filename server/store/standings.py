"""The best of each player on each board: written with the result that makes it so, and kept to what results say.

    results of one entrant on one board --best, through each lens--> a standing --counted in--> rank_buckets

An *entrant* is the player whose games they are. A game whose player has been erased is an entrant by itself, under
its own id, so that its row stays where it stood and leads to nobody.

Of equals the earlier is kept, by the time of its last event, so the standings are a function of the results,
whatever the order in which processes commit them.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, and_, bindparam, delete, or_, select, update

from server.play.board import ruleset_of
from server.play.ranking import rankings
from server.play.records import Result
from server.store import rank_buckets
from server.store.prepared import Insertion, Prepared
from server.store.rank_buckets import Counts
from server.store.tables import games, standings

LOCKED_AT_ONCE = 100
"""Places of one condition: an expression may not be too deep."""


class Place(NamedTuple):
    """Whose standing it is, on which board, through which lens."""

    entrant: str
    board: str
    lens: str


class Standing(NamedTuple):
    """A row of a board: the game that counts, its sort key, and when it ended (ms UTC)."""

    entrant: str
    board: str
    lens: str
    key: int
    finished_at: int
    game: str

    @property
    def place(self) -> Place:
        return Place(self.entrant, self.board, self.lens)

    def beats(self, other: "Standing") -> bool:
        """Whether it takes the place of ``other``: it is better, or as good and earlier."""
        return (-self.key, self.finished_at, self.game) < (-other.key, other.finished_at, other.game)


def standings_of(result: Result, entrant: str) -> list[Standing]:
    """What a result can put on its board, one a lens; nothing where it has no board."""
    if result.board is None:
        return []
    return [
        Standing(entrant, result.board, lens, ranking.pack(result), result.finished_at, result.game)
        for lens, ranking in rankings(result.ruleset).items()
    ]


def best(candidates: Iterable[Standing]) -> dict[Place, Standing]:
    """Of all that want the same place the one that gets it."""
    chosen: dict[Place, Standing] = {}
    for one in candidates:
        known = chosen.get(one.place)
        if known is None or one.beats(known):
            chosen[one.place] = one
    return chosen


def enter(connection: Connection, candidates: Iterable[Standing]) -> set[str]:
    """Put results that have just been made on their boards; the games that got a row by it."""
    wanted = best(candidates)
    if not wanted:
        return set()
    made = _add(connection, wanted.values())
    came, went = [wanted[place] for place in made], []
    # Locked, whoever stood there before is moved by nobody else until this transaction is over.
    taken = sorted(wanted.keys() - made)
    for old in _standing(connection, taken):
        if wanted[old.place].beats(old):
            came.append(wanted[old.place])
            went.append(old)
    if went:
        _REPLACE.write(connection, [_bound(wanted[old.place]) for old in went])
    _count(connection, came, went)
    return {one.game for one in came}


def settle(connection: Connection, entrants: Collection[str], wanted: Iterable[Standing]) -> None:
    """Make ``wanted``, all that the results of these entrants say, their standings, after something else than an
    end of a game has changed the results: an erasure, a game that is voided. The caller has locked the games."""
    chosen = best(wanted)
    stored = {one.place: one for one in _locked(connection, standings.c.entrant.in_(sorted(entrants)))}
    came = [one for place, one in chosen.items() if stored.get(place) != one]
    went = [one for place, one in stored.items() if chosen.get(place) != one]
    if went:
        connection.execute(_REMOVE, [_bound(one) for one in went])
    if came:
        _add(connection, came)
    _count(connection, came, went)


def lock_games(connection: Connection, entrants: Collection[str]) -> None:
    """Lock all games of these entrants, and with them every change of their standings, until the transaction is over.
    (SQLite has one writer, and knows no FOR UPDATE.)"""
    theirs = select(games.c.id).where(of_entrants(entrants)).order_by(games.c.id)
    connection.execute(theirs.with_for_update()).all()


def of_entrants(entrants: Collection[str]) -> Any:
    """The condition that a row of ``games`` belongs to one of these entrants."""
    given = sorted(entrants)
    return or_(games.c.player.in_(given), and_(games.c.id.in_(given), games.c.player.is_(None)))


def _is(place: Place) -> Any:
    # Not a row value IN a list: for that SQLite reads the whole table.
    return and_(*(column == value for column, value in zip(_PLACE, place, strict=True)))


def _add(connection: Connection, made: Collection[Standing]) -> set[Place]:
    """Insert rows in the order of their keys; the places that were free."""
    rows = [one._asdict() for one in sorted(made)]
    return {Place(*row) for row in _ADD.add(connection, rows)}


def _standing(connection: Connection, places: Sequence[Place]) -> list[Standing]:
    """What stands in these places, locked; they are sorted."""
    if connection.dialect.name == "sqlite":
        return [Standing(*row) for row in _AT.read(connection, [_bound(place) for place in places])]
    found: list[Standing] = []
    for first in range(0, len(places), LOCKED_AT_ONCE):
        found += _locked(connection, or_(*map(_is, places[first : first + LOCKED_AT_ONCE])))
    return found


def _locked(connection: Connection, which: Any) -> list[Standing]:
    query = select(*standings.columns).where(which).order_by(*_PLACE).with_for_update()
    return [Standing(**row._mapping) for row in connection.execute(query)]


def _count(connection: Connection, came: Iterable[Standing], went: Iterable[Standing]) -> None:
    counts = Counts()
    for group, n in ((came, 1), (went, -1)):
        for one in group:
            rank_buckets.tally(counts, one.board, rankings(ruleset_of(one.board))[one.lens], one.key, n)
    rank_buckets.add(connection, counts)


def _bound(one: Standing | Place) -> dict[str, Any]:
    return {f"the_{name}": value for name, value in one._asdict().items()}


_PLACE = (standings.c.entrant, standings.c.board, standings.c.lens)
_HERE = and_(*(column == bindparam(f"the_{column.name}") for column in _PLACE))
_AT = Prepared(select(*(standings.c[name] for name in Standing._fields)).where(_HERE))
_REPLACE = Prepared(
    update(standings).where(_HERE).values({name: bindparam(f"the_{name}") for name in ("key", "finished_at", "game")})
)
_REMOVE = delete(standings).where(_HERE)
_ADD = Insertion(standings, Place._fields)
