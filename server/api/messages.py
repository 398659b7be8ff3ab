"""What is said on the socket: one closed set of messages each way, each a type of its own.

The types are what the code decodes and encodes and what `/asyncapi.json` is generated from. A command on
the socket is a command over HTTP with ``t`` and ``game`` beside it.
"""

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from server.api.errors import Problem
from server.play.commands import Command, Seq
from server.play.frames import EventFrame
from server.play.view import View

Channel = Annotated[str, Meta(max_length=128, description="game:ID, daily:DATE or board:ID")]


class WatchRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A channel to watch; ``after`` is the last event that is known, left out for a whole ``state``."""

    channel: Channel
    after: Seq | UnsetType = UNSET
    legal: bool = False


class Hello(Struct, frozen=True, forbid_unknown_fields=True, tag_field="t", tag="hello", kw_only=True):
    """The first message: the token, and what to take up again."""

    token: Annotated[str, Meta(max_length=256)]
    resume: Annotated[list[WatchRequest], Meta(max_length=64)] = []


class Watch(WatchRequest, frozen=True, forbid_unknown_fields=True, tag_field="t", tag="watch", kw_only=True):
    """Follow a channel: answered by ``state``, by the missed events and ``watching``, or by ``resync``."""


class Unwatch(Struct, frozen=True, forbid_unknown_fields=True, tag_field="t", tag="unwatch", kw_only=True):
    """Follow a channel no more. Not answered."""

    channel: Channel


class CommandMessage(Command, frozen=True, forbid_unknown_fields=True, tag_field="t", tag="command", kw_only=True):
    """A command on a game: answered by ``ack``, ``selected`` or ``refused``."""

    game: Annotated[str, Meta(max_length=64)]


class Ping(Struct, frozen=True, forbid_unknown_fields=True, tag_field="t", tag="ping"):
    """Say every ``heartbeat_s`` that one is still there; answered by ``pong``."""


ClientMessage = Hello | Watch | Unwatch | CommandMessage | Ping


class SocketLimits(Struct, frozen=True):
    """What one socket may do."""

    frame_bytes: int
    channels: int
    sockets: int


class Welcome(Struct, frozen=True, tag_field="t", tag="welcome"):
    """The answer to ``hello``: the server's time, how often to ping (seconds), and the limits."""

    now: str
    heartbeat_s: float | int
    limits: SocketLimits


class StateMessage(Struct, frozen=True, tag_field="t", tag="state"):
    """The whole state of a game as of event ``seq``."""

    channel: str
    seq: int
    view: View


class Watching(Struct, frozen=True, tag_field="t", tag="watching"):
    """All missed events have been sent, up to ``seq``; from here on they come as they happen."""

    channel: str
    seq: int


class Resync(Struct, frozen=True, tag_field="t", tag="resync"):
    """The channel is not followed any more: watch it again without ``after``."""

    channel: str


class Presence(Struct, frozen=True, tag_field="t", tag="presence"):
    """About how many watch the channel."""

    channel: str
    watchers: int


class Ack(Struct, frozen=True, tag_field="t", tag="ack"):
    """The command is stored as event ``seq``."""

    command_id: str
    seq: int


class Selected(Struct, frozen=True, tag_field="t", tag="selected"):
    """The answer to a tap that removes nothing."""

    command_id: str
    seq: int
    selection: tuple[str, ...]
    fits: tuple[str, ...]
    reason: str | None


class Refused(Struct, frozen=True, tag_field="t", tag="refused"):
    """A message that was not taken; ``command_id`` or ``channel`` says which."""

    problem: Problem
    command_id: str | UnsetType = UNSET
    channel: str | UnsetType = UNSET


class Draining(Struct, frozen=True, tag_field="t", tag="draining"):
    """This process is about to stop: connect again after so many milliseconds."""

    reconnect_in_ms: int


class Pong(Struct, frozen=True, tag_field="t", tag="pong"):
    """The server's time."""

    now: str


ServerMessage = (
    Welcome | StateMessage | EventFrame | Watching | Resync | Presence | Ack | Selected | Refused | Draining | Pong
)

decode_client = msgspec.json.Decoder(ClientMessage).decode
_encode = msgspec.json.Encoder().encode


def encode(message: ServerMessage) -> str:
    """The text of one message to a client."""
    return _encode(message).decode()


def names_in(text: str) -> dict[str, Any]:
    """Of a message that can't be read: its ``t``, ``command_id`` and ``channel``, as far as they are text."""
    try:
        message = msgspec.json.decode(text)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return {}
    if not isinstance(message, dict):
        return {}
    names = {name: message.get(name) for name in ("t", "command_id", "channel")}
    return {name: value for name, value in names.items() if isinstance(value, str) and len(value) <= 128}
