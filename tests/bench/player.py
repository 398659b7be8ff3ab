"""The players of a bench: each on a connection of its own, they deal games and play their winning lines."""

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import cache
from http.client import HTTPConnection
from typing import Any, NamedTuple

from tests.golden import lines

CONNECTIONS = 64
GAMES = {"Half Moon": "HM1-N-AAAAAAB", "Seahaven": "SH1-C4-PZVT7B3"}
DEALERS = 8

Commands = list[tuple[str, dict[str, Any]]]
"""Of each the game, and what is said about it."""


@cache
def winning_line(code: str) -> list[dict[str, Any]]:
    """The moves of a won game, as commands."""
    log = next(log for log in lines("cases/logs.jsonl") if log["code"] == code)
    names = ("remove", "from", "to", "count")
    return [{"do": "move", **{n: e["data"][n] for n in names if n in e["data"]}} for e in log["events"][1:]]


def commands_of(games: list[str], code: str) -> Commands:
    """The winning line of each of these, one after another."""
    line = winning_line(code)
    return [
        (game, {"command_id": f"c{number}", "after": number + 1, **move})
        for game in games
        for number, move in enumerate(line)
    ]


class Seat(NamedTuple):
    """What one connection needs: whose it is, and what is said on it."""

    token: str
    commands: Commands


def seats(
    port: int, code: str, games: int, connections: int = CONNECTIONS, *, of: "Player | None" = None
) -> list[Seat]:
    """Players at the server on a port, or seats that are all ``of`` one, each with so many whole games, which are dealt
    now. Before them comes a part of one that is then left, of each seat another: else all would come to their ends at
    once."""
    line = len(winning_line(code))

    def seat(place: int) -> Seat:
        player = of or Player(port)
        dealt = player.deal(code, games + 1)
        left = commands_of(dealt[:1], code)[: line * place // connections]
        return Seat(player.token, left + commands_of(dealt[1:], code))

    with ThreadPoolExecutor(DEALERS) as pool:
        return list(pool.map(seat, range(connections)))


class Player:
    """At the server on a port."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.token = ""
        self.token = self._post("/v1/players", [{}])[0]["token"]

    def deal(self, code: str, games: int) -> list[str]:
        return [game["id"] for game in self._post("/v1/games", [{"code": code}] * games)]

    def _post(self, path: str, bodies: list[dict[str, Any]]) -> list[Any]:
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        answers = []
        with closing(HTTPConnection("127.0.0.1", self._port, timeout=30)) as line:
            for body in bodies:
                line.request("POST", path, json.dumps(body), headers)
                answer = line.getresponse()
                text = answer.read().decode()
                if answer.status >= 300:
                    raise RuntimeError(f"POST {path}: {text}")
                answers.append(json.loads(text))
        return answers
