"""When the storage fails nothing is acknowledged that is not stored, and service comes again by itself."""

import asyncio
import resource
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from server.store import sqlite_database, sqlite_log
from server.store.database import Database
from server.store.errors import StoreUnavailable
from server.store.eventlog import Append, Failed, Won
from server.store.open import Store, log_of, open_store
from server.store.postgres_database import PostgresDatabase
from server.store.sqlite_database import SqliteDatabase
from server.store.urls import database_url
from tests.parts.postgres import Postgres
from tests.store.cutting_proxy import CuttingProxy, cutting_proxy
from tests.store.records import add_player, move, new_id, opening, record


async def games_of(store: Store, count: int) -> list[str]:
    games = [new_id() for _ in range(count)]
    assert await store.log.append([opening(game) for game in games]) == [Won()] * count
    return games


async def seqs(store: Store, game: str) -> list[int]:
    return [one.seq for one in await store.log.read(game)]


class TestAnswerLost:
    """The connection is cut at the commit: whether it took place is not known, and the answer says so."""

    @pytest.fixture
    async def cut(self, postgres_url: str, postgres_store: Store) -> AsyncIterator[tuple[CuttingProxy, Store]]:
        async with cutting_proxy(postgres_url) as (proxy, url):
            database = await Database.open(url, connections=1)
            try:
                yield proxy, Store(database, log_of(database))
            finally:
                await database.close()

    @pytest.mark.parametrize("delivers", [True, False], ids=["it was stored", "it was not"])
    @pytest.mark.parametrize("status", [None, "won"], ids=["a plain batch", "with an outcome"])
    async def test_the_outcome_is_unknown_and_the_log_tells(
        self, cut: tuple[CuttingProxy, Store], delivers: bool, status: str | None
    ) -> None:
        proxy, store = cut
        games = await games_of(store, 3)
        assert await store.log.append([move(game, 2) for game in games]) == [Won()] * 3
        proxy.arm(lambda data: status is None or b"COMMIT;" in data, delivers=delivers)
        answers = await store.log.append([move(game, 3, status=status) for game in games])
        assert proxy.cuts == 1
        assert all(isinstance(answer, Failed) and answer.unknown for answer in answers) and len(answers) == 3
        for game in games:
            assert await seqs(store, game) == ([1, 2, 3] if delivers else [1, 2])
        seq = 4 if delivers else 3
        assert await store.log.append([move(game, seq) for game in games]) == [Won()] * 3

    async def test_a_cut_before_the_commit_stores_nothing_and_is_known(self, cut: tuple[CuttingProxy, Store]) -> None:
        proxy, store = cut
        games = await games_of(store, 3)
        proxy.arm(lambda data: b"UPDATE games" in data, delivers=True)
        answers = await store.log.append([move(game, 2, status="won") for game in games])
        assert proxy.cuts == 1
        assert all(isinstance(answer, Failed) and not answer.unknown for answer in answers)
        assert [await seqs(store, game) for game in games] == [[1]] * 3
        assert await store.log.append([move(game, 2) for game in games]) == [Won()] * 3

    async def test_other_writes_say_unavailable(self, cut: tuple[CuttingProxy, Store]) -> None:
        proxy, store = cut
        proxy.arm(lambda data: b"COMMIT;" in data, delivers=False)
        with pytest.raises(StoreUnavailable):
            await store.database.write(add_player, new_id())
        await store.database.write(add_player, new_id())


class TestPostgresGone:
    async def test_service_comes_again_by_itself(self) -> None:
        """The whole server dies; meanwhile there is a clear no, afterwards the first call succeeds."""
        with Postgres() as postgres:
            store = await open_store(postgres.new_database())
            try:
                games = await games_of(store, 4)
                await asyncio.gather(*(store.log.read(game) for game in games))
                postgres.crash()
                for _ in range(2):
                    answers = await store.log.append([move(game, 2) for game in games])
                    assert all(isinstance(answer, Failed) for answer in answers) and len(answers) == 4
                    with pytest.raises(StoreUnavailable):
                        await store.log.read(games[0])
                    with pytest.raises(StoreUnavailable):
                        await store.database.read(lambda connection: connection.exec_driver_sql("SELECT 1").all())
                    with pytest.raises(StoreUnavailable):
                        await store.database.write(add_player, new_id())
                postgres.restart()
                assert await store.log.append([move(game, 2) for game in games]) == [Won()] * 4
                assert [await seqs(store, game) for game in games] == [[1, 2]] * 4
                # Gone and back while nobody asked: each pooled connection is dead, and no call has to find out.
                await asyncio.gather(*(store.log.read(game) for game in games))
                postgres.crash()
                postgres.restart()
                await asyncio.sleep(0.05)
                assert await store.log.append([move(game, 3) for game in games]) == [Won()] * 4
                await asyncio.gather(*(store.log.read(game) for game in games))
            finally:
                await store.database.close()

    async def test_no_free_connection_is_an_answer_too(
        self, postgres_url: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("server.store.postgres_database.POOL_S", 0.05)
        database = await PostgresDatabase.start(database_url(postgres_url), connections=1)
        async with database.connection():
            with pytest.raises(StoreUnavailable):
                await database.time()
            answers = await log_of(database).append([move(new_id(), 1)])
            assert isinstance(answers[0], Failed) and not answers[0].unknown
        assert await database.time() is not None
        await database.close()


class TestDiskFull:
    async def test_a_full_database_fails_what_comes_and_goes_on_when_there_is_room(self, own_sqlite: Store) -> None:
        database = own_sqlite.database
        assert isinstance(database, SqliteDatabase)
        games = await games_of(own_sqlite, 3)
        await database.alone(lambda writer: pragma(writer, "max_page_count = 1"))  # no more than there are
        big = "x" * 100_000
        answers = await own_sqlite.log.append([Append(record(game, 2, data=big)) for game in games])
        assert all(isinstance(answer, Failed) and not answer.unknown for answer in answers) and len(answers) == 3
        await database.alone(lambda writer: pragma(writer, "max_page_count = 1"))
        with pytest.raises(StoreUnavailable):
            await database.write(lambda connection: [add_player(connection, new_id()) for _ in range(1000)])
        assert [await seqs(own_sqlite, game) for game in games] == [[1]] * 3
        await database.alone(lambda writer: pragma(writer, "max_page_count = 1000000"))
        assert await own_sqlite.log.append([move(game, 2) for game in games]) == [Won()] * 3

    async def test_a_commit_that_cannot_be_written_is_unknown(self, own_sqlite: Store, tmp_path: Path) -> None:
        games = await games_of(own_sqlite, 3)
        with no_file_longer_than((tmp_path / "games.db-wal").stat().st_size):
            answers = await own_sqlite.log.append([move(game, 2) for game in games])
            assert all(isinstance(answer, Failed) and answer.unknown for answer in answers) and len(answers) == 3
        assert [await seqs(own_sqlite, game) for game in games] == [[1]] * 3
        assert await own_sqlite.log.append([move(game, 2) for game in games]) == [Won()] * 3
        assert [await seqs(own_sqlite, game) for game in games] == [[1, 2]] * 3


class TestFileGone:
    async def test_a_file_that_was_moved_away_is_not_written_to(
        self, own_sqlite: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The open connections still could: what they would acknowledge, nobody would ever find."""
        monkeypatch.setattr(sqlite_database, "LOOK_EVERY_S", 0.0)
        (game,) = await games_of(own_sqlite, 1)
        away = tmp_path / "away"
        away.mkdir()
        for name in ("games.db", "games.db-wal", "games.db-shm"):
            (tmp_path / name).rename(away / name)
        answers = await own_sqlite.log.append([move(game, 2)])
        assert isinstance(answers[0], Failed) and not answers[0].unknown
        with pytest.raises(StoreUnavailable):
            await own_sqlite.log.read(game)
        with pytest.raises(StoreUnavailable):
            await own_sqlite.database.write(add_player, new_id())
        assert not (tmp_path / "games.db").exists()
        for path in away.iterdir():
            path.rename(tmp_path / path.name)
        assert await own_sqlite.log.append([move(game, 2)]) == [Won()]
        assert await seqs(own_sqlite, game) == [1, 2]

    async def test_a_lock_that_another_program_holds_for_too_long(self, own_sqlite: Store, tmp_path: Path) -> None:
        database = own_sqlite.database
        assert isinstance(database, SqliteDatabase)
        (game,) = await games_of(own_sqlite, 1)
        await database.alone(lambda writer: pragma(writer, "busy_timeout = 20"))
        other = sqlite3.connect(tmp_path / "games.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        answers = await own_sqlite.log.append([move(game, 2)])
        assert isinstance(answers[0], Failed) and not answers[0].unknown
        assert await seqs(own_sqlite, game) == [1]
        other.execute("ROLLBACK")
        other.close()
        assert await own_sqlite.log.append([move(game, 2)]) == [Won()]


def pragma(connection: Connection, setting: str) -> None:
    """Set something for the connection, past SQLAlchemy, which would begin a transaction for it."""
    driver = connection.connection.dbapi_connection
    assert driver is not None
    driver.execute(f"PRAGMA {setting}")  # type: ignore[attr-defined]


@contextmanager
def no_file_longer_than(size: int) -> Iterator[None]:
    """A disk that is full for this process: writing past ``size`` fails as the kernel says."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


async def test_a_rollback_that_fails_commits_nothing(own_sqlite: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The driver commits what is open when it is told to begin nothing by itself any more."""
    (game,) = await games_of(own_sqlite, 1)

    class Failing:
        """The driver, whose ROLLBACK does not come back."""

        def __init__(self, own: Any) -> None:
            object.__setattr__(self, "own", own)

        def __getattr__(self, name: str) -> Any:
            return getattr(self.own, name)

        def __setattr__(self, name: str, value: object) -> None:
            setattr(self.own, name, value)

        def rollback(self) -> None:
            raise sqlite3.OperationalError("disk I/O error")

    def bad_projection(*_: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    own = sqlite_log.driver
    with monkeypatch.context() as patch:
        patch.setattr(sqlite_log, "driver", lambda connection: Failing(own(connection)))
        patch.setattr("server.store.appending.project", bad_projection)
        answers = await own_sqlite.log.append([move(game, 2, status="won")])
    assert isinstance(answers[0], Failed)
    assert await seqs(own_sqlite, game) == [1]
    assert await own_sqlite.log.append([move(game, 2)]) == [Won()]
