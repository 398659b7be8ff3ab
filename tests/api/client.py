"""A client that believes nothing: each answer is held against the OpenAPI document before the test sees it."""

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import httpx2
import jsonschema_rs
import msgspec
from starlette.applications import Starlette

from server.api.routes import ENDPOINTS
from server.api.schema import openapi

DOCUMENT = openapi(ENDPOINTS)

_PATHS = [
    (re.compile(re.sub(r"\{\w+\}", "[^/]+", path).replace(".", r"\.")), path)
    for path in sorted(DOCUMENT["paths"], key=lambda path: path.count("{"))
]
_VALIDATORS: dict[tuple[str, str], Any] = {}
_numbers = count(1)


class Undocumented(AssertionError):
    """An answer that the document does not tell of."""


def operation_of(method: str, path: str) -> tuple[str, dict[str, Any]] | None:
    """The documented path and operation that a request means, or None."""
    for pattern, template in _PATHS:
        if pattern.fullmatch(path):
            methods = DOCUMENT["paths"][template]
            operation = methods.get("get" if method == "HEAD" else method.lower())
            return None if operation is None else (template, operation)
    return None


async def check(response: httpx2.Response) -> None:
    """Raise `Undocumented` for an answer that the document does not tell of."""
    await response.aread()
    assert re.fullmatch("[0-9a-f]{16}", response.headers["x-request-id"])
    request, media = response.request, response.headers.get("content-type", "")
    hold(request.method, request.url.path, response.status_code, media, response.content)


def hold(method: str, path: str, status: int, media: str, content: bytes) -> None:
    """Hold an answer against the document; raises `Undocumented` for a status, a kind or a body that is not in it."""
    found = operation_of(method, path)
    if found is None or status == 304:
        return
    template, operation = found
    name, media = f"{method} {template} {status}", media.partition(";")[0]
    described = operation["responses"].get(str(status))
    if described is None:
        raise Undocumented(f"{name}: {content!r}")
    if "content" not in described:
        if content:
            raise Undocumented(f"{name} has a body: {content!r}")
        return
    if media not in described["content"]:
        raise Undocumented(f"{name} comes as {media!r}")
    if method == "HEAD" or media.startswith(("text/", "image/")):
        return
    schema = described["content"][media]["schema"]
    validator = _VALIDATORS.get((name, media))
    if validator is None:
        whole = {**schema, "components": DOCUMENT["components"]}
        validator = jsonschema_rs.Draft202012Validator(whole, validate_formats=True)
        _VALIDATORS[name, media] = validator
    for line in content.splitlines() if media == "application/x-ndjson" else [content]:
        for error in validator.iter_errors(msgspec.json.decode(line)):
            raise Undocumented(f"{name}: {error}")


@dataclass
class Player:
    """A player with a token, who asks as one."""

    http: httpx2.AsyncClient
    id: str
    token: str
    recovery: str
    headers: Mapping[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.headers = {"authorization": f"Bearer {self.token}"}

    async def ask(self, method: str, path: str, body: Any = None, **more: Any) -> httpx2.Response:
        given = {} if body is None else {"json": body}
        headers = {**self.headers, **more.pop("headers", {})}
        return await self.http.request(method, path, headers=headers, **given, **more)

    async def get(self, path: str, **more: Any) -> httpx2.Response:
        return await self.ask("GET", path, **more)

    async def deal(self, code: str = "HM1-N-AAAAAAB", **more: Any) -> "Table":
        response = await self.ask("POST", "/v1/games", {"code": code, **more})
        assert response.status_code == 201, response.text
        return Table(self, response.json())


@dataclass
class Table:
    """A game of a player."""

    player: Player
    view: dict[str, Any]

    @property
    def id(self) -> str:
        name: str = self.view["id"]
        return name

    @property
    def path(self) -> str:
        return f"/v1/games/{self.id}"

    async def send(self, do: str, **fields: Any) -> httpx2.Response:
        """A command, with an id of its own unless one is given."""
        command = {"command_id": f"c{next(_numbers)}", "do": do, **fields}
        return await self.player.ask("POST", self.path + "/commands", command)

    async def move(self, *remove: str) -> dict[str, Any]:
        """A removal that must be accepted."""
        response = await self.send("move", remove=list(remove))
        assert response.status_code == 200, response.text
        self.view = response.json()["view"]
        return self.view


@asynccontextmanager
async def client_of(app: Starlette, *, address: str = "192.0.2.1") -> AsyncIterator[httpx2.AsyncClient]:
    """A client of an application in this process, which must have been started."""
    transport = httpx2.ASGITransport(app, client=(address, 40000))
    async with httpx2.AsyncClient(
        transport=transport, base_url="http://moontide.test", event_hooks={"response": [check]}
    ) as http:
        yield http


async def join(http: httpx2.AsyncClient, **body: Any) -> Player:
    """A new player."""
    response = await http.post("/v1/players", json=body)
    assert response.status_code == 201, response.text
    made = response.json()
    return Player(http, made["player"]["id"], made["token"], made["recovery"])
