"""The referee: the one write path from a command to a stored event and the crowd.

    command -> understand -> known id? -> decide -> append -> (committed) evolve, frame, publish -> answer

A game's playthrough is kept in a bounded cache, or replayed from its log. Commands on one game are
handled one after another in a process; between processes the primary key of the log decides. So a cache
may accept, never refuse or read: where this process is not the only writer, it compares its head with the
database's before any refusal and every look, and decides again if it was behind.

What follows from a commit happens in the committer's callback, not in the handler that waits for it: a
handler that is cancelled changes nothing, and watchers get their frame all the same.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Protocol, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from server.live.cache import Cache, Cached
from server.live.committer import Committer
from server.live.hub import Frame, Hub
from server.live.turns import Turns
from server.play import codec
from server.play.audit import differing
from server.play.commands import Command, Order, Selection, decide, understand
from server.play.events import Event, Purpose
from server.play.frames import encode_frame, event_frame
from server.play.outcome import outcome
from server.play.playthrough import Playthrough, begin, dealt_data, evolve, replay
from server.play.records import Header, Outcome, Record
from server.play.refusals import CommandIdReused, Quarantined, Refusal, Stale, Unavailable
from server.solitaires import SOLITAIRES
from server.solitaires.codes import Code
from server.solitaires.protocol import State
from server.store.eventlog import Append, Appended, Conflict, EventLog, Failed, Won

log = logging.getLogger("moontide.referee")

T = TypeVar("T")

MISSED_AT_MOST = 100
"""A stale command is told what it missed, up to so many events (DESIGN 8)."""


class Clock(Protocol):
    def now(self) -> int: ...


class Identities(Protocol):
    def game(self) -> str: ...

    def salt(self) -> bytes: ...


class Game(Struct, frozen=True, gc=False):
    """A game as it stands after some event."""

    header: Header
    playthrough: Playthrough


class Taken(Struct, frozen=True, gc=False):
    """An accepted command: the game after it, and the event that it made."""

    game: Game
    events: tuple[Event, ...]


class Chosen(Struct, frozen=True, gc=False):
    """A tap that moved nothing, on the state after event ``seq``."""

    seq: int
    selection: Selection


Reply = Callable[[Taken | Chosen | BaseException], None]
"""What is called with the answer to a command, or with the error that it ended in."""


class Referee:
    """Takes commands, keeps games, tells the hub. One a process."""

    def __init__(
        self,
        *,
        events: EventLog,
        committer: Committer,
        hub: Hub,
        clock: Clock,
        ids: Identities,
        deal: Callable[[Code], State],
        sole_writer: bool,
        cache: Cache,
    ) -> None:
        self._log = events
        self._committer = committer
        self._hub = hub
        self._clock = clock
        self._ids = ids
        self._deal = deal
        self._sole_writer = sole_writer
        self._cache = cache
        self._turns = Turns()
        self.on_stored: Callable[[Record], None] | None = None
        self.on_changed: Callable[[str], None] | None = None

    # -- opening ------------------------------------------------------------------------------------

    async def open(self, player: str, code: Code, *, command_id: str, digest: str, ranked: bool = True) -> Game:
        """Deal a new game for ``player``. The same ``command_id`` again gives the same game; with another
        ``digest`` it raises `CommandIdReused`."""
        now = self._clock.now()
        salt = self._ids.salt()
        header = Header(
            id=self._ids.game(),
            code=str(code),
            ruleset=code.ruleset,
            owner=codec.owner_of(player, salt),
            salt=salt.hex(),
            player=player,
            ranked=ranked,
            command_id=command_id,
            created_at=now,
        )
        opened = await self.deal(header, code, digest=digest)
        if opened is not None:
            return opened
        known = await self._log.opened(player, command_id)
        if known is None:
            raise Unavailable("the game could not be stored; try again")
        first = (await self._log.read(known.id, limit=1))[0]
        if first.digest != digest:
            raise CommandIdReused("this command_id has made another game", game=known.id)
        game = await self.look(known.id)
        assert game is not None
        return game

    async def deal(self, header: Header, code: Code, *, digest: str | None) -> Game | None:
        """Store a new game with its ``dealt`` event; None if the store already has one in its place."""
        state = self._deal(code)
        data = dealt_data(code, state, owner=header.owner, purpose=_purpose(header), until=header.until)
        event = codec.seal(
            codec.FIRST_LINK,
            game=header.id,
            seq=1,
            at=header.created_at,
            command_id=header.command_id,
            data=data,
            digest=digest,
        )
        playthrough = begin(event)
        follows = outcome(header, None, playthrough)
        await self._committer.room()
        stored: asyncio.Future[Appended] = asyncio.get_running_loop().create_future()
        self._committer.submit(Append(event.record, header, follows), lambda result: _settle(stored, result))
        result = await stored
        if isinstance(result, Conflict):
            return None
        if isinstance(result, Failed):
            raise Unavailable("the game could not be stored; try again")
        if follows is not None:
            header = _with_status(header, follows)
        self._cache.put(Cached(header, playthrough, {header.command_id: 1}))
        return Game(header, playthrough)

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
        cached = await self._load(game_id)
        if cached is None:
            return None
        if not self._sole_writer:
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

    # -- commands -----------------------------------------------------------------------------------

    def command_now(self, game_id: str, player: str, command: Command, reply: Reply) -> bool:
        """Take a command at once, if nothing has to be waited for before it is stored: the game is the player's, in
        memory, and it is nobody's turn on it. Then ``reply`` gets the answer, or the error, once it is known.

        False where `command` is needed; nothing has happened then. Raises the `Refusal`s that are certain.
        """
        cached = self._cache.get(game_id)
        if cached is None or cached.header.player != player or not self._committer.has_room:
            return False
        before = cached.playthrough
        order = understand(before.solitaire, command)
        if order.command_id in cached.seen or not self._turns.take_now(game_id):
            return False
        try:
            decision = decide(before, order, self._clock.now())
        except Refusal as refusal:
            self._turns.give(game_id)
            if self._sole_writer and not isinstance(refusal, Stale):
                raise
            return False
        if isinstance(decision, Selection):
            self._turns.give(game_id)
            if self._sole_writer:
                reply(Chosen(before.seq, decision))
            return self._sole_writer
        after = evolve(before, decision)

        def done(result: Appended) -> None:
            if isinstance(result, Conflict):
                # Somebody was quicker in another process. The turn is still ours.
                retry = asyncio.ensure_future(self._retake(cached, order))
                retry.add_done_callback(lambda task: _pass_on(task, reply))
                return
            self._turns.give(game_id)
            if isinstance(result, Failed):
                reply(_not_stored())
            else:
                reply(Taken(Game(cached.header, after), (decision,)))

        self._submit(cached, decision, after, done)
        return True

    async def _retake(self, cached: Cached, order: Order) -> Taken | Chosen:
        try:
            await self.catch_up(cached)
            return await self._take(cached.header.id, order)
        finally:
            self._turns.give(cached.header.id)

    async def command(self, header: Header, command: Command) -> Taken | Chosen:
        """Take one command on a game. Raises a `Refusal`, which changes nothing."""
        if header.player is not None:
            answer: asyncio.Future[Taken | Chosen] = asyncio.get_running_loop().create_future()
            if self.command_now(header.id, header.player, command, lambda known: _settle(answer, known)):
                return await answer
        solitaire = SOLITAIRES.get(header.ruleset)
        if solitaire is None:
            raise self._quarantine(header.id, f"its row names a ruleset that is none: {header.ruleset!r}")
        order = understand(solitaire, command)
        await self._turns.take(header.id)
        return await self._in_turn(header.id, self._take(header.id, order))

    async def append(self, game_id: str, make: Callable[[Playthrough], Event | None]) -> bool:
        """Append an event that no player sent (the sweep's), if ``make`` still makes one of the newest state;
        whether one was stored. Raises `Unavailable` when the storage fails."""
        await self._turns.take(game_id)
        return await self._in_turn(game_id, self._make(game_id, make))

    async def _in_turn(self, game_id: str, work: Coroutine[Any, Any, T]) -> T:
        """The result of ``work``, which holds the turn to its end, whatever becomes of the one who waits."""
        task = asyncio.ensure_future(work)

        def over(task: asyncio.Future[T]) -> None:
            self._turns.give(game_id)
            if not task.cancelled():
                task.exception()  # whoever waits gets it; where nobody does any more, it is no news

        task.add_done_callback(over)
        return await asyncio.shield(task)

    async def _take(self, game_id: str, order: Order) -> Taken | Chosen:
        while True:
            cached = await self._loaded(game_id)
            known = cached.seen.get(order.command_id)
            if known is not None:
                return await self._again(cached, order, known)
            before = cached.playthrough
            try:
                decision = decide(before, order, self._clock.now())
            except Refusal as refusal:
                if await self._has_moved_on(cached, before):
                    continue
                if isinstance(refusal, Stale):
                    await self._tell_missed(refusal, order, before)
                raise
            if isinstance(decision, Selection):
                if await self._has_moved_on(cached, before):
                    continue
                return Chosen(before.seq, decision)
            after = evolve(before, decision)
            if await self._commit(cached, decision, after):
                return Taken(Game(cached.header, after), (decision,))

    async def _has_moved_on(self, cached: Cached, before: Playthrough) -> bool:
        """Whether the game is further than ``before``, so that nothing may be refused or said of that. Not only what
        is read here counts: news from another process may have been folded meanwhile."""
        if not self._sole_writer:
            await self.catch_up(cached)
        return cached.playthrough is not before

    async def _make(self, game_id: str, make: Callable[[Playthrough], Event | None]) -> bool:
        while True:
            cached = await self._loaded(game_id)
            event = make(cached.playthrough)
            if event is None:
                return False
            if await self._commit(cached, event, evolve(cached.playthrough, event)):
                return True

    async def _loaded(self, game_id: str) -> Cached:
        cached = await self._load(game_id)
        if cached is None:
            raise Unavailable("the game could not be read; try again")
        return cached

    async def _commit(self, cached: Cached, event: Event, after: Playthrough) -> bool:
        """Store an event; False if another process had its place, and the game has caught up with it now."""
        await self._committer.room()
        stored: asyncio.Future[Appended] = asyncio.get_running_loop().create_future()
        self._submit(cached, event, after, lambda result: _settle(stored, result))
        result = await stored
        if isinstance(result, Failed):
            raise _not_stored()
        if isinstance(result, Conflict):
            await self.catch_up(cached)
            return False
        return True

    def _submit(self, cached: Cached, event: Event, after: Playthrough, done: Callable[[Appended], None]) -> None:
        """Hand an event to the committer. What follows from its commit happens whether or not anybody still waits;
        then ``done`` is called."""
        follows = outcome(cached.header, cached.playthrough, after)
        cached.committing = True

        def committed(result: Appended) -> None:
            cached.committing = False
            try:
                if isinstance(result, Won):
                    self._accept(cached, event, after, follows)
                    if self.on_stored:
                        self.on_stored(event.record)
                elif isinstance(result, Failed):
                    self._cache.drop(cached.header.id)
            finally:
                done(result)

        self._committer.submit(Append(event.record, None, follows), committed)

    def _accept(self, cached: Cached, event: Event, after: Playthrough, follows: Outcome | None) -> None:
        """What follows from a committed event, in this order: the cache, the frame, the crowd."""
        if event.record.seq <= cached.playthrough.seq:
            return  # a look at the log has told of it already
        cached.playthrough = after
        cached.seen[event.record.command_id] = event.record.seq
        if follows is not None:
            cached.header = _with_status(cached.header, follows)
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

    async def _again(self, cached: Cached, order: Order, seq: int) -> Taken:
        """The answer to a repeated command, from the log: the same event, the view at that event."""
        records = await self._log.read(cached.header.id, until=seq)
        record = records[-1]
        if record.digest is not None and record.digest != order.digest:
            raise CommandIdReused(f"this command_id belongs to event {seq}, another command", seq=seq)
        return Taken(Game(cached.header, self._replay(cached.header.id, records)), (codec.read(record),))

    async def _tell_missed(self, refusal: Stale, order: Order, before: Playthrough) -> None:
        assert order.after is not None
        missed = None
        if before.seq - order.after <= MISSED_AT_MOST:
            missed = await self._log.read(before.game, after=order.after, until=before.seq)
        refusal.params["missed"] = missed

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
        try:
            return replay(records)
        except codec.CorruptLog as error:
            raise self._quarantine(game_id, error) from None

    def _quarantine(self, game_id: str, fault: Exception | str) -> Quarantined:
        log.error("game %s is quarantined: %s", game_id, fault)
        return Quarantined("what is stored of this game does not verify; an operator has to look at it")


def _settle(future: asyncio.Future[Any], known: object) -> None:
    """Give an answer or an error to whoever waits, if somebody still does."""
    if future.done():
        return
    if isinstance(known, BaseException):
        future.set_exception(known)
    else:
        future.set_result(known)


def _pass_on(task: asyncio.Future[Taken | Chosen], reply: Reply) -> None:
    if not task.cancelled():
        error = task.exception()
        reply(task.result() if error is None else error)


def _not_stored() -> Unavailable:
    return Unavailable("the move could not be stored; send it again with the same command_id")


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


def _purpose(header: Header) -> Purpose:
    return header.purpose  # type: ignore[return-value]  # the table's check constraint keeps it in the closed set


def _with_status(header: Header, follows: Outcome) -> Header:
    return replace(header, status=follows.status)
