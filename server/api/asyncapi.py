"""The AsyncAPI 3 document of the socket, made from the types of `server.api.messages`."""

from typing import Any, Final, get_args

from msgspec import Struct

from server import __version__
from server.api import messages
from server.api.schema import EVENT_DATA, OVERRIDES
from server.api.shapes import Shapes
from server.api.wire import Time
from server.play.frames import FrameEvent

ABOUT: Final = """\
One socket for everything that is live. The first message is `hello` with the token (never in the address); `welcome`
answers it. Then `watch` the channels that you want and send `command`s. Of a command's own event, `event` comes before
`ack`. Ping every `heartbeat_s` seconds; after 2.5 times that without a frame the server closes. On a reconnect, say in
`hello.resume` what you had: you get exactly what you missed, or `resync` when that is too much. Ignore fields and
messages that you do not know. Close codes: 1003 for binary frames, 1008 with an error code as the reason
(`unauthenticated`, `too_many_requests`, `silent`), 1009 for frames over `limits.frame_bytes`, 1012 for a restart,
1013 while the storage does not answer."""

_GAME: Final = "01a22ec9-a946-74cc-8f1e-3b5957b3d912"
_COMMAND: Final = {"t": "command", "game": _GAME, "command_id": "7c9e"}

EXAMPLES: Final[dict[str, list[dict[str, Any]]]] = {
    "hello": [{"t": "hello", "token": "mt_" + "x" * 43, "resume": [{"channel": f"game:{_GAME}", "after": 12}]}],
    "watch": [{"t": "watch", "channel": f"game:{_GAME}", "after": 12, "legal": True}],
    "unwatch": [{"t": "unwatch", "channel": f"game:{_GAME}"}],
    "command": [
        {**_COMMAND, "after": 12, "do": "move", "remove": ["P1", "P8"]},
        {**_COMMAND, "after": 12, "do": "move", "from": "T3", "to": "T7", "count": 2},
        {**_COMMAND, "do": "tap", "selection": ["P1"], "place": "P8"},
        {**_COMMAND, "do": "double_tap", "place": "T3"},
        {**_COMMAND, "do": "undo"},
    ],
    "ping": [{"t": "ping"}],
}
"""A client's messages as they go over the wire; a test decodes them."""

_OVERRIDES: Final = {**OVERRIDES, (FrameEvent, "at"): Time, (FrameEvent, "data"): EVENT_DATA}


def asyncapi() -> dict[str, Any]:
    """The document of `/v1/live`, AsyncAPI 3.0, from the server's side: it receives what clients say."""
    shapes = Shapes(_OVERRIDES)
    said = [_message(kind, shapes) for kind in get_args(messages.ClientMessage)]
    told = [_message(kind, shapes) for kind in get_args(messages.ServerMessage)]
    channel = {"$ref": "#/channels/live"}
    return {
        "asyncapi": "3.0.0",
        "info": {"title": "Moontide, live", "version": __version__, "description": ABOUT},
        "defaultContentType": "application/json",
        "channels": {
            "live": {
                "address": "/v1/live",
                "description": "The WebSocket: one message a text frame.",
                "messages": {
                    message["name"]: {"$ref": f"#/components/messages/{message['name']}"} for message in said + told
                },
            }
        },
        "operations": {
            "hear": {
                "action": "receive",
                "channel": channel,
                "summary": "What a client says",
                "messages": [{"$ref": f"#/channels/live/messages/{message['name']}"} for message in said],
            },
            "tell": {
                "action": "send",
                "channel": channel,
                "summary": "What the server says",
                "messages": [{"$ref": f"#/channels/live/messages/{message['name']}"} for message in told],
            },
        },
        "components": {
            "messages": {message["name"]: message for message in said + told},
            "schemas": dict(sorted(shapes.components.items())),
        },
    }


def _message(kind: type[Struct], shapes: Shapes) -> dict[str, Any]:
    name = str(kind.__struct_config__.tag)
    schema = shapes.of(kind)
    described = shapes.components[schema["$ref"].rpartition("/")[2]]
    message = {"name": name, "summary": described.get("description", name), "payload": schema}
    if name in EXAMPLES:
        message["examples"] = [{"payload": example} for example in EXAMPLES[name]]
    return message
