"""Open boards over HTTP: one a deal code, with the best finished game of each player."""

from typing import Annotated, Literal, NamedTuple

from msgspec import UNSET, Meta, Struct, UnsetType, field
from sqlalchemy import Connection

from server.api.auth import token_needed
from server.api.cursors import Cursor, read_cursor
from server.api.endpoint import Access, Call, Endpoint
from server.api.errors import ProblemError
from server.api.players import PlayerView, player_view
from server.api.queries import Nothing
from server.api.rulesets import readable_code
from server.api.wire import Code, CursorText, GameId, Limit
from server.play.board import code_board
from server.play.codec import utc_text
from server.play.ranking import Ranking, rankings
from server.solitaires import SOLITAIRES
from server.store import boards as stored
from server.store.boards import Own, Position, Row

LENSES = list(dict.fromkeys(lens for solitaire in SOLITAIRES.values() for lens in solitaire.lenses))

Lens = Annotated[
    str,
    Meta(
        description="A further order of the board, of the ruleset's `lenses`; left out: the ruleset's own order",
        extra_json_schema={"enum": LENSES},
    ),
]


class BoardQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Which part of a board. ``around`` shows one's own row with its neighbours, and needs a token; with ``cursor``
    either view goes on with the rows behind."""

    view: Literal["top", "around"] = "top"
    by: Lens | UnsetType = UNSET
    cursor: CursorText | UnsetType = UNSET
    limit: Limit = 50


class BoardRow(Struct, frozen=True, kw_only=True):
    """A player's best finished game. ``player`` is null where the player has been erased. ``seconds`` is the ranked
    time, from the deal to the last move or undo; ``try`` says which of the player's games of this code it was (null
    where nothing tells it any more). ``link`` is the last link of the game's log, which everybody may read; null on the
    board of a daily that is still sealed."""

    rank: int
    player: PlayerView | None
    game: GameId
    won: bool
    score: int
    undos: int
    moves: int
    seconds: int
    finished_at: str
    try_number: int | None = field(name="try")
    link: str | None


class OwnRow(BoardRow, frozen=True, kw_only=True):
    """My row. ``percentile`` is how many of the others are strictly worse, in percent; alone it is 100."""

    percentile: float


class Board(Struct, frozen=True):
    """A board, best first. ``ranked_by`` are the keys that count, the first that differs decides; equals share a
    rank, and the next has a gap. ``players`` is how many stand on the board, ``me`` my row wherever it is (null without
    a token, or without a finished game). Anyone may have practised a deal that is played by its code."""

    board: str
    code: str
    ruleset: str
    ranked_by: list[str]
    by: str | None
    players: int
    items: list[BoardRow]
    me: OwnRow | None
    next: str | None


class Part(NamedTuple):
    """What was read of a board at one moment; ``more`` says whether there are rows behind."""

    rows: list[Row]
    more: bool
    own: Own | None
    players: int


async def show(call: Call[BoardQuery, Nothing]) -> Board:
    code = readable_code(call.path("code"))
    board, ranking = code_board(str(code)), ranking_wanted(code.ruleset, call.query)
    part = await part_wanted(call, board, ranking)
    return Board(
        board=board,
        code=str(code),
        ruleset=code.ruleset,
        ranked_by=list(ranking.ranked_by),
        by=ranking.lens or None,
        players=part.players,
        items=[board_row(row) for row in part.rows],
        me=None if part.own is None else own_row(part.own),
        next=next_cursor(part),
    )


def ranking_wanted(ruleset: str, query: BoardQuery) -> Ranking:
    """The order that a query asks for; raises ``invalid_query``."""
    orders = rankings(ruleset)
    if query.by is UNSET:
        return orders[""]
    if not query.by or query.by not in orders:
        has = ", ".join(lens for lens in orders if lens) or "none"
        raise ProblemError("invalid_query", f"'by': the boards of {ruleset} have these lenses: {has}", name="by")
    return orders[query.by]


async def part_wanted(call: Call[BoardQuery, Nothing], board: str, ranking: Ranking) -> Part:
    """The part of a board that a request asks for; raises ``invalid_cursor``, and ``unauthenticated`` where nobody is
    to be in the middle."""
    query = call.query
    after = None if query.cursor is UNSET else Position(*read_cursor(query.cursor))
    if query.view == "around" and call.player is None:
        raise token_needed()
    middle = query.view == "around" and after is None
    return await call.services.database.snapshot(
        _read, board, ranking, call.player, middle=middle, after=after, limit=query.limit
    )


def _read(
    connection: Connection,
    board: str,
    ranking: Ranking,
    player: str | None,
    *,
    middle: bool,
    after: Position | None,
    limit: int,
) -> Part:
    own = None if player is None else stored.standing(connection, board, ranking, player)
    if not middle:
        rows = stored.top(connection, board, ranking, limit=limit + 1, after=after)
        rows, more = rows[:limit], len(rows) > limit
    elif own is not None:
        rows = stored.around(connection, board, ranking, own.row.position.entrant, limit=limit)
        more = stored.has_more(connection, board, ranking, rows[-1].position)
    else:
        rows, more = [], False
    players = stored.count(connection, board) if own is None else own.rank.players
    return Part(rows, more, own, players)


def board_row(row: Row) -> BoardRow:
    return BoardRow(**_fields(row))  # type: ignore[arg-type]


def own_row(own: Own) -> OwnRow:
    return OwnRow(**_fields(own.row), percentile=own.rank.percentile)  # type: ignore[arg-type]


def next_cursor(part: Part) -> str | None:
    """The cursor of the rows behind, or None at the end."""
    if not part.more:
        return None
    last = part.rows[-1].position
    return str(Cursor(last.key, last.entrant))


def _fields(row: Row) -> dict[str, object]:
    result = row.result
    return {
        "rank": row.rank,
        "player": None if row.player is None else player_view(row.player),
        "game": result.game,
        "won": result.won,
        "score": result.score,
        "undos": result.undos,
        "moves": result.moves,
        "seconds": result.seconds,
        "finished_at": utc_text(result.finished_at),
        "try_number": row.try_number,
        "link": result.link,
    }


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/v1/boards/{code}",
        handle=show,
        summary="The board of a deal code: its top, or the rows around mine",
        group="Boards",
        access=Access.READER,
        parameters={"code": Code},
        query=BoardQuery,
        answer=Board,
        problems=("invalid_code", "invalid_cursor"),
    ),
)
