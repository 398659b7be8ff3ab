"""The frame that tells watchers of one event: encoded once, however many watch.

It carries what the event changed, so that a client folds it onto the state that it has: the changed
places and the figures of the banner. Watchers that asked for legal moves get a second text, made only
when one of them is there.
"""

from msgspec import UNSET, Raw, Struct, UnsetType
from msgspec.json import Encoder

from server.play.codec import canonical, utc_text
from server.play.events import Event
from server.play.playthrough import Playthrough, Status
from server.play.records import Header
from server.play.secrecy import is_sealed, sealed_dealt
from server.play.view import MoveView, PlaceView, legal_views, place_view


class FrameEvent(Struct, frozen=True, gc=False):
    """The event inside a frame."""

    type: str
    at: str
    data: Raw


class EventFrame(Struct, frozen=True, gc=False, tag_field="t", tag="event"):
    """One event of a game, what it changed, and the figures after it."""

    channel: str
    seq: int
    event: FrameEvent
    places: list[PlaceView]
    score: int
    moves: int
    undos: int
    undo_left: int
    status: Status
    elapsed_ms: int
    legal: list[MoveView] | UnsetType = UNSET


_encode = Encoder().encode


def event_frame(header: Header, event: Event, after: Playthrough, *, now: int, legal: bool = False) -> EventFrame:
    """The frame of ``event``, which led to ``after``."""
    state, record = after.state, event.record
    spots, held = after.solitaire.places, state.places
    data = record.data
    if record.type == "dealt" and is_sealed(header, now):
        data = canonical(sealed_dealt(header))
    changed: list[PlaceView] = []
    for index in after.changed:  # of two or three places: a comprehension's own call takes longer than they do
        changed.append(place_view(spots[index], held[index]))
    return EventFrame(
        "game:" + record.game,
        record.seq,
        FrameEvent(record.type, utc_text(record.at), Raw(data.encode())),
        changed,
        state.score,
        state.moves,
        after.undos,
        after.history.moves,
        after.status,
        record.at - after.started_at,
        legal_views(after, now) if legal else UNSET,
    )


def encode_frame(frame: EventFrame) -> str:
    """The frame's text as it goes onto the socket."""
    return _encode(frame).decode()
