"""Durable moves a second over WebSocket and HTTP, held against a bare echo of the same server in the same run.

64 connections, one message under way on each; both real games, whole won games move by move, everything on.
SQLite with ``synchronous=FULL``. The runs of the kinds alternate, and what is shown is the median. The same
generator drives the echo: what it reaches there is what it can do at the most.
"""

import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.bench.tables import median, show
from tests.golden import lines
from tests.parts.ports import free_port

CONNECTIONS = 64
GAMES = {"Half Moon": "HM1-N-AAAAAAB", "Seahaven": "SH1-C4-PZVT7B3"}


class Target:
    """One server under load, in a process of its own."""

    def __init__(self, kind: str, database: str) -> None:
        self.port = free_port()
        command = [sys.executable, "-m", "tests.bench.serve", kind, str(self.port), database]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        if self._process.stdout.readline() != "ready\n":
            raise RuntimeError(f"the {kind} server did not start")

    def call(self, path: str, body: object, token: str = "") -> Any:
        headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait()


@contextmanager
def target(kind: str, database: str) -> Iterator[Target]:
    made = Target(kind, database)
    try:
        yield made
    finally:
        made.stop()


def load(plan: dict[str, Any]) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.load"], input=json.dumps(plan), capture_output=True, text=True, check=True
    )
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def winning_line(code: str) -> list[dict[str, Any]]:
    """The moves of a won game, as commands."""
    log = next(log for log in lines("cases/logs.jsonl") if log["code"] == code)
    names = ("remove", "from", "to", "count")
    return [{"do": "move", **{n: e["data"][n] for n in names if n in e["data"]}} for e in log["events"][1:]]


class Player:
    """A player of a bench, who deals games and plays their winning lines."""

    def __init__(self, at: Target) -> None:
        self._at = at
        self.token: str = at.call("/v1/players", {})["token"]

    def commands(self, code: str, games: int) -> list[list[tuple[str, dict[str, Any]]]]:
        """For each connection, (game, command) of so many whole games, one after another."""
        with ThreadPoolExecutor(16) as pool:
            dealt = list(pool.map(lambda _: self._deal(code), range(games * CONNECTIONS)))
        line = winning_line(code)
        return [_commands(dealt[at * games : (at + 1) * games], line) for at in range(CONNECTIONS)]

    def _deal(self, code: str) -> str:
        game: str = self._at.call("/v1/games", {"code": code}, self.token)["id"]
        return game


def _commands(dealt: list[str], line: list[dict[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
    return [
        (game, {"command_id": f"c{number}", "after": number + 1, **move})
        for game in dealt
        for number, move in enumerate(line)
    ]


def over_socket(at: Target, code: str, seconds: float, games: int) -> dict[str, Any]:
    player = Player(at)
    messages = [
        [json.dumps({"t": "command", "game": game, **command}) for game, command in commands]
        for commands in player.commands(code, games)
    ]
    hello = json.dumps({"t": "hello", "token": player.token})
    plan = {"kind": "ws", "port": at.port, "path": "/v1/live", "opening": hello, "answer": '"t":"ack"'}
    return load({**plan, "messages": messages, "seconds": seconds})


def over_http(at: Target, code: str, seconds: float, games: int) -> dict[str, Any]:
    player = Player(at)
    messages = [
        [{"path": f"/v1/games/{game}/commands", "body": json.dumps(body)} for game, body in commands]
        for commands in player.commands(code, games)
    ]
    plan = {"kind": "http", "port": at.port, "token": player.token, "answer": "HTTP/1.1 200"}
    return load({**plan, "messages": messages, "seconds": seconds})


def echo_socket(at: Target, seconds: float, count: int) -> dict[str, Any]:
    game = "01a22ec9-a946-74cc-8f1e-3b5957b3d912"
    command = {"t": "command", "game": game, "command_id": "c1", "after": 1, "do": "move", "remove": ["P1", "P8"]}
    messages = [[json.dumps(command)] * count for _ in range(CONNECTIONS)]
    plan = {"kind": "ws", "port": at.port, "path": "/live", "opening": "", "answer": '"t":'}
    return load({**plan, "messages": messages, "seconds": seconds})


def echo_http(at: Target, seconds: float, count: int) -> dict[str, Any]:
    body = json.dumps({"command_id": "c1", "after": 1, "do": "move", "remove": ["P1", "P8"]})
    messages = [[{"path": "/echo", "body": body}] * count for _ in range(CONNECTIONS)]
    plan = {"kind": "http", "port": at.port, "token": "", "answer": "HTTP/1.1 200"}
    return load({**plan, "messages": messages, "seconds": seconds})


def run(short: bool) -> dict[str, Any]:
    rounds, seconds = (2, 1.0) if short else (5, 3.0)
    figures: dict[str, list[dict[str, Any]]] = {}
    with TemporaryDirectory(prefix="moontide-bench-") as folder:
        database = f"sqlite:///{Path(folder) / 'games.db'}"
        with target("echo", database) as echo, target("moontide", database) as server:
            for _ in range(rounds):
                for name, measured in (
                    ("WebSocket echo", lambda: echo_socket(echo, seconds, 20_000)),
                    *(
                        (f"WebSocket moves, {game}", lambda code=code: over_socket(server, code, seconds, 12))
                        for game, code in GAMES.items()
                    ),
                    ("HTTP JSON echo", lambda: echo_http(echo, seconds, 20_000)),
                    *(
                        (f"HTTP moves, {game}", lambda code=code: over_http(server, code, seconds, 6))
                        for game, code in GAMES.items()
                    ),
                ):
                    figures.setdefault(name, []).append(measured())
                    time.sleep(0.1)
    shown = {
        name: {key: median([one[key] for one in runs]) for key in ("per_second", "p50_ms", "p99_ms", "p99.9_ms")}
        for name, runs in figures.items()
    }
    base = {"WebSocket": shown["WebSocket echo"], "HTTP": shown["HTTP JSON echo"]}
    for name, one in shown.items():
        one["of the echo"] = one["per_second"] / base[name.split()[0]]["per_second"]
    show(
        ["", "a second", "of the echo", "p50 ms", "p99 ms", "p99.9 ms"],
        [
            [name, one["per_second"], one["of the echo"], one["p50_ms"], one["p99_ms"], one["p99.9_ms"]]
            for name, one in shown.items()
        ],
    )
    return shown
