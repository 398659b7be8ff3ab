"""The log of a game over HTTP: pages, a stream of lines, and waiting for what comes next."""

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated

from msgspec import Meta, Struct

from server.api.answers import NDJSON, Stream, encode
from server.api.endpoint import Access, Call, Endpoint
from server.api.games import GAME, readable
from server.api.queries import Nothing
from server.api.wire import Limit
from server.play.records import Header
from server.play.view import EventView, event_views

LONGEST_WAIT_S = 25
_LINES_AT_ONCE = 500


class EventsQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Which events. With ``wait`` an answer that would be empty is held back until there is one, for so many
    seconds at most."""

    after: Annotated[int, Meta(ge=0, le=2**31 - 1, description="Events after this seq")] = 0
    limit: Limit = 50
    wait: Annotated[int, Meta(ge=0, le=LONGEST_WAIT_S, description="Long poll, in seconds")] = 0


class Events(Struct, frozen=True):
    """A page of a log. ``next`` is the seq to give as ``after`` for the next page, or null at the head."""

    items: list[EventView]
    next: int | None


async def list_events(call: Call[EventsQuery, Nothing]) -> Events | Stream:
    header = await readable(call)
    game = await call.services.referee.look(header.id)  # a log that does not verify is not told of
    # Only who has seen everything can wait for more.
    if call.query.wait and game is not None and game.playthrough.seq == call.query.after:
        await _wait_for_news(call, header)
    if call.accepts("application/x-ndjson"):
        return await Stream.begin(_lines(call, header), NDJSON)
    return await _page(call, header)


async def _page(call: Call[EventsQuery, Nothing], header: Header) -> Events:
    query, services = call.query, call.services
    records = await services.referee.records(header.id, after=query.after, limit=query.limit + 1)
    items = event_views(header, records[: query.limit], now=services.clock.now())
    return Events(items, items[-1].seq if len(records) > query.limit else None)


async def _wait_for_news(call: Call[EventsQuery, Nothing], header: Header) -> None:
    """Return when there is an event after the one asked for, the time is up, the client has gone, or this process is
    about to end."""
    query, services = call.query, call.services
    waits = [
        asyncio.ensure_future(waiting)
        for waiting in (
            services.referee.news(header.id, query.after, query.wait),
            services.draining.wait(),
            call.disconnected(),
        )
    ]
    try:
        done, _ = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for waiting in done:
            waiting.result()
    finally:
        for waiting in waits:
            waiting.cancel()


async def _lines(call: Call[EventsQuery, Nothing], header: Header) -> AsyncIterator[bytes]:
    """The events, one a line, some hundred at a time, however long the log is."""
    after, services = call.query.after, call.services
    while records := await services.referee.records(header.id, after=after, limit=_LINES_AT_ONCE):
        views = event_views(header, records, now=services.clock.now())
        yield b"".join(encode(one) + b"\n" for one in views)
        after = records[-1].seq
        if len(records) < _LINES_AT_ONCE:
            return


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/v1/games/{id}/events",
        handle=list_events,
        summary="The log: pages of JSON, or with `Accept: application/x-ndjson` all of it, one event a line",
        group="Games",
        access=Access.READER,
        parameters=GAME,
        query=EventsQuery,
        answer=Events,
        others={"application/x-ndjson": EventView},
        problems=("not_found", "game_quarantined"),
    ),
)
