"""One socket's watch on one game: exactly the events that it has not seen, in order, once.

A watch is either *following* (each frame is the next one) or *filling* (what is missing is read from the
log). While it fills, it only notes how far the game has gone; the log has everything, so nothing is held
back in memory. A new spectator and a reconnect take the same path, and so does a gap.
"""

import asyncio
from collections.abc import Callable

from msgspec.json import encode

from server.live.hub import Frame, Hub
from server.live.keeper import Keeper
from server.live.outbox import Outbox
from server.live.tally import Tally
from server.play.codec import CorruptLog, check_chain, read
from server.play.playthrough import begin, evolve, fold
from server.play.records import Header
from server.store.errors import StoreUnavailable

FILL_AT_MOST = 1000
"""More missed events than these are not sent one by one: the watch is told to resync (DESIGN 8)."""


class Watch:
    """A listener on one ``game:ID`` for one socket. ``seq`` is the last event that was queued for it."""

    def __init__(
        self,
        *,
        header: Header,
        hub: Hub,
        games: Keeper,
        outbox: Outbox,
        legal: bool,
        allowed: Callable[[Header], bool],
        tally: Tally | None = None,
    ) -> None:
        self.header = header
        self.channel = "game:" + header.id
        self.legal = legal
        self._allowed = allowed
        self.seq = 0
        self._hub = hub
        self._games = games
        self._outbox = outbox
        self._tally = tally or Tally()
        self._heard = 0
        self._filling: asyncio.Task[None] | None = None

    def follow(self, seq: int) -> None:
        """Listen from event ``seq`` on; what is there already has just been sent as a ``state``."""
        self.seq = seq
        self._hub.listen(self.channel, self)

    def fill(self, after: int, *, announce: bool) -> None:
        """Send what came after event ``after`` from the log, then follow; ``announce`` says ``watching`` then."""
        self.seq = after
        self._hub.listen(self.channel, self)
        self._filling = asyncio.create_task(self._fill(announce))

    def stop(self) -> None:
        self._hub.leave(self.channel, self)
        if self._filling is not None:
            self._filling.cancel()
            self._filling = None

    def hear(self, frame: Frame) -> None:
        if frame.seq <= self.seq:
            return
        if self._filling is not None:
            self._heard = max(self._heard, frame.seq)
        elif frame.seq > self.seq + 1:
            self._heard = frame.seq
            self._filling = asyncio.create_task(self._fill(announce=False))
        elif self._outbox.offer(frame.legal if self.legal else frame.text):
            self.seq = frame.seq
        else:
            self._resync()

    def see(self, channel: str, watchers: int) -> None:
        self._outbox.offer(f'{{"t":"presence","channel":"{channel}","watchers":{watchers}}}')

    def change(self, header: Header) -> None:
        """The game's row has changed: whoever may not see it any more has to ask again."""
        self.header = header
        if not self._allowed(header):
            self._resync()

    def _resync(self) -> None:
        """Too slow, or too far behind: ask the client to watch again from a fresh state."""
        self.stop()
        self._tally.resyncs += 1
        self._outbox.put(encode({"t": "resync", "channel": self.channel}).decode())

    async def _fill(self, announce: bool) -> None:
        try:
            records = await self._games.records(self.header.id)
            head = records[-1].seq if records else 0
            if self.seq > head or head - self.seq > FILL_AT_MOST:
                self._filling = None
                self._resync()
                return
            check_chain(records)
            playthrough = fold(map(read, records[: self.seq])) if self.seq else None
            missed = records[self.seq :]
            while True:
                for record in missed:
                    event = read(record)
                    playthrough = evolve(playthrough, event) if playthrough else begin(event)
                    frame = self._games.frame(self.header, event, playthrough)
                    await self._outbox.room()
                    self._outbox.put(frame.legal if self.legal else frame.text)
                    self.seq = record.seq
                if announce:
                    announce = False
                    self._outbox.put(encode({"t": "watching", "channel": self.channel, "seq": self.seq}).decode())
                if self._heard <= self.seq:
                    break
                missed = await self._games.records(self.header.id, after=self.seq)
            self._filling = None
        except (CorruptLog, StoreUnavailable, RuntimeError):
            self._filling = None
            self._resync()
