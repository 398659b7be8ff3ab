"""Players over HTTP: a guest in one request, a name whenever one likes, and everything back or gone on request."""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType
from sqlalchemy import Connection

from server.api.answers import Answer
from server.api.endpoint import Access, Call, Endpoint
from server.api.errors import FieldError, ProblemError, not_found
from server.api.names import read_name
from server.api.queries import Nothing
from server.api.wire import PlayerId, given, is_id
from server.play.codec import utc_text
from server.store import players as stored
from server.store import tokens
from server.store.players import Player
from server.store.secrets import secret_hash

# No pattern: "letters" needs Unicode properties, which the patterns of JSON Schema do not have everywhere.
Name = Annotated[
    str,
    Meta(
        max_length=100,
        description="2 to 20 letters, digits, spaces and - _ ' after NFKC; spaces around it are dropped",
        examples=["Ada"],
        extra_json_schema={"minLength": 2, "maxLength": 20},
    ),
]
Label = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=64,
        pattern="^[^\\u0000-\\u001f\\u007f-\\u009f]*$",
        description="What the device is called in the list of devices",
        examples=["phone"],
    ),
]


class NewPlayer(Struct, frozen=True, forbid_unknown_fields=True):
    """A guest needs nothing; a name may be given now or later. ``label`` is for this first device."""

    name: Name | UnsetType | None = UNSET
    label: Label | UnsetType = UNSET


class PlayerChange(Struct, frozen=True, forbid_unknown_fields=True):
    """A new name; null makes a guest again."""

    name: Name | None


class PlayerView(Struct, frozen=True):
    """A player as everybody may see them. ``name`` is null for a guest; it is not unique, so show the tag with it."""

    id: str
    name: str | None
    tag: str


class OwnView(Struct, frozen=True):
    """A player as they see themselves."""

    id: str
    name: str | None
    tag: str
    created_at: str


class Welcomed(Struct, frozen=True):
    """A new player. ``token`` and ``recovery`` are told once: keep the token on the device, the recovery code
    somewhere safe, for the day when all devices are lost."""

    player: PlayerView
    token: str
    recovery: str


def player_view(player: Player) -> PlayerView:
    return PlayerView(player.id, player.name, player.tag)


def own_view(player: Player) -> OwnView:
    return OwnView(player.id, player.name, player.tag, utc_text(player.created_at))


def name_of(text: str | None) -> str | None:
    """The name in its one form; raises ``invalid_body``."""
    if text is None:
        return None
    try:
        return read_name(text)
    except ValueError as error:
        detail = f"a name {error}"
        raise ProblemError("invalid_body", detail, errors=[FieldError("/name", detail)]) from None


async def create(call: Call[Nothing, NewPlayer]) -> Answer:
    services, wanted = call.services, call.body
    name = name_of(given(wanted.name))
    if services.attempts is not None:
        await services.attempts.new_player(call.address)
    token, recovery = services.ids.token(), services.ids.recovery()
    player = await services.database.write(
        _create,
        player=services.ids.player(),
        name=name,
        recovery_hash=secret_hash(recovery),
        token_id=services.ids.player(),
        token_hash=secret_hash(token),
        label=given(wanted.label),
        now=services.clock.now(),
    )
    return Answer.of(Welcomed(player_view(player), token, recovery), 201)


def _create(
    connection: Connection,
    *,
    player: str,
    name: str | None,
    recovery_hash: str,
    token_id: str,
    token_hash: str,
    label: str | None,
    now: int,
) -> Player:
    made = stored.create_player(connection, id=player, name=name, recovery_hash=recovery_hash, now=now)
    tokens.add_token(connection, id=token_id, player=player, hash=token_hash, label=label, now=now)
    return made


async def show_me(call: Call[Nothing, Nothing]) -> OwnView:
    player = await call.services.database.read(stored.player_by_id, call.me.player)
    if player is None:
        raise not_found()
    return own_view(player)


async def change_me(call: Call[Nothing, PlayerChange]) -> OwnView:
    player = await call.services.database.write(stored.rename, call.me.player, name_of(call.body.name))
    if player is None:
        raise not_found()
    return own_view(player)


async def erase_me(call: Call[Nothing, Nothing]) -> None:
    services, player = call.services, call.me.player
    devices = await services.database.read(tokens.list_tokens, player)
    await services.database.write(stored.delete_player, player)
    services.referee.forget_player(player)
    services.lock_out(player, [device.id for device in devices])


async def show(call: Call[Nothing, Nothing]) -> PlayerView:
    player_id = call.path("id")
    player = await call.services.database.read(stored.player_by_id, player_id) if is_id(player_id) else None
    if player is None:
        raise not_found()
    return player_view(player)


ENDPOINTS = (
    Endpoint(
        method="POST",
        path="/v1/players",
        handle=create,
        summary="A new player: a guest, or one with a name",
        group="Players",
        access=Access.OPEN,
        body=NewPlayer,
        status=201,
        answer=Welcomed,
        examples={"guest": {}, "named": {"name": "Ada"}},
    ),
    Endpoint(
        method="GET",
        path="/v1/players/me",
        handle=show_me,
        summary="Who I am",
        group="Players",
        answer=OwnView,
        problems=("not_found",),
    ),
    Endpoint(
        method="PATCH",
        path="/v1/players/me",
        handle=change_me,
        summary="Change my name",
        group="Players",
        body=PlayerChange,
        answer=OwnView,
        problems=("not_found",),
        examples={"name": {"name": "Ada"}},
    ),
    Endpoint(
        method="DELETE",
        path="/v1/players/me",
        handle=erase_me,
        summary="Erase me: name, devices, and what leads from the logs of my games to me",
        group="Players",
        status=204,
    ),
    Endpoint(
        method="GET",
        path="/v1/players/{id}",
        handle=show,
        summary="A player as everybody may see them",
        group="Players",
        access=Access.OPEN,
        parameters={"id": PlayerId},
        answer=PlayerView,
        problems=("not_found",),
    ),
)
