"""A flipped bit in the database is found, its game is shut, and everybody else plays on."""

import asyncio
import sqlite3
from pathlib import Path
from typing import Any, NamedTuple

from tests.faults.clients import Http, new_game, new_player, socket
from tests.faults.forked_server import ForkedServer
from tests.faults.verifying import verify

CODE = "HM1-N-AAAAAAB"
MOVES = [["P1", "P8"], ["P8", "P5", "P3"]]
NEXT = ["P2", "P9"]


class Damage(NamedTuple):
    """A bit to flip in what is stored of event ``seq``, and by which checks `verify` finds it.

    The columns ``at`` (six bytes), ``command_id``, ``data`` and ``link`` stand one behind the other in the file:
    ``byte`` counts from the start of the command id, which stands there but once.
    """

    seq: int
    byte: int
    bit: int
    checks: list[str]


COMMAND_ID = len("game00-2")
IN_DATA = COMMAND_ID + len('{"cards":["')
FIRST_CARD = COMMAND_ID + len(f'{{"code":"{CODE}","owner":"') + 64 + len('","places":{"P1":["')

DAMAGES = {
    "a time": Damage(2, -1, 0x01, ["chain"]),
    "a command id": Damage(3, 4, 0x01, ["chain"]),
    "a card": Damage(2, IN_DATA, 0x01, ["chain", "legality"]),
    "text that is none any more": Damage(2, IN_DATA, 0x80, ["chain", "legality"]),
    "text that is no JSON any more": Damage(2, COMMAND_ID, 0x01, ["chain", "event"]),
    "the cards as dealt": Damage(1, FIRST_CARD, 0x01, ["chain", "deal"]),
    "the newest link": Damage(3, COMMAND_ID + 78, 0x01, ["chain"]),
}


def whole(path: Path) -> bytearray:
    """A database file with all that is still in its journal."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return bytearray(path.read_bytes())


class Game(NamedTuple):
    id: str
    name: str


def flip(file: bytearray, needle: bytes, byte: int, bit: int) -> None:
    """Flip one bit, ``byte`` bytes from where the needle stands in the file."""
    assert file.count(needle) == 1, needle
    file[file.index(needle) + byte] ^= bit


async def command(http: Http, game: Game, command_id: str, remove: list[str]) -> tuple[int, Any]:
    body = {"command_id": command_id, "do": "move", "remove": remove}
    return await http.request("POST", f"/v1/games/{game.id}/commands", body)


async def play(http: Http, name: str) -> Game:
    """A game of three events."""
    game = Game(await new_game(http, CODE, f"{name}-1"), name)
    for seq, remove in enumerate(MOVES, 2):
        status, answer = await command(http, game, f"{name}-{seq}", remove)
        assert (status, answer["seq"]) == (200, seq)
    return game


async def test_flipped_bits_are_found_their_games_are_shut_and_the_others_play_on(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    with ForkedServer(path) as server:
        await asyncio.to_thread(server.start)
        async with Http(server.port) as http:
            token = await new_player(http)
            damaged = {what: await play(http, f"game{number:02}") for number, what in enumerate(DAMAGES)}
            strange, good = await play(http, "strange"), await play(http, "good")
        await asyncio.to_thread(server.kill)

        file = whole(path)
        for what, (seq, byte, bit, _) in DAMAGES.items():
            flip(file, f"{damaged[what].name}-{seq}".encode() + b'{"c', byte, bit)
        # The row of a game: its id, its code, then its ruleset, of which the last letter becomes another.
        flip(file, f"{strange.id}{CODE}HM1-N".encode(), len(f"{strange.id}{CODE}HM1-N") - 1, 0x01)
        path.write_bytes(file)

        await asyncio.to_thread(server.start)
        async with Http(server.port, token) as http, socket(server.port, token) as live:
            for game in (*damaged.values(), strange):
                await is_quarantined(http, game)
                await live.send(t="watch", channel=f"game:{game.id}")
                refused = await live.until("refused")
                assert refused["problem"]["code"] == "game_quarantined", game
            status, answer = await command(http, good, "good-4", NEXT)
            assert (status, answer["seq"]) == (200, 4)
            status, listed = await http.request("GET", "/v1/games")
            assert status == 200 and len(listed["items"]) == len(damaged) + 2
            await play(http, "another")

        code, told = await asyncio.to_thread(verify, server.database)
        found = {(one["game"], one["seq"], one["check"]) for one in told["findings"]}
        right = {(damaged[what].id, one.seq, check) for what, one in DAMAGES.items() for check in one.checks}
        assert found == right | {(strange.id, 0, "row")}
        assert code == 1 and told["games"] == len(damaged) + 3 and told["differing"] == len(damaged) + 1
        assert "Traceback" not in server.output()


async def is_quarantined(http: Http, game: Game) -> None:
    """However one asks for it, the answer is that it does not verify."""
    for path in ("", "?at=1", "/events"):
        status, problem = await http.request("GET", f"/v1/games/{game.id}{path}")
        assert (status, problem["code"]) == (503, "game_quarantined"), (game, path, problem)
    status, problem = await command(http, game, "more", NEXT)
    assert (status, problem["code"]) == (503, "game_quarantined"), (game, problem)
