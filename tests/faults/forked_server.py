"""A server that is killed and started again many times, without its imports being paid for each time.

``python -m tests.faults.forked_server --port … --database …`` imports the server once and then, for each line
on its standard input, forks a process that runs the ``serve`` command with those words: the same program as
``python3 -m server``, entered a second later. It tells each one's pid, and when it is gone.
"""

import ctypes
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO, Self

from server.settings import Settings
from tests.parts.ports import free_port
from tests.parts.process import Died
from tests.parts.server_process import ROOT

PR_SET_PDEATHSIG = 1


class ForkedServer:
    """Start, kill and start again a server on one SQLite file and one port. Rate limits are off."""

    def __init__(self, file: Path) -> None:
        self.port = free_port()
        self.database = f"sqlite:///{file}"
        self._output = tempfile.TemporaryFile()
        own = {name: value for name, value in os.environ.items() if not name.startswith("MOONTIDE_")}
        self._popen = subprocess.Popen(
            [
                *(sys.executable, "-m", "tests.faults.forked_server"),
                *("--port", str(self.port), "--database", self.database),
            ],
            env={**own, "MOONTIDE_LIMITS": "off"},
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._output,
            text=True,
            bufsize=1,
        )
        self._pid = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._popen.kill()  # the server goes with it
        self._popen.wait(10)
        self._stdin.close()
        self._stdout.close()
        self._output.close()

    def start(self) -> None:
        """Start the server, and wait until it listens."""
        self._stdin.write("start\n")
        self._pid = int(self._next_line("pid"))
        self._next_line("ready")

    def kill(self) -> None:
        """``kill -9``, and wait until it is gone and its port is free."""
        try:
            os.kill(self._pid, signal.SIGKILL)
        except ProcessLookupError:
            raise Died(f"the server was gone already:\n{self.output()}") from None
        self._next_line("gone")
        # The kernel may let go of what a dead process listened on a moment after the process (io_uring).
        deadline = time.monotonic() + 10
        while not is_free(self.port):
            assert time.monotonic() < deadline, "the port is still taken"
            time.sleep(0.005)

    def output(self) -> str:
        """What the servers have printed so far."""
        return os.pread(self._output.fileno(), 1_000_000, 0).decode(errors="replace")

    @property
    def _stdin(self) -> IO[str]:
        assert self._popen.stdin is not None
        return self._popen.stdin

    @property
    def _stdout(self) -> IO[str]:
        assert self._popen.stdout is not None
        return self._popen.stdout

    def _next_line(self, word: str) -> str:
        said, _, rest = self._stdout.readline().strip().partition(" ")
        if said != word:
            raise Died(f"expected {word!r}, the server is {said!r}:\n{self.output()}")
        return rest


def is_free(port: int) -> bool:
    """Whether a server could listen on the port now."""
    with socket.socket() as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind(("127.0.0.1", port))
            sock.listen()
        except OSError:
            return False
        return True


def end_with_parent() -> None:
    """Be killed when the parent ends, however it ends (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def main(words: list[str]) -> None:
    """The process that forks. A line of input: start one; the end of the input: end."""
    import server.api.app
    import server.operate.web  # noqa: F401  # what `serve` imports when it is asked to serve
    from server.operate import serve
    from server.operate.cli import main as command_line

    end_with_parent()
    told = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    announce = serve.announce

    def announce_here_too(settings: Settings, url: str) -> None:
        announce(settings, url)
        told.write("ready\n")

    serve.announce = announce_here_too
    for _ in sys.stdin:
        pid = os.fork()
        if pid == 0:
            end_with_parent()
            told.write(f"pid {os.getpid()}\n")
            command_line(["serve", *words])
        os.waitpid(pid, 0)
        told.write("gone\n")


if __name__ == "__main__":
    main(sys.argv[1:])
