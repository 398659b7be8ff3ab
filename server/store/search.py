"""Finding games by what is stored of them, for operators: any filter with any other."""

from collections.abc import Iterator

from msgspec import Struct
from sqlalchemy import Connection, and_, or_, select, tuple_
from sqlalchemy.sql import ColumnElement

from server.play.playthrough import ENDED
from server.play.records import Header
from server.store.tables import games

ROWS_AT_ONCE = 500


class Wanted(Struct, frozen=True, kw_only=True):
    """Which games; None is any. ``status`` is the one that the game shows at the time of asking, so that one whose
    time is over counts as expired, sweep or no sweep; times are ms UTC, ``since <= created_at < until``."""

    player: str | None = None
    code: str | None = None
    ruleset: str | None = None
    status: str | None = None
    purpose: str | None = None
    date: str | None = None
    watching: str | None = None
    since: int | None = None
    until: int | None = None


def find_games(connection: Connection, wanted: Wanted, *, now: int) -> Iterator[Header]:
    """The games that are wanted, newest first; some hundred are held at a time."""
    conditions = list(_conditions(wanted, now))
    place = tuple_(games.c.created_at, games.c.id)
    page = _COLUMNS.where(*conditions).order_by(games.c.created_at.desc(), games.c.id.desc()).limit(ROWS_AT_ONCE)
    after: list[ColumnElement[bool]] = []
    while True:
        found = [Header(**row._mapping) for row in connection.execute(page.where(*after))]
        yield from found
        if len(found) < ROWS_AT_ONCE:
            return
        after = [place < (found[-1].created_at, found[-1].id)]


def _conditions(wanted: Wanted, now: int) -> Iterator[ColumnElement[bool]]:
    for name in ("player", "code", "ruleset", "purpose", "date", "watching"):
        value = getattr(wanted, name)
        if value is not None:
            yield games.c[name] == value
    if wanted.since is not None:
        yield games.c.created_at >= wanted.since
    if wanted.until is not None:
        yield games.c.created_at < wanted.until
    over = and_(games.c.until <= now, games.c.status.not_in(sorted(ENDED)))
    if wanted.status == "expired":
        yield or_(games.c.status == "expired", over)
    elif wanted.status is not None:
        yield games.c.status == wanted.status
        if wanted.status not in ENDED:
            yield or_(games.c.until.is_(None), games.c.until > now)


_COLUMNS = select(*(games.c[field] for field in Header.__struct_fields__))
