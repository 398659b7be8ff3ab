"""The OpenAPI document, made from the table of routes and the types that the code really uses."""

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import UnsetType

from server import __version__
from server.api.dealing import NewGame
from server.api.endpoint import Access, Endpoint
from server.api.errors import PROBLEMS, FieldError, Problem
from server.api.games import GameSummary
from server.api.players import PlayerView
from server.api.shapes import Overrides, Shapes
from server.api.wire import Card, GameId, PlayerId, Time
from server.play.commands import Command
from server.play.events import Dealt, Expired, Moved, Resigned, Undone
from server.play.view import EventView, PlaceView, View

ABOUT = """\
A game server for the solitaires Half Moon and Seahaven Towers. A client needs no rule of the games: it sends what was
tapped or dragged, and draws the view that comes back.

1. `POST /v1/players` makes a guest. Keep the token; send it as `Authorization: Bearer mt_…` from then on.
2. `POST /v1/games` deals a game and answers with its first view.
3. `POST /v1/games/{id}/commands` plays. `command_id` is yours to choose; a command that is sent again with the same id
   is answered as the first time and counts once. `after` is the `seq` that you have seen.

Everything that goes wrong is an RFC 9457 problem with a stable `code`. Ignore fields that you do not know. `/v1/live`
is a WebSocket that pushes every event, see `/asyncapi.json`."""


class SealedDealt(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `dealt` says while the deal is sealed."""

    code: None
    purpose: str
    until: int | None


def _command(do: str, required: list[str], optional: Iterable[str] = ()) -> dict[str, Any]:
    """One form of a command: the fields of its own that it needs, and those that it may have."""
    own = ("remove", "from", "to", "count", "selection", "place")
    barred = {name: False for name in own if name not in (*required, *optional)}
    return {"properties": {"do": {"const": do}, **barred}, "required": required}


EVENT_DATA: Any = Dealt | SealedDealt | Moved | Undone | Resigned | Expired

# What is known of a field beyond the annotation that the inner floors give it.
OVERRIDES: Overrides = {
    (View, "id"): GameId,
    (View, "started_at"): Time,
    (View, "until"): Time | None,
    (View, "legal"): View.__annotations__["legal"],
    (PlaceView, "cards"): tuple[Card, ...],
    (EventView, "at"): Time,
    (EventView, "data"): EVENT_DATA,
    (GameSummary, "id"): GameId,
    (GameSummary, "started_at"): Time,
    (GameSummary, "until"): Time | None,
    (PlayerView, "id"): PlayerId,
}

# Which fields go together.
MORE: dict[type, dict[str, Any]] = {
    NewGame: {"oneOf": [{"required": ["code"]}, {"required": ["ruleset"]}]},
    Command: {
        "oneOf": [
            _command("move", ["remove"]),
            _command("move", ["from", "to"], ["count"]),
            _command("tap", ["place"], ["selection"]),
            _command("double_tap", ["place"]),
            _command("undo", []),
            _command("resign", []),
        ]
    },
}


def openapi(endpoints: Iterable[Endpoint[Any, Any]]) -> dict[str, Any]:
    """The document of these routes, OpenAPI 3.1."""
    shapes = Shapes(OVERRIDES, MORE)
    paths: dict[str, Any] = {}
    for endpoint in endpoints:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint, shapes)
    shapes.of(FieldError)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Moontide", "version": __version__, "description": ABOUT},
        "paths": paths,
        "components": {
            "schemas": dict(sorted(shapes.components.items())),
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "description": "`mt_` and 43 characters"}
            },
        },
    }


def operation_id(endpoint: Endpoint[Any, Any]) -> str:
    """A name for generated clients: the method and the words of the path."""
    words = [word.strip("{}").replace(".", "_") for word in endpoint.path.split("/") if word not in ("", "v1")]
    return "_".join([endpoint.method.lower(), *words])


def _operation(endpoint: Endpoint[Any, Any], shapes: Shapes) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": operation_id(endpoint),
        "summary": endpoint.summary,
        "tags": [endpoint.group],
        "security": _SECURITY[endpoint.access],
    }
    parameters = [
        {"name": name, "in": "path", "required": True, **_described(shapes.of(kind))}
        for name, kind in endpoint.parameters.items()
    ]
    parameters += _query(endpoint.query, shapes)
    if parameters:
        operation["parameters"] = parameters
    if endpoint.body is not None:
        content: dict[str, Any] = {"schema": shapes.of(endpoint.body)}
        if endpoint.examples:
            content["examples"] = {name: {"value": value} for name, value in endpoint.examples.items()}
        operation["requestBody"] = {"required": not endpoint.bodiless, "content": {"application/json": content}}
    operation["responses"] = {**_answers(endpoint, shapes), **_problems(endpoint, shapes)}
    return operation


_SECURITY: dict[Access, list[dict[str, list[str]]]] = {
    Access.OPEN: [],
    Access.READER: [{}, {"token": []}],
    Access.PLAYER: [{"token": []}],
}


def _query(kind: type[msgspec.Struct], shapes: Shapes) -> list[dict[str, Any]]:
    from typing import get_type_hints

    hints = get_type_hints(kind, include_extras=True)
    parameters = []
    for one in msgspec.structs.fields(kind):
        schema = shapes.of(hints[one.name])
        if not isinstance(one.default, UnsetType):
            schema["default"] = one.default
        parameters.append({"name": one.encode_name, "in": "query", "required": one.required, **_described(schema)})
    return parameters


def _described(schema: dict[str, Any]) -> dict[str, Any]:
    """A parameter's schema, with its description where tools look for it."""
    text = schema.pop("description", None)
    return {"schema": schema, "description": text} if text else {"schema": schema}


def _answers(endpoint: Endpoint[Any, Any], shapes: Shapes) -> dict[str, Any]:
    content = {media: {"schema": shapes.of(kind)} for media, kind in endpoint.others.items()}
    if endpoint.answer is not None:
        content = {"application/json": {"schema": shapes.of(endpoint.answer)}, **content}
    answer: dict[str, Any] = {"description": endpoint.summary, "headers": _headers("X-Request-Id")}
    if content:
        answer["content"] = content
    return {str(endpoint.status): answer}


def _problems(endpoint: Endpoint[Any, Any], shapes: Shapes) -> dict[str, Any]:
    by_status: dict[int, list[str]] = {}
    for code in endpoint.codes:
        by_status.setdefault(PROBLEMS[code].status, []).append(code)
    problem = shapes.of(Problem)
    answers = {}
    for status, codes in sorted(by_status.items()):
        narrowed = {"allOf": [problem, {"properties": {"code": {"enum": codes}, "status": {"const": status}}}]}
        answers[str(status)] = {
            "description": "; ".join(f"`{code}`: {PROBLEMS[code].meaning}" for code in codes),
            "headers": _headers("X-Request-Id", *_WITH.get(status, ())),
            "content": {"application/problem+json": {"schema": narrowed}},
        }
    return answers


_WITH = {401: ("WWW-Authenticate",), 429: ("Retry-After",), 503: ("Retry-After",)}
_HEADERS = {
    "X-Request-Id": {"schema": {"type": "string"}, "description": "The name of this request in the server's logs"},
    "Retry-After": {"schema": {"type": "integer"}, "description": "Seconds"},
    "WWW-Authenticate": {"schema": {"type": "string"}},
}


def _headers(*names: str) -> dict[str, Any]:
    return {name: _HEADERS[name] for name in names}
