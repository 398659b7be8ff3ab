"""Advisory locks between processes of one machine: a file beside the database that one of them holds.

SQLite's own locks end with each transaction; these last as long as the process that took them, and the
kernel gives them back however it dies. The file itself stays: to remove it would be a race.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Held(Exception):
    """Another process holds the lock."""


@contextmanager
def file_lock(path: Path, *, wait: bool) -> Iterator[None]:
    """Hold the lock of ``path``; without ``wait``, raises `Held` where another has it. OSError as for any file."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Held(str(path)) from None
        yield
    finally:
        os.close(descriptor)
