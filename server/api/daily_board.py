"""The board of a sealed daily: provisional until the day has been swept, without links until it is revealed."""

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from server.api.boards import BoardQuery, BoardRow, OwnRow, board_row, next_cursor, own_row, part_wanted, ranking_wanted
from server.api.dailies import DAILY, named_day
from server.api.endpoint import Access, Call, Endpoint
from server.api.errors import not_found
from server.api.queries import Nothing
from server.play.board import daily_board
from server.store import boards, dailies
from server.store.boards import Bar


class HistogramBar(Struct, frozen=True):
    """How many finished with this score, won or not."""

    won: bool
    score: int
    players: int


class DailyBoard(Struct, frozen=True, kw_only=True):
    """The board of a daily, best first. While the day runs it has those who have finished; ``provisional`` is true
    until the ranks are final. ``code`` and every ``link`` are null until the close. ``histogram`` is best first."""

    board: str
    date: str
    ruleset: str
    code: str | None
    provisional: bool
    ranked_by: list[str]
    by: str | None
    players: int
    items: list[BoardRow]
    me: OwnRow | None
    histogram: list[HistogramBar]
    next: str | None


async def show(call: Call[BoardQuery, Nothing]) -> DailyBoard:
    wanted, ruleset, services = named_day(call), call.path("ruleset"), call.services
    daily = await services.database.read(dailies.get, wanted.date, ruleset)
    if daily is None:
        raise not_found()
    board, ranking = daily_board(wanted.date, ruleset), ranking_wanted(ruleset, call.query)
    part = await part_wanted(call, board, ranking)
    bars = await services.database.read(boards.histogram, board, ranking)
    sealed = services.clock.now() < wanted.closes_at
    own = None if part.own is None else own_row(part.own)
    items = [board_row(row) for row in part.rows]
    return DailyBoard(
        board=board,
        date=wanted.date,
        ruleset=ruleset,
        code=None if sealed else daily.code,
        provisional=daily.swept_at is None,
        ranked_by=list(ranking.ranked_by),
        by=ranking.lens or None,
        players=part.players,
        items=[replace(row, link=None) for row in items] if sealed else items,
        me=replace(own, link=None) if own is not None and sealed else own,
        histogram=[_bar(bar) for bar in bars],
        next=next_cursor(part),
    )


def _bar(bar: Bar) -> HistogramBar:
    return HistogramBar(*bar)


ENDPOINTS: tuple[Endpoint[Any, Any], ...] = (
    Endpoint(
        method="GET",
        path="/v1/dailies/{date}/{ruleset}/board",
        handle=show,
        summary="The board of a daily: its top, or the rows around mine, and how the scores spread",
        group="Dailies",
        access=Access.READER,
        parameters=DAILY,
        query=BoardQuery,
        answer=DailyBoard,
        problems=("not_found", "invalid_cursor"),
    ),
)
