"""One server under load, in a process of its own."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from tests.parts.ports import free_port


class Target(NamedTuple):
    port: int
    pid: int


@contextmanager
def target(kind: str, database: str = "") -> Iterator[Target]:
    """A server of one of the kinds of `tests.bench.serve`, ready, for as long as the block lasts."""
    port = free_port()
    command = [sys.executable, "-m", "tests.bench.serve", kind, str(port), database]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            if process.stdout.readline() != "ready\n":
                raise RuntimeError(f"the {kind} server did not start")
            yield Target(port, process.pid)
        finally:
            process.terminate()
