"""The boards of deal codes over HTTP, played on in earnest."""

from typing import Any

import httpx2
import pytest

from tests.api.client import Player, Table, client_of, join
from tests.api.conftest import MakeApp
from tests.parts.clock import ManualClock


async def give_up(player: Player, code: str, *, moves: int = 1, **more: Any) -> Table:
    """A game given up after some pairs, of 10 points each."""
    table = await player.deal(code, **more)
    for _ in range(moves):
        shown = (await player.get(table.path + "?legal=1")).json()
        await table.move(*next(one["remove"] for one in shown["legal"] if len(one["remove"]) == 2))
    assert (await table.send("resign")).status_code == 200
    return table


async def test_a_board_shows_the_best_of_each_player_and_where_i_stand(
    http: httpx2.AsyncClient, ada: Player, bob: Player
) -> None:
    code = "HM1-N-BOARD2A"
    first = await give_up(bob, code, moves=2)
    await give_up(ada, code, moves=1)
    second = await give_up(ada, code, moves=3)
    board = (await ada.get(f"/v1/boards/{code}")).json()
    assert {name: board[name] for name in ("board", "code", "ruleset", "ranked_by", "by", "players", "next")} == {
        "board": f"code:{code}",
        "code": code,
        "ruleset": "HM1-N",
        "ranked_by": ["won", "score", "undos", "seconds"],
        "by": None,
        "players": 2,
        "next": None,
    }
    rows = [(row["rank"], row["player"]["id"], row["game"], row["moves"], row["try"]) for row in board["items"]]
    assert rows == [(1, ada.id, second.id, 3, 2), (2, bob.id, first.id, 2, 1)]
    assert set(board["items"][0]["player"]) == {"id", "name", "tag"}
    assert board["me"] == {**board["items"][0], "percentile": 100.0}
    assert (await bob.get(f"/v1/boards/{code}")).json()["me"]["percentile"] == 0.0
    anonymous = (await http.get(f"/v1/boards/{code}")).json()
    assert (anonymous["items"], anonymous["me"]) == (board["items"], None)


async def test_a_row_carries_the_last_link_of_its_log(ada: Player) -> None:
    code = "HM1-N-BOARD2B"
    table = await give_up(ada, code)
    (row,) = (await ada.get(f"/v1/boards/{code}")).json()["items"]
    events = (await ada.get(table.path + "/events")).json()["items"]
    assert (row["link"], row["finished_at"]) == (events[-1]["link"], events[-1]["at"])


async def test_a_code_that_nobody_has_played_has_an_empty_board(ada: Player) -> None:
    code = "HM1-N-BOARD2C"
    spoken = (await ada.get(f"/v1/boards/{code.lower()}")).json()
    assert (spoken["code"], spoken["items"], spoken["me"], spoken["players"], spoken["next"]) == (
        code,
        [],
        None,
        0,
        None,
    )
    assert (await ada.get(f"/v1/boards/{code}?view=around")).json()["items"] == []


@pytest.mark.parametrize(
    ("code", "part"),
    [("XX1-N-AAAAAAB", "game"), ("HM2-N-AAAAAAB", "version"), ("HM1-N-AAA", "length"), ("HM1-N-AAAAAA_", "character")],
)
async def test_what_is_no_code_is_told_what_is_wrong_with_it(http: httpx2.AsyncClient, code: str, part: str) -> None:
    answer = await http.get(f"/v1/boards/{code}")
    assert (answer.status_code, answer.json()["code"], answer.json()["params"]["part"]) == (400, "invalid_code", part)


async def test_games_that_do_not_count_are_not_there(ada: Player, bob: Player) -> None:
    """Kept off by their player, given up without a move, or still running."""
    code = "HM1-N-BOARD2D"
    await give_up(ada, code, ranked=False)
    await give_up(bob, code, moves=0)
    await bob.deal(code)
    assert (await ada.get(f"/v1/boards/{code}")).json()["players"] == 0
    third = await give_up(bob, code)
    (row,) = (await ada.get(f"/v1/boards/{code}")).json()["items"]
    assert (row["game"], row["try"]) == (third.id, 3)


async def test_pages_and_the_rows_around_me(http: httpx2.AsyncClient) -> None:
    code = "HM1-N-BOARD3B"
    players = [await join(http) for _ in range(5)]
    for number, player in enumerate(players):
        await give_up(player, code, moves=5 - number)
    path, seen, cursor = f"/v1/boards/{code}?limit=2", [], ""
    while cursor is not None:
        page = (await http.get(path + cursor)).json()
        assert len(page["items"]) <= 2
        seen += [row["player"]["id"] for row in page["items"]]
        cursor = None if page["next"] is None else f"&cursor={page['next']}"
    assert seen == [player.id for player in players]

    around = (await players[2].get(f"/v1/boards/{code}?view=around&limit=3")).json()
    assert [(row["rank"], row["player"]["id"]) for row in around["items"]] == [
        (rank, players[rank - 1].id) for rank in (2, 3, 4)
    ]
    assert (around["me"]["rank"], around["me"]["percentile"]) == (3, 50.0)
    behind = (await players[2].get(f"/v1/boards/{code}?view=around&limit=3&cursor={around['next']}")).json()
    assert ([row["rank"] for row in behind["items"]], behind["next"]) == ([5], None)


async def test_seahaven_can_be_seen_by_moves_and_half_moon_cannot(make_app: MakeApp, clock: ManualClock) -> None:
    """The quick one with more moves leads by time, the slow one with fewer by moves; both answers say how."""
    async with client_of(await make_app(clock=clock)) as http:
        quick, slow = await join(http), await join(http)
        code = "SH1-C4-BOARD2A"
        for player, moves, seconds in ((quick, 3, 1), (slow, 1, 60)):
            table = await player.deal(code)
            for number in range(moves):
                clock.tick(seconds * 1000)
                shown = (await player.get(table.path + "?legal=1")).json()
                # To and fro without a point, so that time and moves alone decide.
                move = next(one for one in shown["legal"] if one["to"][0] != "F" and one["from"][0] != "F")
                assert (await table.send("move", **move)).status_code == 200, number
            assert (await table.send("resign")).status_code == 200
        by_time, by_moves = [(await http.get(f"/v1/boards/{code}{by}")).json() for by in ("", "?by=moves")]
        assert [row["player"]["id"] for row in by_time["items"]] == [quick.id, slow.id]
        assert [row["player"]["id"] for row in by_moves["items"]] == [slow.id, quick.id]
        assert (by_time["by"], by_time["ranked_by"]) == (None, ["won", "score", "seconds", "moves"])
        assert (by_moves["by"], by_moves["ranked_by"]) == ("moves", ["won", "score", "moves", "seconds"])
        for wrong in ("HM1-N-BOARD2A?by=moves", f"{code}?by=undos", f"{code}?by="):
            answer = await http.get(f"/v1/boards/{wrong}")
            assert (answer.status_code, answer.json()["params"]) == (400, {"name": "by"}), wrong


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ("view=around", 401, "unauthenticated"),
        ("view=middle", 400, "invalid_query"),
        ("limit=0", 400, "invalid_query"),
        ("limit=201", 400, "invalid_query"),
        ("cursor=nonsense", 400, "invalid_cursor"),
    ],
)
async def test_what_cannot_be_shown_is_refused(http: httpx2.AsyncClient, query: str, status: int, code: str) -> None:
    answer = await http.get(f"/v1/boards/HM1-N-AAAAAAB?{query}")
    assert (answer.status_code, answer.json()["code"]) == (status, code)


async def test_a_game_with_a_row_may_be_read_by_all_and_no_other_game_of_its_player(
    http: httpx2.AsyncClient, ada: Player, bob: Player
) -> None:
    code = "HM1-N-BOARD2F"
    running = await ada.deal(code)
    best = await give_up(ada, code, moves=2)
    worse = await give_up(ada, code, moves=1)
    off = await give_up(ada, code, moves=3, ranked=False)
    for table, open_to_all in ((best, True), (worse, False), (off, False), (running, False)):
        for path in (table.path, table.path + "/events", table.path + "?at=1"):
            assert (await http.get(path)).status_code == (200 if open_to_all else 401), path
            assert (await bob.get(path)).status_code == (200 if open_to_all else 404), path
    assert (await http.get(best.path + "/receipt")).status_code == 200
    assert (await bob.ask("PUT", best.path + "/watching", {"watching": "public"})).status_code == 403
    await give_up(ada, code, moves=4)
    assert (await http.get(best.path)).status_code == 200, "a link to it goes on to work"


async def test_an_erased_player_has_no_name_on_the_board_any_more(
    http: httpx2.AsyncClient, ada: Player, bob: Player
) -> None:
    code = "HM1-N-BOARD2G"
    table = await give_up(ada, code, moves=2)
    await give_up(bob, code)
    assert (await ada.ask("DELETE", "/v1/players/me")).status_code == 204
    board = (await bob.get(f"/v1/boards/{code}")).json()
    assert [(row["rank"], row["player"]) for row in board["items"]] == [(1, None), (2, board["me"]["player"])]
    assert (board["players"], board["items"][0]["game"]) == (2, table.id)
    assert ada.id not in str(board)
    assert (await http.get(table.path)).status_code == 200
