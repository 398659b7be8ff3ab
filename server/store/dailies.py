"""Sealed days: what was committed to, who has begun what, and the manifests that were published."""

from collections.abc import Collection
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, select, update
from sqlalchemy.dialects import postgresql, sqlite

from server.play.board import daily_board
from server.play.records import Header, Result
from server.store import games as rows_of_games
from server.store.tables import dailies, games, manifests, results


class Daily(NamedTuple):
    """One ruleset of one day. Times are milliseconds UTC; ``line`` is the winning line as JSON, or None."""

    date: str
    ruleset: str
    code: str
    commitment: str
    committed_at: int
    certified: bool
    line: str | None
    closes_at: int
    swept_at: int | None = None


class Entry(NamedTuple):
    """A result on a daily's board, and the owner that its log names."""

    owner: str
    result: Result


def add(connection: Connection, daily: Daily) -> bool:
    """Commit to a daily; False where another process has committed to one already, which then stands."""
    insert: Any = _INSERT[connection.dialect.name](dailies).values(daily._asdict())
    made = insert.on_conflict_do_nothing(index_elements=[dailies.c.date, dailies.c.ruleset]).returning(dailies.c.date)
    return connection.execute(made).first() is not None


def get(connection: Connection, date: str, ruleset: str) -> Daily | None:
    row = connection.execute(select(dailies).where(dailies.c.date == date, dailies.c.ruleset == ruleset)).first()
    return None if row is None else _as_daily(row)


def between(connection: Connection, first: str, last: str) -> list[Daily]:
    """The dailies of the days from ``first`` to ``last`` (YYYY-MM-DD), both included."""
    query = select(dailies).where(dailies.c.date >= first, dailies.c.date <= last)
    return [_as_daily(row) for row in connection.execute(query.order_by(dailies.c.date, dailies.c.ruleset))]


def unswept(connection: Connection, now: int) -> list[Daily]:
    """The dailies that have closed by ``now`` and not been swept, oldest first."""
    query = select(dailies).where(dailies.c.closes_at <= now, dailies.c.swept_at.is_(None))
    return [_as_daily(row) for row in connection.execute(query.order_by(dailies.c.date, dailies.c.ruleset))]


def attempt(connection: Connection, date: str, ruleset: str, player: str) -> Header | None:
    """A player's one attempt on a daily."""
    mine = (*_attempts_on(date, ruleset), games.c.player == player)
    game = connection.execute(select(games.c.id).where(*mine)).scalar()
    return None if game is None else rows_of_games.header(connection, game)


def attempts_of(connection: Connection, player: str, dates: Collection[str]) -> list[Header]:
    """A player's attempts on all rulesets of these days."""
    mine = (games.c.purpose == "daily", games.c.player == player, games.c.date.in_(dates))
    found = connection.execute(select(games.c.id).where(*mine)).scalars().all()
    return [header for game in found if (header := rows_of_games.header(connection, game)) is not None]


def open_attempts(connection: Connection, date: str, ruleset: str) -> list[str]:
    """The games of a daily that have not ended."""
    still = (*_attempts_on(date, ruleset), games.c.status.in_(("playing", "dead_end")))
    return list(connection.execute(select(games.c.id).where(*still).order_by(games.c.id)).scalars())


def publish(connection: Connection, date: str, ruleset: str, text: str, now: int) -> None:
    """Publish a daily's manifest and note that the day has been swept; what was published first stands."""
    insert: Any = _INSERT[connection.dialect.name](manifests).values(
        date=date, ruleset=ruleset, text=text, published_at=now
    )
    connection.execute(insert.on_conflict_do_nothing(index_elements=[manifests.c.date, manifests.c.ruleset]))
    this = (dailies.c.date == date, dailies.c.ruleset == ruleset, dailies.c.swept_at.is_(None))
    connection.execute(update(dailies).where(*this).values(swept_at=now))


def entries(connection: Connection, date: str, ruleset: str) -> list[Entry]:
    """Every result of a daily, in no order."""
    query = (
        select(games.c.owner, *(results.c[name] for name in Result.__struct_fields__))
        .join_from(results, games, results.c.game == games.c.id)
        .where(results.c.board == daily_board(date, ruleset))
    )
    found = connection.execute(query).mappings()
    return [Entry(row["owner"], Result(**{name: row[name] for name in Result.__struct_fields__})) for row in found]


def manifest(connection: Connection, date: str, ruleset: str) -> str | None:
    """The published text of a daily's manifest."""
    this = (manifests.c.date == date, manifests.c.ruleset == ruleset)
    return connection.execute(select(manifests.c.text).where(*this)).scalar()


def manifest_before(connection: Connection, date: str, ruleset: str) -> str | None:
    """The text of the newest manifest of a ruleset from before a day."""
    earlier = select(manifests.c.text).where(manifests.c.ruleset == ruleset, manifests.c.date < date)
    return connection.execute(earlier.order_by(manifests.c.date.desc()).limit(1)).scalar()


def _attempts_on(date: str, ruleset: str) -> tuple[Any, ...]:
    return games.c.purpose == "daily", games.c.date == date, games.c.ruleset == ruleset


def _as_daily(row: Row[Any]) -> Daily:
    return Daily(**row._mapping)


_INSERT: dict[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}
