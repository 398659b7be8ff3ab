"""Sealed dailies: made two days ahead, started once a player, swept and revealed after their close.

    make      draw codes until one can be won, commit to it in public, under a lease: one process searches
    start     the one ranked attempt of a player; its end stands in its first event
    sweep     end what is open, publish the manifest; any process may, twice is once

What is revealed when is a matter of the clock alone (`server.play.secrecy`); the sweep only makes the ranks
final.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from hashlib import sha256
from typing import Protocol

from sqlalchemy import Connection

from server.clock import Clock
from server.contest.calendar import Day, day, days_ahead
from server.contest.certify import Certified, Failed, Uncertified
from server.contest.manifest import manifest_text
from server.live.keeper import Game
from server.live.referee import Referee
from server.play.codec import canonical, digest, owner_of
from server.play.commands import expire
from server.play.events import Event
from server.play.playthrough import Playthrough
from server.play.records import Header
from server.play.refusals import CommandIdReused, Unavailable
from server.solitaires import SOLITAIRES, read_code
from server.store import dailies as stored
from server.store import leases
from server.store.dailies import Daily
from server.store.database import Database
from server.store.errors import StoreUnavailable

log = logging.getLogger("moontide.daily")

LEASE = "make-dailies"
LEASE_MS = 60_000
"""A maker that dies leaves the making to another after so long."""

SWEEP_EVERY_S = 1.0
MAKE_EVERY_S = 20.0

Search = Callable[[str], Awaitable[Certified | Uncertified | Failed]]


class Identities(Protocol):
    def game(self) -> str: ...

    def salt(self) -> bytes: ...

    def command(self) -> str: ...


class NotOpenYet(Exception):
    """Too early to start; ``opens_at`` in ms UTC."""

    def __init__(self, opens_at: int) -> None:
        super().__init__(opens_at)
        self.opens_at = opens_at


class StartsClosed(Exception):
    """Too late to start; ``last_start_at`` in ms UTC."""

    def __init__(self, last_start_at: int) -> None:
        super().__init__(last_start_at)
        self.last_start_at = last_start_at


class Dailies:
    """The dailies of one process. ``search`` looks for a deal that can be won (`certify`)."""

    def __init__(
        self, *, database: Database, referee: Referee, clock: Clock, ids: Identities, search: Search, holder: str
    ) -> None:
        self._database = database
        self._referee = referee
        self._clock = clock
        self._ids = ids
        self._search = search
        self._holder = holder
        self._tasks: list[asyncio.Task[None]] = []

    def start_work(self) -> None:
        """Make and sweep in the background from now on."""
        self._tasks = [
            asyncio.create_task(self._repeat(self.make, MAKE_EVERY_S), name="make-dailies"),
            asyncio.create_task(self._repeat(self.sweep, SWEEP_EVERY_S), name="sweep-dailies"),
        ]

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _repeat(self, work: Callable[[], Awaitable[object]], seconds: float) -> None:
        while True:
            try:
                await work()
            except (StoreUnavailable, Unavailable) as error:
                log.warning("the storage does not answer: %s", error)
            except Exception:
                log.exception("work on the dailies failed; it is tried again")
            await asyncio.sleep(seconds)

    # -- making -------------------------------------------------------------------------------------

    async def make(self) -> int:
        """Commit to every daily of today and the days ahead that is missing; how many were made.

        Only the process that holds the lease searches; the others find the dailies made.
        """
        made = 0
        for wanted in days_ahead(self._clock.now()):
            for ruleset in daily_rulesets():
                if await self._database.read(stored.get, wanted.date, ruleset) is None:
                    if not await self._take_lease():
                        return made
                    made += await self._make(wanted, ruleset)
        if made:
            await self._database.write(leases.release, LEASE, self._holder)
        return made

    async def _make(self, wanted: Day, ruleset: str) -> bool:
        if await self._database.read(stored.get, wanted.date, ruleset) is not None:
            return False  # made while we waited for the lease
        keeping = asyncio.create_task(self._keep_lease())
        try:
            found = await self._search(ruleset)
        finally:
            keeping.cancel()
        if isinstance(found, Failed):
            log.error("no deal for %s of %s yet: %s", ruleset, wanted.date, found.error)
            return False
        line = canonical(list(found.line)) if isinstance(found, Certified) else None
        daily = Daily(
            date=wanted.date,
            ruleset=ruleset,
            code=str(found.code),
            commitment=commitment(str(found.code)),
            committed_at=self._clock.now(),
            certified=line is not None,
            line=line,
            closes_at=wanted.closes_at,
        )
        return await self._database.write(stored.add, daily)

    async def _take_lease(self) -> bool:
        now = self._clock.now()
        return await self._database.write(leases.take, LEASE, self._holder, now=now, lasts_ms=LEASE_MS)

    async def _keep_lease(self) -> None:
        while True:
            await asyncio.sleep(LEASE_MS / 4000)
            await self._take_lease()

    # -- playing ------------------------------------------------------------------------------------

    async def start(self, player: str, date: str, ruleset: str, command_id: str | None) -> Game | None:
        """A player's one attempt, begun now if it was not before; None where there is no such daily.

        Raises ValueError (no such date), `NotOpenYet`, `StartsClosed`, `CommandIdReused`, `Unavailable`. Once
        begun, the attempt is given also after the last start.
        """
        wanted = day(date)
        begun = await self._attempt(player, date, ruleset)
        if begun is not None:
            return begun
        daily = await self._database.read(stored.get, date, ruleset)
        now = self._clock.now()
        if daily is None:
            if ruleset in daily_rulesets() and now < wanted.last_start_at and wanted in days_ahead(now):
                raise NotOpenYet(wanted.opens_at)  # a deal is still being looked for
            return None
        if now < wanted.opens_at:
            raise NotOpenYet(wanted.opens_at)
        if now >= wanted.last_start_at:
            raise StartsClosed(wanted.last_start_at)
        told = canonical({"date": date, "do": "attempt", "ruleset": ruleset})
        salt = self._ids.salt()
        header = Header(
            id=self._ids.game(),
            code=daily.code,
            ruleset=ruleset,
            owner=owner_of(player, salt),
            salt=salt.hex(),
            player=player,
            purpose="daily",
            date=date,
            until=wanted.closes_at,
            command_id=command_id or self._ids.command(),
            created_at=now,
        )
        opened = await self._referee.deal(header, read_code(daily.code), digest=digest(told))
        if opened is not None:
            return opened
        begun = await self._attempt(player, date, ruleset)
        if begun is None:
            raise CommandIdReused("this command_id has made another game")
        return begun

    async def _attempt(self, player: str, date: str, ruleset: str) -> Game | None:
        header = await self._database.read(stored.attempt, date, ruleset, player)
        return None if header is None else await self._referee.look(header.id)

    # -- the close ----------------------------------------------------------------------------------

    async def sweep(self) -> int:
        """End the open attempts of every day that has closed and publish its manifest; how many were published."""
        now = self._clock.now()
        closed = await self._database.read(stored.unswept, now)
        for daily in closed:
            await self._expire(daily)
            await self._database.write(_publish, daily, self._clock.now())
        return len(closed)

    async def _expire(self, daily: Daily) -> None:
        def ending(playthrough: Playthrough) -> Event | None:
            return None if playthrough.ended else expire(playthrough, self._clock.now())

        while games := await self._database.read(stored.open_attempts, daily.date, daily.ruleset):
            for game in games:
                await self._referee.append(game, ending)


def _publish(connection: Connection, daily: Daily, now: int) -> None:
    """Write a day's manifest from its results, behind the one before."""
    entries = stored.entries(connection, daily.date, daily.ruleset)
    before = stored.manifest_before(connection, daily.date, daily.ruleset)
    text = manifest_text(
        date=daily.date,
        ruleset=daily.ruleset,
        code=daily.code,
        commitment=daily.commitment,
        previous=None if before is None else sha256(before.encode()).hexdigest(),
        entries=entries,
    )
    stored.publish(connection, daily.date, daily.ruleset, text, now)


def commitment(code: str) -> str:
    """What is published of a sealed code: the SHA-256 of its canonical text, hex."""
    return sha256(code.encode()).hexdigest()


def daily_rulesets() -> list[str]:
    """The rulesets that have dailies, in the registry's order."""
    return [ruleset for ruleset, solitaire in SOLITAIRES.items() if solitaire.daily]


def is_revealed(date: str, now: int) -> bool:
    """Whether code, line and logs of a day are open at ``now`` (ms UTC)."""
    return now >= day(date).closes_at
