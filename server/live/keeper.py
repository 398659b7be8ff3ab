"""Keeps the games that are played: folded in memory, caught up with the log, told of to their watchers.

A game's playthrough is kept in a bounded cache, or replayed from its log. A cache may be behind: where this
process is not the only writer, every look compares its head with the database's first. Whatever is new, from
here or from another process, passes through `Keeper._accept`: the cache, then the frame, then the crowd.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from server.live.cache import Cache, Cached
from server.live.hub import Frame, Hub
from server.live.tally import Tally
from server.play import codec
from server.play.audit import differing
from server.play.events import Event
from server.play.frames import encode_frame, event_frame
from server.play.outcome import outcome
from server.play.playthrough import Playthrough, evolve, replay
from server.play.records import Header, Outcome, Record
from server.play.refusals import Quarantined
from server.store.eventlog import EventLog

log = logging.getLogger("moontide.games")


class Clock(Protocol):
    def now(self) -> int: ...


class Game(Struct, frozen=True, gc=False):
    """A game as it stands after some event."""

    header: Header
    playthrough: Playthrough


class Keeper:
    """The games of one process, and what is known of them. `Referee` adds what changes them."""

    def __init__(
        self, *, events: EventLog, hub: Hub, clock: Clock, sole_writer: bool, cache: Cache, tally: Tally
    ) -> None:
        self._log = events
        self._hub = hub
        self._clock = clock
        self._sole_writer = sole_writer
        self._cache = cache
        self._tally = tally
        self.on_changed: Callable[[str], None] | None = None

    # -- looking ------------------------------------------------------------------------------------

    async def header(self, game_id: str, player: str | None = None) -> Header | None:
        """The row of a game. What may have changed in another process (``watching``) is read anew,
        unless ``player`` is the game's own, for whom nothing there can have changed."""
        cached = self._cache.get(game_id)
        if cached is not None and (self._sole_writer or (player is not None and cached.header.player == player)):
            return cached.header
        return await self._log.header(game_id)

    async def look(self, game_id: str) -> Game | None:
        """The newest state of a game, or None; raises `Quarantined` if its log does not verify."""
        begins = game_id not in self._cache  # what is read from now on is the newest
        cached = await self._load(game_id)
        if cached is None:
            return None
        if not self._sole_writer and not begins:
            await self.catch_up(cached)
        return Game(cached.header, cached.playthrough)

    async def look_at(self, game_id: str, seq: int) -> Game | None:
        """A game as it stood after event ``seq``, or None where there is no such game or event."""
        game = await self.look(game_id)
        if game is None or seq == game.playthrough.seq:
            return game
        if not 1 <= seq < game.playthrough.seq:
            return None
        return Game(game.header, self._replay(game_id, await self._log.read(game_id, until=seq)))

    async def records(
        self, game_id: str, after: int = 0, limit: int | None = None, until: int | None = None
    ) -> list[Record]:
        """Stored events after ``after``, oldest first, at most ``limit``, none beyond ``until``."""
        return await self._log.read(game_id, after=after, limit=limit, until=until)

    async def news(self, game_id: str, after: int, seconds: float) -> bool:
        """Wait until the game's head is beyond ``after``; False when ``seconds`` passed without."""
        ear = _Ear(after)
        channel = "game:" + game_id
        self._hub.listen(channel, ear)
        try:
            game = await self.look(game_id)
            if game is None or game.playthrough.seq > after:
                return game is not None
            try:
                async with asyncio.timeout(seconds):
                    await ear.heard.wait()
            except TimeoutError:
                return False
            return True
        finally:
            self._hub.leave(channel, ear)

    async def refresh(self, game_id: str) -> None:
        """Read a game's row anew after its watching policy was changed here, and let the others know."""
        await self.read_row(game_id)
        if self.on_changed:
            self.on_changed(game_id)

    async def read_row(self, game_id: str) -> None:
        """Read a game's row anew; those who may not watch any more are told so."""
        header = await self._log.header(game_id)
        if header is not None:
            cached = self._cache.get(game_id)
            if cached is not None:
                cached.header = header
            self._hub.announce(header)

    def is_behind(self, game_id: str, seq: int) -> bool:
        """Whether the log's head ``seq`` is news to this process."""
        cached = self._cache.get(game_id)
        return cached is None or cached.playthrough.seq < seq

    async def hear(self, record: Record) -> None:
        """Follow a record that another process says it has stored: if it comes next it is folded as it is, else the
        log is read."""
        cached = self._cache.get(record.game)
        if cached is not None and record.seq <= cached.playthrough.seq:
            return
        if cached is not None and codec.follows(record, seq=cached.playthrough.seq, link=cached.playthrough.link):
            self.absorb(cached, [record])
        else:
            await self.read_on(record.game)

    async def read_on(self, game_id: str) -> None:
        """Bring a watched game up to the log's head and tell its watchers."""
        cached = self._cache.get(game_id)
        if cached is not None:
            await self.catch_up(cached)
        else:
            await self._load(game_id)

    def forget_player(self, player: str) -> None:
        """Take an erased player out of the rows that are held; the logs never had him."""
        for cached in self._cache.of_player(player):
            cached.header = replace(cached.header, player=None, salt=None)

    # -- what is new --------------------------------------------------------------------------------

    def _accept(self, cached: Cached, event: Event, after: Playthrough, follows: Outcome | None) -> None:
        """What follows from a committed event, in this order: the cache, the frame, the crowd."""
        if event.record.seq <= cached.playthrough.seq:
            return  # a look at the log has told of it already
        cached.playthrough = after
        cached.seen[event.record.command_id] = event.record.seq
        if follows is not None:
            cached.header = with_status(cached.header, follows)
        self._publish(cached.header, event, after)

    def _publish(self, header: Header, event: Event, after: Playthrough) -> None:
        channel = "game:" + header.id
        if self._hub.has(channel):
            self._hub.publish(self.frame(header, event, after))

    def frame(self, header: Header, event: Event, after: Playthrough) -> Frame:
        """The frame of one event, with the text for those who asked for legal moves made when needed."""
        now = self._clock.now()

        def with_legal() -> str:
            return encode_frame(event_frame(header, event, after, now=now, legal=True))

        text = encode_frame(event_frame(header, event, after, now=now))
        return Frame("game:" + header.id, event.record.seq, text, with_legal)

    # -- the cache ----------------------------------------------------------------------------------

    async def _load(self, game_id: str) -> Cached | None:
        cached = self._cache.get(game_id)
        if cached is not None:
            return cached
        return await self._cache.load(game_id, self._read)

    async def _read(self, game_id: str) -> Cached | None:
        header = await self._log.header(game_id)
        if header is None:
            return None
        records = await self._log.read(game_id)
        playthrough = self._replay(game_id, records)
        if contradicted := differing(header, playthrough):
            # What may be seen, and by whom, hangs on the row: it has to be the one that the log knows.
            raise self._quarantine(game_id, f"its row contradicts its log in {', '.join(contradicted)}")
        # While it was not here, things may have happened that its watchers have not been told of: those who have
        # seen less than the newest event find a gap before it, and fill it from the log.
        self._publish(header, codec.read(records[-1]), playthrough)
        return Cached(header, playthrough, {record.command_id: record.seq for record in records})

    async def catch_up(self, cached: Cached) -> None:
        """Bring a cached game up to the database's head, and tell the watchers."""
        self.absorb(cached, await self._log.read(cached.header.id, after=cached.playthrough.seq))

    def absorb(self, cached: Cached, records: Sequence[Record]) -> None:
        """Fold further records that another process has stored; those already known are passed over."""
        fresh = [record for record in records if record.seq > cached.playthrough.seq]
        try:
            codec.check_chain(fresh, seq=cached.playthrough.seq, link=cached.playthrough.link)
            for record in fresh:
                event, before = codec.read(record), cached.playthrough
                after = evolve(before, event)
                self._accept(cached, event, after, outcome(cached.header, before, after))
        except (codec.CorruptLog, ValueError, KeyError, IndexError) as error:
            self._cache.drop(cached.header.id)
            raise self._quarantine(cached.header.id, error) from None

    def _replay(self, game_id: str, records: Sequence[Record]) -> Playthrough:
        self._tally.replays += 1
        try:
            return replay(records)
        except codec.CorruptLog as error:
            raise self._quarantine(game_id, error) from None

    def _quarantine(self, game_id: str, fault: Exception | str) -> Quarantined:
        self._tally.quarantined += 1
        log.error("game %s is quarantined: %s", game_id, fault)
        return Quarantined("what is stored of this game does not verify; an operator has to look at it")


class _Ear:
    """A listener that only notes that there was an event after the one given, or that the row has changed."""

    def __init__(self, after: int) -> None:
        self._after = after
        self.heard = asyncio.Event()

    def hear(self, frame: Frame) -> None:
        if frame.seq > self._after:
            self.heard.set()

    def see(self, channel: str, watchers: int) -> None:
        pass

    def change(self, header: Header) -> None:
        self.heard.set()


def with_status(header: Header, follows: Outcome) -> Header:
    return replace(header, status=follows.status)
