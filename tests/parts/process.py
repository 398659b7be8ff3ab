"""A program that a test starts, watches and ends; it ends with the tests, however they end."""

import ctypes
import os
import signal
import subprocess
import sys
import tempfile
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

_PR_SET_PDEATHSIG = 1


class Died(AssertionError):
    """The program ended, or did not get ready; the message holds what it printed."""


class Process:
    """A running program. Its output goes to a file, so that it never waits for a reader."""

    def __init__(
        self,
        command: Sequence[str | Path],
        *,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        user: str | None = None,
        end_with: int = signal.SIGTERM,
    ) -> None:
        """Start it; as ``user`` where given. ``end_with`` is the signal that ends it should the tests die."""
        self.command = [str(word) for word in command]
        self._output = tempfile.TemporaryFile()
        weakref.finalize(self, self._output.close)
        self._popen = subprocess.Popen(
            self.command,
            env=None if env is None else dict(env),
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=self._output,
            stderr=subprocess.STDOUT,
            preexec_fn=_die_with_parent(end_with),
            **as_user(user),
        )
        self.pid = self._popen.pid

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    @property
    def code(self) -> int | None:
        """The exit code, or None while it runs."""
        return self._popen.poll()

    def waited_for_a_core(self) -> float:
        """How long (s) it could have run while others were running: what this machine's load has cost it so far."""
        try:
            return int(Path(f"/proc/{self.pid}/schedstat").read_text().split()[1]) / 1e9
        except OSError:
            return 0.0

    def output(self) -> str:
        """All that it has printed so far, standard error included."""
        return os.pread(self._output.fileno(), 10_000_000, 0).decode(errors="replace")

    def send(self, number: int) -> None:
        """Send a signal, if it still runs."""
        if self._popen.poll() is None:
            self._popen.send_signal(number)

    def wait(self, timeout: float = 15.0) -> int:
        """Wait for its end: the exit code. Raises `Died` if it goes on beyond the timeout (s)."""
        try:
            return self._popen.wait(timeout)
        except subprocess.TimeoutExpired:
            raise Died(f"{self.command[0]} still runs after {timeout:g} s:\n{self.output()}") from None

    def wait_until(self, ready: Callable[[], bool], timeout: float = 60.0) -> None:
        """Wait until ``ready`` says so. Raises `Died` when the program ends before, or the time (s) is up."""
        deadline = time.monotonic() + timeout
        while not ready():
            if self.code is not None:
                raise Died(f"{' '.join(self.command)} ended with {self.code}:\n{self.output()}")
            if time.monotonic() > deadline:
                raise Died(f"{' '.join(self.command)} is not ready after {timeout:g} s:\n{self.output()}")
            time.sleep(0.01)

    def kill(self) -> None:
        """``kill -9``, and wait."""
        self.send(signal.SIGKILL)
        self.wait()

    def end(self, timeout: float = 15.0) -> int:
        """Ask it to end (SIGTERM), and wait; one that does not listen is killed. The exit code."""
        self.send(signal.SIGTERM)
        try:
            return self.wait(timeout)
        except Died:
            self.kill()
            raise


def is_root() -> bool:
    return os.geteuid() == 0


def _die_with_parent(number: int) -> Callable[[], None] | None:
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None)
    return lambda: libc.prctl(_PR_SET_PDEATHSIG, number)


def as_user(user: str | None) -> dict[str, Any]:
    import pwd

    if user is None:
        return {}
    return {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": []}
