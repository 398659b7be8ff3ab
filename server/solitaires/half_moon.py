"""Half Moon: 104 cards, removed in pairs that sum to 11 and in trios of a jack, a queen and a king.

              P6  P7  P8
          P5              P9            piles P1 … P12, 8 cards each; only the top card is shown
      P4                      P10       reserve R1 … R8, one card each
      P3                      P11
      P2    R1  R2  R3  R4    P12       no stock, no foundation: all cards are on the table
      P1    R5  R6  R7  R8

Playable are the top card of each pile and each card of the reserve. Removed cards leave the game and
nothing is ever added, so one deal's position is known by the heights of its piles and what is left of its
reserve. Rules: RULES, "Half Moon".
"""

from collections.abc import Collection, Mapping
from functools import cache, lru_cache
from itertools import permutations, product
from operator import itemgetter
from typing import Any, Final, NoReturn

from server.solitaires.cards import JACK, KING, QUEEN, TEN, parse_cards
from server.solitaires.protocol import (
    IllegalMove,
    InvalidMove,
    Move,
    Place,
    Played,
    Removal,
    Selected,
    State,
    require_places,
)
from server.solitaires.shuffle import shuffle

DECK: Final = parse_cards(
    """
    AS 7S 2S 6D 3S 8S 9S TS JS QS KS 2H 3H 4H 6H 8H 9H AD 4D 5D 8D 5H 9D JD 5S QD
    KD 2C 3C 5C 6C 7C QH 8C 9C AH QC KC AS 2S 3S 4S 6S 7S KH 8S 9S TS JS QS KS AH
    6S 2D 5S 2H 3H 4H 5H 6H 7H TD 4S 8H 7D 9H TH TC JH QH AD 2D 3D 4D AC 5D 6D 7D
    8D JH 9D TD JD QD KD AC 2C 3C JC 4C 5C 6C 7C KH 8C 9C 7H TC 4C 3D TH JC QC KC
    """.split()
)
"""The deck before the shuffle: two decks in the order that makes the published deal (DESIGN 4)."""

PILES, HEIGHT, RESERVE = 12, 8, 8
SUM = 11

_ARC = (1.0, 0.45, 0.1, 0.0, 0.1, 0.45, 1.0)
_PLACES = (
    *(Place(f"P{number}", "pile", 1.0, 5.0 - number, drop=1.0, shows="top") for number in (1, 2, 3)),
    *(Place(f"P{4 + column}", "pile", 1.0 + column, 1.0, drop, shows="top") for column, drop in enumerate(_ARC)),
    *(Place(f"P{number}", "pile", 7.0, number - 9.0, drop=1.0, shows="top") for number in (11, 12)),
    *(Place(f"R{1 + at}", "reserve", 2.5 + at % 4, 3.0 + at // 4) for at in range(RESERVE)),
)
_NAMES = tuple(place.name for place in _PLACES)

_PAIRS = ((1, 10), (2, 9), (3, 8), (4, 7), (5, 6))
_TRIO = (JACK, QUEEN, KING)


def _cards(ranks: tuple[int, ...]) -> list[bytes]:
    """These ranks, in this order, in every choice of suits."""
    choices = product(range(4), repeat=len(ranks))
    return [bytes(suit * 16 + rank for suit, rank in zip(suits, ranks, strict=True)) for suits in choices]


_PLAYED: Final = {
    **{cards: Played(cards, 10) for pair in _PAIRS for order in permutations(pair) for cards in _cards(order)},
    **{cards: Played(cards, 15) for order in permutations(_TRIO) for cards in _cards(order)},
}
"""The whole rule: which cards may leave together, and the points that they bring."""

# Ranks as sets: one bit a rank.
_BIT = tuple(1 << (card & 15) for card in range(64))
_FACES = sum(1 << rank for rank in _TRIO)
_GOALS = (_FACES, *(1 << low | 1 << high for low, high in _PAIRS))
_GOES = tuple(any(ranks & goal == goal for goal in _GOALS) for ranks in range(1 << 14))
"""By the set of ranks that are playable: whether a pair or a trio is among them."""

_LOWEST = bytes(min(card & 15, SUM - (card & 15)) if card & 15 <= TEN else JACK for card in range(256))
"""By the card: the lowest rank of those that it can leave with, its own included."""

# Moves are made once and listed often: to make a `NamedTuple` takes longer than to look one up.
_PAIR_OF = tuple(tuple(Removal((one, other)) for other in _NAMES) for one in _NAMES)


@cache
def _trio_of(jack: int, queen: int, king: int) -> Removal:
    return Removal((_NAMES[jack], _NAMES[queen], _NAMES[king]))


@lru_cache(maxsize=2048)
def _removal(names: tuple[str, ...]) -> Removal:
    """The removal from these places; raises `InvalidMove`. All pairs and a fair share of the trios are kept."""
    if len(names) not in (2, 3):
        raise InvalidMove("bad_count", f"two or three cards leave together, not {len(names)}")
    require_places(HalfMoon.index, names)
    if len(set(names)) < len(names):
        raise InvalidMove("place_twice", "a place gives one card only")
    return Removal(names)


class HalfMoon:
    """The ruleset ``HM1-N``.

    >>> game = HalfMoon()
    >>> state = game.deal("AAAAAAB")
    >>> first = game.parse_move({"remove": ["P1", "P8"]})
    >>> game.play(state, first)
    Played(cards=b'\\x05&', points=10)
    >>> game.apply(state, first, points=10).score
    10
    """

    game = "HM"
    version = 1
    variant = "N"
    ruleset = "HM1-N"
    title = "Half Moon"
    places = _PLACES
    index: Mapping[str, int] = {name: at for at, name in enumerate(_NAMES)}
    move_type = Removal
    commands = frozenset({"move", "tap"})
    selects = True
    ranked_by = ("score", "undos", "seconds")
    lenses = ()
    daily = True
    reasons = ("bad_selection", "nothing_there", "needs_jack_queen_king", "sum_must_be_11")

    def deal(self, body: str) -> State:
        """Eight cards to each pile in turn, the last one on top; the last eight cards are the reserve."""
        cards = shuffle(f"{self.game}{self.version}:{body}", DECK)
        dealt = PILES * HEIGHT
        piles = [cards[at : at + HEIGHT] for at in range(0, dealt, HEIGHT)]
        return State((*piles, *(cards[at : at + 1] for at in range(dealt, dealt + RESERVE))))

    def parse_move(self, fields: Mapping[str, Any]) -> Removal:
        """The removal that ``{"remove": [names]}`` means; raises `InvalidMove`."""
        names = fields.get("remove")
        if len(fields) != 1 or not isinstance(names, (list, tuple)):
            raise InvalidMove("malformed", "a move is the list of its places, `remove`, and nothing else")
        for name in names:
            if not isinstance(name, str):
                raise InvalidMove("malformed", "`remove` holds names of places")
        return _removal(tuple(names))

    def move_fields(self, move: Move) -> dict[str, Any]:
        assert isinstance(move, Removal)
        return {"remove": list(move.places)}

    def play(self, state: State, move: Move) -> Played:
        """The cards that leave, in the order of the move, and their points; raises `IllegalMove`."""
        assert isinstance(move, Removal)
        places, index, names = state.places, self.index, move.places
        cards = b""
        for name in names:
            cards += places[index[name]][-1:]
        played = _PLAYED.get(cards)
        if played is None or len(cards) < len(names):
            self._refuse(state, names)
        return played

    def apply(self, state: State, move: Move, points: int) -> State:
        assert isinstance(move, Removal)
        places, index = [*state.places], self.index
        for name in move.places:
            at = index[name]
            places[at] = places[at][:-1]
        # As `State(...)` does, in half of its time: once for every move, and for every move of a replay.
        return tuple.__new__(State, (tuple(places), state.score + points, state.moves + 1))

    def tap(self, state: State, selection: tuple[str, ...], place: str) -> Removal | Selected:
        """The table of RULES, "Tapping": a removal, or what is selected now and why something did not fit."""
        require_places(self.index, (*selection, place))
        chosen = self._ranks(state, selection)
        if not self._selectable(chosen, selection):
            raise IllegalMove("bad_selection", selection)
        (rank,) = self._ranks(state, (place,))
        if not rank:
            raise IllegalMove("nothing_there", (place,))
        if place in selection:
            return Selected(tuple(name for name in selection if name != place))
        if not selection:
            return Selected((place,))

        together = (*chosen, rank)
        if sum(together) == SUM or set(together) == set(_TRIO):
            return _removal((*selection, place))
        if min(together) <= TEN:
            return Selected((), _mismatch(together))
        # Faces: of each rank one may be selected, the one that was tapped last.
        others = tuple(name for name, other in zip(selection, chosen, strict=True) if other != rank)
        return Selected((*others, place), None if others == selection else _mismatch(together))

    def double_tap(self, state: State, place: str) -> NoReturn:
        raise InvalidMove("malformed", "Half Moon has no double tap")

    def fits(self, state: State, selection: tuple[str, ...]) -> tuple[str, ...]:
        """The places whose card makes 11 with the selected number, or has a rank that the faces still miss."""
        chosen = self._ranks(state, selection)
        if not chosen:
            return ()
        wanted = {SUM - chosen[0]} if chosen[0] <= TEN else set(_TRIO) - set(chosen)
        return tuple(name for name, rank in zip(_NAMES, self._ranks(state, _NAMES), strict=True) if rank in wanted)

    def legal_moves(self, state: State) -> list[Removal]:
        """Every pair, then every trio, each once."""
        at: tuple[list[int], ...] = ([], [], [], [], [], [], [], [], [], [], [], [], [], [])
        for place, cards in enumerate(state.places):
            if cards:
                at[cards[-1] & 15].append(place)
        moves: list[Removal] = []
        for low, high in _PAIRS:
            if at[low]:
                for place in at[high]:
                    pairs = _PAIR_OF[place]
                    for other in at[low]:
                        moves.append(pairs[other])
        jacks, queens, kings = at[JACK:]
        if jacks and queens and kings:
            moves += [_trio_of(*trio) for trio in product(jacks, queens, kings)]
        return moves

    def is_won(self, state: State) -> bool:
        return not any(state.places)

    def is_dead_end(self, state: State) -> bool:
        ranks = 0
        for cards in state.places:
            if cards:
                ranks |= _BIT[cards[-1]]
                if _GOES[ranks]:
                    return False
        return any(state.places)

    def _ranks(self, state: State, names: tuple[str, ...]) -> list[int]:
        """The ranks of the cards that can be taken from these places; 0 for an empty one."""
        tops = [state.places[self.index[name]][-1:] for name in names]
        return [top[0] & 15 if top else 0 for top in tops]

    def _selectable(self, ranks: list[int], names: tuple[str, ...]) -> bool:
        """Whether taps can have selected these: nothing, one card, or two faces of different ranks."""
        if len(names) == 2:
            return min(ranks) > TEN and ranks[0] != ranks[1]
        return len(names) < 2 and all(ranks)

    def _refuse(self, state: State, names: tuple[str, ...]) -> NoReturn:
        ranks = self._ranks(state, names)
        if not all(ranks):
            empty = tuple(name for name, rank in zip(names, ranks, strict=True) if not rank)
            raise IllegalMove("nothing_there", empty)
        raise IllegalMove(_mismatch(ranks), names)

    def search_moves(self, state: State) -> list[Removal]:
        """The removals worth trying, those from the highest piles first; none where the position is stuck.

        A card that covers nothing (in the reserve, or alone in its pile) is never better than the top card of
        a higher pile with the same rank: it can go later as well, and the pile is one lower. So of each rank
        one such card is tried, and only where no higher pile shows that rank. Removals that uncover nothing
        hinder nothing and wait until no others are left.
        """
        if _stuck(state.places):
            return []
        covers = [len(cards) ** 2 if len(cards) > 1 else 0 for cards in state.places]
        at: tuple[list[int], ...] = tuple([] for _ in range(14))
        for place in sorted(range(len(covers)), key=lambda place: -covers[place]):
            cards = state.places[place]
            if cards and (covers[place] or not at[cards[-1] & 15]):
                at[cards[-1] & 15].append(place)
        goals: list[tuple[int, ...]] = [goal for low, high in _PAIRS for goal in product(at[low], at[high])]
        goals += product(*at[JACK:])
        ranked = [(sum([covers[place] for place in goal]), goal) for goal in goals]
        if any(covers):
            ranked = [(uncovers, goal) for uncovers, goal in ranked if uncovers]
        ranked.sort(key=itemgetter(0), reverse=True)
        return [Removal(tuple([_NAMES[place] for place in goal])) for _, goal in ranked]

    def search_key(self, state: State) -> bytes:
        """The heights of the piles, then the ranks of the cards that cover nothing, wherever they lie, sorted."""
        heights = [len(cards) if len(cards) > 1 else 0 for cards in state.places[:PILES]]
        return bytes([*heights, *sorted([cards[0] & 15 for cards in state.places if len(cards) == 1])])


def _stuck(places: tuple[bytes, ...]) -> bool:
    """Whether a place holds more cards of one goal than removals of it are left: each takes one of a place."""
    goals = [cards.translate(_LOWEST) for cards in places if cards]
    left = b"".join(goals)
    for ranks in (*_PAIRS, _TRIO):
        removals = left.count(ranks[0]) // len(ranks)
        if removals < HEIGHT and any([cards.count(ranks[0]) > removals for cards in goals]):
            return True
    return False


def _mismatch(ranks: Collection[int]) -> str:
    """Why these ranks do not go together."""
    return "needs_jack_queen_king" if max(ranks) > TEN else "sum_must_be_11"
