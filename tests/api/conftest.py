"""One application for most tests, each with players of its own; a new one where a seam or a setting is needed."""

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

import httpx2
import pytest
from starlette.applications import Starlette

from server.api.app import create_app
from server.settings import Settings
from tests.api.client import Player, client_of, join

MakeApp = Callable[..., Awaitable[Starlette]]


@pytest.fixture(scope="session")
def folder() -> Iterator[Path]:
    """Where databases lie: in memory where the system has it, for these tests are not about the disk, and wait for
    it thousands of times otherwise."""
    memory = Path("/dev/shm")
    with TemporaryDirectory(prefix="moontide-api-", dir=memory if os.access(memory, os.W_OK) else None) as made:
        yield Path(made)


@pytest.fixture(scope="session")
async def app(folder: Path) -> AsyncIterator[Starlette]:
    """The application on a new SQLite file, without limits."""
    made = create_app(Settings(database=f"sqlite:///{folder}/games.db", limits=False, dailies=False))
    async with made.router.lifespan_context(made):
        yield made


@pytest.fixture(scope="session")
async def http(app: Starlette) -> AsyncIterator[httpx2.AsyncClient]:
    async with client_of(app) as client:
        yield client


@pytest.fixture
async def ada(http: httpx2.AsyncClient) -> Player:
    return await join(http, name="Ada")


@pytest.fixture
async def bob(http: httpx2.AsyncClient) -> Player:
    return await join(http, name="Bob")


@pytest.fixture
async def make_app(folder: Path) -> AsyncIterator[MakeApp]:
    """Start an application with settings and seams of one's own; ``make_app(limits=True, clock=clock)``."""
    seams = {"clock", "ids", "entropy", "deal", "store"}
    async with AsyncExitStack() as stack:

        async def make(**given: Any) -> Starlette:
            settings = {name: value for name, value in given.items() if name not in seams}
            database = f"sqlite:///{folder}/{uuid4()}.db"
            chosen = Settings(**{"database": database, "limits": False, "dailies": False, **settings})
            made = create_app(chosen, **{name: given[name] for name in seams & given.keys()})
            await stack.enter_async_context(made.router.lifespan_context(made))
            return made

        yield make
