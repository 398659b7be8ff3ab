"""Three server processes on one PostgreSQL and one NATS, behind nginx, as docker-compose.yml runs them."""

import asyncio
import json
from collections import defaultdict
from contextlib import ExitStack
from typing import Any, Self

from tests.faults.clients import Http, new_player
from tests.faults.devices import CODE
from tests.faults.ledger import Ledger, Stored
from tests.parts.front import front
from tests.parts.nats import Nats
from tests.parts.postgres import Postgres
from tests.parts.server_process import ServerProcess

PROCESSES = 3


class Cluster:
    """Started as a context. ``servers`` are the processes, ``port`` is that of nginx before them."""

    def __init__(self, processes: int = PROCESSES, *, durable: bool = False) -> None:
        """``durable``: PostgreSQL syncs to the disk, as it does in production (benches)."""
        self._processes = processes
        self._durable = durable
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        with self._stack as stack:
            self.postgres = stack.enter_context(Postgres(durable=self._durable))
            self.nats = stack.enter_context(Nats())
            self.database = self.postgres.new_database()
            env = {"MOONTIDE_NATS": self.nats.url, "MOONTIDE_TRUSTED_PROXIES": "127.0.0.1"}
            self.servers = [stack.enter_context(ServerProcess(self.database, env=env)) for _ in range(self._processes)]
            self.nginx = stack.enter_context(front(*(server.port for server in self.servers)))
            self.port = self.nginx.port
            for server in self.servers:
                server.wait_ready()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def ports(self) -> list[int]:
        return [server.port for server in self.servers]

    async def back(self, server: ServerProcess) -> None:
        """Start a process again that has ended, and wait until it is ready."""
        await asyncio.to_thread(server.start)
        await asyncio.to_thread(server.wait_ready)

    async def new_player(self) -> str:
        async with Http(self.port) as http:
            return await new_player(http)

    async def deal(self, token: str, name: str, ledger: Ledger | None = None) -> dict[str, Any]:
        """A new game on which one can move for ever: its view. ``name`` is its command id."""
        async with Http(self.port, token) as http:
            status, view = await http.request("POST", "/v1/games", {"code": CODE, "command_id": name})
            assert status == 201, view
        if ledger is not None:
            ledger.open(name, view["id"])
        return dict(view)

    async def look(self, port: int, token: str, game: str) -> dict[str, Any]:
        """The view that the process at ``port`` gives of a game."""
        async with Http(port, token) as http:
            status, view = await http.request("GET", f"/v1/games/{game}")
            assert status == 200, view
        return dict(view)

    def stored_events(self) -> dict[str, list[Stored]]:
        """Every log in the database, read past all code of ours."""
        query = (
            "SELECT json_agg(json_build_array(game_id, seq, type, command_id, data) ORDER BY game_id, seq) FROM events"
        )
        logs: dict[str, list[Stored]] = defaultdict(list)
        for game, seq, kind, command_id, data in json.loads(self.sql(query)):
            logs[game].append(Stored(seq, kind, command_id, json.loads(data)))
        return logs

    def faults(self, ledger: Ledger) -> list[str]:
        """Where what is stored is not what was promised to those of this ledger."""
        games = {*ledger.opened.values(), *ledger.acked}
        return [*ledger.faults({game: log for game, log in self.stored_events().items() if game in games})]

    def sql(self, statement: str) -> str:
        """Run a statement in the database, past all code of ours."""
        return self.postgres.sql(statement, self.database.rpartition("/")[2])
