"""Ten thousand commands, each sent twice or more, in no order, many of them never answered: one event each."""

import asyncio
import random
from collections import deque
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from server.solitaires import SOLITAIRES
from server.solitaires.protocol import Removal
from tests.faults.clients import Http, new_game, new_player, socket
from tests.faults.ledger import Ledger, stored_events
from tests.faults.scale import times
from tests.parts.server_process import ServerProcess

GAMES = times(500, 5000)
PAIRS = 5
ROUNDS = 4
SOCKETS, CONNECTIONS = 6, 2


class Sending(NamedTuple):
    """A command on its way to a game."""

    game: str
    command: dict[str, Any]


def independent_pairs(code: str) -> list[list[str]] | None:
    """Five pairs of Half Moon that can be removed in any order, for no two share a place; None if there are not."""
    solitaire = SOLITAIRES["HM1-N"]
    taken: set[str] = set()
    pairs: list[list[str]] = []
    for move in solitaire.legal_moves(solitaire.deal(code.rpartition("-")[2])):
        assert isinstance(move, Removal)
        if len(move.places) == 2 and taken.isdisjoint(move.places) and len(pairs) < PAIRS:
            taken.update(move.places)
            pairs.append(list(move.places))
    return pairs if len(pairs) == PAIRS else None


def rounds_of(game: str, number: int, pairs: list[list[str]]) -> list[list[Sending]]:
    """The commands on one game: in each round what can be done in any order, taken back in the round after."""
    rounds: list[list[dict[str, Any]]] = []
    for turn in range(ROUNDS):
        moves: list[dict[str, Any]] = [{"do": "move", "remove": pair} for pair in pairs]
        rounds.append(moves if turn % 2 == 0 else [{"do": "undo"}] * PAIRS)
    return [
        [Sending(game, {"command_id": f"g{number}-{turn}-{place}", **fields}) for place, fields in enumerate(commands)]
        for turn, commands in enumerate(rounds)
    ]


class Senders:
    """Connections that share what there is to send, and hang up as they please."""

    def __init__(self, port: int, token: str, ledger: Ledger, chance: random.Random) -> None:
        self._port = port
        self._token = token
        self._ledger = ledger
        self._chance = chance
        self.cuts = 0

    async def send_all(self, sendings: Iterable[Sending]) -> None:
        """Send them, then again those that were not answered, until all are."""
        waiting = deque(sendings)
        everything = list(waiting)
        while waiting:
            hangs_up = len(waiting) > 100
            async with asyncio.TaskGroup() as group:
                for _ in range(SOCKETS):
                    group.create_task(self._over_socket(waiting, hangs_up))
                for _ in range(CONNECTIONS):
                    group.create_task(self._over_http(waiting, hangs_up))
            waiting.extend(one for one in everything if one.command["command_id"] not in self._ledger.acked[one.game])

    async def _over_socket(self, waiting: deque[Sending], hangs_up: bool) -> None:
        while batch := self._take(waiting, 64):
            cut_after = self._cut(hangs_up, len(batch))
            async with socket(self._port, self._token) as live:
                games = {}
                for game, command in batch:
                    games[command["command_id"]] = game
                    await live.send(t="command", game=game, **command)
                for _ in range(cut_after):
                    answer = await live.next()
                    assert answer["t"] == "ack", answer
                    self._ledger.ack(games[answer["command_id"]], answer["command_id"], answer["seq"])

    async def _over_http(self, waiting: deque[Sending], hangs_up: bool) -> None:
        async with Http(self._port, self._token) as http:
            while batch := self._take(waiting, 8):
                for game, command in batch:
                    if self._cut(hangs_up, 1):
                        status, answer = await http.request("POST", f"/v1/games/{game}/commands", command)
                        assert status == 200, answer
                        self._ledger.ack(game, command["command_id"], answer["seq"])
                    else:
                        await http.send("POST", f"/v1/games/{game}/commands", command)
                        http.cut()

    def _take(self, waiting: deque[Sending], count: int) -> list[Sending]:
        batch = [waiting.popleft() for _ in range(min(count, len(waiting)))]
        for game, command in batch:
            self._ledger.send(game, command["command_id"])
        return batch

    def _cut(self, hangs_up: bool, answers: int) -> int:
        """How many answers to wait for before hanging up: in one of three cases not all of them."""
        if hangs_up and self._chance.random() < 1 / 3:
            self.cuts += 1
            return self._chance.randrange(answers)
        return answers


async def deal(port: int, token: str, codes: list[tuple[str, list[list[str]]]], ledger: Ledger) -> list[list[Sending]]:
    """Open a game of each code, and what is to be sent in each round over all games."""
    rounds: list[list[Sending]] = [[] for _ in range(ROUNDS)]
    waiting = deque(enumerate(codes))

    async def deal_some() -> None:
        async with Http(port, token) as http:
            while waiting:
                number, (code, pairs) = waiting.popleft()
                game = await new_game(http, code, f"open-{number}")
                ledger.open(f"open-{number}", game)
                for turn, sendings in enumerate(rounds_of(game, number, pairs)):
                    rounds[turn] += sendings

    await asyncio.gather(*(deal_some() for _ in range(8)))
    return rounds


@pytest.mark.timeout(300)
async def test_commands_sent_twice_out_of_order_and_without_answers_make_one_event_each(tmp_path: Path) -> None:
    chance, ledger = random.Random(4), Ledger()
    codes = []
    while len(codes) < GAMES:
        code = "HM1-N-" + "".join(chance.choices("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", k=7))
        if pairs := independent_pairs(code):
            codes.append((code, pairs))
    with ServerProcess(tmp_path / "games.db").wait_ready() as server:
        async with Http(server.port) as http:
            token = await new_player(http)
        rounds = await deal(server.port, token, codes, ledger)
        senders = Senders(server.port, token, ledger, chance)
        late: list[Sending] = []
        for sendings in rounds:
            # Each twice, one copy now, the other now or when the game has long gone on.
            now = sendings + late
            late = []
            for sending in sendings:
                (now if chance.random() < 0.5 else late).append(sending)
            chance.shuffle(now)
            await senders.send_all(now)
        await senders.send_all(late)
    logs = stored_events(tmp_path / "games.db")
    assert [*ledger.faults(logs)] == []
    assert sum(len(log) - 1 for log in logs.values()) == GAMES * PAIRS * ROUNDS
    assert all(len(log) == 1 + PAIRS * ROUNDS for log in logs.values()) and senders.cuts > 100
