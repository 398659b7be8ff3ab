"""Meters with labels that are looked up once: the client library takes a lock and builds a key each time."""

from prometheus_client import Counter, Histogram


class Counted:
    """A counter by its labels, of which there are few."""

    def __init__(self, counter: Counter) -> None:
        self._counter = counter
        self._children: dict[tuple[str, ...], Counter] = {}

    def add(self, *labels: str) -> None:
        child = self._children.get(labels)
        if child is None:
            child = self._children[labels] = self._counter.labels(*labels)
        child.inc()


class Timed:
    """A histogram of seconds by its labels, of which there are few."""

    def __init__(self, histogram: Histogram) -> None:
        self._histogram = histogram
        self._children: dict[tuple[str, ...], Histogram] = {}

    def add(self, seconds: float, *labels: str) -> None:
        child = self._children.get(labels)
        if child is None:
            child = self._children[labels] = self._histogram.labels(*labels)
        child.observe(seconds)
