"""Seahaven Towers: one deck, all face up, built down in suit, and home from ace to king.

      C1  C2  C3  C4          FS  FH  FD  FC        cells C1 … Cn, one card each (n = 4, 2 or 1);
      T1  T2  T3  T4  T5  T6  T7  T8  T9  T10       foundations, one a suit; columns of 5,
       |   |   |   |   |   |   |   |   |   |        the last two cards in the first two cells

A card goes onto the next higher card of its suit; only a king goes to an empty column. The last cards of a
column that are in sequence move as a block, up to (empty cells + 1) * 2 ** (empty columns) of them, as one
move of its own: it need not be possible card by card. Rules: RULES, "Seahaven Towers".

The next card of a suit is ``card + 1``. A king's next is no card, so a king fits on nothing.
"""

from collections.abc import Iterator, Mapping
from operator import itemgetter
from typing import Any, Final

from server.solitaires.cards import DECK, KING, SUITS
from server.solitaires.protocol import (
    IllegalMove,
    InvalidMove,
    Move,
    Place,
    Played,
    State,
    Transfer,
    require_places,
)
from server.solitaires.shuffle import shuffle

COLUMNS, HEIGHT = 10, 5
HOME, BACK = 10, 15
"""Points for a card that reaches a foundation, and those lost for one taken back."""

_SUITS = tuple(DECK[at : at + 13][::-1] for at in range(0, 52, 13))  # each from king to ace
_SEQUENCES = [suit[top:end] for suit in _SUITS for top in range(13) for end in range(top + 1, 14)]

_PLAYED: Final = {cards: Played(cards, 0) for cards in _SEQUENCES}
"""Every sequence, single cards among them, and what its move brings where no foundation has to do with it."""

_HOME: Final = {cards: Played(cards, HOME) for cards in _PLAYED if len(cards) == 1}
"""What a card brings that reaches its foundation."""

_FIELDS: Final = frozenset({"from", "to", "count"})
_NEXT: Final = tuple(bytes([card + 1]) for card in range(64))
_KINGS: Final = frozenset(card for card in DECK if card & 15 == KING)


class Seahaven:
    """The rulesets ``SH1-C4``, ``SH1-C2`` and ``SH1-C1``, which differ in the number of cells alone.

    >>> game = Seahaven(cells=4)
    >>> state = game.deal("AAAAAJ2")
    >>> move = game.double_tap(state, "T1")
    >>> game.play(state, move).points
    0
    """

    game = "SH"
    version = 1
    title = "Seahaven Towers"
    move_type = Transfer
    commands = frozenset({"move", "tap", "double_tap"})
    selects = False
    ranked_by = ("score", "seconds", "moves")
    lenses = ("moves",)
    daily = True
    reasons = (
        "same_place",
        "nothing_there",
        "one_card_at_a_time",
        "not_a_sequence",
        "foundation_to_foundation",
        "not_next_on_foundation",
        "cell_taken",
        "only_king_to_empty_column",
        "wrong_card_for_column",
        "too_many_cards",
        "no_foundation_yet",
        "nowhere_to_go",
    )

    def __init__(self, cells: int) -> None:
        self.variant = f"C{cells}"
        self.ruleset = f"{self.game}{self.version}-{self.variant}"
        self.places = (
            *(Place(f"T{1 + at}", "column", 1.0 + at, 2.0, fanned=True) for at in range(COLUMNS)),
            *(Place(f"C{1 + at}", "cell", 1.0 + at, 1.0) for at in range(cells)),
            *(Place(f"F{suit}", "foundation", 7.0 + at, 1.0) for at, suit in enumerate(SUITS)),
        )
        self._names = tuple(place.name for place in self.places)
        self.index: Mapping[str, int] = {name: at for at, name in enumerate(self._names)}
        # Places by what they are, as indexes: columns first, then cells, then foundations.
        self._foundations = COLUMNS + cells
        # Made once and found often: to make a `NamedTuple` takes longer than to look one up.
        self._single = tuple(tuple(Transfer(source, target) for target in self._names) for source in self._names)

    def deal(self, body: str) -> State:
        """Five cards to each column in turn; the last two to the first cells, or onto T2 where there is one cell."""
        cards = shuffle(f"{self.game}{self.version}:{body}", DECK)
        places = [cards[at : at + HEIGHT] for at in range(0, COLUMNS * HEIGHT, HEIGHT)]
        places += [b""] * (len(self.places) - COLUMNS)
        places[COLUMNS] = cards[-2:-1]
        second = COLUMNS + 1 if self._foundations > COLUMNS + 1 else 1
        places[second] += cards[-1:]
        return State(tuple(places))

    def parse_move(self, fields: Mapping[str, Any]) -> Transfer:
        """The transfer that ``from``, ``to`` and ``count`` (1 where it is left out) mean; raises `InvalidMove`."""
        source, target, count = fields.get("from"), fields.get("to"), fields.get("count", 1)
        if not isinstance(source, str) or not isinstance(target, str) or not fields.keys() <= _FIELDS:
            raise InvalidMove("malformed", "a move is `from`, `to`, perhaps `count`, and nothing else")
        if type(count) is not int or count < 1:
            raise InvalidMove("bad_count", "`count` is a whole number of 1 or more")
        require_places(self.index, (source, target))
        if count == 1:
            return self._single[self.index[source]][self.index[target]]
        return Transfer(source, target, count)

    def move_fields(self, move: Move) -> dict[str, Any]:
        assert isinstance(move, Transfer)
        return {"from": move.source, "to": move.target, "count": move.count}

    def play(self, state: State, move: Move) -> Played:
        """The cards that move, bottom first, and the points that the score really gets; raises `IllegalMove`."""
        assert isinstance(move, Transfer)
        places, (source, target, count) = state.places, move
        at, to = self.index[source], self.index[target]
        cards, onto = places[at][-count:], places[to]

        if at == to:
            raise IllegalMove("same_place", (source, target))
        if not cards:
            raise IllegalMove("nothing_there", (source,))
        if count != 1:
            if at >= COLUMNS or to >= COLUMNS:
                raise IllegalMove("one_card_at_a_time", (source, target))
            if len(cards) != count or cards not in _PLAYED:
                raise IllegalMove("not_a_sequence", (source, target))

        card, foundations = cards[0], self._foundations
        back = at >= foundations
        if to >= foundations:
            if back:
                raise IllegalMove("foundation_to_foundation", (source, target))
            if card != (to - foundations) * 16 + len(onto) + 1:
                raise IllegalMove("not_next_on_foundation", (source, target))
            return _HOME[cards]
        if to >= COLUMNS:
            if onto:
                raise IllegalMove("cell_taken", (source, target))
        elif not onto:
            if card not in _KINGS:
                raise IllegalMove("only_king_to_empty_column", (source, target))
        elif card + 1 != onto[-1]:
            raise IllegalMove("wrong_card_for_column", (source, target))
        if count != 1 and count > self._capacity(places, onto):
            raise IllegalMove("too_many_cards", (source, target))
        return Played(cards, -min(BACK, state.score)) if back else _PLAYED[cards]

    def apply(self, state: State, move: Move, points: int) -> State:
        assert isinstance(move, Transfer)
        places, (source, target, count) = [*state.places], move
        at, to = self.index[source], self.index[target]
        cards = places[at]
        places[at] = cards[:-count]
        places[to] += cards[-count:]
        # As `State(...)` does, in half of its time: once for every move, and for every move of a replay.
        return tuple.__new__(State, (tuple(places), state.score + points, state.moves + 1))

    def tap(self, state: State, selection: tuple[str, ...], place: str) -> Transfer:
        """The top card goes to its foundation; raises `IllegalMove` where that is not allowed."""
        if selection:
            raise InvalidMove("malformed", "a tap in Seahaven Towers has no selection")
        at, card = self._tapped(state, place)
        if card != self._next_home(state, card >> 4):
            raise IllegalMove("no_foundation_yet", (place,))
        return self._single[at][self._foundations + (card >> 4)]

    def double_tap(self, state: State, place: str) -> Transfer:
        """The top card goes to the first that takes it: its foundation, a column, an empty column, an empty cell."""
        at, card = self._tapped(state, place)
        for to in self._choices(state, at, card):
            return self._single[at][to]
        raise IllegalMove("nowhere_to_go", (place,))

    def fits(self, state: State, selection: tuple[str, ...]) -> tuple[str, ...]:
        """Nothing: there is no selection. What takes a card is in `legal_moves`."""
        return ()

    def legal_moves(self, state: State) -> list[Transfer]:
        """Every move but cell to cell, and a king with all of its column to an empty one."""
        places, foundations = state.places, self._foundations
        takes = {cards[-1] - 1: column for column, cards in enumerate(places[:COLUMNS]) if cards}
        home = {self._next_home(state, suit): foundations + suit for suit in range(4)}
        columns = [column for column in range(COLUMNS) if not places[column]]
        cells = [cell for cell in range(COLUMNS, foundations) if not places[cell]]
        most = (len(cells) + 1) << len(columns)

        moves: list[Transfer] = []
        for at, cards in enumerate(places):
            if not cards:
                continue
            card, single = cards[-1], self._single[at]
            if card in home:
                moves.append(single[home[card]])
            if cells and not COLUMNS <= at < foundations:
                for cell in cells:
                    moves.append(single[cell])
            # Only the head of a whole sequence can go to a column: every other card lies on its only next.
            count = 1
            while cards[-count - 1 : -count] == _NEXT[card]:
                card, count = card + 1, count + 1
            if card in takes:
                if count <= most:
                    to = takes[card]
                    moves.append(single[to] if count == 1 else Transfer(self._names[at], self._names[to], count))
            elif columns and card in _KINGS and count <= most >> 1 and (count < len(cards) or at >= COLUMNS):
                source = self._names[at]
                moves += [Transfer(source, self._names[column], count) for column in columns]
        return moves

    def is_won(self, state: State) -> bool:
        places = state.places
        return not (places[0] or any(places[1 : self._foundations]))  # T1 alone answers it most of the time

    def is_dead_end(self, state: State) -> bool:
        """No move is left but idle ones and taking back: a card taken back can only hold what is home already."""
        places = state.places
        cells = places[COLUMNS : self._foundations]
        if b"" in cells and (places[0] or any(places[1:COLUMNS])):
            return False
        # The usual case is answered by single cards; sequences and kings need an empty column.
        columns = places[:COLUMNS]
        tops = {cards[-1] for cards in places[: self._foundations] if cards}
        for cards in columns:
            if cards and cards[-1] - 1 in tops:
                return False
        for suit in range(4):
            if self._next_home(state, suit) in tops:
                return False
        if all(columns):
            return True
        return not self.is_won(state) and all(
            self.index[move.source] >= self._foundations for move in self.legal_moves(state)
        )

    def _next_home(self, state: State, suit: int) -> int:
        """The card that the foundation of ``suit`` takes next; no card when it is full."""
        return suit * 16 + len(state.places[self._foundations + suit]) + 1

    def _capacity(self, places: tuple[bytes, ...], onto: bytes) -> int:
        """The longest sequence that may move onto ``onto``; an empty column that is the target does not count."""
        cells = places[COLUMNS : self._foundations].count(b"")
        columns = places[:COLUMNS].count(b"")
        return (cells + 1) << (columns if onto else columns - 1)

    def _tapped(self, state: State, place: str) -> tuple[int, int]:
        """The index of a tapped column or cell, and its top card; raises `IllegalMove` for any other place."""
        require_places(self.index, (place,))
        at = self.index[place]
        if at >= self._foundations:
            raise IllegalMove("nowhere_to_go", (place,))
        if not state.places[at]:
            raise IllegalMove("nothing_there", (place,))
        return at, state.places[at][-1]

    def _choices(self, state: State, at: int, card: int) -> Iterator[int]:
        """Where a double tap may send the top card of a place, best first."""
        places, suit = state.places, card >> 4
        if card == self._next_home(state, suit):
            yield self._foundations + suit
        takers = [to for to in range(COLUMNS) if places[to] and places[to][-1] == card + 1]
        yield from sorted(takers, key=lambda to: -len(places[to]))
        if card in _KINGS:
            yield from (to for to in range(COLUMNS) if not places[to])
        if at < COLUMNS:
            yield from (to for to in range(COLUMNS, self._foundations) if not places[to])

    def search_moves(self, state: State) -> list[Transfer]:
        """The transfers worth trying: to a column before to an empty one before to a cell, near aces first.

        A card that can go home hinders nothing there, so it goes at once; none is ever taken back. One empty
        column and one empty cell stand for all. A king that has settled at the foot of a column may still
        have to go to a cell, for the empty column that it leaves, and a card that lies on its next may have
        to leave it again: neither is left out.
        """
        places, index = state.places, self.index
        cell = next((at for at in range(COLUMNS, self._foundations) if not places[at]), None)
        column = next((at for at in range(COLUMNS) if not places[at]), None)
        wanted = [self._next_home(state, suit) for suit in range(4)]
        depths = [[len(cards) - cards.index(card) for card in wanted if card in cards] for cards in places[:COLUMNS]]
        depth = [min(found, default=len(DECK)) for found in depths] + [0] * (len(places) - COLUMNS)

        ranked: list[tuple[int, int, Transfer]] = []
        for move in self.legal_moves(state):
            at, to = index[move.source], index[move.target]
            if to >= self._foundations:
                return [move]
            if at >= self._foundations:
                continue
            if to == cell or to == column or places[to]:
                kind = 2 if to == cell else 1 if to == column else 0
                ranked.append((kind, depth[at], move))
        return [move for _, _, move in sorted(ranked, key=itemgetter(0, 1))]

    def search_key(self, state: State) -> bytes:
        """The columns and the cells, each in no order; what is in neither is home."""
        places = state.places
        return b"\0".join([*sorted(places[:COLUMNS]), *sorted(places[COLUMNS : self._foundations])])
