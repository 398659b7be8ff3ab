"""What a client may see of a game: one builder for HTTP, WebSocket, spectators, replay, exports, pictures.

A view holds everything that is needed to draw the game and nothing that a player may not know: covered
cards are counted, never named; while a deal is sealed its code, its links and its ``dealt`` are kept.
"""

from collections.abc import Iterable
from typing import Literal

from msgspec import UNSET, Raw, Struct, UnsetType, field

from server.play.codec import canonical, utc_text
from server.play.playthrough import Playthrough, Status
from server.play.records import Header, Record
from server.play.secrecy import is_sealed, sealed_dealt, sealed_until
from server.solitaires.cards import ALONE, cards_text
from server.solitaires.protocol import Move, Place, Removal, Role, Solitaire, State


class PlaceView(Struct, frozen=True, gc=False):
    """One place: how many cards it holds, and the visible ones, bottom first."""

    name: str
    role: Role
    count: int
    cards: tuple[str, ...]


class RemovalView(Struct, frozen=True, gc=False):
    """A move that removes the top cards of these places."""

    remove: tuple[str, ...]


class TransferView(Struct, frozen=True, gc=False):
    """A move of the last ``count`` cards of ``from`` onto ``to``."""

    source: str = field(name="from")
    target: str = field(name="to")
    count: int = 1


MoveView = RemovalView | TransferView


class DailyRef(Struct, frozen=True, gc=False):
    """Which daily a game belongs to: the UTC day, YYYY-MM-DD, and the ruleset."""

    date: str
    ruleset: str


class View(Struct, frozen=True, gc=False, kw_only=True):
    """A game as one may see it after event ``seq``. ``code`` is null while the deal is sealed.

    ``undos`` counts undone events and never goes down; ``undo_left`` is how many moves can be undone now.
    ``elapsed_ms`` runs from the deal to the newest event. ``until`` is the time from which no command is
    taken, or null. ``legal`` is there where it was asked for.
    """

    id: str
    code: str | None
    ruleset: str
    daily: DailyRef | None
    purpose: Literal["open", "daily", "race"]
    seq: int
    status: Status
    score: int
    moves: int
    undos: int
    undo_left: int
    started_at: str
    elapsed_ms: int
    until: str | None
    watching: Literal["private", "link", "public"]
    places: list[PlaceView]
    legal: list[RemovalView | TransferView] | UnsetType = UNSET


class EventView(Struct, frozen=True, gc=False):
    """One event as the wire tells it; ``link`` is null while the game is sealed."""

    seq: int
    type: str
    v: int
    seat: int
    at: str
    command_id: str
    data: Raw
    link: str | None


def place_view(place: Place, cards: bytes) -> PlaceView:
    """One place as a player may see it (RULES: of a pile only the top card is shown)."""
    count = len(cards)
    shown = ALONE[cards[-1]] if count == 1 or (count and place.shows == "top") else cards_text(cards)
    return PlaceView(place.name, place.role, count, shown)


def place_views(solitaire: Solitaire, state: State) -> list[PlaceView]:
    return [place_view(place, cards) for place, cards in zip(solitaire.places, state.places, strict=True)]


def move_view(move: Move) -> MoveView:
    if isinstance(move, Removal):
        return RemovalView(move.places)
    return TransferView(move.source, move.target, move.count)


def legal_views(playthrough: Playthrough, now: int) -> list[MoveView]:
    """The legal moves of the state, none once the game is over."""
    if playthrough.status_at(now) not in ("playing", "dead_end"):
        return []
    return [move_view(move) for move in playthrough.solitaire.legal_moves(playthrough.state)]


def view(header: Header, playthrough: Playthrough, *, now: int, legal: bool = False) -> View:
    """The game as one may see it at ``now`` (ms UTC)."""
    sealed = is_sealed(header, now)
    return View(
        id=header.id,
        code=None if sealed else header.code,
        ruleset=header.ruleset,
        daily=DailyRef(header.date, header.ruleset) if header.date else None,
        purpose=playthrough.purpose,
        seq=playthrough.seq,
        status=playthrough.status_at(now),
        score=playthrough.state.score,
        moves=playthrough.state.moves,
        undos=playthrough.undos,
        undo_left=playthrough.undo_left,
        started_at=utc_text(playthrough.started_at),
        elapsed_ms=playthrough.elapsed_ms,
        until=None if header.until is None else utc_text(header.until),
        watching=header.watching,  # type: ignore[arg-type]  # the table's check constraint keeps it in the closed set
        places=place_views(playthrough.solitaire, playthrough.state),
        legal=legal_views(playthrough, now) if legal else UNSET,
    )


def event_view(header: Header, record: Record, *, now: int) -> EventView:
    """One event as one may see it at ``now``."""
    sealed = is_sealed(header, now)
    data = canonical(sealed_dealt(header)) if sealed and record.type == "dealt" else record.data
    return EventView(
        record.seq,
        record.type,
        record.v,
        record.seat,
        utc_text(record.at),
        record.command_id,
        Raw(data.encode()),
        None if sealed else record.link,
    )


def event_views(header: Header, records: Iterable[Record], *, now: int) -> list[EventView]:
    return [event_view(header, record, now=now) for record in records]


def sealed_params(header: Header) -> dict[str, str | None]:
    """The ``params`` of a 409 ``sealed``: until when, or null where no time is known."""
    until = sealed_until(header)
    return {"until": utc_text(until) if until is not None and header.until is not None else None}
