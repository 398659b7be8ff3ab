"""One game over HTTP: look at it, play it, say who may watch it."""

from time import perf_counter
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from server.api.auth import token_needed
from server.api.endpoint import Access, Call, Endpoint
from server.api.errors import ProblemError, not_found
from server.api.queries import Nothing
from server.api.wire import Flag, GameId, is_id, is_yes
from server.live.access import may_play
from server.live.keeper import Game
from server.live.referee import Taken
from server.play.codec import utc_text
from server.play.commands import Command
from server.play.playthrough import ENDED, Status
from server.play.records import Header
from server.play.refusals import Refusal, Stale
from server.play.secrecy import is_sealed
from server.play.view import DailyRef, EventView, View, event_views, view
from server.store import games as stored

Watching = Literal["private", "link", "public"]


class GameQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """How to see a game."""

    at: Annotated[int, Meta(ge=1, le=2**31 - 1, description="As it was after this event")] | UnsetType = UNSET
    legal: Flag = "0"


class TakenView(Struct, frozen=True):
    """An accepted command: the event that it made, and the game after it."""

    seq: int
    events: list[EventView]
    view: View


class ChosenView(Struct, frozen=True):
    """A tap that moves nothing: what is selected now, what goes with it, and why something did not fit, or null."""

    seq: int
    events: Annotated[list[EventView], Meta(max_length=0)]
    selection: tuple[str, ...]
    fits: tuple[str, ...]
    reason: str | None


class NewWatching(Struct, frozen=True, forbid_unknown_fields=True):
    """Who may watch: nobody else, whoever has the id, or everybody (then it is also listed)."""

    watching: Watching


class GameSummary(Struct, frozen=True):
    """A game in a list. ``code`` is null while the deal is sealed."""

    id: str
    code: str | None
    ruleset: str
    daily: DailyRef | None
    purpose: Literal["open", "daily", "race"]
    ranked: bool
    status: Status
    watching: Watching
    started_at: str
    until: str | None


# -- reading ----------------------------------------------------------------------------------------


async def readable(call: Call[Any, Any]) -> Header:
    """The row of the path's game, which the caller may see. What is not there and what may not be seen get one
    answer: ``not_found`` with a token, ``unauthenticated`` without."""
    game_id = call.path("id")
    header = await call.services.referee.header(game_id, call.player) if is_id(game_id) else None
    if header is None or not await call.services.may_read(header, call.player):
        raise not_found() if call.player is not None else token_needed()
    return header


async def owned(call: Call[Any, Any]) -> Header:
    """The row of the path's game, which is the caller's; raises ``not_found``, or ``forbidden`` for one that the
    caller may watch."""
    header = await readable(call)
    if not may_play(header, call.player):
        raise ProblemError("forbidden", "this game may be watched, but it is another player's")
    return header


async def show(call: Call[GameQuery, Nothing]) -> View:
    game = await game_at(call, await readable(call), call.query.at)
    return seen(call, game, legal=is_yes(call.query.legal))


async def game_at(call: Call[Any, Any], header: Header, at: int | UnsetType) -> Game:
    """A game now, or as it was after event ``at``; raises ``invalid_query`` where there is no such event."""
    referee = call.services.referee
    game = await (referee.look(header.id) if at is UNSET else referee.look_at(header.id, at))
    if game is None:
        raise ProblemError("invalid_query", f"'at': this game has no event {at}", name="at")
    return game


def seen(call: Call[Any, Any], game: Game, *, legal: bool = False) -> View:
    return view(game.header, game.playthrough, now=call.services.clock.now(), legal=legal)


# -- playing ----------------------------------------------------------------------------------------


async def command(call: Call[Nothing, Command]) -> TakenView | ChosenView:
    services, do, tally, began = call.services, call.body.do, call.services.tally, perf_counter()
    header = await owned(call)
    try:
        answer = await services.referee.command(header, call.body)
    except Refusal as refusal:
        tally.answered(do, refusal.code, perf_counter() - began)
        if isinstance(refusal, Stale):
            raise stale_problem(header, refusal, now=services.clock.now()) from None
        raise
    if isinstance(answer, Taken):
        tally.answered(do, "accepted", perf_counter() - began)
        now = services.clock.now()
        events = event_views(header, (answer.event.record,), now=now)
        return TakenView(events[-1].seq, events, view(answer.game.header, answer.game.playthrough, now=now))
    tally.answered(do, "selected", perf_counter() - began)
    chosen = answer.selection
    return ChosenView(answer.seq, [], chosen.selection, chosen.fits, chosen.reason)


def stale_problem(header: Header, stale: Stale, *, now: int) -> ProblemError:
    """The problem of a command that came too late, with the events that its sender has not seen."""
    missed = stale.params.get("missed")
    shown = None if missed is None else event_views(header, missed, now=now)
    return ProblemError("stale", stale.detail, seq=stale.params["seq"], missed=shown)


async def set_watching(call: Call[Nothing, NewWatching]) -> View:
    header = await owned(call)
    await call.services.database.write(stored.set_watching, header.id, call.body.watching)
    await call.services.referee.refresh(header.id)
    game = await call.services.referee.look(header.id)
    if game is None:
        raise not_found()
    return seen(call, game)


def summary(header: Header, *, now: int) -> GameSummary:
    """A game as a list shows it at ``now`` (ms UTC): from its row, without a replay."""
    over = header.until is not None and now >= header.until and header.status not in ENDED
    return GameSummary(
        id=header.id,
        code=None if is_sealed(header, now) else header.code,
        ruleset=header.ruleset,
        daily=DailyRef(header.date, header.ruleset) if header.date else None,
        purpose=header.purpose,  # type: ignore[arg-type]  # the table's check constraints keep these three
        ranked=header.ranked,
        status="expired" if over else header.status,  # type: ignore[arg-type]
        watching=header.watching,  # type: ignore[arg-type]
        started_at=utc_text(header.created_at),
        until=None if header.until is None else utc_text(header.until),
    )


GAME = {"id": GameId}

ENDPOINTS = (
    Endpoint(
        method="POST",
        path="/v1/games/{id}/commands",
        handle=command,
        summary="Move, tap, double tap, undo, resign",
        group="Games",
        parameters=GAME,
        body=Command,
        unreadable="invalid_command",
        answer=TakenView | ChosenView,
        problems=(
            "forbidden",
            "not_found",
            "stale",
            "game_over",
            "command_id_reused",
            "illegal_move",
            "game_quarantined",
        ),
        cost="command",
        examples={
            "half_moon_move": {"command_id": "7c9e6679", "after": 1, "do": "move", "remove": ["P1", "P8"]},
            "seahaven_move": {"command_id": "7c9e6680", "after": 1, "do": "move", "from": "T3", "to": "T7", "count": 2},
            "half_moon_tap": {"command_id": "7c9e6681", "do": "tap", "selection": ["P1"], "place": "P8"},
            "seahaven_double_tap": {"command_id": "7c9e6682", "do": "double_tap", "place": "T3"},
            "undo": {"command_id": "7c9e6683", "after": 2, "do": "undo"},
        },
    ),
    Endpoint(
        method="GET",
        path="/v1/games/{id}",
        handle=show,
        summary="The game as one may see it, now or after event `at`",
        group="Games",
        access=Access.READER,
        parameters=GAME,
        query=GameQuery,
        answer=View,
        problems=("not_found", "game_quarantined"),
    ),
    Endpoint(
        method="PUT",
        path="/v1/games/{id}/watching",
        handle=set_watching,
        summary="Who may watch: private, link or public",
        group="Games",
        parameters=GAME,
        body=NewWatching,
        answer=View,
        problems=("forbidden", "not_found", "game_quarantined"),
    ),
)
