"""Pictures of games over HTTP."""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from server.api.answers import NO_STORE, Answer
from server.api.board_svg import board_svg
from server.api.endpoint import Access, Call, Endpoint
from server.api.games import GAME, game_at, readable, seen
from server.api.queries import Nothing

# A picture may be opened by itself: then it is a document, and one that needs nothing.
_POLICY = (b"content-security-policy", b"default-src 'none'; frame-ancestors *")


class PictureQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """When to look."""

    at: Annotated[int, Meta(ge=1, le=2**31 - 1, description="As it was after this event")] | UnsetType = UNSET


async def board(call: Call[PictureQuery, Nothing]) -> Answer:
    game = await game_at(call, await readable(call), call.query.at)
    return Answer(board_svg(seen(call, game)).encode(), b"image/svg+xml", headers=(NO_STORE, _POLICY))


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/v1/games/{id}/board.svg",
        handle=board,
        summary="A picture of the table, now or after event `at`",
        group="Games",
        access=Access.READER,
        parameters=GAME,
        query=PictureQuery,
        others={"image/svg+xml": str},
        problems=("not_found", "game_quarantined"),
    ),
)
