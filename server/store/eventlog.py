"""The log of every game: two verbs, and three ways an append can end.

    append(batch) -> [Won | Conflict | Failed]     one transaction for the batch, one answer an append
    read(game, after, limit, until) -> [Record]    in the order of seq

The primary key (game, seq) is the concurrency control: whoever stores an event first has won that seq, and
nobody waits for a lock to find out. `SqliteLog`, `PostgresLog` and `MemoryLog` keep this contract; one class
of tests holds all three to it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from msgspec import Struct

from server.play.records import Header, Outcome, Record


class Append(Struct, frozen=True, gc=False):
    """One event to store, with what is stored together with it or not at all.

    ``header`` comes with the first event of a game and makes its row. ``outcome`` is there when the event
    changes what is known of the game besides its log.
    """

    record: Record
    header: Header | None = None
    outcome: Outcome | None = None

    @property
    def is_plain(self) -> bool:
        """Whether it touches the table of events only."""
        return self.header is None and self.outcome is None


class Won(Struct, frozen=True, gc=False):
    """Stored, and on the disk."""


class Conflict(Struct, frozen=True, gc=False):
    """Not stored: another event has that seq, or another game that command id of that player; or an earlier
    append on the same game in the same batch was not stored, which this one was built upon."""


class Failed(Struct, frozen=True, gc=False):
    """Not stored, as far as is known. ``unknown``: the commit may have taken place all the same (its answer was
    lost); the log tells, once it can be read again. ``error`` is for logs, not for players."""

    error: str
    unknown: bool


Appended = Won | Conflict | Failed


class EventLog(Protocol):
    """What keeps events. No method raises for what happens to a single append; reading raises
    `StoreUnavailable` when the storage does not answer."""

    @property
    def lanes(self) -> int:
        """How many commits may be under way side by side (`drain`)."""
        ...

    async def append(self, batch: Sequence[Append]) -> list[Appended]:
        """Store a batch; the answers are in its order, and nothing is `Won` before it is on the disk.

        Several appends on one game come in the order of their seq. What has begun is finished even if the
        caller is cancelled.
        """
        ...

    def drain(self, take: Callable[[], Sequence[Append]], lane: int = 0) -> Awaitable[list[Appended]]:
        """Store the batch that ``take`` gives, as `append` does. It is called once, when all that was drained before
        in this lane is stored; in another thread, perhaps. It may give nothing. What is drained in another lane is
        not waited for: no game may be in two."""
        ...

    async def read(self, game: str, after: int = 0, limit: int | None = None, until: int | None = None) -> list[Record]:
        """The events of a game with ``after < seq <= until``, oldest first, at most ``limit``."""
        ...

    async def head(self, games: Sequence[str]) -> dict[str, tuple[int, str]]:
        """The newest seq and its link of each of these games that has events."""
        ...

    async def header(self, game: str) -> Header | None:
        """The row of a game; None where there is none, also for text that is no id in the form in which we write it."""
        ...

    async def opened(self, player: str, command_id: str) -> Header | None:
        """The game that this command of this player has made."""
        ...


class OneByOne:
    """`EventLog.drain` for a log that is called in the event loop."""

    def __init__(self, lanes: int = 1) -> None:
        self.lanes = lanes
        self._draining = [asyncio.Lock() for _ in range(lanes)]

    async def append(self, batch: Sequence[Append]) -> list[Appended]:
        raise NotImplementedError

    async def drain(self, take: Callable[[], Sequence[Append]], lane: int = 0) -> list[Appended]:
        async with self._draining[lane]:
            batch = take()
            return await self.append(batch) if batch else []
