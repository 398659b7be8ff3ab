"""Takes what a process counts in plain integers (`Tally`), and how much it holds, over into the meters.

It happens when the meters are read, and every few seconds besides: with several workers, any of them answers for
all from what the others have written down (`server.metrics`).
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping

from prometheus_client import Counter as Meter
from prometheus_client import Gauge

from server.live.tally import Spread, Tally
from server.metrics import Metrics, SpreadMeter

EVERY_S = 5.0


class Readings:
    """Takes ``tally`` over into ``metrics``; ``held`` says of a gauge how much it shows now."""

    def __init__(self, metrics: Metrics, tally: Tally, held: Mapping[Gauge, Callable[[], int]]) -> None:
        self._metrics = metrics
        self._tally = tally
        self._held = held
        self._taken: Counter[tuple[Meter, tuple[str, ...]]] = Counter()
        self._spread: dict[SpreadMeter, tuple[list[int], float]] = {}
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._repeat(), name="readings")

    async def close(self) -> None:
        """Take over what has been counted to the end."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self.take()

    def take(self) -> None:
        """Bring the meters up to date."""
        metrics, tally = self._metrics, self._tally
        for labels, count in tally.commands.items():
            self._count(metrics.commands, count, *labels)
        for meter, by_label in (
            (metrics.appends, tally.appends),
            (metrics.dropped, tally.dropped),
            (metrics.broker_messages, tally.news),
        ):
            for label, count in by_label.items():
                self._count(meter, count, label)
        self._count(metrics.repeated, tally.repeated)
        self._count(metrics.replays, tally.replays)
        self._count(metrics.quarantined, tally.quarantined)
        self._count(metrics.frames, tally.frames)
        self._count(metrics.resyncs, tally.resyncs)
        self._fill(metrics.command_seconds, tally.command_seconds)
        self._fill(metrics.commit_seconds, tally.commit_seconds)
        self._fill(metrics.commit_appends, tally.commit_appends)
        for gauge, held in self._held.items():
            gauge.set(held())

    def _count(self, meter: Meter, count: int, *labels: str) -> None:
        more = count - self._taken[meter, labels]
        if more:
            (meter.labels(*labels) if labels else meter).inc(more)
            self._taken[meter, labels] = count

    def _fill(self, meter: SpreadMeter, spread: Spread) -> None:
        counts, total = self._spread.get(meter, ([0] * len(spread.counts), 0.0))
        meter.fill([now - then for now, then in zip(spread.counts, counts, strict=True)], spread.total - total)
        self._spread[meter] = (spread.counts.copy(), spread.total)

    async def _repeat(self) -> None:
        while True:
            await asyncio.sleep(EVERY_S)
            self.take()
