"""``python3 -m tests.door.fresh_clone``: the two commands as a newcomer types them, on fresh clones.

As root (where this runs as root) and as a normal user, with no environment and with an empty one active: the
first start, a later one, Ctrl-C, two starts at once, and the tests of the door. Takes a few minutes and needs
pip's registry, so it is no part of ``python3 -m tests``.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path

from tests.parts.ports import free_port
from tests.parts.process import Process, as_user, is_root

ROOT = Path(__file__).parents[2]
PYTHONS = (getattr(sys, "_base_executable", sys.executable), "/usr/bin/python3", "/usr/local/bin/python3")


class Newcomer:
    """Somebody with a folder, a home, and a Python that has nothing in it."""

    def __init__(self, user: str | None, python: str, folder: Path) -> None:
        self.user = user
        self.python = python
        self.folder = folder
        self.env = {"PATH": os.environ["PATH"], "HOME": str(folder), "LANG": "C.UTF-8"}
        self.env.update({name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_"))})

    def clone(self, name: str) -> Path:
        target = self.folder / name
        subprocess.run(["git", "clone", "-q", str(ROOT), str(target)], check=True)
        if self.user:
            for path in (target, *target.rglob("*")):
                shutil.chown(path, self.user)
        return target

    def start(self, where: Path, *words: str, python: str | None = None) -> Process:
        return Process([python or self.python, "-m", *words], cwd=where, env=self.env, user=self.user)

    def run(self, where: Path, *words: str, python: str | None = None) -> str:
        with self.start(where, *words, python=python) as process:
            code = process.wait(900)
            assert code == 0, f"{words} ended with {code}: … {process.output()[-3000:]}"
            return process.output()


@contextmanager
def newcomer(user: str | None) -> Iterator[Newcomer | None]:
    with tempfile.TemporaryDirectory(prefix="moontide-clone-") as folder:
        if user:
            shutil.chown(folder, user)
        python = next((path for path in PYTHONS if _runs(path, user)), None)
        yield Newcomer(user, python, Path(folder)) if python else None


def _runs(python: str, user: str | None) -> bool:
    check = "import sys, ensurepip; sys.exit(sys.version_info < (3, 11))"
    try:
        done = subprocess.run([python, "-c", check], cwd="/", capture_output=True, check=False, **as_user(user))
    except OSError:
        return False
    return done.returncode == 0


def serve(who: Newcomer, where: Path, python: str | None = None) -> tuple[float, float]:
    """Start the server, end it with Ctrl-C: seconds (of a core of its own) until it is ready, and until it is gone."""
    port = free_port()
    begun = time.monotonic()
    with who.start(where, "server", "--port", str(port), python=python) as process:
        process.wait_until(lambda: _is_ready(port), timeout=600)
        ready = time.monotonic() - begun - process.waited_for_a_core()
        begun = time.monotonic()
        process.send(2)
        assert process.wait(5) == 0, process.output()
        return ready, time.monotonic() - begun


def _is_ready(port: int) -> bool:
    connection = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


def check(who: Newcomer) -> None:
    first = who.clone("first")
    print(f"  first start: ready after {serve(who, first)[0]:.1f} s")
    ready, gone = min(serve(who, first) for _ in range(3))
    print(f"  a later start: ready after {ready:.2f} s, Ctrl-C takes {gone:.2f} s")
    assert ready < 2.0 and gone < 3.0
    assert (first / "data" / "moontide.db").exists()
    print(f"  tests: {who.run(first, 'tests', 'tests/door').splitlines()[-1]}")

    second = who.clone("second")
    starts = [who.start(second, "server", "settings") for _ in range(2)]
    for start in starts:
        with start:
            assert start.wait(600) == 0, start.output()
    made = sum("making" in start.output() for start in starts)
    print(f"  two first starts at once: both fine, made {made} time(s)")
    assert made == 1

    bare = who.folder / "bare"
    who.run(who.folder, "venv", str(bare))
    third = who.clone("third")
    ready, _ = serve(who, third, python=str(bare / "bin" / "python"))
    print(f"  with an empty environment active: ready after {ready:.1f} s")
    assert (third / ".venv").exists()

    fourth = who.clone("fourth")
    serve(who, fourth, python=str(third / ".venv" / "bin" / "python"))
    assert not (fourth / ".venv").exists()
    print("  with a complete environment active: nothing was made")


def main() -> None:
    for user in (None, "nobody") if is_root() else (None,):
        print(f"as {user or ('root' if is_root() else 'this user')}:", flush=True)
        with newcomer(user) as who:
            if who is None:
                print("  skipped: no Python 3.11 that this user can run")
                continue
            check(who)


if __name__ == "__main__":
    main()
