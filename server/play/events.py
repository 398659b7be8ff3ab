"""The events of a game's log, as typed values.

    dealt      the cards as dealt, and under what terms     always seq 1, never again
    moved      one accepted move                            a Removal or a Transfer, by the ruleset
    undone     one move taken back; the move stays in the log
    resigned   given up by the player
    expired    its time ran out (dailies, races)

``points`` is what the score really got, which is less than the rule's number where the floor of zero cut
a loss short. The fields stand in alphabetical order, so that their JSON is canonical as it comes out.
"""

from typing import Any, ClassVar, Literal

from msgspec import UNSET, Struct, UnsetType, field

from server.play.records import Record

Purpose = Literal["open", "daily", "race"]


class Dealt(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """``places`` holds every card as dealt (top card last), so no later shuffler can rewrite history;
    ``until`` is the instant (ms UTC) from which no command is taken, or None."""

    type: ClassVar[str] = "dealt"

    code: str
    owner: str
    places: dict[str, list[str]]
    purpose: Purpose
    until: int | None


class Moved(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """Either ``remove`` (a Removal) or ``from``, ``to`` and ``count`` (a Transfer)."""

    type: ClassVar[str] = "moved"

    cards: tuple[str, ...]
    count: int | UnsetType = UNSET
    source: str | UnsetType = field(default=UNSET, name="from")
    points: int = 0
    remove: tuple[str, ...] | UnsetType = UNSET
    target: str | UnsetType = field(default=UNSET, name="to")


class Undone(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """``undoes`` is the seq of the move; ``points`` what the score got back (the negative of the move's)."""

    type: ClassVar[str] = "undone"

    points: int
    undoes: int


class Resigned(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    type: ClassVar[str] = "resigned"


class Expired(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    type: ClassVar[str] = "expired"


EventData = Dealt | Moved | Undone | Resigned | Expired

# (type, version) -> how the stored text is read; a new version keeps the old one's reader beside its own.
READERS: dict[tuple[str, int], Any] = {
    ("dealt", 1): Dealt,
    ("moved", 1): Moved,
    ("undone", 1): Undone,
    ("resigned", 1): Resigned,
    ("expired", 1): Expired,
}

EXPIRED_BY = "~expired"
"""The command id of the sweep: ``~`` is not allowed in a client's, so no client can take it."""


class Event(Struct, frozen=True, gc=False):
    """One event: the stored record and what its text means."""

    record: Record
    data: EventData

    @property
    def seq(self) -> int:
        return self.record.seq

    @property
    def type(self) -> str:
        return self.record.type

    @property
    def at(self) -> int:
        """Milliseconds UTC."""
        return self.record.at
