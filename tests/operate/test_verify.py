"""``verify`` walks through all that is stored, on either database, and names what differs."""

import asyncio
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import asdict, replace
from sqlalchemy import Connection, delete, insert, update
from sqlalchemy.util import await_only

from server.operate.verify import audit_games, every_game, progress
from server.play.outcome import result
from server.play.playthrough import replay
from server.play.records import Header, Outcome, Result
from server.store import games as stored_games
from server.store import scan
from server.store.eventlog import Append, Won
from server.store.open import Store, open_store
from server.store.players import delete_player
from server.store.tables import games, rank_buckets, results, standings
from tests.faults.load import GOLDEN, commands_of
from tests.live.helpers import Bench, bench
from tests.operate.forging import PLAYER, edited, relinked
from tests.operate.running import Done, run
from tests.operate.stored import add_player, game_id, honest, store_game


async def verify(url: str, *words: str) -> Done:
    return await run(url, "verify", *words)


async def test_honest_games_verify_and_the_exit_code_is_0(url: str, store: Store) -> None:
    stored = [honest(), honest({"do": "resign"}), honest({"do": "undo"}, {"do": "undo"}), honest(code="SH1-C4-AAAAAJ2")]
    for row, records in stored:
        await store_game(store, row, records)
    count = sum(len(records) for _, records in stored)
    done = await verify(url, "--all")
    assert (done.code, done.out) == (0, f"4 games, {count} events, 1 board: all verify\n")
    done = await verify(url, "--all", "--json")
    assert done.code == 0 and done.json == {
        "findings": [],
        "games": 4,
        "events": count,
        "boards": 1,
        "differing": 0,
    }
    done = await verify(url, stored[0][0].id, stored[1][0].id.upper(), stored[0][0].id)
    assert done.code == 0 and done.out.startswith("2 games, ")


async def test_a_game_that_differs_is_named_with_its_event_and_what_differs(url: str, store: Store) -> None:
    good, bad, worse = honest(), honest(), honest()
    forged = relinked([*bad[1][:4], edited(bad[1][4], points=20)])
    await store_game(store, *good)
    await store_game(store, bad[0], forged)
    await store_game(store, replace(worse[0], status="won"), worse[1])
    done = await verify(url, "--all")
    assert done.code == 1
    assert done.out.splitlines() == [
        f"game {bad[0].id}, event 5: legality: it says 20 points, play gives 10",
        f"game {worse[0].id}: row: its status is 'won', the log comes to 'playing'",
        "3 games, 15 events: 2 differ",
    ]
    done = await verify(url, "--all", "--json")
    assert done.code == 1 and done.json == {
        "findings": [
            {"game": bad[0].id, "seq": 5, "check": "legality", "detail": "it says 20 points, play gives 10"},
            {
                "game": worse[0].id,
                "seq": 0,
                "check": "row",
                "detail": "its status is 'won', the log comes to 'playing'",
            },
        ],
        "games": 3,
        "events": 15,
        "boards": 0,
        "differing": 2,
    }
    assert (await verify(url, bad[0].id)).code == 1
    assert (await verify(url, good[0].id)).code == 0


async def test_a_row_without_a_log_and_a_log_without_a_row_are_found(url: str, store: Store) -> None:
    kept, rowless = honest(), honest()
    await store_game(store, *kept)
    await store_game(store, *rowless)
    empty, _ = honest()
    await store.database.write(_add_row, empty)
    await store.database.write(_remove_row, rowless[0].id)
    done = await verify(url, "--all", "--json")
    assert [(one["game"], one["seq"], one["check"]) for one in done.json["findings"]] == [
        (rowless[0].id, 0, "row"),
        (empty.id, 0, "chain"),
    ]
    assert done.code == 1


async def test_an_erased_player_leaves_games_that_verify(url: str, store: Store) -> None:
    await store_game(store, *honest())
    assert await store.database.write(delete_player, PLAYER)
    assert (await verify(url, "--all")).code == 0


async def test_another_owner_is_found(url: str, store: Store) -> None:
    row, records = honest()
    await store_game(store, row, records)
    await store.database.write(_change_row, row.id, {"salt": "11" * 16})
    done = await verify(url, "--all", "--json")
    assert [(one["seq"], one["check"]) for one in done.json["findings"]] == [(0, "owner")]


BOARD = "code:HM1-N-AAAAAAB"


@pytest.mark.parametrize("harm", ["changed", "lost", "invented"])
async def test_a_result_that_its_log_does_not_come_to_is_found(url: str, store: Store, harm: str) -> None:
    row, records = honest(*([] if harm == "invented" else [{"do": "resign"}]))
    await store_game(store, row, records)
    other, _ = honest({"do": "resign"})

    def change(connection: Connection) -> None:
        if harm == "changed":
            connection.execute(update(results).values(score=500))
        elif harm == "lost":
            for table in (rank_buckets, standings, results):
                connection.execute(delete(table))
        else:
            made = Result(
                game=row.id,
                ruleset="HM1-N",
                board=None,
                won=True,
                score=520,
                undos=0,
                moves=48,
                seconds=9,
                finished_at=row.created_at,
                link="0" * 64,
            )
            connection.execute(insert(results).values(**asdict(made), listed=False))

    await store.database.write(change)
    done = await verify(url, row.id, "--json")
    assert done.code == 1 and [(one["game"], one["check"]) for one in done.json["findings"]] == [(row.id, "result")]
    assert other.id not in done.out


@pytest.mark.parametrize("harm", ["standing", "buckets"])
async def test_a_board_that_its_results_do_not_come_to_is_found(url: str, store: Store, harm: str) -> None:
    for _ in range(3):
        await store_game(store, *honest({"do": "resign"}))
    table, values = (standings, {"finished_at": 1}) if harm == "standing" else (rank_buckets, {"n": 7})
    await store.database.write(lambda connection: connection.execute(update(table).values(**values)).close())
    done = await verify(url, "--all", "--json")
    assert done.code == 1 and {(one["board"], one["check"]) for one in done.json["findings"]} == {(BOARD, harm)}
    assert (done.json["boards"], done.json["differing"]) == (1, 1)
    assert f"board {BOARD}: {harm}: " in (await verify(url, "--all")).out


async def test_an_empty_database_verifies(url: str, store: Store) -> None:
    done = await verify(url, "--all")
    assert (done.code, done.out) == (0, "0 games, 0 events: all verify\n")


async def test_every_game_is_met_once_also_those_that_have_no_row(
    url: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [await store_game(store, *honest()) for _ in range(11)]
    for lost in (ids[0], ids[4], ids[5], ids[10]):
        await store.database.write(_remove_row, lost)
    for at_once in (1, 2, 3, 50):
        monkeypatch.setattr("server.operate.verify.GAMES_AT_ONCE", at_once)
        assert [game async for page in every_game(store.database) for game in page] == ids


async def test_a_long_log_is_read_in_pieces(url: str, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "RECORDS_AT_ONCE", 3)
    monkeypatch.setattr(scan, "_RECORDS", scan._RECORDS.limit(3))
    row, records = honest({"do": "undo"})
    assert len(records) == 6  # two whole pieces
    await store_game(store, row, records)
    (audited,) = await audit_games(store.database, [row.id])
    assert (audited.events, audited.findings) == (6, [])


async def test_all_that_is_read_of_a_game_is_of_one_moment(url: str, store: Store) -> None:
    """The game ends between the reading of its log and of its row, and the two still belong together."""
    row, records = honest({"do": "resign"})
    await store_game(store, replace(row, status="playing"), records[:-1])
    end = Append(records[-1], None, Outcome(game=row.id, status="resigned", result=result(row, replay(records))))
    loop = asyncio.get_running_loop()

    def read(connection: Connection) -> tuple[int, Header | None]:
        count = len([*scan.records_of(connection, row.id)])
        if store.database.dialect == "sqlite":  # a thread of its own
            stored = asyncio.run_coroutine_threadsafe(store.log.append([end]), loop).result(10)
        else:
            stored = await_only(store.log.append([end]))
        assert stored == [Won()]
        return count, stored_games.header(connection, row.id)

    count, header = await store.database.snapshot(read)
    assert header is not None and (count, header.status) == (5, "playing")
    assert (await verify(url, row.id)).out == "1 game, 6 events: all verify\n"


async def test_games_that_go_on_meanwhile_verify(url: str, store: Store) -> None:
    """Moves, ends and new games come in while all is read, again and again."""
    code, moves = GOLDEN[0]
    done = asyncio.Event()

    async def play(table: Bench, name: str) -> None:
        number = 0
        while not done.is_set():
            number += 1
            game = await table.open(code, command_id=f"{name}-{number}")
            for place, fields in enumerate(commands_of(moves)):
                await table.send(game.header, command_id=f"c{place}", **fields)

    async with bench(store.log, sole_writer=store.database.sole_writer) as table, asyncio.TaskGroup() as group:
        for name in "abc":
            group.create_task(play(table, name))
        for _ in range(3):
            told = await verify(url, "--all", "--json")
            assert (told.code, told.json["findings"]) == (0, [])
        done.set()
    assert told.json["events"] > 3


async def test_a_page_that_cannot_be_read_costs_its_own_games_only(tmp_path: Path) -> None:
    """Damage between the records, where no text of ours tells of it: SQLite itself refuses to read there."""
    path = tmp_path / "games.db"
    url = f"sqlite:///{path}"
    store = await open_store(url)
    await add_player(store)
    ids = [await store_game(store, *honest()) for _ in range(12)]
    await store.close()
    file = bytearray(path.read_bytes())
    page = file.index(f"open-{ids[5]}".encode() + b'{"code"') // 4096
    file[page * 4096] = 0  # a page of no kind
    path.write_bytes(file)
    done = await verify(url, "--all", "--json")
    lost = {one["game"] for one in done.json["findings"]}
    assert done.code == 1 and ids[5] in lost and len(lost) < 6
    assert {(one["seq"], one["check"]) for one in done.json["findings"]} == {(0, "event")}
    assert done.json["games"] == 12 and "malformed" in done.json["findings"][0]["detail"]


async def test_wrong_usage_is_exit_code_2_and_an_unknown_game_is_1(url: str, store: Store) -> None:
    for words in ([], ["--all", game_id()], ["no-id"], ["--everything"]):
        done = await verify(url, *words)
        assert done.code == 2 and "Usage" in done.err, words
    unknown = game_id()
    done = await verify(url, unknown)
    assert (done.code, done.out, done.err) == (1, "", f"moontide: there is no game {unknown}\n")


async def test_a_database_that_cannot_be_used_is_one_line(tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    for url, words in (
        (f"sqlite:///{tmp_path / 'none.db'}", "cannot be used"),
        (f"sqlite:///{other}", "not yet at this version's schema"),
        ("postgresql+asyncpg://nobody@127.0.0.1:1/none", "cannot be used"),
    ):
        other.touch()
        done = await verify(url, "--all")
        assert done.code == 1 and words in done.err and done.err.count("\n") == 1, done.err
    assert not (tmp_path / "none.db").exists() and other.stat().st_size == 0


@pytest.mark.parametrize("terminal", [True, False])
def test_a_progress_bar_is_drawn_on_a_terminal_and_nowhere_else(
    terminal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = StringIO()
    monkeypatch.setattr(drawn, "isatty", lambda: terminal)
    monkeypatch.setattr(sys, "stderr", drawn)
    with progress("games", 20) as advance:
        advance(15)
        assert ("75%" in drawn.getvalue() and "games" in drawn.getvalue()) is terminal
    assert bool(drawn.getvalue()) is terminal


def _add_row(connection: Connection, row: Header) -> None:
    assert stored_games.add_headers(connection, [row]) == {row.id}


def _remove_row(connection: Connection, game: str) -> None:
    connection.execute(delete(games).where(games.c.id == game))


def _change_row(connection: Connection, game: str, values: dict[str, Any]) -> None:
    connection.execute(update(games).where(games.c.id == game).values(**values))
