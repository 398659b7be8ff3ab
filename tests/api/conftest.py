"""One application for most tests, each with players of its own; a new one where a seam or a setting is needed."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.applications import Starlette

from server.api.app import create_app
from server.settings import Settings
from tests.api.client import Player, client_of, join

MakeApp = Callable[..., Awaitable[Starlette]]


@pytest.fixture(scope="session")
async def app(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Starlette]:
    """The application on a new SQLite file, without limits."""
    folder = tmp_path_factory.mktemp("api")
    made = create_app(Settings(database=f"sqlite:///{folder}/games.db", limits=False))
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
async def make_app(tmp_path: Path) -> AsyncIterator[MakeApp]:
    """Start an application with settings and seams of one's own; ``make_app(limits=True, clock=clock)``."""
    seams = {"clock", "ids", "entropy", "deal", "store"}
    async with AsyncExitStack() as stack:

        async def make(**given: Any) -> Starlette:
            settings = {name: value for name, value in given.items() if name not in seams}
            chosen = Settings(**{"database": f"sqlite:///{tmp_path}/games.db", "limits": False, **settings})
            made = create_app(chosen, **{name: given[name] for name in seams & given.keys()})
            await stack.enter_async_context(made.router.lifespan_context(made))
            return made

        yield make
