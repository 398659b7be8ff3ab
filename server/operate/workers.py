"""Several server processes that share one port: started, watched, replaced when one dies, ended together.

Each is the same program with ``--worker FD``, its settings in its environment. Over that socket pair it
says when it is ready, and learns when its parent is gone, for then it ends too. They bind the port each for
itself, so that the system spreads connections evenly (one shared socket would give a burst of them to
whoever wakes first).
"""

import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress

from server.metrics import SHARED_FOLDER
from server.operate.options import Failure
from server.settings import Settings

#: Between the death of a process and its successor, so that a fault at start is no storm.
PAUSE_S = 1.0


class Worker:
    """One server process and our end of the socket pair."""

    def __init__(self, env: dict[str, str]) -> None:
        self._ours, theirs = socket.socketpair()
        command = [sys.executable, "-m", "server", "serve", "--worker", str(theirs.fileno())]
        with theirs:
            self.process = subprocess.Popen(command, env=env, pass_fds=[theirs.fileno()])

    def is_ready(self) -> bool:
        return bool(select.select([self._ours], [], [], 0)[0]) and self._ours.recv(1, socket.MSG_PEEK) != b""

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()

    def close(self) -> None:
        self._ours.close()


def run_workers(settings: Settings, on_ready: Callable[[], None]) -> None:
    """Keep ``settings.workers`` processes serving until this one is told to end. Raises `Failure`.

    ``settings.port`` is the port itself, bound already by the caller and not listened on.
    """
    ending = threading.Event()
    for sig in (signal.SIGINT, signal.SIGTERM):
        signal.signal(sig, lambda *_: ending.set())
    with tempfile.TemporaryDirectory(prefix="moontide-metrics-") as folder:
        env = {**os.environ, **settings.as_env(), SHARED_FOLDER: folder}
        workers = [Worker(env) for _ in range(settings.workers)]
        try:
            _watch(workers, env, on_ready, ending)
        finally:
            for worker in workers:
                worker.end()
            for worker in workers:
                worker.process.wait()
                worker.close()


def _watch(workers: list[Worker], env: dict[str, str], on_ready: Callable[[], None], ending: threading.Event) -> None:
    told = False
    while not ending.wait(0.1):
        for place, worker in enumerate(workers):
            code = worker.process.poll()
            if code is None:
                continue
            if code == 1 and not worker.is_ready():
                raise Failure("a server process could not start; it has said why")
            worker.close()
            time.sleep(PAUSE_S)
            workers[place] = Worker(env)
        if not told and all(worker.is_ready() for worker in workers):
            told = True
            on_ready()


class Parent:
    """A worker's end of the socket pair."""

    def __init__(self, fd: int) -> None:
        self._sock = socket.socket(fileno=fd)

    def say_ready(self) -> None:
        self._sock.send(b".")

    def when_gone(self, do: Callable[[], None]) -> None:
        """Call ``do``, in a thread, once the parent has ended."""

        def wait() -> None:
            with suppress(ConnectionResetError):  # it has not read all that we said
                self._sock.recv(1)
            do()

        threading.Thread(target=wait, daemon=True, name="parent").start()
