"""What clients sent and what they were told, over all the lives of a server, against what is stored."""

import asyncio
import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple


class Stored(NamedTuple):
    """An event as the database has it."""

    seq: int
    type: str
    command_id: str
    data: Any


def stored_events(file: Path) -> dict[str, list[Stored]]:
    """Every log in a SQLite file, read past all code of ours."""
    logs: dict[str, list[Stored]] = defaultdict(list)
    connection = sqlite3.connect(file)
    for game, seq, kind, command_id, data in connection.execute(
        "SELECT game_id, seq, type, command_id, data FROM events ORDER BY game_id, seq"
    ):
        logs[game].append(Stored(seq, kind, command_id, json.loads(data)))
    connection.close()
    return logs


class Ledger:
    """What the clients know. Nothing here is taken from the server's word but what it acknowledged or pushed."""

    def __init__(self) -> None:
        self.opened: dict[str, str] = {}  # command id -> the game it made
        self.sent: dict[str, set[str]] = defaultdict(set)
        self.acked: dict[str, dict[str, int]] = defaultdict(dict)  # game -> command id -> seq
        self.pushed: dict[str, dict[int, tuple[str, Any]]] = defaultdict(dict)  # game -> seq -> type and data
        self.acks = 0
        self._changed = asyncio.Event()

    def open(self, command_id: str, game: str) -> None:
        assert self.opened.setdefault(command_id, game) == game, "one command made two games"

    def send(self, game: str, command_id: str) -> None:
        self.sent[game].add(command_id)

    def ack(self, game: str, command_id: str, seq: int) -> None:
        assert self.acked[game].setdefault(command_id, seq) == seq, "acknowledged twice, as two events"
        self.acks += 1
        self._changed.set()

    def push(self, game: str, seq: int, kind: str, data: Any) -> None:
        assert self.pushed[game].setdefault(seq, (kind, data)) == (kind, data), "an event was told in two ways"

    async def reaches(self, acks: int) -> None:
        """Wait until there are so many acknowledgements."""
        while self.acks < acks:
            self._changed.clear()
            await self._changed.wait()

    def faults(self, logs: dict[str, list[Stored]]) -> Iterable[str]:
        """Where what is stored is not what was promised."""
        for command_id, game in self.opened.items():
            if not logs.get(game) or logs[game][0].command_id != command_id:
                yield f"game {game} was acknowledged and is not there"
        for game, log in logs.items():
            if [event.seq for event in log] != list(range(1, len(log) + 1)):
                yield f"game {game} is not dense"
            names = [event.command_id for event in log[1:]]
            if len(set(names)) < len(names):
                yield f"game {game} has a command twice"
            if never := set(names) - self.sent[game]:
                yield f"game {game} has commands that nobody sent: {never}"
        for game, acked in self.acked.items():
            for command_id, seq in acked.items():
                if seq > len(logs[game]) or logs[game][seq - 1].command_id != command_id:
                    yield f"event {seq} of game {game} was acknowledged to {command_id} and is not there"
        for game, pushed in self.pushed.items():
            for seq, (kind, data) in pushed.items():
                if seq > len(logs[game]) or (logs[game][seq - 1].type, logs[game][seq - 1].data) != (kind, data):
                    yield f"event {seq} of game {game} was pushed and is not there"
