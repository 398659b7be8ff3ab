"""How SQLite goes about the statements of boards: by an index, each of them, however many rows there are.

A full scan is right, and unnoticed while a board is small: so the plans are looked at, with the statistics of a
million rows."""

import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event

from server.play.board import code_board
from server.play.ranking import rankings
from server.store import boards
from server.store.database import Database
from server.store.eventlog import Won
from server.store.open import Store, log_of, open_store
from server.store.players import delete_player
from tests.contest.finishing import dealt, ending, new_code, new_players, opening, play, result_of

MILLION = """
INSERT INTO sqlite_stat1 VALUES
  ('games', 'sqlite_autoindex_games_1', '1000000 1'), ('games', 'ix_games_player_code', '1000000 5 2 1 1'),
  ('games', 'ix_games_player_created_at_id', '1000000 5 1 1'), ('players', 'sqlite_autoindex_players_1', '200000 1'),
  ('results', 'sqlite_autoindex_results_1', '1000000 1'), ('results', 'ix_results_board', '1000000 1000000'),
  ('standings', 'sqlite_autoindex_standings_1', '1000000 1 1 1'),
  ('standings', 'ix_standings_ranked', '1000000 1000000 1000000 5 1 1'),
  ('rank_buckets', 'sqlite_autoindex_rank_buckets_1', '295384 295384 295384 98462 2 1')
"""


@pytest.fixture
async def large(tmp_path: Path) -> AsyncIterator[tuple[Path, Store]]:
    """A database that takes itself for a large one."""
    path = tmp_path / "games.db"
    store = await open_store(f"sqlite:///{path}")
    await store.close()
    connection = sqlite3.connect(path)
    connection.execute("ANALYZE")
    connection.execute("DELETE FROM sqlite_stat1")
    connection.execute(MILLION)
    connection.commit()
    connection.close()
    database = await Database.open(f"sqlite:///{path}", connections=1)
    yield path, Store(database, log_of(database))
    await database.close()


@contextmanager
def heard() -> Iterator[list[tuple[str, Any]]]:
    """The statements that are executed meanwhile, with their parameters."""
    said: list[tuple[str, Any]] = []

    def hear(connection: object, cursor: object, text: str, parameters: Any, context: object, many: bool) -> None:
        said.append((text, parameters[0] if isinstance(parameters, list) else parameters))

    event.listen(Engine, "before_cursor_execute", hear)
    try:
        yield said
    finally:
        event.remove(Engine, "before_cursor_execute", hear)


def scans(path: Path, said: list[tuple[str, Any]]) -> list[str]:
    """The steps of these statements' plans that read a whole table or index."""
    tables = ("games", "events", "results", "standings", "rank_buckets", "players", "tokens", "pairings")
    found = []
    connection = sqlite3.connect(path)
    for text, parameters in said:
        if text.lstrip().upper().startswith(("SELECT", "INSERT", "UPDATE", "DELETE")):
            for *_, step in connection.execute("EXPLAIN QUERY PLAN " + text, parameters):
                if step.startswith("SCAN") and step.split()[1] in tables:
                    found.append(f"{step}: {text}")
    connection.close()
    return found


@pytest.mark.parametrize("ruleset", ["HM1-N", "SH1-C4"])
async def test_no_statement_of_boards_reads_a_whole_table(large: tuple[Path, Store], ruleset: str) -> None:
    path, store = large
    ada, bob = await new_players(store, 2)
    code = new_code(ruleset)
    board = code_board(code)
    await play(store, code, ada)
    await play(store, code, bob)
    headers = [dealt(code, player) for player in (ada, bob, ada, bob)]
    assert await store.log.append([opening(header) for header in headers]) == [Won()] * 4
    with heard() as said:
        ends = [ending(header, result_of(header, seconds=10 + index)) for index, header in enumerate(headers)]
        assert await store.log.append(ends) == [Won()] * 4
        for ranking in rankings(ruleset).values():
            read = store.database.read
            first = await read(boards.top, board, ranking, limit=1)
            await read(boards.top, board, ranking, limit=1, after=first[0].position)
            await read(boards.around, board, ranking, ada, limit=9)
            await read(boards.standing, board, ranking, bob)
            await read(boards.histogram, board, ranking)
        await read(boards.count, board)
        assert await store.database.write(delete_player, ada)
    assert len(said) > 25
    assert scans(path, said) == []
