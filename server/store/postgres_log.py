"""The log in PostgreSQL: a batch is one statement, in most cases one round trip."""

import re
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection

from server.play.records import Header, Record
from server.store import games
from server.store.appending import Place, Way, append_batch, event_row, is_plain
from server.store.errors import StoreUnavailable
from server.store.eventlog import Append, Appended, Conflict, Failed, OneByOne, Won
from server.store.faults import Fault, fault, reason
from server.store.postgres_database import PostgresDatabase

# In the order of the key, so that two processes that race for the same places wait for each other rather
# than deadlock.
_INSERT = """
INSERT INTO events (game_id, seq, type, v, seat, at, command_id, data, link, digest)
SELECT * FROM unnest($1::uuid[], $2::int[], $3::text[], $4::smallint[], $5::smallint[], $6::bigint[],
                     $7::text[], $8::text[], $9::text[], $10::text[]) AS row (game_id, seq)
ORDER BY game_id, seq
ON CONFLICT (game_id, seq) DO NOTHING
RETURNING game_id::text, seq
"""

_READ = """
SELECT game_id::text, seq, type, v, seat, at, command_id, data, link, digest FROM events
WHERE game_id = $1 AND seq > $2 AND seq <= $3 ORDER BY seq LIMIT $4
"""

_HEAD = """
SELECT newest.game_id::text, newest.seq, newest.link
FROM unnest($1::uuid[]) AS wanted (id) CROSS JOIN LATERAL
     (SELECT game_id, seq, link FROM events WHERE game_id = wanted.id ORDER BY seq DESC LIMIT 1) AS newest
"""

_HEADER = f"""
SELECT {", ".join(f"{name}::text" if name in ("id", "player", "race") else name for name in Header.__struct_fields__)}
FROM games WHERE id = $1
"""

_LAST = (1 << 31) - 1

_is_canonical = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}").fullmatch

# Of the errors that a server answers with, those after which a statement may have been committed all the
# same: it was being shut down (class 57P), or what answered does not know (class 08).
_UNKNOWN = ("08", "57P")


class PostgresLog(OneByOne):
    """See `EventLog`."""

    def __init__(self, database: PostgresDatabase) -> None:
        super().__init__(lanes=2)
        self._database = database

    async def append(self, batch: Sequence[Append]) -> list[Appended]:
        return await self._database.finish(self._append(batch))

    async def read(self, game: str, after: int = 0, limit: int | None = None, until: int | None = None) -> list[Record]:
        rows = await self._read(_READ, game, after, _LAST if until is None else until, limit)
        return [Record(*row) for row in rows]

    async def head(self, games: Sequence[str]) -> dict[str, tuple[int, str]]:
        return {game: (seq, link) for game, seq, link in await self._read(_HEAD, games)}

    async def header(self, game: str) -> Header | None:
        if _is_canonical(game) is None:
            return None  # the type would take other forms of an id, too, and fail on what is none
        rows = await self._read(_HEADER, game)
        return Header(**rows[0]) if rows else None

    async def opened(self, player: str, command_id: str) -> Header | None:
        return await self._database.read(games.opened, player, command_id)

    async def _append(self, batch: Sequence[Append]) -> list[Appended]:
        try:
            if is_plain(batch) and (answers := await self._append_plain(batch)) is not None:
                return answers
            async with self._database.connection() as connection:
                return await connection.run_sync(append_batch, batch, _WAY)
        except StoreUnavailable as error:  # no connection could be had: nothing was written
            return [Failed(str(error), unknown=False)] * len(batch)

    async def _append_plain(self, batch: Sequence[Append]) -> list[Appended] | None:
        """Store a plain batch; None, and nothing stored, where it has to be taken apart or tried again."""
        try:
            rows = await self._fetch(_INSERT, *_columns([append.record for append in batch]))
        except StoreUnavailable:
            raise
        except Exception as error:
            if fault(error) is not Fault.STORAGE:
                return None
            state = getattr(error, "sqlstate", None)
            return [Failed(reason(error), unknown=state is None or state.startswith(_UNKNOWN))] * len(batch)
        stored = {(game, seq) for game, seq in rows}
        return [Won() if (one.record.game, one.record.seq) in stored else Conflict() for one in batch]

    async def _read(self, statement: str, *parameters: object) -> list[Any]:
        try:
            return await self._fetch(statement, *parameters)
        except Exception as error:
            if fault(error) is Fault.STORAGE:
                raise StoreUnavailable(reason(error)) from error
            raise

    async def _fetch(self, statement: str, *parameters: object) -> list[Any]:
        async with self._database.driver() as driver:
            rows: list[Any] = await driver.fetch(statement, *parameters)
            return rows


def _insert(connection: Connection, records: Sequence[Record]) -> set[Place]:
    return {(game, seq) for game, seq in connection.exec_driver_sql(_INSERT, _columns(records))}


_WAY = Way(Connection.begin, _insert)


def _columns(records: Sequence[Record]) -> tuple[tuple[Any, ...], ...]:
    return tuple(zip(*map(event_row, records), strict=True))
