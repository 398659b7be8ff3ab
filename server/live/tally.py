"""What happens in this process, counted in plain integers: an addition each, where a meter takes locks.

Whoever answers for the meters takes the figures over now and then (`server.api.readings`).
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

from server.metrics import FAST, SIZES
from server.store.eventlog import Appended, Conflict, Failed, Won


class Spread:
    """How values spread over buckets: ``counts[i]`` of them are at most ``bounds[i]`` and above the bound before;
    the last count is of those above every bound."""

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def add(self, value: float) -> None:
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value


class Tally:
    """The figures of one process; they only grow."""

    __slots__ = (
        "appends",
        "command_seconds",
        "commands",
        "commit_appends",
        "commit_seconds",
        "dropped",
        "frames",
        "news",
        "quarantined",
        "repeated",
        "replays",
        "resyncs",
    )

    def __init__(self) -> None:
        self.commands: Counter[tuple[str, str]] = Counter()
        """Commands by what they do and how they are answered: accepted, selected, or a refusal's code."""
        self.command_seconds = Spread(FAST)
        self.repeated = 0
        self.appends: Counter[str] = Counter()
        """Appends to the log by what became of them: won, conflict, failed or unknown."""
        self.commit_seconds = Spread(FAST)
        self.commit_appends = Spread(SIZES)
        self.replays = 0
        self.quarantined = 0
        self.frames = 0
        self.resyncs = 0
        self.dropped: Counter[str] = Counter()
        """Connections that the server has closed, by the reason it gave."""
        self.news: Counter[str] = Counter()
        """Messages of the broker by their way: out or in."""

    def answered(self, do: str, answer: str, seconds: float) -> None:
        """Count a command that has its answer, ``seconds`` after it came."""
        self.commands[do, answer] += 1
        self.command_seconds.add(seconds)

    def committed(self, results: Sequence[Appended], seconds: float) -> None:
        """Count a batch that the log has taken, with what became of each of its appends."""
        self.commit_seconds.add(seconds)
        self.commit_appends.add(len(results))
        for result in results:
            self.appends[_became(result)] += 1


def _became(result: Appended) -> str:
    if isinstance(result, Won):
        return "won"
    if isinstance(result, Conflict):
        return "conflict"
    assert isinstance(result, Failed)
    return "unknown" if result.unknown else "failed"
