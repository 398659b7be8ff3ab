"""Devices that stay: they come back by themselves when their line is lost, and go on where they were.

What such a device sees must be the game: every event once, in order, whichever process tells it. A device that
moves sends its next command when the one before is answered, and the same one again, under the same id, when it
does not know what became of it.
"""

import asyncio
import json
import random
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from tests.faults.clients import Http
from tests.faults.ledger import Ledger
from tests.live.player import fold

CODE = "SH1-C4-AAAAAJ2"
"""A deal on which one can move for ever: the card of the first cell goes to and fro between the two empty ones."""

GONE = (OSError, WebSocketException)
THINKS_S = 0.02


def step(number: int) -> dict[str, Any]:
    """The move that makes event ``number + 2`` of `CODE`."""
    spots = ("C3", "C4")
    return {"do": "move", "from": "C1" if number == 0 else spots[(number + 1) % 2], "to": spots[number % 2]}


class Absences:
    """How long somebody was without service, each time."""

    def __init__(self) -> None:
        self._ended: list[float] = []
        self._since: float | None = None

    def begin(self) -> None:
        if self._since is None:
            self._since = time.monotonic()

    def end(self) -> None:
        if self._since is not None:
            self._ended.append(time.monotonic() - self._since)
            self._since = None

    @property
    def times(self) -> int:
        return len(self._ended)

    @property
    def longest(self) -> float:
        """In seconds; one that has not ended counts up to now."""
        running = [] if self._since is None else [time.monotonic() - self._since]
        return max([*self._ended, *running], default=0.0)


class Device:
    """Follows one game on a socket at ``port``, from its ``view`` on; with a ``name`` it moves, too."""

    def __init__(
        self, port: int, token: str, view: dict[str, Any], ledger: Ledger, name: str | None = None, *, after: int = 0
    ) -> None:
        """``after``: so many moves have been made on the game."""
        self._port = port
        self.token = token
        self._ledger = ledger
        self._name = name
        self._moves = after
        self.game: str = view["id"]
        self.view = view
        self.away = Absences()
        self.closed_with: list[int] = []
        """The close codes that it was given, in order."""
        self.told_to_go = 0
        self._resting = asyncio.Event()
        self._rested = asyncio.Event()
        self._changed = asyncio.Event()

    async def run(self) -> None:
        """Stay until cancelled."""
        self.away.begin()
        while True:
            try:
                await self._stay()
            except GONE:
                pass
            self.away.begin()
            await asyncio.sleep(random.uniform(0.05, 0.2))

    async def rest(self) -> None:
        """Make no more moves, once the one under way is answered; go on following."""
        self._resting.set()
        await self._rested.wait()

    async def follows_to(self, seq: int) -> None:
        """Wait until it has seen event ``seq``."""
        while self.view["seq"] < seq:
            self._changed.clear()
            await self._changed.wait()

    async def _stay(self) -> None:
        loop = asyncio.get_running_loop()
        url = f"ws://127.0.0.1:{self._port}/v1/live"
        async with connect(url, compression=None, ping_interval=None, open_timeout=5, close_timeout=1) as live:
            resume = [{"channel": f"game:{self.game}", "after": self.view["seq"]}]
            await live.send(json.dumps({"t": "hello", "token": self.token, "resume": resume}))
            try:
                async with asyncio.timeout(None) as until:
                    while True:
                        message = json.loads(await live.recv())
                        if message["t"] == "draining":
                            self.told_to_go += 1
                            until.reschedule(loop.time() + message["reconnect_in_ms"] / 1000)
                        await self._take(live, message)
            except WebSocketException:
                self.closed_with.append(live.close_code or 1006)
                raise

    async def _take(self, live: ClientConnection, message: dict[str, Any]) -> None:
        match message["t"]:
            case "watching":
                assert message["seq"] == self.view["seq"]
                self.away.end()
                await self._send(live)
            case "event":
                self.view = fold(self.view, message)
                event = message["event"]
                self._ledger.push(self.game, message["seq"], event["type"], event["data"])
                self._changed.set()
            case "ack":
                assert message["command_id"] == self._command["command_id"]
                self._ledger.ack(self.game, message["command_id"], message["seq"])
                self.away.end()
                self._moves += 1
                await asyncio.sleep(THINKS_S)
                await self._send(live)
            case "refused":
                assert message["problem"]["code"] == "unavailable", message
                self.away.begin()
                if "channel" in message:
                    raise ConnectionError("the game could not be watched")
                await asyncio.sleep(0.1)
                await self._send(live)
            case other:
                assert other in ("welcome", "presence", "draining"), message

    @property
    def _command(self) -> dict[str, Any]:
        return {"command_id": f"{self._name}-{self._moves}", **step(self._moves)}

    async def _send(self, live: ClientConnection) -> None:
        if self._name is None or self._resting.is_set():
            self._rested.set()
            return
        command = self._command
        self._ledger.send(self.game, command["command_id"])
        await live.send(json.dumps({"t": "command", "game": self.game, **command}))


class Caller:
    """Moves over HTTP at ``port``, on a connection that is kept as long as it lasts."""

    def __init__(self, port: int, token: str, view: dict[str, Any], ledger: Ledger, name: str) -> None:
        self._http = Http(port, token)
        self._ledger = ledger
        self._name = name
        self.game: str = view["id"]
        self.away = Absences()
        self.turned_away: list[str] = []
        """What went wrong, each time that a command had to be sent again."""
        self._resting = asyncio.Event()
        self._rested = asyncio.Event()

    async def run(self) -> None:
        """Move until told to rest."""
        async with self._http as http:
            number = 0
            while not self._resting.is_set():
                command = {"command_id": f"{self._name}-{number}", **step(number)}
                self._ledger.send(self.game, command["command_id"])
                try:
                    status, answer = await http.request("POST", f"/v1/games/{self.game}/commands", command)
                except GONE as error:
                    status, answer = 0, {"detail": repr(error)}
                if status == 200:
                    self.away.end()
                    self._ledger.ack(self.game, command["command_id"], answer["seq"])
                    number += 1
                    await asyncio.sleep(THINKS_S)
                else:
                    assert status in (0, 503), answer
                    self.turned_away.append(answer["detail"])
                    self.away.begin()
                    http.cut()
                    await asyncio.sleep(0.1)
            self._rested.set()

    async def rest(self) -> None:
        """Make no more moves, once the one under way is answered."""
        self._resting.set()
        await self._rested.wait()


@asynccontextmanager
async def at_play(*devices: Device | Caller) -> AsyncIterator[None]:
    """All of them run while the block lasts; what one of them finds wrong is raised."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(device.run()) for device in devices]
        yield
        for task in tasks:
            task.cancel()
