"""A client of the socket for the tests: real HTTP, real WebSocket, every message checked against the document."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import jsonschema
from websockets.asyncio.client import ClientConnection, connect

from server.api.asyncapi import asyncapi
from tests.parts.live_app import LiveApp

DOCUMENT = asyncapi()


def _validators(operation: str) -> dict[str, Any]:
    found = {}
    for reference in DOCUMENT["operations"][operation]["messages"]:
        name = reference["$ref"].rpartition("/")[2]
        schema = {
            "$ref": DOCUMENT["components"]["messages"][name]["payload"]["$ref"],
            "components": DOCUMENT["components"],
        }
        found[name] = jsonschema.Draft202012Validator(schema)
    return found


TOLD, SAID = _validators("tell"), _validators("hear")


class Socket:
    """One connection. `say` sends, `hear` gives the next message, `until` the next of one kind."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection
        self.checked = True
        """Whether messages are checked against the document; off where there are thousands alike."""

    async def say(self, t: str, **fields: Any) -> None:
        message = {"t": t, **fields}
        if self.checked:
            SAID[t].validate(message)
        await self.connection.send(json.dumps(message))

    async def raw(self, text: str | bytes) -> None:
        await self.connection.send(text)

    async def hear(self) -> dict[str, Any]:
        async with asyncio.timeout(10):
            message: dict[str, Any] = json.loads(await self.connection.recv())
        if self.checked:
            TOLD[message["t"]].validate(message)
        return message

    async def until(self, *kinds: str) -> dict[str, Any]:
        """The next message of one of these kinds; presence is passed over, anything else is a failure."""
        while (message := await self.hear())["t"] not in kinds:
            assert message["t"] == "presence", message
        return message

    async def command(self, game: str, command_id: str, **fields: Any) -> dict[str, Any]:
        """Send a command and give its answer: ack, selected or refused."""
        await self.say("command", game=game, command_id=command_id, **fields)
        while (message := await self.hear())["t"] not in ("ack", "selected", "refused"):
            pass
        return message

    async def closed(self) -> tuple[int, str]:
        """Wait for the end; the close code and reason that the server gave."""
        async with asyncio.timeout(10):
            await self.connection.wait_closed()
        return self.connection.close_code or 0, self.connection.close_reason or ""


class Player:
    """A player with a token, over HTTP and on sockets."""

    def __init__(self, app: LiveApp, http: httpx2.AsyncClient, made: dict[str, Any]) -> None:
        self._app = app
        self.http = http
        self.id: str = made["player"]["id"]
        self.token: str = made["token"]
        self.headers = {"Authorization": f"Bearer {self.token}"}

    async def call(self, method: str, path: str, body: Any = None) -> Any:
        answer = await self.http.request(method, path, json=body, headers=self.headers)
        assert answer.status_code < 300, answer.text
        return answer.json() if answer.content else None

    async def deal(self, code: str = "HM1-N-AAAAAAB") -> str:
        game: str = (await self.call("POST", "/v1/games", {"code": code}))["id"]
        return game

    @asynccontextmanager
    async def socket(self, *, resume: list[dict[str, Any]] | None = None) -> AsyncIterator[Socket]:
        async with connect(self._app.live_url, proxy=None) as connection:
            socket = Socket(connection)
            hello: dict[str, Any] = {"token": self.token}
            if resume is not None:
                hello["resume"] = resume
            await socket.say("hello", **hello)
            assert (await socket.hear())["t"] == "welcome"
            yield socket


class Lobby:
    """Makes players on one running application."""

    def __init__(self, app: LiveApp, http: httpx2.AsyncClient) -> None:
        self.app = app
        self.http = http

    async def player(self) -> Player:
        answer = await self.http.post("/v1/players", json={})
        assert answer.status_code == 201, answer.text
        return Player(self.app, self.http, answer.json())

    @asynccontextmanager
    async def stranger(self) -> AsyncIterator[Socket]:
        """A connection that has not said hello."""
        async with connect(self.app.live_url, proxy=None) as connection:
            yield Socket(connection)


def fold(view: dict[str, Any], frame: dict[str, Any]) -> dict[str, Any]:
    """The view after an event, as a thin client makes it."""
    assert frame["seq"] == view["seq"] + 1, (frame["seq"], view["seq"])
    changed = {place["name"]: place for place in frame["places"]}
    figures = {name: frame[name] for name in ("seq", "score", "moves", "undos", "undo_left", "status", "elapsed_ms")}
    return {**view, **figures, "places": [changed.get(place["name"], place) for place in view["places"]]}
