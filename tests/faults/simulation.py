"""Play in one or two processes over a storage that fails, all in one loop and all drawn from one seed.

    players  ->  referees, each with its cache, committer and hub  ->  one log that fails as it pleases
    watchers <-

The log may refuse a batch, store it and lose the answer, lose it and not know, refuse one event of many, or
not answer a read. Players hang up while a command is under way and send it again, to either process; some
send what they have sent before. Watchers read slowly, hang up and resume. The same seed plays the same way.
"""

import asyncio
import random
from collections.abc import Sequence
from functools import partial
from typing import Any

from msgspec import json

from server.live.outbox import Outbox
from server.live.referee import Taken
from server.live.watch import Watch
from server.play.audit import audit
from server.play.commands import decide, understand
from server.play.playthrough import replay
from server.play.records import Header, Record
from server.play.refusals import CommandIdReused, Refusal, Unavailable
from server.play.view import view
from server.store.errors import StoreUnavailable
from server.store.eventlog import Append, Appended, Conflict, Failed
from server.store.memory_log import MemoryLog
from tests.live.helpers import PLAYER, Bench, command

CODES = ("HM1-N-AAAAAAB", "SH1-C4-AAAAAJ2", "SH1-C1-AAAAAJ2")
TRIES = 200


class FailingLog(MemoryLog):
    """A log behind a network and a disk that both have bad days; ``calm`` ends them."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__()
        self._chance = chance
        self.calm = False

    async def append(self, batch: Sequence[Append]) -> list[Appended]:
        await self.pause()
        fate = 1.0 if self.calm else self._chance.random()
        if fate < 0.08:
            return [Failed("disk full", unknown=False)] * len(batch)
        if fate < 0.14:
            return [Failed("connection lost before the commit", unknown=True)] * len(batch)
        if fate < 0.20:
            return await self._append_but_one(batch)
        answers = await super().append(batch)
        await self.pause()
        if fate < 0.28:
            return [Failed("connection lost after the commit", unknown=True)] * len(batch)
        return answers

    async def _append_but_one(self, batch: Sequence[Append]) -> list[Appended]:
        """One event is such as the database will not have, and takes with it what was built upon it."""
        bad = self._chance.randrange(len(batch))
        game = batch[bad].record.game
        lost = [place for place, one in enumerate(batch) if place >= bad and one.record.game == game]
        kept = [one for place, one in enumerate(batch) if place not in lost]
        answers = iter(await super().append(kept))
        return [
            (Failed("a bad row", unknown=False) if place == bad else Conflict()) if place in lost else next(answers)
            for place in range(len(batch))
        ]

    async def read(self, game: str, after: int = 0, limit: int | None = None, until: int | None = None) -> list[Record]:
        await self._answer()
        return await super().read(game, after, limit, until)

    async def header(self, game: str) -> Header | None:
        await self._answer()
        return await super().header(game)

    async def opened(self, player: str, command_id: str) -> Header | None:
        await self._answer()
        return await super().opened(player, command_id)

    async def _answer(self) -> None:
        await self.pause()
        if not self.calm and self._chance.random() < 0.03:
            raise StoreUnavailable("no answer")

    async def pause(self) -> None:
        for _ in range(self._chance.randrange(4)):
            await asyncio.sleep(0)

    def stored(self, game: str) -> list[Record]:
        """What is there, at once and for certain."""
        return self._records.get(game, [])


class Simulation:
    """One seed's world. `run` plays it to its end and raises AssertionError where a promise is broken."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.log = FailingLog(self.chance)
        cache = self.chance.choice((1, 2, 100))
        processes = self.chance.choice((1, 2, 2))
        self.benches = [
            Bench(self.log, sole_writer=processes == 1, cache=cache, batch=self.chance.choice((1, 8)))
            for _ in range(processes)
        ]
        self.benches[-1].clock.at += self.chance.choice((-500, 0, 500))
        self.acked: dict[tuple[str, str], int] = {}
        self.unsure: set[tuple[str, str]] = set()
        self.refused: set[tuple[str, str]] = set()
        self.faults: list[str] = []
        self._hints: set[asyncio.Task[None]] = set()
        for bench, other in zip(self.benches, reversed(self.benches), strict=True):
            if bench is not other:
                bench.referee.on_stored = partial(self._hint, other)

    async def run(self) -> None:
        watching: list[asyncio.Task[None]] = []
        try:
            games = [await self._open(f"open{number}", code) for number, code in enumerate(CODES)]
            watchers = [Watcher(self, bench, game) for bench in self.benches for game in games]
            watching = [asyncio.create_task(watcher.run()) for watcher in watchers]
            async with asyncio.TaskGroup() as group:
                for number in range(self.chance.randrange(2, 6)):
                    group.create_task(self._player(f"p{number}", games))
            self.log.calm = True
            await self._settle(games, watchers, watching)
            self._judge(games)
            for watcher in watchers:
                watcher.judge()
        finally:
            for task in watching:
                task.cancel()
            await asyncio.gather(*watching, return_exceptions=True)
            for bench in self.benches:
                await bench.committer.close()

    def _hint(self, bench: Bench, record: Record) -> None:
        """News from the other process, as a broker brings it: late, doubled, or not at all."""

        async def bring() -> None:
            await self.log.pause()
            try:
                await bench.referee.hear(record)
            except StoreUnavailable:
                pass

        for _ in range(self.chance.choice((0, 0, 1, 1, 1, 2))):
            task = asyncio.create_task(bring())
            self._hints.add(task)
            task.add_done_callback(self._hints.discard)

    # -- players ------------------------------------------------------------------------------------

    async def _open(self, command_id: str, code: str) -> Header:
        made: set[str] = set()
        while len(made) == 0 or self.chance.random() < 0.5:
            try:
                made.add((await self._somewhere().open(code, command_id=command_id)).header.id)
            except (Unavailable, StoreUnavailable):
                continue
        assert len(made) == 1, "one command made several games"
        header = await MemoryLog.header(self.log, made.pop())
        assert header is not None
        return header

    async def _player(self, name: str, games: list[Header]) -> None:
        for number in range(self.chance.randrange(4, 16)):
            game = self.chance.choice(games)
            fields = await self._idea(game)
            fields["command_id"] = f"{name}-{number}"
            await self._insist(game, fields)
            if self.chance.random() < 0.1:
                await self._insist(game, fields)
            if self.chance.random() < 0.05:
                await self._reuse(game, fields)

    async def _idea(self, game: Header) -> dict[str, Any]:
        """Something to do: mostly a move that was legal a moment ago."""
        while True:
            head = self._head(game)
            try:
                seen = await self._somewhere().referee.look(game.id)
                break
            except StoreUnavailable:
                continue
        assert seen is not None and seen.playthrough.seq >= head, "a look at what is no longer so"
        playthrough, dice = seen.playthrough, self.chance.random()
        moves = playthrough.solitaire.legal_moves(playthrough.state)
        if dice < 0.02:
            fields: dict[str, Any] = {"do": "resign"}
        elif dice < 0.25 or not moves:
            fields = {"do": "undo"}
        else:
            fields = {"do": "move", **playthrough.solitaire.move_fields(self.chance.choice(moves))}
        if self.chance.random() < 0.3:
            fields["after"] = playthrough.seq
        return fields

    async def _insist(self, game: Header, fields: dict[str, Any]) -> None:
        """Send a command until it is answered, whoever answers."""
        key = (game.id, fields["command_id"])
        self.refused.discard(key)  # an earlier no may be a yes now
        for _ in range(TRIES):
            head = self._head(game)
            sending = asyncio.create_task(self._send(game, fields))
            try:
                if self.chance.random() < 0.15:
                    await self.log.pause()
                    sending.cancel()
                taken = await sending
            except (Unavailable, StoreUnavailable, asyncio.CancelledError):
                self.unsure.add(key)
                continue
            except Refusal as refusal:
                assert key not in self.acked, "what was acknowledged is refused now"
                self._justify(game, fields, head, refusal)
                if key not in self.unsure:  # else an earlier try may still be under way
                    self.refused.add(key)
                return
            assert isinstance(taken, Taken)
            seq = taken.event.seq
            assert self.acked.setdefault(key, seq) == seq, "one command made two events"
            assert self.log.stored(game.id)[seq - 1] == taken.event.record, "acknowledged before it was stored"
            assert taken.game.playthrough.seq == seq
            return
        raise AssertionError("nobody answers")

    async def _send(self, game: Header, fields: dict[str, Any]) -> Any:
        """One try, to either process: as a route does it, or as a socket does."""
        bench = self._somewhere()
        if self.chance.random() < 0.5:
            answered: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

            def reply(answer: Any) -> None:
                if not answered.done():  # it is when nobody waits any more
                    answered.set_result(answer)

            if bench.referee.command_now(game.id, PLAYER, command(**fields), reply):
                answer = await answered
                if isinstance(answer, BaseException):
                    raise answer
                return answer
        return await bench.send(game, **fields)

    def _head(self, game: Header) -> int:
        """The newest event that everybody has to know of: what is stored; for a process that writes alone what it has
        acknowledged, for until then it may say nothing of what it stores."""
        if len(self.benches) > 1:
            return len(self.log.stored(game.id))
        return max((seq for (where, _), seq in self.acked.items() if where == game.id), default=1)

    def _justify(self, game: Header, fields: dict[str, Any], head: int, refusal: Refusal) -> None:
        """A refusal must be right on a state that was the newest at some moment since the command was sent."""
        records = self.log.stored(game.id)
        reasons = []
        for seq in range(head, len(records) + 1):
            playthrough = replay(records[:seq])
            try:
                decide(playthrough, understand(playthrough.solitaire, command(**fields)), 0)
            except Refusal as other:
                reasons.append((other.code, other.params.get("reason")))
        assert (refusal.code, refusal.params.get("reason")) in reasons, "refused for what was no longer so"

    async def _reuse(self, game: Header, fields: dict[str, Any]) -> None:
        """Another command under an id that has made an event is told so."""
        if (game.id, fields["command_id"]) not in self.acked:
            return
        other = {"do": "resign", "command_id": fields["command_id"]}
        if fields["do"] == "resign":
            other["do"] = "undo"
        for _ in range(TRIES):
            try:
                await self._somewhere().send(game, **other)
            except CommandIdReused:
                return
            except (Unavailable, StoreUnavailable):
                continue
            raise AssertionError("an id was taken for two commands")
        raise AssertionError("nobody answers")

    def _somewhere(self) -> Bench:
        return self.chance.choice(self.benches)

    # -- the end ------------------------------------------------------------------------------------

    async def _settle(self, games: list[Header], watchers: "list[Watcher]", watching: list[asyncio.Task[None]]) -> None:
        """Let what is under way come to its end, and the watchers hear of all that was stored."""
        for bench in self.benches:
            await bench.committer.close()
        for _ in range(2000):
            for bench in self.benches:
                for game in games:
                    await bench.referee.look(game.id)
            if all(watcher.seq == len(self.log.stored(watcher.game.id)) for watcher in watchers):
                break
        for task in watching:
            task.cancel()
        for ended in await asyncio.gather(*watching, *self._hints, return_exceptions=True):
            assert ended is None or isinstance(ended, asyncio.CancelledError), ended

    def _judge(self, games: list[Header]) -> None:
        assert self.faults == []
        for game in games:
            records = self.log.stored(game.id)
            header = self.log._headers[game.id]
            assert audit(records, header) == []
            at = {record.command_id: record.seq for record in records}
            for (where, command_id), seq in self.acked.items():
                assert where != game.id or at.get(command_id) == seq, "an acknowledged event is not there"
            for where, command_id in self.refused:
                assert where != game.id or command_id not in at, "what was refused was stored"


class Watcher:
    """Somebody who folds what is pushed: every event once, in order, and the figures that come with it."""

    def __init__(self, simulation: Simulation, bench: Bench, game: Header) -> None:
        self._world = simulation
        self._bench = bench
        self.game = game
        self.seq = 0
        self._view: dict[str, Any] = {}
        self._again = asyncio.Event()

    async def run(self) -> None:
        """Watch, and watch again whenever that ends."""
        chance = self._world.chance
        while True:
            self._again.clear()
            outbox = Outbox(self)
            watch = None
            try:
                watch = await self._watch(outbox)
                await self._again.wait()
            except StoreUnavailable:
                continue
            finally:
                if watch is not None:
                    watch.stop()
                outbox.stop()
                await outbox.emptied()
            if chance.random() < 0.5:
                self.seq = 0

    async def _watch(self, outbox: Outbox) -> Watch:
        """As a socket does it: a whole state, or what was missed."""
        watch = Watch(
            header=self.game,
            hub=self._bench.hub,
            games=self._bench.referee,
            outbox=outbox,
            legal=False,
            allowed=lambda header: True,
        )
        game = await self._bench.referee.look(self.game.id)
        assert game is not None
        head = game.playthrough.seq
        if self.seq == 0 or self.seq > head:
            self._view = json.decode(json.encode(view(game.header, game.playthrough, now=0)))
            self.seq = head
            watch.follow(head)
        elif self.seq == head:
            watch.follow(head)
        else:
            watch.fill(self.seq, announce=True)
        return watch

    def write(self, text: str) -> bool:
        """The line of its outbox: now and then it takes a text at once."""
        at_once = self._world.chance.random() < 0.5
        if at_once:
            self._hear(text)
        return at_once

    async def send(self, text: str) -> None:
        await self._world.log.pause()
        self._hear(text)

    def _hear(self, text: str) -> None:
        message = json.decode(text)
        if message["t"] == "resync":
            self._again.set()
        elif message["t"] == "event":
            try:
                self._fold(message)
            except AssertionError as error:
                self._world.faults.append(str(error))
            if self._world.chance.random() < 0.05:
                self._again.set()  # hangs up

    def _fold(self, frame: dict[str, Any]) -> None:
        assert frame["seq"] == self.seq + 1, f"event {frame['seq']} was pushed after {self.seq}"
        record = self._world.log.stored(self.game.id)[frame["seq"] - 1]
        assert (record.type, json.decode(record.data)) == (frame["event"]["type"], frame["event"]["data"])
        self.seq = frame["seq"]
        changed = {place["name"]: place for place in frame["places"]}
        self._view["places"] = [changed.get(place["name"], place) for place in self._view["places"]]
        for name in ("seq", "score", "moves", "undos", "undo_left", "status", "elapsed_ms"):
            self._view[name] = frame[name]

    def judge(self) -> None:
        records = self._world.log.stored(self.game.id)
        assert self.seq == len(records), f"a watcher was left behind at event {self.seq} of {len(records)}"
        whole = view(self._world.log._headers[self.game.id], replay(records), now=0)
        assert json.decode(json.encode(whole)) == self._view, "what was pushed folds to something else"
