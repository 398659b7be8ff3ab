"""Everything that is kept of a player, as one JSON document: made and sent game by game, however many there are."""

from collections.abc import AsyncIterator

from msgspec import Struct

from server.api.answers import JSON, Stream, encode
from server.api.endpoint import Call, Endpoint
from server.api.errors import not_found
from server.api.games import GameSummary, summary
from server.api.players import OwnView, own_view
from server.api.queries import Nothing
from server.play.codec import utc_text
from server.play.records import Header
from server.play.view import EventView, event_views
from server.store import games, tokens
from server.store.players import player_by_id

_GAMES_AT_ONCE = 50


class ExportedDevice(Struct, frozen=True):
    """A device that may come in; of its token only a hash is kept."""

    id: str
    label: str | None
    created_at: str


class ExportedGame(Struct, frozen=True):
    """A game with its log. With ``salt``, SHA-256(salt, then the player's id) is the owner that the log names; null
    for a game that is still sealed."""

    game: GameSummary
    command_id: str
    salt: str | None
    events: list[EventView]


class Export(Struct, frozen=True):
    """What is kept of a player. Games are newest first, sealed ones in their sealed form."""

    exported_at: str
    player: OwnView
    devices: list[ExportedDevice]
    games: list[ExportedGame]


async def export_me(call: Call[Nothing, Nothing]) -> Stream:
    services, me = call.services, call.me
    player = await services.database.read(player_by_id, me.player)
    if player is None:
        raise not_found()
    devices = await services.database.read(tokens.list_tokens, me.player)
    head = Export(
        exported_at=utc_text(services.clock.now()),
        player=own_view(player),
        devices=[ExportedDevice(one.id, one.label, utc_text(one.created_at)) for one in devices],
        games=[],
    )
    return await Stream.begin(_parts(call, head), JSON)


async def _parts(call: Call[Nothing, Nothing], head: Export) -> AsyncIterator[bytes]:
    text = encode(head)
    assert text.endswith(b"[]}")
    yield text[:-2]
    cursor, comma = None, b""
    while page := await call.services.database.read(
        games.of_player, call.me.player, limit=_GAMES_AT_ONCE, cursor=cursor
    ):
        for header in page:
            yield comma + encode(await _exported(call, header))
            comma = b","
        cursor = (page[-1].created_at, page[-1].id)
    yield b"]}"


async def _exported(call: Call[Nothing, Nothing], header: Header) -> ExportedGame:
    now = call.services.clock.now()
    records = await call.services.referee.records(header.id)
    shown = summary(header, now=now)
    return ExportedGame(
        game=shown,
        command_id=header.command_id,
        salt=None if shown.code is None else header.salt,
        events=event_views(header, records, now=now),
    )


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/v1/players/me/export",
        handle=export_me,
        summary="Everything that is kept of me",
        group="Players",
        answer=Export,
        problems=("not_found",),
    ),
)
