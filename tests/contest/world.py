"""Two worlds that differ in nothing but what is sealed: asked the same, they answer the same, byte for byte.

Each world is an application of its own: the same clock, ids and secrets, the same players who do the same; but a
sealed attempt lies on another deal (`twins`), put in through the seams of `create_app`. Whatever differs in an
answer, a header, a frame or a line of the server's own log would tell a player, or an operator, of the cards that
nobody has seen. Two things are not compared: durations that were measured, and when the number of watchers is told.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.types import Message

from server.api.app import create_app, dealt_by_the_rules
from server.api.services import Services
from server.play.records import Header, Record
from server.settings import Settings
from server.solitaires.codes import Code
from server.solitaires.protocol import State
from server.store.eventlog import Append, Appended, EventLog, Failed, OneByOne
from server.store.open import Store
from tests.contest.inline import open_inline
from tests.contest.logged import logging_to, side_of
from tests.contest.wire import ADDRESS, Answer, Socket, ask, kind_of
from tests.parts.clock import ManualClock
from tests.parts.entropy import SeededEntropy

PLAYERS_PER_HOUR = 8


class Different(AssertionError):
    """The two worlds can be told apart."""


class FailingLog(OneByOne):
    """The stored log, failing when it is told to: ``full`` stores nothing, ``spoilt`` gives what does not verify."""

    def __init__(self, log: EventLog) -> None:
        super().__init__()
        self._log = log
        self.full = False
        self.spoilt = False

    async def append(self, batch: Sequence[Append]) -> list[Appended]:
        return [Failed("disk full", unknown=False)] * len(batch) if self.full else await self._log.append(batch)

    async def read(self, game: str, after: int = 0, limit: int | None = None, until: int | None = None) -> list[Record]:
        records = await self._log.read(game, after=after, limit=limit, until=until)
        return [msgspec.structs.replace(one, link="0" * 64) for one in records] if self.spoilt else records

    async def head(self, games: Sequence[str]) -> dict[str, tuple[int, str]]:
        return await self._log.head(games)

    async def header(self, game: str) -> Header | None:
        return await self._log.header(game)

    async def opened(self, player: str, command_id: str) -> Header | None:
        return await self._log.opened(player, command_id)


class World:
    """One of the two, ``side`` 0 or 1."""

    def __init__(self, side: int, app: Starlette, log: FailingLog, lines: list[str]) -> None:
        self.side = side
        self.app = app
        self.log = log
        self.lines = lines

    @property
    def services(self) -> Services:
        services: Services = self.app.state.services
        return services

    async def ask(self, method: str, target: str, **given: Any) -> Answer:
        side_of.set(self.side)
        return await ask(self.app, method, target, **given)


class Worlds:
    """Both worlds. ``deals`` are those that no code gives; ``told`` counts what was heard, by kind."""

    def __init__(self, worlds: tuple[World, World], clock: ManualClock, deals: dict[str, State]) -> None:
        self.both = worlds
        self.clock = clock
        self.deals = deals
        self.told: Counter[str] = Counter()

    async def ask(
        self,
        method: str,
        target: str,
        *,
        token: str | None = None,
        accept: str | None = None,
        body: Any = None,
        raw: bytes | None = None,
        media: str = "application/json",
        address: str = ADDRESS,
        meanwhile: str | None = None,
    ) -> Answer:
        """What both answer; raises `Different`. ``raw`` goes before ``body``. ``meanwhile`` is a path that is asked for
        first and answers when it likes (a long poll)."""
        headers = [("host", "moontide.test")]
        if token is not None:
            headers.append(("authorization", f"Bearer {token}"))
        waiting = [(name, value) for name, value in headers]
        if accept is not None:
            headers.append(("accept", accept))
        sent = raw if raw is not None else b"" if body is None else msgspec.json.encode(body)
        if sent:
            headers.append(("content-type", media))

        async def in_one(world: World) -> list[Answer]:
            polls = []
            if meanwhile is not None:
                polls = [asyncio.create_task(world.ask("GET", meanwhile, headers=waiting, address=address))]
                await asyncio.sleep(0)
            answer = await world.ask(method, target, headers=headers, body=sent, address=address)
            return [answer, *[await poll for poll in polls]]

        one, other = await asyncio.gather(*map(in_one, self.both))
        for mine, theirs in zip(one, other, strict=True):
            self.compare(f"{method} {target}", comparable(mine, target), comparable(theirs, target))
            self._note(mine)
        return one[0]

    def compare(self, what: str, one: object, other: object) -> None:
        """Raise `Different` unless the two worlds say, and log, the same."""
        lines = [world.lines[:] for world in self.both]
        for world in self.both:
            world.lines.clear()
        if one != other:
            raise Different(f"{what}\n{difference(one, other)}")
        if lines[0] != lines[1]:
            raise Different(f"{what}, in the log\n{difference(*lines)}")

    def tell(self, act: Callable[[World], object]) -> None:
        """Do something to each world that is no request."""
        for world in self.both:
            act(world)

    def forget_lines(self) -> None:
        """What was logged up to here is not to be compared."""
        self.tell(lambda world: world.lines.clear())

    def _note(self, answer: Answer) -> None:
        self.told[f"status {answer.status}"] += 1
        if answer.status >= 400 and answer.body:
            self.told[f"code {answer.json['code']}"] += 1

    @asynccontextmanager
    async def line(self) -> AsyncIterator["Line"]:
        """A socket to each world."""
        line = Line(self)
        try:
            yield line
        finally:
            await line.close()


class Line:
    """The same conversation on a socket of each world."""

    def __init__(self, worlds: Worlds) -> None:
        self._worlds = worlds
        self._sockets = []
        for world in worlds.both:
            side_of.set(world.side)
            self._sockets.append(Socket(world.app))

    async def say(self, text: str, *until: str) -> list[Message]:
        """Say it to both, wait for a message of one of these kinds; what came up to it, the same in both worlds."""
        self.whisper(text)
        return await self.hear(text, *until)

    def whisper(self, text: str) -> None:
        """Say it to both, and wait for nothing."""
        for socket in self._sockets:
            socket.say(text)

    async def hear(self, what: str, *until: str) -> list[Message]:
        for socket in self._sockets:
            await socket.until(*until)
        one, other = (list(map(told, socket.take())) for socket in self._sockets)
        present = [message for message in one + other if kind_of(message) == "presence"]
        one, other = ([message for message in heard if kind_of(message) != "presence"] for heard in (one, other))
        self._worlds.compare(what, one, other)
        for message in present:
            fields = msgspec.json.decode(message["text"])
            assert set(fields) == {"t", "channel", "watchers"}, fields
        for message in one + present:
            self._worlds.told[f"t {kind_of(message)}"] += 1
            if kind_of(message) == "refused":
                self._worlds.told[f"code {msgspec.json.decode(message['text'])['problem']['code']}"] += 1
        return one

    async def close(self) -> None:
        for socket in self._sockets:
            await socket.close()


def told(message: Message) -> Message:
    return {name: tuple(value) if name == "headers" else value for name, value in message.items()}


def comparable(answer: Answer, target: str) -> Answer:
    """The answer without what was measured with the wall's clock: of meters, those in seconds."""
    if not target.startswith("/metrics") or answer.status != 200:
        return answer
    lines = [line for line in answer.body.splitlines() if b"_seconds" not in line and b"_created" not in line]
    headers = tuple(header for header in answer.headers if header[0] != b"content-length")
    return Answer(answer.status, headers, b"\n".join(lines))


def difference(one: object, other: object) -> str:
    """Where two texts part, with what is around."""
    a, b = repr(one), repr(other)
    at = next((at for at, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    start = max(0, at - 100)
    return f"  one:   …{a[start : at + 100]}\n  other: …{b[start : at + 100]}"


@asynccontextmanager
async def two_worlds(folder: Path) -> AsyncIterator[Worlds]:
    """Both worlds, each on a new SQLite file in ``folder``, with limits, and with a cache that holds hardly anything:
    states come from the log as often as from memory."""
    clock, deals = ManualClock(), dict[str, State]()
    lines: dict[int, list[str]] = {0: [], 1: []}

    def deal(code: Code) -> State:
        return deals.get(str(code)) or dealt_by_the_rules(code)

    settings = Settings(
        dailies=False,
        cached_games=2,
        commands_per_second=1e6,
        commands_burst=1_000_000,
        reads_per_second=1e6,
        reads_burst=1_000_000,
        players_per_hour=PLAYERS_PER_HOUR,
    )
    async with AsyncExitStack() as stack:
        stack.enter_context(logging_to(lines))
        worlds = []
        for side in (0, 1):
            side_of.set(side)
            here = replace(settings, database=f"sqlite:///{folder / f'{side}.db'}")
            opened = await open_inline(here.database)
            stack.push_async_callback(opened.database.close)
            log = FailingLog(opened.log)
            store = Store(opened.database, log)
            app = create_app(here, clock=clock, entropy=SeededEntropy("worlds"), deal=deal, store=store)
            await stack.enter_async_context(app.router.lifespan_context(app))
            worlds.append(World(side, app, log, lines[side]))
        yield Worlds((worlds[0], worlds[1]), clock, deals)
