"""Sealed dailies over HTTP: what was committed to, my one attempt, the archive, the manifest."""

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from server.api.answers import JSON, Answer
from server.api.endpoint import Access, Call, Endpoint
from server.api.errors import ProblemError, not_found
from server.api.games import seen
from server.api.queries import Nothing
from server.api.wire import GameId, Ruleset, Time
from server.contest.calendar import Day, day, day_of, days_ahead
from server.contest.daily import NotOpenYet, StartsClosed, daily_rulesets
from server.play.codec import utc_text
from server.play.commands import CommandId
from server.play.playthrough import Status
from server.play.records import Header
from server.play.view import MoveView, View
from server.store import dailies as stored
from server.store.dailies import Daily

Date = Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}$", description="A UTC day", examples=["2026-11-30"])]
Month = Annotated[str, Meta(pattern=r"^\d{4}-(0[1-9]|1[0-2])$", examples=["2026-11"])]
Sha256 = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class Mine(Struct, frozen=True):
    """My attempt: the game, and how it stands."""

    game: GameId
    status: Status


class DailyItem(Struct, frozen=True):
    """One ruleset of a day. ``commitment`` is the SHA-256 of the code (null until a deal has been found, and
    then it can't be started); ``code`` and the winning ``line`` are null until the close, the line also where
    none is known. ``mine`` is there with a token: my attempt, or null."""

    ruleset: str
    commitment: Sha256 | None
    committed_at: Time | None
    certified: bool | None
    code: str | None
    line: list[MoveView] | None
    mine: Mine | UnsetType | None = UNSET


class DailyDay(Struct, frozen=True):
    """One UTC day: an attempt starts from ``opens_at`` on and before ``last_start_at``, a command counts before
    ``closes_at``; then everything is revealed. ``swept`` says whether the ranks are final."""

    date: str
    opens_at: Time
    last_start_at: Time
    closes_at: Time
    swept: bool
    items: list[DailyItem]


class DailyDays(Struct, frozen=True):
    """The days of a month that have dailies, newest first."""

    items: list[DailyDay]


class MonthQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Which month; this one where it is left out."""

    month: Month | UnsetType = UNSET


class Start(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An explicit start. The attempt, its times and the public name are open after the close: starting says so."""

    command_id: CommandId | UnsetType = UNSET


class ManifestRow(Struct, frozen=True):
    """One result: ``keys`` are what the ruleset ranks by, ``link`` the last of the game's log."""

    game: GameId
    keys: dict[str, int]
    link: Sha256
    owner: Sha256
    rank: int


class Manifest(Struct, frozen=True):
    """What is published of a daily at its close: canonical JSON, never rewritten. ``previous`` is the SHA-256 of
    the bytes of this ruleset's manifest before."""

    code: str
    commitment: Sha256
    date: str
    previous: Sha256 | None
    rows: list[ManifestRow]
    ruleset: str


# -- reading ----------------------------------------------------------------------------------------


def named_day(call: Call[Any, Any]) -> Day:
    """The day in the path; raises ``not_found`` for what is no date."""
    try:
        return day(call.path("date"))
    except ValueError:
        raise not_found() from None


async def show_month(call: Call[MonthQuery, Nothing]) -> DailyDays:
    now = call.services.clock.now()
    month = day_of(now).date[:7] if call.query.month is UNSET else call.query.month
    made = await call.services.database.read(stored.between, f"{month}-01", f"{month}-31")
    dates = {daily.date for daily in made} | {ahead.date for ahead in days_ahead(now) if ahead.date[:7] == month}
    mine = await _mine(call, dates)
    days = [_shown(day(date), [one for one in made if one.date == date], mine, now) for date in dates]
    return DailyDays(sorted(days, key=lambda one: one.date, reverse=True))


async def show_day(call: Call[Nothing, Nothing]) -> DailyDay:
    wanted, now = named_day(call), call.services.clock.now()
    made = await call.services.database.read(stored.between, wanted.date, wanted.date)
    if not made and wanted not in days_ahead(now):
        raise not_found()
    return _shown(wanted, made, await _mine(call, {wanted.date}), now)


async def _mine(call: Call[Any, Any], dates: set[str]) -> dict[tuple[str, str], Header] | None:
    """My attempts on these days, or None without a token."""
    if call.player is None:
        return None
    headers = await call.services.database.read(stored.attempts_of, call.player, sorted(dates))
    return {(header.date or "", header.ruleset): header for header in headers}


def _shown(wanted: Day, made: list[Daily], mine: dict[tuple[str, str], Header] | None, now: int) -> DailyDay:
    of_ruleset = {daily.ruleset: daily for daily in made}
    rulesets = [*daily_rulesets(), *(ruleset for ruleset in of_ruleset if ruleset not in daily_rulesets())]
    return DailyDay(
        date=wanted.date,
        opens_at=utc_text(wanted.opens_at),
        last_start_at=utc_text(wanted.last_start_at),
        closes_at=utc_text(wanted.closes_at),
        swept=bool(made) and all(daily.swept_at is not None for daily in made),
        items=[_item(wanted, ruleset, of_ruleset.get(ruleset), mine, now) for ruleset in rulesets],
    )


def _item(
    wanted: Day, ruleset: str, daily: Daily | None, mine: dict[tuple[str, str], Header] | None, now: int
) -> DailyItem:
    attempt: Mine | UnsetType | None = UNSET
    if mine is not None:
        header = mine.get((wanted.date, ruleset))
        attempt = None if header is None else Mine(header.id, _status(header, now))
    if daily is None:
        return DailyItem(ruleset, None, None, None, None, None, attempt)
    revealed = now >= wanted.closes_at
    return DailyItem(
        ruleset=ruleset,
        commitment=daily.commitment,
        committed_at=utc_text(daily.committed_at),
        certified=daily.certified,
        code=daily.code if revealed else None,
        line=msgspec.json.decode(daily.line, type=list[Any]) if revealed and daily.line else None,
        mine=attempt,
    )


def _status(header: Header, now: int) -> Any:
    """The stored status, or expired for an attempt whose time is over."""
    over = header.until is not None and now >= header.until and header.status in ("playing", "dead_end")
    return "expired" if over else header.status


# -- playing ----------------------------------------------------------------------------------------


async def attempt(call: Call[Nothing, Start]) -> View:
    command_id = None if call.body.command_id is UNSET else call.body.command_id
    wanted = named_day(call)
    try:
        started = await call.services.dailies.start(call.me.player, wanted.date, call.path("ruleset"), command_id)
    except NotOpenYet as early:
        opens_at = utc_text(early.opens_at)
        raise ProblemError("not_open_yet", f"this daily opens at {opens_at}", opens_at=opens_at) from None
    except StartsClosed as late:
        last = utc_text(late.last_start_at)
        raise ProblemError("starts_closed", f"the last start was at {last}", last_start_at=last) from None
    if started is None:
        raise not_found()
    return seen(call, started)


async def show_manifest(call: Call[Nothing, Nothing]) -> Answer:
    """The very bytes that were published, so that anybody may hash them."""
    wanted, ruleset = named_day(call), call.path("ruleset")
    daily = await call.services.database.read(stored.get, wanted.date, ruleset)
    if daily is None:
        raise not_found()
    text = await call.services.database.read(stored.manifest, wanted.date, ruleset)
    if text is None:
        closes_at = utc_text(wanted.closes_at)
        raise ProblemError("sealed", f"it is published once the day has closed at {closes_at}", until=closes_at)
    return Answer(text.encode(), JSON)


DAY: Any = {"date": Date}
DAILY: Any = {"date": Date, "ruleset": Ruleset}

ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/v1/dailies",
        handle=show_month,
        summary="The days of a month that have dailies; with a token, my attempts too",
        group="Dailies",
        access=Access.READER,
        query=MonthQuery,
        answer=DailyDays,
    ),
    Endpoint(
        method="GET",
        path="/v1/dailies/{date}",
        handle=show_day,
        summary="One day: commitments, and after the close the codes and winning lines",
        group="Dailies",
        access=Access.READER,
        parameters=DAY,
        answer=DailyDay,
        problems=("not_found",),
    ),
    Endpoint(
        method="POST",
        path="/v1/dailies/{date}/{ruleset}/attempt",
        handle=attempt,
        summary="Start my one ranked attempt, or get it again",
        group="Dailies",
        parameters=DAILY,
        body=Start,
        bodiless=True,
        status=201,
        answer=View,
        problems=("not_found", "not_open_yet", "starts_closed", "command_id_reused", "game_quarantined"),
    ),
    Endpoint(
        method="GET",
        path="/v1/dailies/{date}/{ruleset}/manifest",
        handle=show_manifest,
        summary="What was published at the close: every row, with the last link of its log",
        group="Dailies",
        access=Access.OPEN,
        parameters=DAILY,
        answer=Manifest,
        problems=("not_found", "sealed"),
    ),
)
