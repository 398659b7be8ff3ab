"""What a board costs to read with 10,000 and with 1,000,000 entries, and games that end in several processes at once.

One board of Half Moon on SQLite and on a PostgreSQL that syncs: first filled to the smaller number and measured, then
to the larger and measured again, over the functions that the API uses, each in its snapshot. Rows are put in directly,
without logs; the planner's statistics are then brought up to date, as autovacuum does. ``by counting`` is the rank
without buckets, for comparison. At last processes end games on the large board, and all of it is counted.
"""

import asyncio
import math
import random
import subprocess
import sys
import time
from collections.abc import Iterator
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

CODE = "HM1-N-AAAAAAB"
BOARD = code_board(CODE)
RANKING = rankings("HM1-N")[""]
SMALL, LARGE = 10_000, 1_000_000
LIMITS = {"top 100": 1.5, "rank": 3.0, "around me": 3.0}
"""How many times as long the large board may take (issue 4)."""

AT_ONCE = 50_000
WRITERS, ENDED = 3, 400
FIRST_SLOTS = 4
"""The counts are spread as so many processes would leave them."""


def run(short: bool) -> dict[str, Any]:
    small, large = (1_000, 20_000) if short else (SMALL, LARGE)
    figures: dict[str, Any] = {}
    with TemporaryDirectory() as folder:
        figures["sqlite"] = asyncio.run(_bench(f"sqlite:///{folder}/games.db", small, large, short))
    with Postgres(durable=True) as postgres:
        figures["postgresql"] = asyncio.run(_bench(postgres.new_database(), small, large, short))
    rows = []
    for database, found in figures.items():
        for name, (first, then) in found["ms"].items():
            allowed = f"{LIMITS[name]}" if name in LIMITS else ""
            rows.append((f"{database}, {name}", first, then, then / first, allowed))
    show(("", f"ms at {small:,}", f"ms at {large:,}", "ratio", "at most"), rows)
    ended = [(name, one["ended"], one["ended"] / one["seconds"], one["differences"]) for name, one in figures.items()]
    show((f"{WRITERS} processes end games at once", "games", "a second", "differences in a full count"), ended)
    return figures


async def _bench(url: str, small: int, large: int, short: bool) -> dict[str, Any]:
    upgrade(url)
    who = Filler()
    measured = []
    for entries in (small, large):
        await who.fill(url, entries)
        database = await Database.open(url, connections=2)
        measured.append(await _measure(database, who.entrants, rounds=30 if short else 300))
        await database.close()
    seconds = await asyncio.to_thread(_end_games, url, random.Random(7).sample(who.entrants, 50))
    database = await Database.open(url, connections=2)
    differences = await database.snapshot(recount.check, BOARD)
    await database.close()
    # The results that were put in directly have no games, so all that stands of them is told; of the rest nothing.
    wrong = [one for one in differences if one.check == "buckets"]
    return {
        "ms": {name: (measured[0][name], measured[1][name]) for name in measured[0]},
        "ended": WRITERS * ENDED,
        "seconds": seconds,
        "differences": len(wrong),
    }


# -- measuring --------------------------------------------------------------------------------------


async def _measure(database: Database, entrants: list[str], rounds: int) -> dict[str, float]:
    """Median milliseconds of each question; they alternate, so that a busy machine slows all alike."""
    chance = random.Random(1)
    questions = {
        "top 100": lambda: (boards.top, {"limit": 100}),
        "rank": lambda: (boards.standing, {"entrant": chance.choice(entrants)}),
        "around me": lambda: (boards.around, {"entrant": chance.choice(entrants), "limit": 50}),
        "rank by counting": lambda: (_rank_by_counting, {"entrant": chance.choice(entrants)}),
    }
    taken: dict[str, list[float]] = {name: [] for name in questions}
    for _ in range(rounds):
        for name, question in questions.items():
            job, parameters = question()
            began = time.perf_counter()
            await database.snapshot(job, BOARD, RANKING, **parameters)
            taken[name].append((time.perf_counter() - began) * 1000)
    return {name: median(times[rounds // 10 :]) for name, times in taken.items()}


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


class Filler:
    """Fills a board with players of many kinds: two of three win, half of those without an undo."""

    def __init__(self) -> None:
        self.entrants: list[str] = []
        self._chance = random.Random(0)

    async def fill(self, url: str, entries: int) -> None:
        """Bring the board to so many entries."""
        while len(self.entrants) < entries:
            made = list(self._some(min(AT_ONCE, entries - len(self.entrants))))
            if url.startswith("sqlite"):
                await asyncio.to_thread(on_connection, database_url(url), partial(_insert, made=made))
            else:
                await _copy(url, made)
        await _settle(url)

    def _some(self, number: int) -> Iterator[tuple[dict[str, Any], Result]]:
        for _ in range(number):
            player, game = self._id(), self._id()
            self.entrants.append(player)
            secret = f"{self._chance.getrandbits(256):064x}"
            row = {"id": player, "name": None, "tag": tag_of(player), "recovery_hash": secret, "created_at": 1}
            yield row, self._result(game, secret)

    def _result(self, game: str, link: str) -> Result:
        chance = self._chance
        won = chance.random() < 0.67
        return Result(
            game=game,
            ruleset="HM1-N",
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
            rank_buckets.tally(counts, BOARD, RANKING, RANKING.pack(one), 1)
        rank_buckets.add(connection, counts, slot=slot)


async def _settle(url: str) -> None:
    if url.startswith("sqlite"):
        await asyncio.to_thread(on_connection, database_url(url), lambda one: one.exec_driver_sql("ANALYZE"))
        return
    engine = create_async_engine(url, isolation_level="AUTOCOMMIT")
    async with engine.connect() as connection:
        await connection.exec_driver_sql("VACUUM ANALYZE")
    await engine.dispose()
