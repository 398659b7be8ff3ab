"""A process whose clock is not the database's says so, and is not ready until it is right again."""

import asyncio
from typing import Any

import httpx2
import pytest

from server.api.app import create_app
from server.clock import SystemClock
from server.settings import Settings
from server.store import drift
from server.store.drift import AT_MOST_MS, Drift
from server.store.errors import StoreUnavailable

NOON = 1_796_040_000_000


class ShiftedClock:
    """The machine's clock, set wrong by ``by`` milliseconds."""

    def __init__(self, by: int) -> None:
        self.by = by

    def now(self) -> int:
        return SystemClock().now() + self.by


class StandingClock:
    def now(self) -> int:
        return NOON


class FarDatabase:
    """A database at the end of a slow wire: ``there`` and ``back`` in seconds, its clock ``by`` ms from noon."""

    def __init__(self, by: int | None, there: float = 0.0, back: float = 0.0) -> None:
        self.by = by
        self.there = there
        self.back = back
        self.away = False

    async def time(self) -> int | None:
        await asyncio.sleep(self.there)
        if self.away:
            raise StoreUnavailable("gone")
        answer = None if self.by is None else NOON + self.by + round(self.there * 1000)
        await asyncio.sleep(self.back)
        return answer


def drift_to(database: FarDatabase) -> tuple[Drift, list[float]]:
    told: list[float] = []
    return Drift(database, StandingClock(), told.append), told  # type: ignore[arg-type]


@pytest.mark.parametrize("by", [-2000, -AT_MOST_MS - 50, AT_MOST_MS + 50, 90_000])
async def test_a_clock_that_is_off_is_too_far(by: int) -> None:
    measured, told = drift_to(FarDatabase(-by))
    assert await measured.measure() and measured.too_far
    assert abs(measured.ms - by) <= 40 and (measured.ms > 0) == (by > 0)
    assert told == [pytest.approx(by / 1000, abs=0.04)]


@pytest.mark.parametrize("by", [0, AT_MOST_MS - 1, 1 - AT_MOST_MS])
async def test_a_clock_that_is_a_little_off_is_not(by: int) -> None:
    measured, _ = drift_to(FarDatabase(-by))
    assert await measured.measure() and not measured.too_far


@pytest.mark.parametrize(("there", "back"), [(0.6, 0.0), (0.0, 0.6)], ids=["the question", "the answer"])
async def test_a_slow_wire_is_no_wrong_clock(there: float, back: float) -> None:
    measured, _ = drift_to(FarDatabase(0, there, back))
    assert await measured.measure() and not measured.too_far
    assert abs(measured.ms) <= 40


async def test_a_database_without_a_clock_of_its_own_is_asked_once() -> None:
    measured, told = drift_to(FarDatabase(None))
    await measured.start()
    assert (measured._task, measured.ms, told) == (None, 0, [])


async def test_a_database_that_is_away_changes_nothing_of_what_is_known() -> None:
    database = FarDatabase(-3000)
    measured, _ = drift_to(database)
    await measured.measure()
    database.away = True
    assert await measured.measure() and measured.too_far
    database.away, database.by = False, 0
    assert await measured.measure() and not measured.too_far


async def test_readyz_says_no_while_the_clock_is_off_and_yes_again_when_it_is_set(
    new_postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drift, "MEASURE_EVERY_S", 0.05)
    clock = ShiftedClock(4000)
    app = create_app(Settings(database=new_postgres_url, limits=False, dailies=False), clock=clock)
    transport = httpx2.ASGITransport(app=app)
    async with app.router.lifespan_context(app), httpx2.AsyncClient(transport=transport, base_url="http://x") as http:

        async def becomes(status: int) -> Any:
            """The answer, once it has this status."""
            async with asyncio.timeout(5):
                while (answer := await http.get("/readyz")).status_code != status:  # noqa: ASYNC110 (no event here)
                    await asyncio.sleep(0.02)
            return answer.json()

        answer = await http.get("/readyz")
        assert answer.status_code == 503, "before anything is served"
        assert answer.json()["code"] == "unavailable" and "clock" in answer.json()["detail"]
        assert (await http.get("/healthz")).status_code == 200
        assert offset((await http.get("/metrics")).text) == pytest.approx(4, abs=0.5)
        clock.by = 0
        assert await becomes(200) == {"status": "ok"}
        clock.by = -4000
        assert "clock" in (await becomes(503))["detail"]


def offset(meters: str) -> float:
    (line,) = (line for line in meters.splitlines() if line.startswith("moontide_clock_offset_seconds"))
    return float(line.split()[1])
