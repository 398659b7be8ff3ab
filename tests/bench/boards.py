"""What a board costs to read with 10,000 and with 1,000,000 entries, and games that end in several processes at once.

A board of Half Moon in two databases, small and large, on SQLite and on a PostgreSQL that syncs. The same questions go
to both in turn, so that a busy machine slows both alike, through the functions that the API uses, each in its
snapshot. Rows are put in directly, without logs; the planner's statistics are then brought up to date, as autovacuum
does. ``rank by counting`` is the rank without buckets, for comparison. At last processes end games on the large board,
and all of it is counted.
"""

import asyncio
import math
import random
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, func, select
from sqlalchemy.ext.asyncio import create_async_engine

from server.play.board import code_board
from server.play.ranking import Ranking, rankings
from server.play.records import Result
from server.store import boards, rank_buckets, recount
from server.store.database import Database
from server.store.migrate import on_connection, upgrade
from server.store.players import tag_of
from server.store.rank_buckets import Counts
from server.store.standings import standings_of
from server.store.tables import players, results, standings
from server.store.urls import database_url
from tests.bench.tables import median, show
from tests.parts.postgres import Postgres

RULESET = "HM1-N"
CODE = f"{RULESET}-AAAAAAB"
BOARD = code_board(CODE)
RANKING = rankings(RULESET)[""]
SMALL, LARGE = 10_000, 1_000_000
LIMITS = {"top 100": 1.5, "rank": 3.0, "around me": 3.0}
"""How many times as long the large board may take (issue 4)."""

AT_ONCE = 50_000
WRITERS, ENDED = 3, 400
FIRST_SLOTS = 4
"""The counts are spread as so many processes would leave them."""


def run(short: bool) -> dict[str, Any]:
    sizes = (1_000, 20_000) if short else (SMALL, LARGE)
    figures: dict[str, Any] = {}
    with TemporaryDirectory() as folder:
        urls = [f"sqlite:///{folder}/{size}.db" for size in sizes]
        figures["sqlite"] = asyncio.run(_bench(urls, sizes, short))
    with Postgres(durable=True) as postgres:
        urls = [postgres.new_database() for _ in sizes]
        figures["postgresql"] = asyncio.run(_bench(urls, sizes, short))
    rows = []
    for database, found in figures.items():
        for name, (small, large) in found["ms"].items():
            rows.append((f"{database}, {name}", small, large, large / small, LIMITS.get(name, "")))
    show(("", *(f"ms at {size:,}" for size in sizes), "ratio", "at most"), rows)
    ended = [(name, one["ended"], one["ended"] / one["seconds"], one["miscounted"]) for name, one in figures.items()]
    show((f"{WRITERS} processes end games at once", "games", "a second", "buckets miscounted"), ended)
    return figures


async def _bench(urls: list[str], sizes: Sequence[int], short: bool) -> dict[str, Any]:
    entrants = [await fill(url, size) for url, size in zip(urls, sizes, strict=True)]
    databases = [await Database.open(url, connections=2) for url in urls]
    taken = await measure(list(zip(databases, entrants, strict=True)), rounds=40 if short else 400)
    for database in databases:
        await database.close()
    seconds = await asyncio.to_thread(_end_games, urls[-1], random.Random(7).sample(entrants[-1], 50))
    database = await Database.open(urls[-1], connections=2)
    differences = await database.snapshot(recount.check, BOARD)
    await database.close()
    # What was put in directly has no games, so that the check finds no results for it; the count is what is asked.
    miscounted = sum(one.check == "buckets" for one in differences)
    return {"ms": taken, "ended": WRITERS * ENDED, "seconds": seconds, "miscounted": miscounted}


# -- measuring --------------------------------------------------------------------------------------


Question = tuple[Callable[..., object], dict[str, int], bool]
"""What is asked, with what, and whether of one entrant."""

QUESTIONS: dict[str, Question] = {
    "top 100": (boards.top, {"limit": 100}, False),
    "rank": (boards.standing, {}, True),
    "around me": (boards.around, {"limit": 50}, True),
}


async def measure(where: Sequence[tuple[Database, list[str]]], rounds: int) -> dict[str, list[float]]:
    """Median milliseconds of each question at each database. Counting comes by itself, last: it reads the whole board,
    and would push out of SQLite's cache what the others need."""
    counting: dict[str, Question] = {"rank by counting": (_rank_by_counting, {}, True)}
    return {**await _ask(where, QUESTIONS, rounds), **await _ask(where, counting, rounds // 10)}


async def _ask(
    where: Sequence[tuple[Database, list[str]]], questions: dict[str, Question], rounds: int
) -> dict[str, list[float]]:
    chance = random.Random(1)
    taken: dict[str, list[list[float]]] = {name: [[] for _ in where] for name in questions}
    for _ in range(rounds):
        for name, (job, parameters, of_one) in questions.items():
            for (database, entrants), times in zip(where, taken[name], strict=True):
                who = {"entrant": chance.choice(entrants)} if of_one else {}
                began = time.perf_counter()
                await database.snapshot(job, BOARD, RANKING, **parameters, **who)
                times.append((time.perf_counter() - began) * 1000)
    return {name: [median(times[rounds // 10 :]) for times in both] for name, both in taken.items()}


def _rank_by_counting(connection: Connection, board: str, ranking: Ranking, entrant: str) -> int:
    here = standings.c.board == board, standings.c.lens == ranking.lens
    key = connection.execute(select(standings.c.key).where(*here, standings.c.entrant == entrant)).scalar_one()
    better = select(func.count()).select_from(standings).where(*here, standings.c.key > key)
    return 1 + connection.execute(better).scalar_one()


def _end_games(url: str, entrants: list[str]) -> float:
    """Processes that end games of some players at once; the seconds that the slowest took."""
    command = [sys.executable, "-m", "tests.contest.finisher", url]
    started = [
        subprocess.Popen(
            [*command, str(seed), str(ENDED), CODE, *entrants],
            cwd=Path(__file__).parents[2],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in range(WRITERS)
    ]
    for one in started:
        assert one.stdout is not None
        if one.stdout.readline() != "ready\n":
            raise RuntimeError("a process could not deal its games")
    seconds = [float(one.communicate("go\n")[0]) for one in started]
    if any(one.returncode for one in started):
        raise RuntimeError("a process could not end its games")
    return max(seconds)


# -- filling ----------------------------------------------------------------------------------------


async def fill(url: str, entries: int) -> list[str]:
    """Make a database with a board of so many entries; whose they are."""
    upgrade(url)
    filler = Filler()
    while len(filler.entrants) < entries:
        made = filler.some(min(AT_ONCE, entries - len(filler.entrants)))
        if url.startswith("sqlite"):
            await asyncio.to_thread(on_connection, database_url(url), partial(_insert, made=made))
        else:
            await _copy(url, made)
    await _settle(url)
    return filler.entrants


class Filler:
    """Makes players of many kinds: two of three win, half of those without an undo."""

    def __init__(self) -> None:
        self.entrants: list[str] = []
        self._chance = random.Random(0)

    def some(self, number: int) -> "Made":
        made = []
        for _ in range(number):
            player, game = self._id(), self._id()
            self.entrants.append(player)
            secret = f"{self._chance.getrandbits(256):064x}"
            row = {"id": player, "name": None, "tag": tag_of(player), "recovery_hash": secret, "created_at": 1}
            made.append((row, self._result(game, secret)))
        return made

    def _result(self, game: str, link: str) -> Result:
        chance = self._chance
        won = chance.random() < 0.67
        return Result(
            game=game,
            ruleset=RULESET,
            board=BOARD,
            won=won,
            score=520 if won else 5 * chance.randrange(2, 100),
            undos=0 if chance.random() < 0.5 else int(chance.expovariate(0.2)) + 1,
            moves=48 if won else chance.randrange(1, 48),
            seconds=int(math.exp(chance.gauss(5.5, 0.5))),
            finished_at=1_796_000_000_000 + len(self.entrants),
            link=link,
        )

    def _id(self) -> str:
        return str(UUID(int=self._chance.getrandbits(128), version=4))


Made = list[tuple[dict[str, Any], Result]]


def _rows(made: Made) -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[dict[str, Any]]]:
    people = [player for player, _ in made]
    ended = [
        {**{name: getattr(one, name) for name in Result.__struct_fields__}, "try_number": 1, "listed": True}
        for _, one in made
    ]
    standing = [place._asdict() for player, one in made for place in standings_of(one, player["id"])]
    return people, ended, standing


def _insert(connection: Connection, made: Made) -> None:
    connection.exec_driver_sql("PRAGMA cache_size=-262144")  # of this connection only, to fill in minutes
    for table, rows in zip((players, results, standings), _rows(made), strict=True):
        connection.execute(table.insert(), rows)
    _count(connection, made)


async def _copy(url: str, made: Made) -> None:
    engine = create_async_engine(url)
    async with engine.begin() as connection:
        await connection.exec_driver_sql("SET LOCAL session_replication_role = replica")  # no games, so no keys to them
        driver: Any = (await connection.get_raw_connection()).driver_connection
        for table, rows in zip((players, results, standings), _rows(made), strict=True):
            columns = list(rows[0])
            await driver.copy_records_to_table(
                table.name, columns=columns, records=[tuple(row.values()) for row in rows]
            )
        await connection.run_sync(_count, made)
    await engine.dispose()


def _count(connection: Connection, made: Made) -> None:
    for slot in range(FIRST_SLOTS):
        counts = Counts()
        for _, one in made[slot::FIRST_SLOTS]:
            for ranking in rankings(RULESET).values():
                rank_buckets.tally(counts, BOARD, ranking, ranking.pack(one), 1)
        rank_buckets.add(connection, counts, slot=slot)


async def _settle(url: str) -> None:
    if url.startswith("sqlite"):
        await asyncio.to_thread(on_connection, database_url(url), lambda one: one.exec_driver_sql("ANALYZE"))
        return
    engine = create_async_engine(url, isolation_level="AUTOCOMMIT")
    async with engine.connect() as connection:
        await connection.exec_driver_sql("VACUUM ANALYZE")
    await engine.dispose()
