"""Several processes write one log at once: the primary key decides, and nobody's loss harms another."""

import asyncio
import random
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from sqlalchemy import Connection

from server.store.eventlog import Append, Conflict, EventLog, Won
from server.store.open import Store
from server.store.postgres_database import PostgresDatabase
from tests.store.conftest import OpenAgain
from tests.store.records import add_player, move, new_id, opening, record

WRITERS = 4
GAMES = 3
EVENTS = 40

# What a racing process does: from the heads that it knows, the next event of every game in one batch, of some
# games three at once, each saying (in its data) which link it was built upon. Prints what it has won.
RACER = """
import asyncio, random, sys
from server.store.database import Database
from server.store.eventlog import Conflict, Won
from server.store.open import log_of
from tests.store.records import move

async def race(url, name, events, games):
    database = await Database.open(url, connections=1)
    log = log_of(database)
    heads = await log.head(games)
    print("ready", flush=True)
    sys.stdin.readline()
    while any(seq < events for seq, _ in heads.values()):
        batch = []
        for game in random.sample(games, len(games)):
            seq, link = heads[game]
            for seq in range(seq + 1, min(seq + random.choice((1, 1, 3)), events) + 1):
                batch.append(move(game, seq, by=name, status="won" if seq == events else None, data=link))
                link = batch[-1].record.link
        for append, answer in zip(batch, await log.append(batch), strict=True):
            if isinstance(answer, Won):
                print(append.record.game, append.record.seq, append.record.link)
            elif not isinstance(answer, Conflict):
                raise SystemExit(repr(answer))
        heads = await log.head(games)
    await database.close()

asyncio.run(race(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]))
"""


async def test_of_four_racing_processes_one_wins_each_seq(store: Store, url: str) -> None:
    games = [new_id() for _ in range(GAMES)]
    assert await store.log.append([opening(game) for game in games]) == [Won()] * GAMES
    root = Path(__file__).parents[2]
    racers = [
        await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", RACER, url, f"w{number}", str(EVENTS), *games),
            cwd=root,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        for number in range(WRITERS)
    ]
    for racer in racers:
        assert racer.stdout is not None and await racer.stdout.readline() == b"ready\n"
    printed = await asyncio.gather(*(racer.communicate(b"go\n") for racer in racers))
    assert [racer.returncode for racer in racers] == [0] * WRITERS

    wins = [line.split() for output, _ in printed for line in output.decode().splitlines()]
    assert Counter((game, int(seq)) for game, seq, _ in wins) == Counter(
        (game, seq) for game in games for seq in range(2, EVENTS + 1)
    )
    for game in games:
        log = await store.log.read(game)
        assert [one.seq for one in log] == list(range(1, EVENTS + 1))
        assert {(game, str(one.seq), one.link) for one in log[1:]} == {tuple(win) for win in wins if win[0] == game}
        assert all(after.data == before.link for before, after in pairwise(log)), "built upon an event that lost"
        found = await store.log.header(game)
        assert found is not None and found.status == "won"


async def test_a_player_who_opens_at_two_processes_at_once_gets_one_game(
    store: Store, url: str, open_again: OpenAgain
) -> None:
    player = new_id()
    await store.database.write(add_player, player)
    logs: list[EventLog] = [store.log, (await open_again(url)).log, (await open_again(url)).log]
    commands = [f"c{number}" for number in range(30)]

    async def open_all(log: EventLog) -> list[str]:
        order = random.sample(commands, len(commands))
        batch = [opening(new_id(), player, command_id=command) for command in order]
        answers = await log.append(batch)
        assert [answer for answer in answers if not isinstance(answer, Won | Conflict)] == []
        return [one.record.game for one, answer in zip(batch, answers, strict=True) if isinstance(answer, Won)]

    made = [game for games in await asyncio.gather(*map(open_all, logs)) for game in games]
    assert len(made) == len(commands)
    opened = [await store.log.opened(player, command) for command in commands]
    assert {one.id for one in opened if one is not None} == set(made)
    assert set(await store.log.head(made)) == set(made)


async def test_a_deadlock_is_tried_again(postgres_store: Store, postgres_database: PostgresDatabase) -> None:
    """The batch waits for a row that another transaction has, which waits for a row that the batch has."""
    games = sorted([new_id(), new_id()])
    log = postgres_store.log
    assert await log.append([opening(game) for game in games]) == [Won(), Won()]
    touch = "UPDATE games SET watching = 'link' WHERE id = '{}'"
    async with postgres_database.engine.connect() as other, other.begin():
        # The batch's side finds out, after 1 s; this one would only much later.
        await other.exec_driver_sql("SET LOCAL deadlock_timeout = '1min'")
        await other.exec_driver_sql(touch.format(games[1]))
        appending = asyncio.create_task(log.append([move(game, 2, status="won") for game in games]))
        await until_blocked(postgres_database)
        await other.exec_driver_sql(touch.format(games[0]))
    assert await appending == [Won(), Won()]
    for game in games:
        found = await log.header(game)
        assert found is not None and (found.status, found.watching) == ("won", "link")


async def test_an_event_that_another_transaction_is_storing_is_waited_for(
    postgres_store: Store, postgres_database: PostgresDatabase
) -> None:
    """Only when the other has committed is it a conflict; if it rolls back, the place was free."""
    insert = (
        "INSERT INTO events (game_id, seq, type, v, seat, at, command_id, data, link)"
        " VALUES ('{}', 2, 'moved', 1, 1, 1, 'other', '{{}}', 'ff')"
    )
    for commits in (True, False):
        game = new_id()
        assert await postgres_store.log.append([opening(game)]) == [Won()]
        async with postgres_database.engine.connect() as other:
            transaction = await other.begin()
            await other.exec_driver_sql(insert.format(game))
            appending = asyncio.create_task(postgres_store.log.append([move(game, 2)]))
            await until_blocked(postgres_database)
            await (transaction.commit() if commits else transaction.rollback())
        assert await appending == [Conflict() if commits else Won()]


async def test_a_game_opened_while_its_player_is_erased_keeps_no_trace_of_him(
    postgres_store: Store, postgres_database: PostgresDatabase
) -> None:
    from server.store.games import add_headers
    from server.store.players import delete_player
    from tests.store.records import header

    player, game = new_id(), new_id()
    await postgres_database.write(add_player, player)
    async with postgres_database.engine.connect() as other:
        transaction = await other.begin()
        await other.run_sync(add_headers, [header(game, player)])
        erasing = asyncio.create_task(postgres_database.write(delete_player, player))
        await until_blocked(postgres_database)
        await transaction.commit()
    assert await erasing
    found = await postgres_store.log.header(game)
    assert found is not None and (found.player, found.salt) == (None, None)


async def until_blocked(database: PostgresDatabase) -> None:
    """Wait until some transaction in the database waits for a lock of another."""

    def blocked(connection: Connection) -> int:
        query = "SELECT count(*) FROM pg_stat_activity WHERE cardinality(pg_blocking_pids(pid)) > 0"
        return int(connection.exec_driver_sql(query).scalar_one())

    for _ in range(500):
        if await database.read(blocked):
            return
        await asyncio.sleep(0.01)
    pytest.fail("nothing waits for a lock")


async def test_a_full_queue_of_appends_from_many_tasks_is_dense(store: Store) -> None:
    """Appends that are under way at the same time in one process do not disturb each other either."""
    game = new_id()
    assert await store.log.append([opening(game)]) == [Won()]

    async def one(number: int) -> int:
        mine = new_id()
        batch = [Append(record(game, 2 + number % 5, by=str(number))), opening(mine)]
        answers = await store.log.append(batch)
        assert answers[1] == Won()
        return int(isinstance(answers[0], Won))

    assert sum(await asyncio.gather(*map(one, range(50)))) == 5
    assert [seq.seq for seq in await store.log.read(game)] == [1, 2, 3, 4, 5, 6]
