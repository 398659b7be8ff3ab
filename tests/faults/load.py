"""Players who play whole games as fast as they can, over either wire, from one life of a server to the next.

Each knows its games by heart (golden ones, with every third move taken back and made again) and has one
command under way in each. A command that got no answer is sent again, under the same id, to the server that
comes next.
"""

import asyncio
from typing import Any

from websockets.exceptions import WebSocketException

from tests.faults.clients import Http, Socket, new_game, new_player, socket
from tests.faults.ledger import Ledger
from tests.golden import lines

GOLDEN = [
    (game["code"], [step for step in game["steps"] if step["ok"]])
    for game in lines("cases/games.jsonl")
    if game["kind"] == "win"
]
"""Codes, and the moves that win them; what the golden files try in vain is left out."""

GONE = (OSError, WebSocketException)
"""How a client learns that the server is not there any more."""


def commands_of(moves: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The commands of a golden game, every third move but the last taken back and made again."""
    commands = []
    for number, step in enumerate(moves, 1):
        move = {name: step[name] for name in ("do", "remove", "from", "to", "count") if name in step}
        commands += [move, {"do": "undo"}, move] if number % 3 == 0 and number < len(moves) else [move]
    return commands


class Line:
    """One game after the other, and in each the command that is under way."""

    def __init__(self, name: str, number: int) -> None:
        self._name = name
        self._number = number
        self._begin()

    def _begin(self) -> None:
        self.code, moves = GOLDEN[self._number * 7 % len(GOLDEN)]
        self.opening = f"{self._name}-{self._number}"
        self.game = ""
        self._commands = commands_of(moves)
        self._done = 0

    @property
    def seq(self) -> int:
        """The seq that the command under way must get."""
        return self._done + 2

    @property
    def command(self) -> dict[str, Any]:
        return {"command_id": f"{self.opening}-{self.seq}", **self._commands[self._done]}

    def acknowledged(self) -> None:
        """Go on to the next command, or to the next game."""
        self._done += 1
        if self._done == len(self._commands):
            self._number += 1
            self._begin()


class Player:
    """Somebody with a token, who keeps a ledger."""

    def __init__(self, name: str, ledger: Ledger) -> None:
        self.name = name
        self.ledger = ledger
        self.token: str | None = None

    async def play(self, port: int) -> None:
        """Play until the server is gone."""
        try:
            async with Http(port, self.token) as http:
                if self.token is None:
                    self.token = await new_player(http)
                await self._play(port, http)
        except GONE:
            pass

    async def _play(self, port: int, http: Http) -> None:
        raise NotImplementedError

    async def _open(self, http: Http, line: Line) -> None:
        """Deal the line's game; again after a crash, for its answer may have been lost."""
        line.game = await new_game(http, line.code, line.opening)
        self.ledger.open(line.opening, line.game)

    def _acknowledge(self, line: Line, seq: int) -> None:
        assert seq == line.seq, f"{line.command} became event {seq}"
        self.ledger.ack(line.game, line.command["command_id"], seq)
        line.acknowledged()


class HttpPlayer(Player):
    """Plays one game on one connection."""

    def __init__(self, name: str, ledger: Ledger) -> None:
        super().__init__(name, ledger)
        self._line = Line(name, 1)

    async def _play(self, port: int, http: Http) -> None:
        line = self._line
        while True:
            if not line.game:
                await self._open(http, line)
            self.ledger.send(line.game, line.command["command_id"])
            status, answer = await http.request("POST", f"/v1/games/{line.game}/commands", line.command)
            assert status == 200, answer
            self._acknowledge(line, answer["seq"])


class SocketPlayer(Player):
    """Plays and watches several games on one socket."""

    def __init__(self, name: str, ledger: Ledger, games: int = 4) -> None:
        super().__init__(name, ledger)
        self._lines = [Line(f"{name}-{number}", number) for number in range(games)]

    async def _play(self, port: int, http: Http) -> None:
        assert self.token is not None
        async with socket(port, self.token) as live:
            under_way: dict[str, Line] = {}
            watched: set[str] = set()
            for line in self._lines:
                await self._send(http, live, line, under_way, watched)
            while True:
                message = await live.next()
                assert message["t"] not in ("refused", "resync"), message
                if message["t"] == "event":
                    event, game = message["event"], message["channel"].removeprefix("game:")
                    self.ledger.push(game, message["seq"], event["type"], event["data"])
                elif message["t"] == "ack":
                    line = under_way.pop(message["command_id"])
                    self._acknowledge(line, message["seq"])
                    await self._send(http, live, line, under_way, watched)

    async def _send(self, http: Http, live: Socket, line: Line, under_way: dict[str, Line], watched: set[str]) -> None:
        if not line.game:
            await self._open(http, line)
        if line.game not in watched:
            watched.add(line.game)
            await live.send(t="watch", channel=f"game:{line.game}")
        command = line.command
        under_way[command["command_id"]] = line
        self.ledger.send(line.game, command["command_id"])
        await live.send(t="command", game=line.game, **command)


async def play_until(ledger: Ledger, acks: int, players: list[Player], port: int) -> list[asyncio.Task[None]]:
    """Let them all play until so many commands have been acknowledged; their tasks, still playing. Raises what
    one of them raises before."""
    playing = [asyncio.create_task(player.play(port)) for player in players]
    enough = asyncio.create_task(ledger.reaches(acks))
    await asyncio.wait([*playing, enough], return_when=asyncio.FIRST_COMPLETED)
    if not enough.done():
        enough.cancel()
        for task in playing:
            if task.done():
                task.result()
        raise AssertionError("a player has stopped, and the server was not killed")
    return playing
