"""Everything that handlers and sockets use, wired once a process.

store -> committer -> referee -> hub -> watchers
  |                      |
  +-- tokens, attempts   +-- deal, clock, ids        (the seams of `create_app`)
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from server.api.attempts import Attempts
from server.api.auth import Identity, Tokens
from server.api.limits import Buckets, Limits
from server.api.readings import Readings
from server.api.sockets import Sockets
from server.clock import Clock
from server.contest.certify import certify
from server.contest.daily import Dailies
from server.ids import Ids
from server.live.access import may_read
from server.live.broker import Broker
from server.live.cache import Cache
from server.live.committer import Committer
from server.live.hub import Hub
from server.live.referee import Referee
from server.live.tally import Tally
from server.metrics import Metrics
from server.play.playthrough import ENDED
from server.play.records import Header
from server.settings import Settings
from server.solitaires.codes import Code
from server.solitaires.protocol import State
from server.store import tokens as stored
from server.store.database import Database
from server.store.drift import Drift
from server.store.open import Store
from server.store.results import is_listed

RECONNECT_WITHIN_MS = 2000
"""Over how long the clients of a process that ends are spread when they come back."""


@dataclass(frozen=True)
class Seams:
    """What a test may put in the place of the real thing."""

    clock: Clock
    ids: Ids
    entropy: Callable[[int], bytes]
    deal: Callable[[Code], State]


class Services:
    """One process's worth of everything. Made by `open_services`."""

    def __init__(self, settings: Settings, seams: Seams, store: Store, metrics: Metrics) -> None:
        self.settings = settings
        self.clock = seams.clock
        self.ids = seams.ids
        self.entropy = seams.entropy
        self.deal = seams.deal
        self.metrics = metrics
        self.tally = tally = Tally()
        self.database: Database = store.database
        self.hub = Hub()
        self.committer = Committer(store.log, tally=tally)
        cache = Cache(settings.cached_games)
        self.referee = Referee(
            events=store.log,
            committer=self.committer,
            hub=self.hub,
            clock=seams.clock,
            ids=seams.ids,
            deal=seams.deal,
            sole_writer=store.database.sole_writer,
            cache=cache,
            tally=tally,
        )
        process = seams.ids.command()
        self.broker = Broker(
            settings.nats, hub=self.hub, referee=self.referee, events=store.log, process=process, tally=tally
        )
        self.dailies = Dailies(
            database=self.database,
            referee=self.referee,
            clock=seams.clock,
            ids=seams.ids,
            search=certify,
            holder=process,
        )
        self.limits = _limits(settings) if settings.limits else None
        self.attempts = (
            Attempts(self.database, self.clock, players_per_hour=settings.players_per_hour) if settings.limits else None
        )
        self.sockets = Sockets(self._revoked, limited=settings.limits, heartbeat_s=settings.heartbeat_s)
        self.drift = Drift(self.database, self.clock, metrics.clock_offset.set)
        self.readings = Readings(
            metrics,
            tally,
            {
                metrics.cached_games: cache.__len__,
                metrics.sockets: self.sockets.__len__,
                metrics.watches: self.hub.__len__,
                metrics.broker_up: self.broker.connected.is_set,
            },
        )
        self.draining = asyncio.Event()
        self._tokens = Tokens(self._find_token)

    async def authenticate(self, token: str) -> Identity | None:
        """Whose token it is; None for one that is malformed, unknown or revoked."""
        return await self._tokens.identify(token)

    async def may_read(self, header: Header, player: str | None) -> bool:
        """Whether a player may see a game. Whether it has had a row on a board is only asked where that decides."""
        now = self.clock.now()
        if may_read(header, player, now=now):
            return True
        open_on_board = header.status in ENDED and may_read(header, player, now=now, on_board=True)
        return open_on_board and await self.database.read(is_listed, header.id)

    def lock_out(self, player: str, tokens: Iterable[str]) -> None:
        """These tokens of a player have just been revoked: requests and open sockets of this process learn it at
        once, those of others within a second."""
        self._tokens.forget(player=player)
        for token in tokens:
            self.sockets.close_token(token)

    async def drain(self) -> None:
        """This process is about to end: long polls are answered now, and sockets are told to go elsewhere."""
        self.draining.set()
        self.sockets.drain(RECONNECT_WITHIN_MS)

    async def retire(self) -> None:
        """Close the sockets that have stayed all the same (1012), once what they have sent is answered."""
        await self.sockets.retire()

    async def _find_token(self, hashed: str) -> Identity | None:
        known = await self.database.read(stored.find_by_token_hash, hashed)
        return None if known is None else Identity(known.player.id, known.token_id)

    async def _revoked(self, tokens: Collection[str]) -> Collection[str]:
        return await self.database.read(stored.tokens_revoked, list(tokens))


@asynccontextmanager
async def open_services(settings: Settings, seams: Seams, store: Store, metrics: Metrics) -> AsyncIterator[Services]:
    """Services that run while the block lasts; what they have accepted is stored before it ends."""
    services = Services(settings, seams, store, metrics)
    await services.drift.start()
    services.sockets.start()
    services.readings.start()
    if not services.database.sole_writer:
        services.broker.start()
    if settings.dailies:
        services.dailies.start_work()
    try:
        yield services
    finally:
        services.draining.set()
        await services.drift.close()
        await services.dailies.close()
        await services.broker.close()
        await services.sockets.close()
        await services.committer.close()
        await services.readings.close()


def _limits(settings: Settings) -> Limits:
    return Limits(
        commands=Buckets(settings.commands_per_second, settings.commands_burst),
        reads=Buckets(settings.reads_per_second, settings.reads_burst),
    )
