"""The real server as a process of its own, as an operator starts it."""

import json
import os
import signal
import sys
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any, Self

from tests.parts.ports import free_port
from tests.parts.process import Process

ROOT = Path(__file__).parents[2]


class ServerProcess:
    """``python3 -m server`` on a free port. Started at once, ready after `wait_ready`.

    Everything here blocks for as long as it takes; beside clients in the same event loop use a thread.
    Rate limits are off unless ``env`` turns them on.
    """

    def __init__(
        self,
        database: str | Path,
        *words: str,
        port: int | None = None,
        env: Mapping[str, str] | None = None,
        command: tuple[str, ...] = ("serve",),
    ) -> None:
        """``database`` is an address or the path of a SQLite file; ``words`` are further options of ``serve``."""
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.live_url = f"ws://127.0.0.1:{self.port}/v1/live"
        self.database = database if isinstance(database, str) else f"sqlite:///{database}"
        self._command = [
            *(sys.executable, "-m", "server", *command),
            *("--port", str(self.port), "--database", self.database, *words),
        ]
        own = {name: value for name, value in os.environ.items() if not name.startswith("MOONTIDE_")}
        self._env = {**own, "MOONTIDE_LIMITS": "off", "MOONTIDE_DAILIES": "off", **(env or {})}
        self.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.end()

    def start(self) -> None:
        """Start it, again on the same port and database after it has ended."""
        self.process = Process(self._command, env=self._env, cwd=ROOT)

    def wait_ready(self, timeout: float = 60.0) -> Self:
        """Wait until ``/readyz`` says yes."""
        self.process.wait_until(self.is_ready, timeout)
        return self

    def is_ready(self) -> bool:
        try:
            return self.request("GET", "/readyz")[0] == 200
        except (OSError, HTTPException):
            return False

    def request(self, method: str, path: str, body: object = None, token: str | None = None) -> tuple[int, Any]:
        """One request on a connection of its own: the status, and the answer's JSON (or its text)."""
        headers = {"Content-Type": "application/json"} if body is not None else {}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            text = answer.read().decode()
            is_json = answer.headers.get_content_type().endswith("json")
            return answer.status, json.loads(text) if is_json and text else text
        finally:
            connection.close()

    def kill(self) -> None:
        """``kill -9``."""
        self.process.kill()

    def interrupt(self) -> None:
        """As Ctrl-C does."""
        self.process.send(signal.SIGINT)

    def terminate(self) -> None:
        """As a service manager does: the server drains first."""
        self.process.send(signal.SIGTERM)

    def wait(self, timeout: float = 15.0) -> int:
        return self.process.wait(timeout)

    def output(self) -> str:
        return self.process.output()
