"""A running application for the tests of the socket: real uvicorn, SQLite in a file."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest

from server.api.app import create_app
from server.settings import Settings
from tests.live.player import Lobby
from tests.parts.live_app import live_app


@pytest.fixture(scope="module")
async def lobby(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Lobby]:
    """Players on one application without limits, shared by a module's tests."""
    path: Path = tmp_path_factory.mktemp("live") / "games.db"
    settings = Settings(database=f"sqlite:///{path}", port=0, limits=False, dailies=False)
    async with (
        live_app(create_app(settings), settings) as app,
        httpx2.AsyncClient(base_url=app.url, trust_env=False) as http,
    ):
        yield Lobby(app, http)
