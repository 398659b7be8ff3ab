"""A referee in memory, and logs that fail on demand."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import msgspec

from server.ids import Ids
from server.live.cache import Cache
from server.live.committer import Committer
from server.live.hub import Frame, Hub
from server.live.keeper import Game
from server.live.referee import Referee
from server.play.commands import Command
from server.play.records import Header
from server.solitaires import SOLITAIRES, read_code
from server.solitaires.codes import Code
from server.solitaires.protocol import State
from server.store.eventlog import Append, Appended, EventLog, Failed
from server.store.memory_log import MemoryLog

PLAYER = "6f1c1a52-3b86-4a56-9d5c-0c5b3b0c2f11"


class SteppingClock:
    """A clock that goes on by 1 ms each time it is read."""

    def __init__(self, at: int = 1_796_000_000_000) -> None:
        self.at = at

    def now(self) -> int:
        self.at += 1
        return self.at


def deal(code: Code) -> State:
    return SOLITAIRES[code.ruleset].deal(code.body)


def command(**fields: Any) -> Command:
    return msgspec.convert(fields, Command)


class Bench:
    """One process's worth of live play over a log."""

    def __init__(self, log: EventLog, *, sole_writer: bool = True, cache: int = 100, batch: int = 512) -> None:
        self.clock = SteppingClock()
        self.hub = Hub()
        self.committer = Committer(log, batch=batch)
        self.cache = Cache(cache)
        self.referee = Referee(
            events=log,
            committer=self.committer,
            hub=self.hub,
            clock=self.clock,
            ids=Ids(self.clock),
            deal=deal,
            sole_writer=sole_writer,
            cache=self.cache,
        )

    async def open(self, code: str = "HM1-N-AAAAAAB", command_id: str = "open") -> Game:
        return await self.referee.open(PLAYER, read_code(code), command_id=command_id, digest="d" * 16)

    async def send(self, header: Header, **fields: Any) -> Any:
        return await self.referee.command(header, command(**fields))


@asynccontextmanager
async def bench(log: EventLog | None = None, **kwargs: Any) -> AsyncIterator[Bench]:
    made = Bench(log or MemoryLog(), **kwargs)
    try:
        yield made
    finally:
        await made.committer.close()


class Ear:
    """A listener that keeps what it hears."""

    def __init__(self) -> None:
        self.frames: list[dict[str, Any]] = []
        self.counts: list[int] = []

    def hear(self, frame: Frame) -> None:
        self.frames.append(msgspec.json.decode(frame.text))

    def see(self, channel: str, watchers: int) -> None:
        self.counts.append(watchers)

    def change(self, header: Header) -> None:
        pass


class ShakyLog(MemoryLog):
    """A log whose next append goes wrong: ``lose`` says it failed though it was stored, ``fail`` stores nothing;
    ``hold`` keeps appends waiting until it is set, and ``begun`` is set by the first that waits."""

    def __init__(self) -> None:
        super().__init__()
        self.lose = False
        self.fail = False
        self.hold: asyncio.Event | None = None
        self.begun = asyncio.Event()
        self.batches: list[int] = []

    async def append(self, batch: Sequence[Append]) -> list[Appended]:
        self.batches.append(len(batch))
        if self.hold is not None:
            self.begun.set()
            await self.hold.wait()
        if self.fail:
            self.fail = False
            return [Failed("disk full", unknown=False)] * len(batch)
        answers = await super().append(batch)
        if self.lose:
            self.lose = False
            return [Failed("connection lost", unknown=True)] * len(batch)
        return answers
