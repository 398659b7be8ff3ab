"""One database of each kind for the whole room, made by the migrations; games in it never meet."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from server.store.database import Database
from server.store.eventlog import EventLog
from server.store.memory_log import MemoryLog
from server.store.open import Store, log_of, open_store
from server.store.postgres_database import PostgresDatabase
from server.store.sqlite_database import SqliteDatabase
from tests.store.records import add_player, new_id


@dataclass(frozen=True)
class Kept:
    """A log under test, and how a player comes to be where it is kept."""

    kind: str
    log: EventLog
    database: Database | None

    async def player(self) -> str:
        player = new_id()
        if self.database is not None:
            await self.database.write(add_player, player)
        return player


@pytest.fixture(scope="session")
def sqlite_url(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"sqlite:///{tmp_path_factory.mktemp('store') / 'games.db'}"


@pytest.fixture(scope="session")
async def sqlite_store(sqlite_url: str) -> AsyncIterator[Store]:
    store = await open_store(sqlite_url)
    yield store
    await store.close()


@pytest.fixture(scope="session")
async def postgres_store(postgres_url: str) -> AsyncIterator[Store]:
    store = await open_store(postgres_url)
    yield store
    await store.close()


@pytest.fixture(params=["sqlite", "postgres"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def store(request: pytest.FixtureRequest, kind: str) -> Store:
    """The room's store of either kind."""
    found = request.getfixturevalue(f"{kind}_store")
    assert isinstance(found, Store)
    return found


@pytest.fixture
def url(request: pytest.FixtureRequest, kind: str) -> str:
    """Where that store is kept."""
    return str(request.getfixturevalue(f"{kind}_url"))


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def kept(request: pytest.FixtureRequest) -> Kept:
    """The three logs that keep one contract."""
    if request.param == "memory":
        return Kept("memory", MemoryLog(), None)
    store: Store = request.getfixturevalue(f"{request.param}_store")
    return Kept(request.param, store.log, store.database)


@pytest.fixture
def sqlite(sqlite_store: Store) -> SqliteDatabase:
    assert isinstance(sqlite_store.database, SqliteDatabase)
    return sqlite_store.database


@pytest.fixture
def postgres_database(postgres_store: Store) -> PostgresDatabase:
    assert isinstance(postgres_store.database, PostgresDatabase)
    return postgres_store.database


OpenAgain = Callable[[str], Awaitable[Store]]


@pytest.fixture
async def open_again() -> AsyncIterator[OpenAgain]:
    """Open a migrated database once more, as another process would; closed after the test."""
    opened: list[Database] = []

    async def open_one(url: str) -> Store:
        database = await Database.open(url, connections=2)
        opened.append(database)
        return Store(database, log_of(database))

    yield open_one
    for database in opened:
        await database.close()


@pytest.fixture
async def own_sqlite(tmp_path: Path) -> AsyncIterator[Store]:
    """A SQLite file for a test that harms it."""
    store = await open_store(f"sqlite:///{tmp_path / 'games.db'}")
    yield store
    await store.close()
