"""Games over HTTP: deal one, look at it, play it, say who may watch it, list them."""

from collections.abc import Callable
from time import perf_counter
from typing import Annotated, Any, Literal, NamedTuple

from msgspec import UNSET, Meta, Struct, UnsetType

from server.api.answers import NO_STORE, Answer
from server.api.auth import token_needed
from server.api.cursors import Cursor, read_cursor
from server.api.endpoint import Access, Call, Endpoint
from server.api.errors import FieldError, ProblemError, not_found
from server.api.queries import Nothing
from server.api.rulesets import readable_code
from server.api.wire import Code, CursorText, Flag, GameId, Limit, Ruleset, Time, given, is_id, is_yes
from server.clock import parse_time
from server.live.access import may_play
from server.live.keeper import Game
from server.live.referee import Taken
from server.play.codec import canonical, digest, utc_text
from server.play.commands import Command, CommandId
from server.play.playthrough import ENDED, Status
from server.play.records import Header
from server.play.refusals import Refusal, Stale
from server.play.secrecy import is_sealed
from server.play.view import DailyRef, EventView, View, event_views, view
from server.solitaires import SOLITAIRES, read_code
from server.solitaires.codes import Code as DealCode
from server.solitaires.codes import InvalidCode, draw_code
from server.store import games as stored

Watching = Literal["private", "link", "public"]


class NewGame(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Either ``code``, the deal to play, or ``ruleset``, of which a deal is drawn. ``command_id`` makes the request
    safe to send again; with ``ranked`` false the game stays off the boards."""

    code: Code | UnsetType = UNSET
    ruleset: Ruleset | UnsetType = UNSET
    command_id: CommandId | UnsetType = UNSET
    ranked: bool = True


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


class Games(Struct, frozen=True):
    """One page of games, newest first; ``next`` is the cursor of the page after it, or null."""

    items: list[GameSummary]
    next: str | None


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


# -- dealing and playing ----------------------------------------------------------------------------


async def deal(call: Call[Nothing, NewGame]) -> Answer:
    services, wanted = call.services, call.body
    code, told = chosen_deal(wanted, services.entropy)
    command_id = services.ids.command() if wanted.command_id is UNSET else wanted.command_id
    game = await services.referee.open(
        call.me.player,
        code,
        command_id=command_id,
        digest=digest(canonical({"do": "deal", "ranked": wanted.ranked, **told})),
        ranked=wanted.ranked,
    )
    location = (b"location", b"/v1/games/" + game.header.id.encode())
    return Answer.of(seen(call, game), 201, [NO_STORE, location])


def chosen_deal(wanted: NewGame, entropy: Callable[[int], bytes]) -> tuple[DealCode, dict[str, str]]:
    """The code to deal, and what of the request tells it from another one."""
    if (wanted.code is UNSET) == (wanted.ruleset is UNSET):
        raise ProblemError(
            "invalid_body", "give either 'code' or 'ruleset'", errors=[FieldError("", "either, not both")]
        )
    if wanted.code is not UNSET:
        code = readable_code(wanted.code)
        return code, {"code": str(code)}
    ruleset = wanted.ruleset
    assert ruleset is not UNSET
    if ruleset not in SOLITAIRES:
        error = FieldError("/ruleset", f"one of {', '.join(SOLITAIRES)}")
        raise ProblemError("invalid_body", f"there is no such ruleset; {error.detail}", errors=[error])
    return draw_code(ruleset, entropy), {"ruleset": ruleset}


async def command(call: Call[Nothing, Command]) -> TakenView | ChosenView:
    services, do, began = call.services, call.body.do, perf_counter()
    header = await owned(call)
    try:
        answer = await services.referee.command(header, call.body)
    except Refusal as refusal:
        services.commands.add(do, refusal.code)
        if isinstance(refusal, Stale):
            raise stale_problem(header, refusal, now=services.clock.now()) from None
        raise
    finally:
        services.metrics.command_seconds.observe(perf_counter() - began)
    if isinstance(answer, Taken):
        services.commands.add(do, "accepted")
        now = services.clock.now()
        events = event_views(header, (event.record for event in answer.events), now=now)
        return TakenView(events[-1].seq, events, view(answer.game.header, answer.game.playthrough, now=now))
    services.commands.add(do, "selected")
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


# -- listing ----------------------------------------------------------------------------------------


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
        method="POST",
        path="/v1/games",
        handle=deal,
        summary="Deal a new game, of a code or of a ruleset",
        group="Games",
        body=NewGame,
        status=201,
        answer=View,
        problems=("invalid_code", "command_id_reused", "game_quarantined"),
        examples={"code": {"code": "HM1-N-AAAAAAB"}, "ruleset": {"ruleset": "SH1-C4"}},
    ),
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
