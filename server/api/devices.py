"""Devices: each holds a token of its own. Add one with a pairing code, come back with the recovery code, revoke any."""

from collections.abc import Callable
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType
from sqlalchemy import Connection

from server.api.answers import Answer
from server.api.endpoint import Access, Call, Endpoint
from server.api.errors import ProblemError, not_found
from server.api.players import Label, PlayerView, player_view
from server.api.queries import Nothing
from server.api.wire import TokenId, given, is_id
from server.ids import read_pairing, read_recovery
from server.play.codec import utc_text
from server.store import pairings, tokens
from server.store.players import Player, player_by_recovery
from server.store.secrets import secret_hash

RECOVERED = "recovered"
"""The label of a device that came in with the recovery code: so the others are told of it."""


class NewPairing(Struct, frozen=True, forbid_unknown_fields=True):
    """Nothing needs to be said."""


class PairingView(Struct, frozen=True):
    """A code that adds one device, once, until ``expires_at``. A player has one at a time."""

    code: str
    expires_at: str


class PairingClaim(Struct, frozen=True, forbid_unknown_fields=True):
    """The pairing code that another device shows; case, spaces and hyphens do not matter."""

    code: Annotated[str, Meta(max_length=64)]
    label: Label | UnsetType = UNSET


class RecoveryClaim(Struct, frozen=True, forbid_unknown_fields=True):
    """The recovery code that was told when the player was made."""

    recovery: Annotated[str, Meta(max_length=200)]


class NewDevice(Struct, frozen=True):
    """A player on one more device. The token is told once."""

    player: PlayerView
    token: str


class DeviceView(Struct, frozen=True):
    """One device. ``label`` is what it was called, `recovered` for one that came in with the recovery code;
    ``current`` is true for the one that asks."""

    id: str
    label: str | None
    created_at: str
    current: bool


class Devices(Struct, frozen=True):
    """The devices that may come in, newest first."""

    items: list[DeviceView]


async def create_pairing(call: Call[Nothing, NewPairing]) -> Answer:
    services, code = call.services, call.services.ids.pairing()
    expires_at = await services.database.write(
        pairings.create_pairing, player=call.me.player, code_hash=secret_hash(code), now=services.clock.now()
    )
    return Answer.of(PairingView(code, utc_text(expires_at)), 201)


async def claim_pairing(call: Call[Nothing, PairingClaim]) -> Answer:
    code = read_pairing(call.body.code)
    return await _come_in(call, code, pairings.claim_pairing, label=given(call.body.label))


async def recover(call: Call[Nothing, RecoveryClaim]) -> Answer:
    def find(connection: Connection, secret: str, now: int) -> Player | None:
        return player_by_recovery(connection, secret)

    return await _come_in(call, read_recovery(call.body.recovery), find, label=RECOVERED)


Find = Callable[[Connection, str, int], Player | None]


async def _come_in(call: Call[Any, Any], code: str | None, find: Find, *, label: str | None) -> Answer:
    """A token for the player whom ``code`` leads to (None: it can't be one); ``find`` looks up its hash."""
    services = call.services
    guess = None if services.attempts is None else await services.attempts.code(call.address)
    token = services.ids.token()
    player = None
    if code is not None:
        player = await services.database.write(
            _add_device,
            find,
            secret_hash(code),
            token_id=services.ids.player(),
            token_hash=secret_hash(token),
            label=label,
            now=services.clock.now(),
        )
    if player is None:
        raise ProblemError("not_found", "there is no such code, or it can no longer be used")
    if guess is not None:
        await guess.back()
    return Answer.of(NewDevice(player_view(player), token), 201)


def _add_device(
    connection: Connection,
    find: Find,
    secret: str,
    *,
    token_id: str,
    token_hash: str,
    label: str | None,
    now: int,
) -> Player | None:
    player = find(connection, secret, now)
    if player is not None:
        tokens.add_token(connection, id=token_id, player=player.id, hash=token_hash, label=label, now=now)
    return player


async def list_devices(call: Call[Nothing, Nothing]) -> Devices:
    me = call.me
    held = await call.services.database.read(tokens.list_tokens, me.player)
    return Devices(
        [DeviceView(one.id, one.label, utc_text(one.created_at), current=one.id == me.token) for one in held]
    )


async def revoke(call: Call[Nothing, Nothing]) -> None:
    services, player, token = call.services, call.me.player, call.path("id")
    now = services.clock.now()
    if not is_id(token) or not await services.database.write(tokens.revoke, player, token, now):
        raise not_found()
    services.lock_out(player, [token])


ENDPOINTS = (
    Endpoint(
        method="POST",
        path="/v1/players/me/pairings",
        handle=create_pairing,
        summary="A short code that adds one more device within ten minutes",
        group="Devices",
        body=NewPairing,
        bodiless=True,
        status=201,
        answer=PairingView,
    ),
    Endpoint(
        method="POST",
        path="/v1/pairings",
        handle=claim_pairing,
        summary="Come in with the pairing code that another device shows",
        group="Devices",
        access=Access.OPEN,
        body=PairingClaim,
        status=201,
        answer=NewDevice,
        problems=("not_found",),
    ),
    Endpoint(
        method="POST",
        path="/v1/recoveries",
        handle=recover,
        summary="Come back in with the recovery code, when all devices are lost",
        group="Devices",
        access=Access.OPEN,
        body=RecoveryClaim,
        status=201,
        answer=NewDevice,
        problems=("not_found",),
    ),
    Endpoint(
        method="GET",
        path="/v1/players/me/tokens",
        handle=list_devices,
        summary="My devices, newest first",
        group="Devices",
        answer=Devices,
    ),
    Endpoint(
        method="DELETE",
        path="/v1/players/me/tokens/{id}",
        handle=revoke,
        summary="Lock a device out; its open sockets close within a second",
        group="Devices",
        parameters={"id": TokenId},
        status=204,
        problems=("not_found",),
    ),
)
