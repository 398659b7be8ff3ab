"""The log refuses every way to change or lose what it holds, also those that look like inserting."""

import pytest
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from server.store.open import Store
from server.store.postgres_database import PostgresDatabase
from server.store.sqlite_database import SqliteDatabase
from tests.store.records import move, new_id, opening

_ROW = "(game_id, seq, type, v, seat, at, command_id, data, link)"
_VALUES = "'{game}', 2, 'moved', 1, 1, 1, 'forged', '{{}}', 'ff'"

EVERYWHERE = [
    "UPDATE events SET data = '{{}}' WHERE game_id = '{game}' AND seq = 2",
    "UPDATE events SET seq = 9 WHERE game_id = '{game}' AND seq = 2",
    "UPDATE events SET data = data",
    "DELETE FROM events WHERE game_id = '{game}' AND seq = 2",
    "DELETE FROM events",
    f"INSERT INTO events {_ROW} VALUES ({_VALUES}) ON CONFLICT (game_id, seq) DO UPDATE SET command_id = 'forged'",
]
ON_SQLITE = [
    *EVERYWHERE,
    f"INSERT OR REPLACE INTO events {_ROW} VALUES ({_VALUES})",
    f"REPLACE INTO events {_ROW} VALUES ({_VALUES})",
    "UPDATE OR REPLACE events SET seq = 2 WHERE game_id = '{game}' AND seq = 1",
    "UPDATE OR IGNORE events SET data = '{{}}' WHERE game_id = '{game}'",
]
ON_POSTGRES = [
    *EVERYWHERE,
    "TRUNCATE events",
    "TRUNCATE games, events CASCADE",
    "WITH gone AS (DELETE FROM events RETURNING seq) SELECT count(*) FROM gone",
    "MERGE INTO events USING (SELECT 1) AS one ON game_id = '{game}' WHEN MATCHED THEN DELETE",
    "SET LOCAL session_replication_role = replica; DELETE FROM events WHERE game_id = '{game}'",
]


def run(connection: Connection, script: str) -> None:
    for statement in script.split("; "):
        connection.exec_driver_sql(statement)


async def attempt(store: Store, statement: str) -> None:
    game = new_id()
    await store.log.append([opening(game), move(game, 2)])
    before = await store.log.read(game)
    with pytest.raises(DBAPIError, match="the log is append-only"):
        await store.database.write(run, statement.format(game=game))
    assert await store.log.read(game) == before


@pytest.mark.parametrize("statement", ON_SQLITE)
async def test_sqlite_refuses(sqlite_store: Store, statement: str) -> None:
    await attempt(sqlite_store, statement)


@pytest.mark.parametrize("statement", ON_POSTGRES)
async def test_postgres_refuses(postgres_store: Store, statement: str) -> None:
    await attempt(postgres_store, statement)


async def test_every_sqlite_connection_keeps_the_promises(sqlite: SqliteDatabase) -> None:
    def pragmas(connection: Connection) -> dict[str, object]:
        names = ("journal_mode", "synchronous", "recursive_triggers", "foreign_keys")
        return {name: connection.exec_driver_sql(f"PRAGMA {name}").scalar_one() for name in names}

    expected = {"journal_mode": "wal", "synchronous": 2, "recursive_triggers": 1, "foreign_keys": 1}
    assert await sqlite.write(pragmas) == expected
    assert await sqlite.read(pragmas) == expected


async def test_postgres_syncs_also_where_its_owner_has_turned_that_off(
    postgres_database: PostgresDatabase, postgres_url: str
) -> None:
    def turn(connection: Connection, word: str) -> None:
        name = connection.exec_driver_sql("SELECT current_database()").scalar_one()
        connection.exec_driver_sql(f'ALTER DATABASE "{name}" SET synchronous_commit = {word}')

    def promised(connection: Connection) -> object:
        return connection.exec_driver_sql("SHOW synchronous_commit").scalar_one()

    await postgres_database.write(turn, "off")
    other = await PostgresDatabase.open(postgres_url)
    try:
        assert await other.read(promised) == "on"
    finally:
        await other.close()
        await postgres_database.write(turn, "on")
