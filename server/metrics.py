"""What is counted and measured, for Prometheus (``GET /metrics``). All of it hangs on one registry that is passed in.

With several workers each process writes into files of a folder that they share (``PROMETHEUS_MULTIPROC_DIR``,
set by ``serve``), and any of them answers for all.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

#: The bounds of buckets: of times in seconds, and of how many go together.
FAST = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)

CONTENT_TYPE = CONTENT_TYPE_LATEST

#: The variable that names the folder; the client library reads it when it is imported.
SHARED_FOLDER = "PROMETHEUS_MULTIPROC_DIR"


class Metrics:
    """The meters of one process. Names and labels are what dashboards rely on; times are in seconds."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self.registry = registry if registry is not None else CollectorRegistry()

        self.requests = self._counter("http_requests", "HTTP requests answered", "method", "route", "status")
        self.request_seconds = self._histogram("http_request_seconds", "Time to answer a request", FAST, "route")

        self.commands = self._counter(
            "commands", "Commands answered: accepted, selected, or a refusal's code", "do", "answer"
        )
        self.command_seconds = self._spread("command_seconds", "Time from a command to its answer", FAST)
        self.repeated = self._counter("repeated_commands", "Commands that had been accepted before: sent once more")

        self.appends = self._counter("appends", "Appends to the log: won, conflict, failed or unknown", "result")
        self.commit_seconds = self._spread("commit_seconds", "Time of one batch of appends", FAST)
        self.commit_appends = self._spread("commit_appends", "Appends in one batch", SIZES)

        self.cached_games = self._gauge("cached_games", "Games in memory")
        self.replays = self._counter("replays", "Times that a game was folded from its stored log")
        self.quarantined = self._counter("quarantined", "Times that what is stored of a game did not verify")

        self.sockets = self._gauge("sockets", "Open WebSocket connections")
        self.watches = self._gauge("watches", "Those who follow a channel, on all of them")
        self.frames = self._counter("frames", "Frames sent to WebSocket clients")
        self.dropped = self._counter("dropped", "Connections closed by the server", "reason")
        self.resyncs = self._counter("resyncs", "Channels told to start over, as they fell behind")

        self.broker_up = self._gauge("broker_up", "Processes whose broker is connected")
        self.broker_messages = self._counter("broker_messages", "News between processes: out or in", "way")
        self.clock_offset = self._gauge(
            "clock_offset_seconds", "A process's clock minus the database's: the greatest", of_several="livemax"
        )

    def exposition(self) -> bytes:
        """All of it as Prometheus reads it (`CONTENT_TYPE`), of every worker where there are several."""
        folder = os.environ.get(SHARED_FOLDER)
        if folder is None:
            return generate_latest(self.registry)
        _forget_the_dead(Path(folder))
        together = CollectorRegistry()
        MultiProcessCollector(together)  # type: ignore[no-untyped-call]
        return generate_latest(together)

    def _counter(self, name: str, meaning: str, *labels: str) -> Counter:
        return Counter(f"moontide_{name}", meaning, labels, registry=self.registry)

    def _gauge(self, name: str, meaning: str, *, of_several: Literal["livesum", "livemax"] = "livesum") -> Gauge:
        return Gauge(f"moontide_{name}", meaning, registry=self.registry, multiprocess_mode=of_several)

    def _histogram(self, name: str, meaning: str, buckets: tuple[float, ...], *labels: str) -> Histogram:
        return Histogram(f"moontide_{name}", meaning, labels, registry=self.registry, buckets=buckets)

    def _spread(self, name: str, meaning: str, buckets: tuple[float, ...]) -> "SpreadMeter":
        return SpreadMeter(f"moontide_{name}", meaning, registry=self.registry, buckets=buckets)


class SpreadMeter(Histogram):
    """A histogram that is filled by the handful: one `observe` costs more than what it would measure here."""

    def fill(self, counts: Sequence[int], total: float) -> None:
        """Add ``counts[i]`` values to bucket ``i``, the last being above every bound; ``total`` is their sum."""
        if any(counts):
            self._sum.inc(total)
            for bucket, count in zip(self._buckets, counts, strict=True):
                if count:
                    bucket.inc(count)


def _forget_the_dead(folder: Path) -> None:
    # what a process that has ended counted stays; what it held open it holds no longer
    for file in folder.glob("gauge_live*_*.db"):
        try:
            os.kill(int(file.stem.rpartition("_")[2]), 0)
        except ProcessLookupError:
            file.unlink(missing_ok=True)
