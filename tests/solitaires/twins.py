"""Twins: a solitaire that is in no book, to prove that a new one is one file and one line in the registry.

P1  P2  P3  P4       4 piles of 3 cards, aces to threes; only the top card is shown.
                     Two top cards of the same rank leave together.
"""

from collections.abc import Mapping
from itertools import combinations
from typing import Any, NoReturn

from server.solitaires.cards import parse_cards
from server.solitaires.protocol import (
    IllegalMove,
    InvalidMove,
    Move,
    Place,
    Played,
    Removal,
    State,
    require_places,
)
from server.solitaires.shuffle import shuffle

DECK = parse_cards("AS 2S 3S AH 2H 3H AD 2D 3D AC 2C 3C".split())


class Twins:
    game = "TW"
    version = 1
    variant = "X"
    ruleset = "TW1-X"
    title = "Twins"
    places = tuple(Place(f"P{number}", "pile", float(number), 1.0, shows="top") for number in range(1, 5))
    index: Mapping[str, int] = {place.name: at for at, place in enumerate(places)}
    move_type = Removal
    commands = frozenset({"move"})
    selects = False
    ranked_by = ("score", "seconds")
    lenses = ()
    daily = False
    reasons = ("nothing_there", "must_be_twins")

    def deal(self, body: str) -> State:
        cards = shuffle(f"TW1:{body}", DECK)
        return State(tuple(cards[at : at + 3] for at in range(0, 12, 3)))

    def parse_move(self, fields: Mapping[str, Any]) -> Removal:
        match fields:
            case {"remove": [str(one), str(other)], **rest} if not rest:
                require_places(self.index, (one, other))
                return Removal((one, other))
        raise InvalidMove("malformed", "a move is two places")

    def move_fields(self, move: Move) -> dict[str, Any]:
        assert isinstance(move, Removal)
        return {"remove": list(move.places)}

    def play(self, state: State, move: Move) -> Played:
        assert isinstance(move, Removal)
        cards = b"".join(state.places[self.index[name]][-1:] for name in move.places)
        if len(cards) < 2:
            raise IllegalMove("nothing_there", move.places)
        if len(set(move.places)) < 2 or cards[0] % 16 != cards[1] % 16:
            raise IllegalMove("must_be_twins", move.places)
        return Played(cards, 7)

    def apply(self, state: State, move: Move, points: int) -> State:
        assert isinstance(move, Removal)
        taken = {self.index[name] for name in move.places}
        places = tuple(cards[:-1] if at in taken else cards for at, cards in enumerate(state.places))
        return State(places, state.score + points, state.moves + 1)

    def tap(self, state: State, selection: tuple[str, ...], place: str) -> NoReturn:
        raise InvalidMove("malformed", "Twins has no tap")

    def double_tap(self, state: State, place: str) -> NoReturn:
        raise InvalidMove("malformed", "Twins has no double tap")

    def fits(self, state: State, selection: tuple[str, ...]) -> tuple[str, ...]:
        return ()

    def legal_moves(self, state: State) -> list[Removal]:
        tops = [(name, state.places[at][-1] % 16) for name, at in self.index.items() if state.places[at]]
        return [Removal((one, other)) for (one, low), (other, high) in combinations(tops, 2) if low == high]

    def is_won(self, state: State) -> bool:
        return not any(state.places)

    def is_dead_end(self, state: State) -> bool:
        return any(state.places) and not self.legal_moves(state)
