"""News between processes: what was stored in one is told to the watchers of the others.

NATS carries it, one subject a game, and a process hears only of games that its own sockets watch. The broker is
a hint, never the truth: what it brings is folded only if it follows on what is known, link by link, and whatever
is missing is read from the log. So a message that is lost, late, doubled or out of order costs time, not
correctness:

    first watcher     subscribe, flush, then look at the log: nothing falls between
    a gap             read the log from what is known
    after a break, and every 10 s in any case: compare the heads of all watched games with the log in one query
                      (a lost last message leaves no gap to see)

Without NATS the comparison alone keeps the watchers of several processes up to date, ten seconds late at most.
Presence goes the same way: each process says how many watch a game here, on change and every 5 s, and is
forgotten after 15 s of silence; approximate, never stored.
"""

import asyncio
import logging
from collections.abc import Coroutine, Sequence
from typing import Any

import msgspec
import nats
from msgspec import Struct
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription

from server.live.hub import Hub
from server.live.referee import Referee
from server.live.tally import Tally
from server.play.records import Record
from server.play.refusals import Refusal
from server.store.errors import StoreUnavailable
from server.store.eventlog import EventLog

log = logging.getLogger("moontide.broker")

COMPARE_EVERY_S = 10.0
PRESENCE_EVERY_S = 5.0
PRESENCE_LASTS_S = 15.0
RECONNECT_EVERY_S = 0.25
QUEUE_AT_MOST = 10_000
"""News that wait to be sent; beyond that the oldest are dropped, for the log has them."""

GAMES = "moontide.game."


class Stored(Struct, frozen=True, tag_field="n", tag="stored"):
    """A record that was committed."""

    record: Record


class Changed(Struct, frozen=True, tag_field="n", tag="changed"):
    """The row of the game was changed: who may watch it."""


class Watching(Struct, frozen=True, tag_field="n", tag="watching"):
    """How many watch the game in a process."""

    process: str
    watchers: int


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Stored | Changed | Watching).decode


class Broker:
    """One process's ear and mouth. ``servers`` are NATS addresses, or none; ``process`` names this process."""

    def __init__(
        self,
        servers: Sequence[str],
        *,
        hub: Hub,
        referee: Referee,
        events: EventLog,
        process: str,
        tally: Tally | None = None,
    ) -> None:
        self._servers = list(servers)
        self._hub = hub
        self._referee = referee
        self._log = events
        self._process = process
        self._tally = tally or Tally()
        self.connected = asyncio.Event()
        self._client: Client | None = None
        self._subscriptions: dict[str, Subscription] = {}
        self._elsewhere: dict[str, dict[str, tuple[int, float]]] = {}
        self._outgoing: asyncio.Queue[tuple[str, bytes]] = asyncio.Queue(QUEUE_AT_MOST)
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self) -> None:
        """Begin in the background: a broker that is not there yet delays nothing."""
        self._run(self._repeat(self.compare, COMPARE_EVERY_S))
        if not self._servers:
            return
        self._hub.on_first = lambda channel: self._run(self._subscribe(channel))
        self._hub.on_last = lambda channel: self._run(self._unsubscribe(channel))
        self._hub.on_count = self._tell_count
        self._referee.on_stored = lambda record: self._tell("game:" + record.game, Stored(record))
        self._referee.on_changed = lambda game: self._tell("game:" + game, Changed())
        self._run(self._connect())
        self._run(self._send())
        self._run(self._repeat(self._tell_counts, PRESENCE_EVERY_S))

    async def close(self) -> None:
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._client is not None:
            try:
                async with asyncio.timeout(1.0):
                    await self._client.close()
            except (TimeoutError, OSError, nats.errors.Error):
                pass

    async def compare(self) -> None:
        """Bring every watched game that is behind the log up to it."""
        games = [channel.removeprefix("game:") for channel in self._hub.channels() if channel.startswith("game:")]
        if games:
            heads = await self._log.head(games)
            for game, (seq, _) in heads.items():
                if self._referee.is_behind(game, seq):
                    await self._referee.read_on(game)

    # -- the connection -----------------------------------------------------------------------------

    async def _connect(self) -> None:
        self._client = await nats.connect(
            self._servers,
            name=f"moontide {self._process}",
            no_echo=True,
            max_reconnect_attempts=-1,
            reconnect_time_wait=RECONNECT_EVERY_S,
            connect_timeout=2,
            error_cb=self._failed,
            disconnected_cb=self._disconnected,
            reconnected_cb=self._reconnected,
        )
        self.connected.set()
        log.info("connected to NATS")
        for channel in self._hub.channels():
            await self._subscribe(channel)

    async def _failed(self, error: Exception) -> None:
        log.warning("NATS: %r", error)
        if isinstance(error, nats.errors.SlowConsumerError):
            self._run(self.compare())

    async def _disconnected(self) -> None:
        self.connected.clear()
        log.warning("NATS is gone; watchers are kept up to date from the log until it is back")

    async def _reconnected(self) -> None:
        self.connected.set()
        log.info("NATS is back")
        self._run(self.compare())
        self._run(self._tell_counts())

    async def _subscribe(self, channel: str) -> None:
        client = self._client
        if client is None or not channel.startswith("game:") or channel in self._subscriptions:
            return

        async def hear(message: Msg) -> None:
            await self._hear(channel, message.data)

        self._subscriptions[channel] = await client.subscribe(_subject(channel), cb=hear)
        if not self._hub.has(channel):
            await self._unsubscribe(channel)
            return
        await client.flush(timeout=2)
        await self._referee.read_on(channel.removeprefix("game:"))

    async def _unsubscribe(self, channel: str) -> None:
        if self._hub.has(channel):
            return
        subscription = self._subscriptions.pop(channel, None)
        self._elsewhere.pop(channel, None)
        self._hub.set_elsewhere(channel, 0)
        if subscription is not None:
            await subscription.unsubscribe()

    # -- hearing ------------------------------------------------------------------------------------

    async def _hear(self, channel: str, data: bytes) -> None:
        self._tally.news["in"] += 1
        try:
            news = _decode(data)
        except msgspec.MsgspecError as error:
            log.warning("news that cannot be read: %s", error)
            return
        if isinstance(news, Watching):
            self._count(channel, news)
            return
        game = channel.removeprefix("game:")
        try:
            if isinstance(news, Changed):
                await self._referee.read_row(game)
            else:
                await self._referee.hear(news.record)
        except (Refusal, StoreUnavailable) as error:
            log.warning("news of game %s could not be followed: %s", game, error)

    def _count(self, channel: str, news: Watching) -> None:
        now = asyncio.get_running_loop().time()
        counts = self._elsewhere.setdefault(channel, {})
        counts[news.process] = (news.watchers, now + PRESENCE_LASTS_S)
        self._sum_up(channel, now)

    def _sum_up(self, channel: str, now: float) -> None:
        counts = self._elsewhere.get(channel, {})
        for process in [process for process, (watchers, until) in counts.items() if until <= now or not watchers]:
            del counts[process]
        self._hub.set_elsewhere(channel, sum(watchers for watchers, _ in counts.values()))

    # -- telling ------------------------------------------------------------------------------------

    def _tell(self, channel: str, news: Stored | Changed | Watching) -> None:
        """Queue news; waits for nobody."""
        if self._outgoing.full():
            self._outgoing.get_nowait()
        self._outgoing.put_nowait((_subject(channel), _encode(news)))

    def _tell_count(self, channel: str, watchers: int) -> None:
        if channel.startswith("game:"):
            self._tell(channel, Watching(self._process, watchers))

    async def _tell_counts(self) -> None:
        now = asyncio.get_running_loop().time()
        for channel in self._hub.channels():
            self._tell_count(channel, self._hub.here(channel))
            self._sum_up(channel, now)

    async def _send(self) -> None:
        while True:
            subject, data = await self._outgoing.get()
            if self._client is not None:
                try:
                    await self._client.publish(subject, data)
                    self._tally.news["out"] += 1
                except (nats.errors.Error, OSError) as error:
                    log.debug("news were not sent: %r", error)

    # -- work in the background ---------------------------------------------------------------------

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(self._guarded(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _guarded(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except (Refusal, StoreUnavailable, nats.errors.Error, OSError, TimeoutError) as error:
            log.warning("the broker: %r", error)
        except Exception:
            log.exception("the broker failed at something; the log has what was missed")

    async def _repeat(self, work: Any, seconds: float) -> None:
        while True:
            await asyncio.sleep(seconds)
            await self._guarded(work())


def _subject(channel: str) -> str:
    return GAMES + channel.removeprefix("game:")
