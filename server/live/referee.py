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
from collections.abc import Callable, Coroutine
from typing import Any, Protocol, TypeVar

from msgspec import Struct

from server.live.cache import Cache, Cached
from server.live.committer import Committer
from server.live.hub import Hub
from server.live.keeper import Clock, Game, Keeper, with_status
from server.live.tally import Tally
from server.live.turns import Turns
from server.play import codec
from server.play.commands import Command, Order, Selection, decide, understand
from server.play.events import Event, Purpose
from server.play.outcome import outcome
from server.play.playthrough import Playthrough, begin, dealt_data, evolve
from server.play.records import Header, Outcome, Record
from server.play.refusals import CommandIdReused, Refusal, Stale, Unavailable
from server.solitaires import SOLITAIRES
from server.solitaires.codes import Code
from server.solitaires.protocol import State
from server.store.eventlog import Append, Appended, Conflict, EventLog, Failed, Won

log = logging.getLogger("moontide.referee")

T = TypeVar("T")

MISSED_AT_MOST = 100
"""A stale command is told what it missed, up to so many events (DESIGN 8)."""


class Identities(Protocol):
    def game(self) -> str: ...

    def salt(self) -> bytes: ...


class Taken(Struct, frozen=True, gc=False):
    """An accepted command: the game after it, and the event that it made."""

    game: Game
    event: Event


class Chosen(Struct, frozen=True, gc=False):
    """A tap that moved nothing, on the state after event ``seq``."""

    seq: int
    selection: Selection


Reply = Callable[[Taken | Chosen | BaseException], None]
"""What is called with the answer to a command, or with the error that it ended in."""


class Referee(Keeper):
    """Takes commands on the games that it keeps, and stores what follows. One a process."""

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
        tally: Tally | None = None,
    ) -> None:
        super().__init__(
            events=events, hub=hub, clock=clock, sole_writer=sole_writer, cache=cache, tally=tally or Tally()
        )
        self._committer = committer
        self._ids = ids
        self._deal = deal
        self._turns = Turns()
        self.on_stored: Callable[[Record], None] | None = None

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
            header = with_status(header, follows)
        self._cache.put(Cached(header, playthrough, {header.command_id: 1}))
        return Game(header, playthrough)

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
        follows = outcome(cached.header, before, after)
        self._submit(_Commanded(self, cached, decision, after, follows, order, reply))
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
                return Taken(Game(cached.header, after), decision)

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
        self._submit(_Awaited(self, cached, event, after, outcome(cached.header, cached.playthrough, after), stored))
        result = await stored
        if isinstance(result, Failed):
            raise _not_stored()
        if isinstance(result, Conflict):
            await self.catch_up(cached)
            return False
        return True

    def _submit(self, attempt: "_Attempt") -> None:
        """Hand an event to the committer; see `_Attempt` for what comes of it."""
        # It may have been evicted since it was loaded: what is read of the log until the commit is then too old, and
        # must not be kept in its place.
        self._cache.hold(attempt.cached)
        self._committer.submit(Append(attempt.event.record, None, attempt.follows), attempt)

    def settle(self, attempt: "_Attempt", result: Appended) -> None:
        """What follows from the end of an attempt, whoever made it."""
        cached = attempt.cached
        self._cache.release(cached)
        if isinstance(result, Won):
            self._accept(cached, attempt.event, attempt.after, attempt.follows)
            if self.on_stored:
                self.on_stored(attempt.event.record)
        elif isinstance(result, Failed):
            self._cache.drop(cached.header.id)

    def answer(self, attempt: "_Commanded", result: Appended) -> None:
        """Answer a command that was taken at once."""
        if isinstance(result, Conflict):
            # Somebody was quicker in another process.
            retry = asyncio.ensure_future(self._retake(attempt.cached, attempt.order))
            retry.add_done_callback(lambda task: _pass_on(task, attempt.reply))
            return
        self._turns.give(attempt.cached.header.id)
        if isinstance(result, Failed):
            attempt.reply(_not_stored())
        else:
            attempt.reply(Taken(Game(attempt.cached.header, attempt.after), attempt.event))

    async def _again(self, cached: Cached, order: Order, seq: int) -> Taken:
        """The answer to a repeated command, from the log: the same event, the view at that event."""
        records = await self._log.read(cached.header.id, until=seq)
        record = records[-1]
        if record.digest is not None and record.digest != order.digest:
            raise CommandIdReused(f"this command_id belongs to event {seq}, another command", seq=seq)
        self._tally.repeated += 1
        return Taken(Game(cached.header, self._replay(cached.header.id, records)), codec.read(record))

    async def _tell_missed(self, refusal: Stale, order: Order, before: Playthrough) -> None:
        assert order.after is not None
        missed = None
        if before.seq - order.after <= MISSED_AT_MOST:
            missed = await self._log.read(before.game, after=order.after, until=before.seq)
        refusal.params["missed"] = missed


class _Attempt(Struct, gc=False):
    """An event on its way into the log. The committer calls it with what became of it; what follows then happens
    whether or not anybody still waits. (Not a closure: the collector has no work with a move in flight.)"""

    referee: Referee
    cached: Cached
    event: Event
    after: Playthrough
    follows: Outcome | None

    def __call__(self, result: Appended) -> None:
        try:
            self.referee.settle(self, result)
        finally:
            self.tell(result)

    def tell(self, result: Appended) -> None:
        """Tell whoever made the attempt."""
        raise NotImplementedError


class _Awaited(_Attempt, gc=False):
    """An attempt that somebody waits for."""

    stored: asyncio.Future[Appended]

    def tell(self, result: Appended) -> None:
        _settle(self.stored, result)


class _Commanded(_Attempt, gc=False):
    """An attempt of a command that was taken at once, whose turn is still its own."""

    order: Order
    reply: Reply

    def tell(self, result: Appended) -> None:
        self.referee.answer(self, result)


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


def _purpose(header: Header) -> Purpose:
    return header.purpose  # type: ignore[return-value]  # the table's check constraint keeps it in the closed set
