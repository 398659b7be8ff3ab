"""One transaction a call, on both databases alike; what was begun is finished; a second server is refused."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import Connection, select
from sqlalchemy.exc import IntegrityError

from server.settings import Settings
from server.store import players
from server.store.database import Database
from server.store.errors import DatabaseInUse, StoreUnavailable, UnreadableDatabase
from server.store.exclusive import exclusively
from server.store.open import Store, open_store
from server.store.postgres_database import PostgresDatabase
from server.store.tables import players as table
from tests.parts.ports import free_port
from tests.store.records import add_player, new_id


def is_there(connection: Connection, player: str) -> bool:
    return players.player_by_id(connection, player) is not None


async def test_what_was_written_is_read(store: Store) -> None:
    player = new_id()
    assert not await store.database.read(is_there, player)
    await store.database.write(add_player, player)
    assert await store.database.read(is_there, player)


async def test_arguments_and_answers_pass_through(store: Store) -> None:
    def job(connection: Connection, one: int, *, other: int) -> tuple[int, int]:
        return one, other

    assert await store.database.read(job, 1, other=2) == (1, 2)
    assert await store.database.write(job, 3, other=4) == (3, 4)


async def test_a_write_that_raises_leaves_nothing_behind(store: Store) -> None:
    player = new_id()

    def fail(connection: Connection) -> None:
        add_player(connection, player)
        raise KeyError("no")

    with pytest.raises(KeyError):
        await store.database.write(fail)
    assert not await store.database.read(is_there, player)


async def test_what_the_database_says_of_a_row_is_not_called_unavailable(store: Store) -> None:
    player = new_id()
    await store.database.write(add_player, player)
    with pytest.raises(IntegrityError):
        await store.database.write(add_player, player)
    assert await store.database.read(is_there, player)


async def test_a_write_whose_caller_is_cancelled_is_finished(store: Store) -> None:
    player = new_id()
    task = asyncio.create_task(store.database.write(add_player, player))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    for _ in range(500):
        if await store.database.read(is_there, player):
            return
        await asyncio.sleep(0.01)
    pytest.fail("the write was lost")


async def test_many_reads_and_writes_at_once(store: Store) -> None:
    ids = [new_id() for _ in range(60)]
    await asyncio.gather(*(store.database.write(add_player, one) for one in ids))
    assert all(await asyncio.gather(*(store.database.read(is_there, one) for one in ids)))


async def test_closing_finishes_what_was_begun_then_refuses(url: str, store: Store) -> None:
    database = await Database.open(url, connections=2)
    ids = [new_id() for _ in range(20)]
    writes = [asyncio.create_task(database.write(add_player, one)) for one in ids]
    await asyncio.sleep(0)
    await database.close()
    await asyncio.gather(*writes)
    there = select(table.c.id).where(table.c.id.in_(ids))
    assert len(await store.database.read(lambda connection: connection.execute(there).all())) == 20


async def test_a_closed_sqlite_database_says_so(own_sqlite: Store) -> None:
    await own_sqlite.close()
    with pytest.raises(StoreUnavailable):
        await own_sqlite.database.read(is_there, new_id())


async def test_looking_at_a_file_leaves_the_locks_of_its_open_connections(own_sqlite: Store, tmp_path: Path) -> None:
    """Else the next program to close the file takes itself for the last, and removes what this one still writes."""
    url = f"sqlite:///{tmp_path / 'games.db'}"
    with exclusively(url):
        await (await open_store(url)).close()
    log = (tmp_path / "games.db-wal").stat().st_ino
    script = "import sqlite3, sys; one = sqlite3.connect(sys.argv[1]); one.execute('SELECT * FROM games'); one.close()"
    await asyncio.to_thread(subprocess.run, [sys.executable, "-c", script, tmp_path / "games.db"], check=True)
    assert (tmp_path / "games.db-wal").stat().st_ino == log
    await own_sqlite.database.write(add_player, new_id())


async def test_a_reader_of_sqlite_cannot_write(sqlite_store: Store) -> None:
    with pytest.raises(StoreUnavailable, match="readonly"):
        await sqlite_store.database.read(add_player, new_id())


async def test_a_write_that_meets_a_deadlock_is_tried_again(
    postgres_store: Store, postgres_database: PostgresDatabase
) -> None:
    tries = []

    def job(connection: Connection) -> str:
        tries.append(1)
        if len(tries) == 1:
            connection.exec_driver_sql(
                "DO $$ BEGIN RAISE EXCEPTION 'meant' USING ERRCODE = 'deadlock_detected'; END $$"
            )
        return "done"

    assert await postgres_database.write(job) == "done"
    assert len(tries) == 2


async def test_the_clock_of_postgres_is_told_and_sqlite_has_none_of_its_own(store: Store, kind: str) -> None:
    now = await store.database.time()
    assert (now is None) if kind == "sqlite" else (now is not None and now > 1_700_000_000_000)


@pytest.mark.parametrize("name", ["none.db", ""])
def test_opening_makes_no_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(UnreadableDatabase):
        asyncio.run(Database.open(f"sqlite:///{tmp_path / name}"))
    assert list(tmp_path.iterdir()) == []


async def test_opening_where_nobody_listens() -> None:
    with pytest.raises(UnreadableDatabase, match="cannot be used: Connection refused"):
        await Database.open(f"postgresql+asyncpg://127.0.0.1:{free_port()}/games")


async def test_a_store_is_opened_from_the_settings_and_migrated(tmp_path: Path) -> None:
    settings = Settings(database=f"sqlite:///{tmp_path / 'deep' / 'games.db'}")
    store = await open_store(settings)
    player = new_id()
    await store.database.write(add_player, player)
    await store.close()
    again = await open_store(settings.database)
    assert await again.database.read(is_there, player)
    assert again.database.sole_writer
    await again.close()


class TestExclusive:
    def test_a_second_server_on_a_file_is_refused_in_one_line(self, tmp_path: Path) -> None:
        url = f"sqlite:///{tmp_path / 'games.db'}"
        script = (
            "import sys; from server.store.exclusive import exclusively\nwith exclusively(sys.argv[1]): print('in')"
        )
        command = [sys.executable, "-c", script, url]
        with exclusively(url):
            with pytest.raises(DatabaseInUse, match=r"^.*games\.db is in use by another server$"):
                with exclusively(url):
                    pytest.fail("two servers")
            other = subprocess.run(command, capture_output=True, text=True, check=False)
            assert other.stdout == "" and other.stderr.splitlines()[-1].endswith("is in use by another server")
        other = subprocess.run(command, capture_output=True, text=True, check=False)
        assert other.stdout == "in\n"

    def test_postgres_is_for_many(self, postgres_url: str) -> None:
        with exclusively(postgres_url), exclusively(postgres_url):
            pass

    def test_a_file_that_is_no_database_is_not_locked(self, tmp_path: Path) -> None:
        (tmp_path / "letter").write_text("Dear Ada")
        with pytest.raises(UnreadableDatabase), exclusively(f"sqlite:///{tmp_path / 'letter'}"):
            pass
        assert [one.name for one in tmp_path.iterdir()] == ["letter"]
