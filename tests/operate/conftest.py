"""A database of each kind for each test of a tool."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from server.store.open import Store, open_store
from tests.operate.stored import add_player


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'games.db'}"
    return str(request.getfixturevalue("new_postgres_url"))


@pytest.fixture
async def store(url: str) -> AsyncIterator[Store]:
    """The database, migrated, with one player in it."""
    opened = await open_store(url)
    await add_player(opened)
    yield opened
    await opened.close()
