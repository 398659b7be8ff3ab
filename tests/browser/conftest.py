"""One server for all browser tests, on a database file that tests may read; those who stop it make one of their own."""

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser

from tests.browser.days import Days, lay_days
from tests.browser.seat import PHONE, Seat, sit_down
from tests.parts.server_process import ServerProcess

CASES = Path(__file__).parents[1] / "golden" / "cases" / "games.jsonl"


@pytest.fixture(scope="session")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("browser") / "games.db"


@pytest.fixture(scope="session")
async def days(database: Path) -> Days:
    """The dailies that the server finds in its database."""
    return await lay_days(database)


@pytest.fixture(scope="session")
async def table(database: Path, days: Days) -> AsyncIterator[ServerProcess]:
    """A server that stays up for the whole session. It has dailies, and makes and sweeps none itself."""
    with ServerProcess(database) as server:
        await asyncio.to_thread(server.wait_ready)
        yield server


@pytest.fixture
def motion(request: pytest.FixtureRequest) -> str:
    """Cards travel in the modules that say ``MOTION = True``. Elsewhere the player asks for calm, which the client has
    to heed as well, and saves two cores without a graphics card the drawing."""
    return "no-preference" if getattr(request.module, "MOTION", False) else "reduce"


@pytest.fixture
async def seat(browser: Browser, table: ServerProcess, motion: str) -> AsyncIterator[Seat]:
    """A player who has not been here before, at a desktop."""
    async with sit_down(browser, table.url, reduced_motion=motion) as seat:
        yield seat


@pytest.fixture
async def phone(browser: Browser, table: ServerProcess, motion: str) -> AsyncIterator[Seat]:
    """A player who has not been here before, at a phone."""
    async with sit_down(browser, table.url, viewport=PHONE, has_touch=True, reduced_motion=motion) as seat:
        yield seat


@pytest.fixture(scope="session")
def winning() -> dict[str, list[dict[str, Any]]]:
    """The winning lines of the cases, by code."""
    games = (json.loads(line) for line in CASES.read_text().splitlines())
    return {game["code"]: [step for step in game["steps"] if step["ok"]] for game in games if game["kind"] == "win"}


def stored(database: Path, game: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The log of a game as it stands in the database: type and data of each event."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        rows = connection.execute("SELECT type, data FROM events WHERE game_id = ? ORDER BY seq", (game,)).fetchall()
    return ((kind, json.loads(data)) for kind, data in rows)


def stored_status(database: Path, game: str) -> str:
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        (status,) = connection.execute("SELECT status FROM games WHERE id = ?", (game,)).fetchone()
    return str(status)
