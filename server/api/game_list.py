"""Lists of games over HTTP: one's own, and those that are public."""

from collections.abc import Callable
from typing import Annotated, Literal, NamedTuple

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
from server.play.records import Header
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


class Wanted(NamedTuple):
    """The filters of a list of games, as the store has their values."""

    code: str | None
    ruleset: str | None
    status: str | None
    since: int | None
    until: int | None

    def takes(self, header: Header) -> bool:
        """Whether a game is among those asked for."""
        return (
            self.code in (None, header.code)
            and self.ruleset in (None, header.ruleset)
            and self.status in (None, header.status)
            and (self.since is None or header.created_at >= self.since)
            and (self.until is None or header.created_at < self.until)
        )


async def list_games(call: Call[GamesQuery, Nothing]) -> Games:
    query = call.query
    cursor = None if query.cursor is UNSET else read_cursor(query.cursor)
    wanted = Wanted(
        code=None if query.code is UNSET else code_wanted(query.code),
        ruleset=ruleset_wanted(query.ruleset),
        status=given(query.status),
        since=time_wanted("since", query.since),
        until=time_wanted("until", query.until),
    )
    if query.watching is not UNSET:
        return await _public(call, wanted, cursor)
    if call.player is None:
        raise token_needed()
    # Asking for a code must not tell that a sealed game has it, not even by there being a next page.
    open_at = call.services.clock.now() if wanted.code else None
    found = await call.services.database.read(
        stored.of_player, call.player, limit=query.limit + 1, cursor=cursor, open_at=open_at, **wanted._asdict()
    )
    return _page(call, found)


async def _public(call: Call[GamesQuery, Nothing], wanted: Wanted, cursor: Cursor | None) -> Games:
    """A page of everybody's public games. It may be short, even empty, and still have a next one."""
    # Nor does a cursor name a game that only its player may know of.
    open_at = call.services.clock.now()
    found = await call.services.database.read(stored.public, limit=call.query.limit + 1, cursor=cursor, open_at=open_at)
    return _page(call, found, wanted.takes)


def _page(
    call: Call[GamesQuery, Nothing], found: list[Header], shows: Callable[[Header], bool] = lambda header: True
) -> Games:
    """The page of what was found, which may be one more than fits; ``shows`` says whether a game is told of."""
    limit, now = call.query.limit, call.services.clock.now()
    items = [summary(header, now=now) for header in found[:limit] if shows(header)]
    if len(found) <= limit:
        return Games(items, None)
    return Games(items, str(Cursor(found[limit - 1].created_at, found[limit - 1].id)))


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
