"""Boards in both databases, against a model that compares everything with everything."""

import asyncio
import random
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, delete, select, update

from server.play.board import code_board, daily_board
from server.play.ranking import rankings
from server.play.records import Result
from server.store import boards, recount
from server.store.boards import Bar, Position, Row
from server.store.eventlog import Conflict, Won
from server.store.open import Store, open_store
from server.store.players import delete_player
from server.store.postgres_database import PostgresDatabase
from server.store.projection import project
from server.store.results import is_listed, kept, reckon
from server.store.tables import games, rank_buckets, results, standings
from tests.contest.finishing import (
    Model,
    dealt,
    ending,
    new_code,
    new_players,
    opening,
    play,
    result_of,
)
from tests.store.records import new_id
from tests.store.test_racing import until_blocked

MOON = rankings("HM1-N")[""]
SEA = rankings("SH1-C4")
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
async def sqlite_boards(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[str, Store]]:
    url = f"sqlite:///{tmp_path_factory.mktemp('boards') / 'games.db'}"
    store = await open_store(url)
    yield url, store
    await store.close()


@pytest.fixture(scope="session")
async def postgres_boards(postgres_url: str) -> AsyncIterator[tuple[str, Store]]:
    store = await open_store(postgres_url)
    yield postgres_url, store
    await store.close()


@pytest.fixture(params=["sqlite", "postgres"])
def kept_at(request: pytest.FixtureRequest) -> tuple[str, Store]:
    found: tuple[str, Store] = request.getfixturevalue(f"{request.param}_boards")
    return found


@pytest.fixture
def store(kept_at: tuple[str, Store]) -> Store:
    return kept_at[1]


def shown(rows: list[Row]) -> list[tuple[int, str, str]]:
    return [(row.rank, row.position.entrant, row.result.game) for row in rows]


async def whole(store: Store, code: str, lens: str = "") -> list[tuple[int, str, str]]:
    """Rank, entrant and game of every row of a code's board."""
    ranking = rankings(code.rsplit("-", 1)[0])[lens]
    return shown(await store.database.snapshot(boards.top, code_board(code), ranking, limit=1000))


# -- one result a game, one row a player --------------------------------------------------------------


async def test_a_finished_game_makes_its_result_with_its_last_event(store: Store) -> None:
    (ada,) = await new_players(store, 1)
    code = new_code()
    made = await play(store, code, ada, undos=2, seconds=161)
    stored = await store.database.read(kept, made.game)
    assert stored is not None
    assert (stored.result, stored.try_number, stored.listed) == (made, 1, True)
    assert await whole(store, code) == [(1, ada, made.game)]


async def test_an_event_that_loses_its_place_makes_no_result(store: Store) -> None:
    """Of two processes that end one game, only what the log has counts."""
    (ada,) = await new_players(store, 1)
    code = new_code()
    header = dealt(code, ada)
    won, lost = result_of(header), result_of(header, won=False, score=30)
    assert await store.log.append([opening(header)]) == [Won()]
    assert await store.log.append([ending(header, won)]) == [Won()]
    assert await store.log.append([ending(header, lost)]) == [Conflict()]
    stored = await store.database.read(kept, header.id)
    assert stored is not None and stored.result == won
    assert await store.database.snapshot(recount.check, code_board(code)) == []


async def test_the_best_of_each_player_stands_and_the_earlier_of_equals(store: Store) -> None:
    ada, bob = await new_players(store, 2)
    code = new_code()
    first = await play(store, code, ada, seconds=200)
    assert await whole(store, code) == [(1, ada, first.game)]
    worse = await play(store, code, ada, seconds=201)
    equal = await play(store, code, ada, seconds=200)
    other = await play(store, code, bob, seconds=200)
    assert await whole(store, code) == [(1, ada, first.game), (1, bob, other.game)]
    better = await play(store, code, ada, seconds=199)
    assert await whole(store, code) == [(1, ada, better.game), (2, bob, other.game)]
    listed = [await store.database.read(is_listed, one.game) for one in (first, worse, equal, better)]
    assert listed == [True, False, False, True], "what once had a row stays open to all"


async def test_the_earlier_of_equals_is_the_one_that_ended_earlier_in_whatever_order_they_are_stored(
    store: Store,
) -> None:
    (ada,) = await new_players(store, 1)
    code = new_code()
    late, early = dealt(code, ada), dealt(code, ada)
    assert await store.log.append([opening(late), opening(early)]) == [Won(), Won()]
    for header, at in ((late, 2_000_000_000_000), (early, 1_999_999_999_999)):
        assert await store.log.append([ending(header, result_of(header, finished_at=at))]) == [Won()]
    assert await whole(store, code) == [(1, ada, early.id)]


async def test_one_batch_may_end_several_games_of_one_player(store: Store) -> None:
    (ada,) = await new_players(store, 1)
    code = new_code("SH1-C4")
    headers = [dealt(code, ada) for _ in range(3)]
    await store.log.append([opening(header) for header in headers])
    made = [result_of(one, seconds=s, moves=m) for one, s, m in zip(headers, (90, 80, 85), (60, 70, 50), strict=True)]
    assert await store.log.append([ending(*pair) for pair in zip(headers, made, strict=True)]) == [Won()] * 3
    assert await whole(store, code) == [(1, ada, headers[1].id)]
    assert await whole(store, code, "moves") == [(1, ada, headers[2].id)], "the best through each lens"
    assert await store.database.snapshot(recount.check, code_board(code)) == []


async def test_the_try_counts_the_games_of_the_code_that_had_been_dealt(store: Store) -> None:
    """Also those that were given up without a move, or kept off the board; not those dealt later."""
    ada, bob = await new_players(store, 2)
    code = new_code()
    await store.log.append([opening(dealt(code, ada)), opening(dealt(new_code(), ada)), opening(dealt(code, bob))])
    off = await play(store, code, ada, ranked=False)
    third = dealt(code, ada)
    await store.log.append([opening(third), opening(dealt(code, ada))])
    await store.log.append([ending(third, result_of(third))])
    numbers = [await store.database.read(kept, game) for game in (off.game, third.id)]
    assert [one.try_number for one in numbers if one is not None] == [2, 3]


async def test_games_that_are_kept_off_and_races_stand_on_no_board(store: Store) -> None:
    (ada,) = await new_players(store, 1)
    code = new_code()
    off = await play(store, code, ada, ranked=False)
    race = dealt(code, ada, purpose="race", race=new_id())
    await store.log.append([opening(race)])
    await store.log.append([ending(race, result_of(race))])
    assert await whole(store, code) == []
    for game in (off.game, race.id):
        stored = await store.database.read(kept, game)
        assert stored is not None and (stored.result.board, stored.listed) == (None, False)


async def test_a_daily_has_a_board_of_its_own(store: Store) -> None:
    ada, bob = await new_players(store, 2)
    date, code = f"{random.randrange(3000, 9999)}-11-30", new_code()
    board = daily_board(date, "HM1-N")
    for player, seconds in ((ada, 100), (bob, 90)):
        attempt = dealt(code, player, purpose="daily", date=date, until=2**42)
        await store.log.append([opening(attempt)])
        await store.log.append([ending(attempt, result_of(attempt, seconds=seconds))])
    rows = await store.database.read(boards.top, board, MOON, limit=10)
    assert [(row.rank, row.position.entrant) for row in rows] == [(1, bob), (2, ada)]
    assert await whole(store, code) == []


# -- reading -----------------------------------------------------------------------------------------


async def test_a_board_that_nobody_has_played_is_empty(store: Store) -> None:
    board = code_board(new_code())
    read = store.database.read
    assert await read(boards.top, board, MOON, limit=10) == []
    assert await read(boards.around, board, MOON, new_id(), limit=10) == []
    assert await read(boards.standing, board, MOON, new_id()) is None
    assert await read(boards.histogram, board, MOON) == []
    assert await read(boards.count, board) == 0
    assert (await read(boards.rank_of, board, MOON, 5)).rank == 1


async def test_equals_share_a_rank_and_the_next_has_a_gap(store: Store) -> None:
    players = await new_players(store, 5)
    code = new_code()
    for player, seconds in zip(players, (100, 90, 100, 100, 110), strict=True):
        await play(store, code, player, seconds=seconds)
    rows = await whole(store, code)
    assert [rank for rank, _, _ in rows] == [1, 2, 2, 2, 5]
    assert [entrant for _, entrant, _ in rows] == [players[index] for index in (1, 0, 2, 3, 4)]


async def test_how_entrants_spread_over_scores(store: Store) -> None:
    players = await new_players(store, 4)
    code = new_code()
    for player, won, score in zip(players, (1, 1, 0, 0), (520, 520, 520, 40), strict=True):
        await play(store, code, player, won=bool(won), score=score)
    await play(store, code, players[3], won=True)
    spread = await store.database.read(boards.histogram, code_board(code), MOON)
    assert spread == [Bar(True, 520, 3), Bar(False, 520, 1)], "a bar that all have left is gone"


FINISHES = st.lists(
    st.tuples(
        st.integers(0, 8),
        st.sampled_from([(True, 520), (False, 520), (False, 30), (True, 505)]),
        st.integers(0, 2),
        st.integers(48, 51),
        st.integers(0, 3) | st.integers(254, 260) | st.integers(0, 90_000),
    ),
    min_size=1,
    max_size=40,
)


@pytest.mark.parametrize("ruleset", ["HM1-N", "SH1-C4"])
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(finishes=FINISHES, limit=st.integers(1, 6), seed=st.integers())
async def test_everything_that_is_read_of_a_board_is_what_the_model_says(
    store: Store, ruleset: str, finishes: list[tuple[int, tuple[bool, int], int, int, int]], limit: int, seed: int
) -> None:
    chance = random.Random(seed)
    players = await new_players(store, 9)
    code = new_code(ruleset)
    board, models = code_board(code), {lens: Model(one) for lens, one in rankings(ruleset).items()}
    games_of = [dealt(code, players[number]) for number, *_ in finishes]
    await store.log.append([opening(header) for header in games_of])
    ends = []
    for header, (_, (won, score), undos, moves, seconds) in zip(games_of, finishes, strict=True):
        result = result_of(header, won=won, score=score, undos=undos, moves=moves, seconds=seconds)
        ends.append(ending(header, result))
        for model in models.values():
            assert header.player is not None
            model.add(header.player, result)
    while ends:
        size = chance.randint(1, 8)
        assert set(await store.log.append(ends[:size])) == {Won()}
        del ends[:size]

    for lens, model in models.items():
        await store.database.snapshot(_compare, board, rankings(ruleset)[lens], model, limit)
    assert await store.database.snapshot(recount.check, board) == []


def _compare(connection: Connection, board: str, ranking: boards.Ranking, model: Model, limit: int) -> None:
    expected = model.rows()
    assert shown(boards.top(connection, board, ranking, limit=100)) == expected
    assert boards.count(connection, board) == len(expected)
    pages: list[Row] = []
    after: Position | None = None
    while page := boards.top(connection, board, ranking, limit=limit, after=after):
        pages += page
        after = page[-1].position
    assert shown(pages) == expected, "pages neither overlap nor leave out, and know their ranks"
    for index, (rank, entrant, game) in enumerate(expected):
        own = boards.standing(connection, board, ranking, entrant)
        assert own is not None
        assert (own.rank.rank, own.row.rank, own.row.result.game) == (rank, rank, game)
        assert (own.rank.percentile, own.rank.players) == (model.percentile(entrant), len(expected))
        first = max(0, min(index - (limit - 1) // 2, len(expected) - limit))
        window = boards.around(connection, board, ranking, entrant, limit=limit)
        assert shown(window) == expected[first : first + limit]
    best = {(model.best[name].won, model.best[name].score) for _, name, _ in expected}
    bars = boards.histogram(connection, board, ranking)
    assert {(bar.won, bar.score) for bar in bars} == best
    assert sum(bar.n for bar in bars) == len(expected)


# -- many writers ------------------------------------------------------------------------------------

WRITERS, PLAYERS, GAMES_EACH = 3, 5, 40


async def test_of_processes_that_end_games_at_once_every_count_and_rank_is_right(kept_at: tuple[str, Store]) -> None:
    url, store = kept_at
    players = await new_players(store, PLAYERS)
    code = new_code("SH1-C4")
    started = [
        await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.contest.finisher", url, str(seed), str(GAMES_EACH), code, *players),
            cwd=ROOT,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        for seed in range(WRITERS)
    ]
    for one in started:
        assert one.stdout is not None and await one.stdout.readline() == b"ready\n", await one.communicate()
    ended = await asyncio.gather(*(one.communicate(b"go\n") for one in started))
    assert [one.returncode for one in started] == [0] * WRITERS, [error.decode() for _, error in ended]

    board = code_board(code)
    rows = await store.database.read(_all_results, board)
    assert len(rows) == WRITERS * GAMES_EACH
    for ranking in SEA.values():
        model = Model(ranking)
        for player, result in sorted(rows, key=lambda row: (row[1].finished_at, row[1].game)):
            model.add(player, result)
        # Clocks of the processes overlap, so equals are compared by keys rather than by which game it was.
        found = await store.database.snapshot(boards.top, board, ranking, limit=100)
        assert [(row.rank, row.position.entrant) for row in found] == [(rank, who) for rank, who, _ in model.rows()]
        assert shown(found) == model.rows()
    assert await store.database.snapshot(recount.check, board) == []


async def test_a_standing_that_another_process_is_moving_is_waited_for(
    postgres_boards: tuple[str, Store],
) -> None:
    """While one is about to put a better game of a player in, the other must not take the old row for the player's
    best: it would then put a worse game in the place of the better, and count it out of a bucket that it had left."""
    store = postgres_boards[1]
    database = store.database
    assert isinstance(database, PostgresDatabase)
    (ada,) = await new_players(store, 1)
    code = new_code()
    await play(store, code, ada, seconds=300)
    better, worse = dealt(code, ada), dealt(code, ada)
    await store.log.append([opening(better), opening(worse)])
    async with database.engine.connect() as other, other.begin():
        await other.execute(select(standings.c.key).where(standings.c.entrant == ada).with_for_update())
        appending = asyncio.create_task(store.log.append([ending(worse, result_of(worse, seconds=200))]))
        await until_blocked(database)
        await other.run_sync(project, [ending(better, result_of(better, seconds=100)).outcome])
    assert await appending == [Won()]
    assert await whole(store, code) == [(1, ada, better.id)]
    assert await store.database.snapshot(recount.check, code_board(code)) == []


@pytest.mark.parametrize("first", ["the end", "the erasure"])
async def test_a_game_that_ends_while_its_player_is_erased_leads_to_nobody(
    postgres_boards: tuple[str, Store], first: str
) -> None:
    store = postgres_boards[1]
    database = store.database
    assert isinstance(database, PostgresDatabase)
    (ada,) = await new_players(store, 1)
    code = new_code()
    header = dealt(code, ada)
    await store.log.append([opening(header)])
    end = ending(header, result_of(header))
    later: asyncio.Task[object]
    async with database.engine.connect() as other, other.begin():
        if first == "the end":
            await other.run_sync(project, [end.outcome])
            later = asyncio.create_task(database.write(delete_player, ada))
        else:
            await other.run_sync(delete_player, ada)
            later = asyncio.create_task(store.log.append([end]))
        await until_blocked(database)
    await later
    assert await whole(store, code) == ([(1, header.id, header.id)] if first == "the end" else [])
    assert await store.database.snapshot(recount.check, code_board(code)) == []


def _all_results(connection: Connection, board: str) -> list[tuple[str, Result]]:
    query = select(results, games.c.player).join(games, games.c.id == results.c.game).where(results.c.board == board)
    return [
        (row.player, Result(**{name: getattr(row, name) for name in Result.__struct_fields__}))
        for row in connection.execute(query)
    ]


# -- what changes boards besides playing --------------------------------------------------------------


async def test_an_erased_player_s_best_game_keeps_its_row_and_leads_to_nobody(store: Store) -> None:
    ada, bob, cyd = await new_players(store, 3)
    code = new_code("SH1-C4")
    board = code_board(code)
    fast = await play(store, code, ada, seconds=90, moves=70)
    short = await play(store, code, ada, seconds=95, moves=60)
    slow = await play(store, code, ada, seconds=300, moves=90)
    others = [await play(store, code, player, seconds=100, moves=65) for player in (bob, cyd)]
    still = dealt(code, ada)
    await store.log.append([opening(still)])
    assert [rank for rank, *_ in await whole(store, code, "moves")] == [1, 2, 2]

    assert await store.database.write(delete_player, ada)
    assert await whole(store, code) == [
        (1, fast.game, fast.game),
        *((2, p, r.game) for p, r in zip((bob, cyd), others, strict=True)),
    ]
    through = await whole(store, code, "moves")
    assert through[2] == (3, fast.game, fast.game), "through a lens, too, one game is left of him"
    top = await store.database.read(boards.top, board, SEA[""], limit=10)
    assert (top[0].player, top[0].try_number) == (None, 1)
    assert [await store.database.read(is_listed, one.game) for one in (fast, short, slow)] == [True, False, False]
    assert await store.log.append([ending(still, result_of(still, seconds=1))]) == [Won()]
    assert len(await whole(store, code)) == 3, "a game that ends after its player was erased counts nowhere"
    assert await store.database.snapshot(recount.check, board) == []


async def test_a_game_that_no_longer_counts_makes_way_for_the_next_best_and_may_come_back(store: Store) -> None:
    (ada,) = await new_players(store, 1)
    code = new_code()
    best, second = await play(store, code, ada, seconds=50), await play(store, code, ada, seconds=60)

    def count(connection: Connection, ranked: bool) -> None:
        connection.execute(update(games).where(games.c.id == best.game).values(ranked=ranked))
        reckon(connection, [ada])

    for ranked, stands in ((False, second), (True, best)):
        await store.database.write(count, ranked)
        assert await whole(store, code) == [(1, ada, stands.game)]
        assert await store.database.read(is_listed, best.game) is ranked
        assert await store.database.snapshot(recount.check, code_board(code)) == []


# -- proving and making anew --------------------------------------------------------------------------


def _break(connection: Connection, board: str, how: str) -> None:
    here, counts = standings.c.board == board, rank_buckets.c.board == board
    if how == "count":
        level = connection.execute(select(rank_buckets.c.bucket).where(counts, rank_buckets.c.level == 1)).scalars()
        connection.execute(
            update(rank_buckets).where(counts, rank_buckets.c.bucket == min(level)).values(n=rank_buckets.c.n + 1)
        )
    elif how == "counts gone":
        connection.execute(delete(rank_buckets).where(counts))
    elif how == "key":
        connection.execute(update(standings).where(here).values(key=standings.c.key + 1))
    elif how == "row gone":
        some = connection.execute(select(standings.c.entrant).where(here)).scalars().first()
        connection.execute(delete(standings).where(here, standings.c.entrant == some))
    elif how == "result changed":
        connection.execute(update(results).where(results.c.board == board).values(seconds=results.c.seconds + 1000))


@pytest.mark.parametrize(
    ("how", "checks"),
    [
        ("count", {"buckets"}),
        ("counts gone", {"buckets"}),
        ("key", {"standing", "buckets"}),
        ("row gone", {"standing", "buckets"}),
        ("result changed", {"standing"}),
    ],
)
async def test_a_board_that_was_tampered_with_is_told_and_made_anew(store: Store, how: str, checks: set[str]) -> None:
    code = new_code()
    board = code_board(code)
    for number, player in enumerate(await new_players(store, 3)):
        await play(store, code, player, undos=number, seconds=100 * number)
    before = await whole(store, code)
    await store.database.write(_break, board, how)
    assert {one.check for one in await store.database.snapshot(recount.check, board)} >= checks
    await store.database.write(recount.rebuild, board)
    assert await store.database.snapshot(recount.check, board) == []
    assert await whole(store, code) == before, "ranks are as they were: the times moved alike"


async def test_a_result_that_differs_from_its_log_is_told_and_made_anew(store: Store) -> None:
    ada, bob = await new_players(store, 2)
    code = new_code()
    header = dealt(code, ada)
    await store.log.append([opening(header)])
    result = result_of(header, seconds=100)
    await store.log.append([ending(header, result)])
    await play(store, code, bob, seconds=90)
    assert await store.database.read(recount.result_differences, header, result) == []

    def tamper(connection: Connection) -> None:
        connection.execute(update(results).where(results.c.game == header.id).values(seconds=10, try_number=7))
        reckon(connection, [ada])

    await store.database.write(tamper)
    assert [entrant for _, entrant, _ in await whole(store, code)] == [ada, bob]
    told = await store.database.read(recount.result_differences, header, result)
    assert told == [
        "its result's seconds is not what the log comes to",
        "its result is said to be try 7, and is 1",
    ]
    assert await store.database.read(recount.result_differences, header, None) == [
        "it has a result, but the log comes to none"
    ]
    await store.database.write(recount.restore_result, header, result)
    assert await store.database.read(recount.result_differences, header, result) == []
    assert [entrant for _, entrant, _ in await whole(store, code)] == [bob, ada]

    await store.database.write(recount.restore_result, header, None)
    assert [entrant for _, entrant, _ in await whole(store, code)] == [bob]
    assert await store.database.read(recount.result_differences, header, result) == ["its result is missing"]
    await store.database.write(recount.restore_result, header, result)
    assert [entrant for _, entrant, _ in await whole(store, code)] == [bob, ada]
    assert await store.database.snapshot(recount.check, code_board(code)) == []


async def test_the_boards_can_be_walked_through(store: Store) -> None:
    (ada,) = await new_players(store, 1)
    codes = [new_code() for _ in range(3)]
    for code in codes:
        await play(store, code, ada)
    found: list[str] = []
    while page := await store.database.read(recount.next_boards, found[-1] if found else None, 2):
        found += page
    assert found == sorted(set(found))
    assert {code_board(code) for code in codes} <= set(found)
