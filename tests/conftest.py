"""What every test may ask for: the real parts, each started once and only when the first test needs it."""

from collections.abc import AsyncIterator, Callable, Iterator
from typing import TYPE_CHECKING, TypeVar

import pytest

from tests.parts import chromium
from tests.parts.absent import Absent
from tests.parts.clock import ManualClock
from tests.parts.entropy import SeededEntropy
from tests.parts.nats import Nats
from tests.parts.postgres import Postgres

if TYPE_CHECKING:
    from playwright.async_api import Browser

T = TypeVar("T")


def _or_skip(make: Callable[[], T]) -> T:
    try:
        return make()
    except Absent as absent:
        pytest.skip(str(absent))


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A real PostgreSQL; `Postgres.new_database` makes one for a test of its own."""
    with _or_skip(Postgres) as running:
        yield running


@pytest.fixture(scope="session")
def postgres_url(postgres: Postgres) -> str:
    """An empty database that all tests of the session share."""
    return postgres.new_database()


@pytest.fixture
def new_postgres_url(postgres: Postgres) -> str:
    """An empty database for this test alone."""
    return postgres.new_database()


@pytest.fixture(scope="session")
def nats() -> Iterator[Nats]:
    """A real NATS server that all tests of the session share; whoever kills one makes one of its own."""
    with _or_skip(Nats) as running:
        yield running


@pytest.fixture(scope="session")
def nats_url(nats: Nats) -> str:
    return nats.url


@pytest.fixture(scope="session")
async def browser() -> "AsyncIterator[Browser]":
    """A real Chromium; each test opens a context of its own (``await browser.new_context()``)."""
    from playwright.async_api import async_playwright

    program = _or_skip(chromium.program)
    async with async_playwright() as playwright:
        running = await playwright.chromium.launch(executable_path=program, args=chromium.ARGUMENTS)
        yield running
        await running.close()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def entropy() -> SeededEntropy:
    return SeededEntropy()
