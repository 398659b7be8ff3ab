"""What a solitaire is to the rest of the server: values, errors, and the questions that it answers.

A game is one immutable value, whatever its rules:

    places   one ``bytes`` a place, in the order of the ruleset; the top card is the last byte
    score    points, never below zero
    moves    accepted moves that are not undone

A card is one byte, ``suit * 16 + rank`` (see `cards`). That shape makes the difference of two states, the
view and undo the same code for every game: a place has changed when its ``bytes`` are another object.

There are two shapes of move, and they are all that the wire, the log and the clients know:

    Removal    some places give up their top cards, which leave the game      {"remove": ["P1", "P8"]}
    Transfer   the last cards of one place go onto another                    {"from": "T3", "to": "T7", "count": 2}

What they do to the places is said here, for every game: a log is folded by it without a question to its game.

Two errors stand for two moments, as in any well-kept game library: `InvalidMove` is text that cannot be
read, whatever the state; `IllegalMove` is a move that can be read and is not allowed *here*. Neither
changes anything.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

Role = Literal["pile", "reserve", "column", "cell", "foundation"]


class State(NamedTuple):
    """One position of one game; see the module's docstring for the three fields."""

    places: tuple[bytes, ...]
    score: int = 0
    moves: int = 0


class Place(NamedTuple):
    """A named spot on the table, with where it is drawn.

    ``x`` and ``y`` are grid coordinates in cards (column and row, from 1, fractions allowed), ``drop`` is
    how deep the place hangs in the bow of the arc (0 to 1). ``shows`` says which of its cards a player may
    see: only the top one, or all. ``fanned`` says whether the cards overlap downwards when drawn.
    """

    name: str
    role: Role
    x: float
    y: float
    drop: float = 0.0
    shows: Literal["top", "all"] = "all"
    fanned: bool = False


class Removal(NamedTuple):
    """A move that takes the top card of each of some places out of the game; any order."""

    places: tuple[str, ...]


class Transfer(NamedTuple):
    """A move of the last ``count`` cards of ``source`` onto ``target``."""

    source: str
    target: str
    count: int = 1  # type: ignore[assignment]  # the wire's name for it; `tuple.count` is not missed


Move = Removal | Transfer


class Played(NamedTuple):
    """What a legal move brings: the cards it moves and the points that the score really gets."""

    cards: bytes
    points: int


class Selected(NamedTuple):
    """What a tap that moves nothing leaves selected, and why something did not fit (or None)."""

    selection: tuple[str, ...]
    reason: str | None = None


class InvalidMove(ValueError):
    """A move that cannot be read in this ruleset.

    ``reason`` is one of ``malformed``, ``bad_count``, ``no_such_place``, ``place_twice`` (RULES, "Reasons").
    """

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


class IllegalMove(ValueError):
    """A move that can be read and is not allowed in this state.

    ``reason`` is one of the closed list of RULES, ``places`` are the places that it speaks of.
    """

    def __init__(self, reason: str, places: tuple[str, ...] = ()) -> None:
        super().__init__(f"{reason}: {' '.join(places)}" if places else reason)
        self.reason = reason
        self.places = places


def require_places(index: Mapping[str, int], names: Iterable[str]) -> None:
    """Raise `InvalidMove` (``no_such_place``) where a name is no place of the ruleset with this ``index``."""
    for name in names:
        if name not in index:
            raise InvalidMove("no_such_place", f"no place {name[:20]!r} in this ruleset")


@runtime_checkable
class Solitaire(Protocol):
    """One ruleset: a game, the version of its rules, and a variant. Stateless; every answer is a value."""

    @property
    def game(self) -> str: ...  # two letters, "HM"
    @property
    def version(self) -> int: ...  # 1 to 9
    @property
    def variant(self) -> str: ...  # "N", "C4"
    @property
    def ruleset(self) -> str: ...  # "HM1-N"
    @property
    def title(self) -> str: ...  # "Half Moon"
    @property
    def places(self) -> tuple[Place, ...]: ...
    @property
    def index(self) -> Mapping[str, int]: ...  # a place's name to its index in `State.places`
    @property
    def move_type(self) -> type[Removal] | type[Transfer]: ...
    @property
    def commands(self) -> frozenset[str]: ...  # of "move", "tap", "double_tap"
    @property
    def selects(self) -> bool: ...  # whether a tap carries a selection
    @property
    def ranked_by(self) -> tuple[str, ...]: ...  # after "won": of "score", "undos", "seconds", "moves"
    @property
    def lenses(self) -> tuple[str, ...]: ...  # further orders that a board offers, ("moves",) or ()
    @property
    def daily(self) -> bool: ...  # whether this ruleset has a daily
    @property
    def reasons(self) -> tuple[str, ...]: ...  # the reasons of IllegalMove, first that applies first

    def deal(self, body: str) -> State:
        """The opening state of a code's body (DESIGN 4): the same for ever."""

    def parse_move(self, fields: Mapping[str, Any]) -> Move:
        """The move that these wire fields mean; raises `InvalidMove`. Inverse of `move_fields`."""

    def move_fields(self, move: Move) -> dict[str, Any]:
        """The wire fields of a move: ``{"remove": [...]}`` or ``{"from": ..., "to": ..., "count": ...}``."""

    def play(self, state: State, move: Move) -> Played:
        """Validate; raises `IllegalMove` with the first reason that applies. Changes nothing."""

    def apply(self, state: State, move: Move, points: int) -> State:
        """The state after a move that is known to be legal: trusts, never refuses; counts one move.

        It does what the shape of the move says and no more, since a long log is folded by the shape alone.
        """

    def tap(self, state: State, selection: tuple[str, ...], place: str) -> Move | Selected:
        """What a tap means: a move that is legal here, or a new selection.

        Raises `InvalidMove` for a name that is no place and for a selection where the game has none, else
        `IllegalMove`.
        """

    def double_tap(self, state: State, place: str) -> Move:
        """The legal move of a double tap; raises `IllegalMove`.

        Raises `InvalidMove` for a name that is no place and where the game has no double tap.
        """

    def fits(self, state: State, selection: tuple[str, ...]) -> tuple[str, ...]:
        """The places whose cards can go with the selection (RULES, "Tapping"), in the ruleset's order."""

    def legal_moves(self, state: State) -> Sequence[Move]:
        """Every move that `play` accepts, idle ones aside."""

    def is_won(self, state: State) -> bool: ...

    def is_dead_end(self, state: State) -> bool:
        """Whether no move is left that RULES counts ("Dead end"); False for a won state."""


@runtime_checkable
class Searchable(Protocol):
    """What a solitaire answers besides, if its dailies are to be certified by the solver."""

    def search_moves(self, state: State) -> Sequence[Move]:
        """The legal moves worth trying, best first; may leave out moves that never decide whether a deal is won."""

    def search_key(self, state: State) -> bytes:
        """Equal keys have the same fate: the memory of the search."""
