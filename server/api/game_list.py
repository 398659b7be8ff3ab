"""Lists of games over HTTP: one's own, and those that are public."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from server.api.auth import token_needed
from server.api.cursors import Cursor, read_cursor
from server.api.endpoint import Access, Call, Endpoint
from server.api.errors import ProblemError
from server.api.games import GameSummary, summary
from server.api.queries import Nothing
from server.api.wire import Code, CursorText, Limit, Ruleset, Time, given
from server.clock import parse_time
from server.play.playthrough import Status
from server.solitaires import SOLITAIRES, read_code
from server.solitaires.codes import InvalidCode
from server.store import games as stored


class GamesQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Which games. ``watching=public`` lists everybody's public games instead of one's own; no token is needed then."""

    code: Code | UnsetType = UNSET
    ruleset: Ruleset | UnsetType = UNSET
    status: Status | UnsetType = UNSET
    since: Annotated[Time, Meta(description="Dealt at this time or later")] | UnsetType = UNSET
    until: Annotated[Time, Meta(description="Dealt before this time")] | UnsetType = UNSET
    watching: Literal["public"] | UnsetType = UNSET
    cursor: CursorText | UnsetType = UNSET
    limit: Limit = 50


class Games(Struct, frozen=True):
    """One page of games, newest first; ``next`` is the cursor of the page after it, or null."""

    items: list[GameSummary]
    next: str | None


async def list_games(call: Call[GamesQuery, Nothing]) -> Games:
    query, services = call.query, call.services
    cursor = None if query.cursor is UNSET else read_cursor(query.cursor)
    filters = stored.Filters(
        code=None if query.code is UNSET else code_wanted(query.code),
        ruleset=ruleset_wanted(query.ruleset),
        status=given(query.status),
        since=time_wanted("since", query.since),
        until=time_wanted("until", query.until),
    )
    now, one_more = services.clock.now(), query.limit + 1
    if query.watching is not UNSET:
        # A cursor must not name a game that only its player may know of.
        filters["open_at"] = now
        found = await services.database.read(stored.public, limit=one_more, cursor=cursor, **filters)
    elif call.player is None:
        raise token_needed()
    else:
        # Asking for a code must not tell that a sealed game has it, not even by there being a next page.
        filters["open_at"] = now if filters["code"] else None
        found = await services.database.read(stored.of_player, call.player, limit=one_more, cursor=cursor, **filters)
    items = [summary(header, now=now) for header in found[: query.limit]]
    if len(found) < one_more:
        return Games(items, None)
    last = found[query.limit - 1]
    return Games(items, str(Cursor(last.created_at, last.id)))


def code_wanted(text: str) -> str:
    try:
        return str(read_code(text))
    except InvalidCode as error:
        raise ProblemError("invalid_query", f"'code': {error.detail}", name="code", part=error.part) from None


def ruleset_wanted(name: str | UnsetType) -> str | None:
    if name is UNSET:
        return None
    if name not in SOLITAIRES:
        raise ProblemError("invalid_query", f"'ruleset': one of {', '.join(SOLITAIRES)}", name="ruleset")
    return name


def time_wanted(name: str, text: str | UnsetType) -> int | None:
    if text is UNSET:
        return None
    try:
        return parse_time(text)
    except ValueError as error:
        raise ProblemError("invalid_query", f"{name!r}: {error}", name=name) from None


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/v1/games",
        handle=list_games,
        summary="My games, newest first; with `watching=public` everybody's public ones",
        group="Games",
        access=Access.READER,
        query=GamesQuery,
        answer=Games,
        problems=("invalid_cursor",),
    ),
)
