"""A world whose clock stands still, with a day whose deals are known to the tests and to nobody else."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.applications import Starlette

from server.api.app import create_app
from server.api.services import Services
from server.contest.calendar import Day, day
from server.contest.daily import commitment
from server.settings import Settings
from server.store import dailies as stored
from server.store.dailies import Daily
from tests.api.client import Player, client_of, join
from tests.parts.clock import ManualClock

HM_CODE = "HM1-N-M2LJG2OEAEZ6JQN5VMESMLDPIX"
SH_CODE = "SH1-C4-VRASZ7FPJWAYR6KNTKRESMORMO"


class World:
    """One application at a time of one's choosing."""

    def __init__(self, app: Starlette, http: httpx2.AsyncClient, clock: ManualClock) -> None:
        self.app = app
        self.http = http
        self.clock = clock

    @property
    def services(self) -> Services:
        services: Services = self.app.state.services
        return services

    async def player(self, **body: Any) -> Player:
        return await join(self.http, **body)

    async def commit(self, date: str, code: str = HM_CODE, line: str | None = None) -> Day:
        """Commit to a daily of a day, as the maker would."""
        named = day(date)
        daily = Daily(
            date=date,
            ruleset=code.rsplit("-", 1)[0],
            code=code,
            commitment=commitment(code),
            committed_at=self.clock.now(),
            certified=line is not None,
            line=line,
            closes_at=named.closes_at,
        )
        assert await self.services.database.write(stored.add, daily)
        return named


@asynccontextmanager
async def world(database: str, clock: ManualClock, **seams: Any) -> AsyncIterator[World]:
    settings = Settings(database=database, limits=False, dailies=False)
    app = create_app(settings, clock=clock, **seams)
    async with app.router.lifespan_context(app), client_of(app) as http:
        yield World(app, http, clock)


@pytest.fixture
async def here(tmp_path: Path, clock: ManualClock) -> AsyncIterator[World]:
    """A world on a new SQLite file, at 2026-11-30T10:00Z."""
    async with world(f"sqlite:///{tmp_path / 'games.db'}", clock) as made:
        yield made
