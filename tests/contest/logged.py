"""What the server logs while it is tested, line by line, told apart by the application that logged it."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

#: Which application the running task is of; the tasks that it starts are of the same.
side_of: ContextVar[int] = ContextVar("side_of")


class _Lines(logging.Handler):
    """Keeps the lines that are logged, by the world that they are of."""

    _OWN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "taskName", "s"}

    def __init__(self, lines: Mapping[int, list[str]]) -> None:
        super().__init__(logging.DEBUG)
        self._lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        extra = {name: value for name, value in vars(record).items() if name not in self._OWN}
        error = repr(record.exc_info[1]) if record.exc_info else ""
        side = side_of.get(None)
        if side is not None:
            self._lines[side].append(f"{record.levelname} {record.name} {record.getMessage()} {extra} {error}")


@contextmanager
def logging_to(lines: Mapping[int, list[str]]) -> Iterator[None]:
    """Log everything of ours to these lists; but not that a request was answered, which is known."""
    handler, ours, requests = _Lines(lines), logging.getLogger("moontide"), logging.getLogger("moontide.http")
    before = ours.level, requests.level
    ours.addHandler(handler)
    ours.setLevel(logging.DEBUG)
    requests.setLevel(logging.INFO)
    try:
        yield
    finally:
        ours.removeHandler(handler)
        ours.setLevel(before[0])
        requests.setLevel(before[1])
