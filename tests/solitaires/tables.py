"""Hand-made tables, walks through games, and every move that one can think of."""

from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import combinations, product, starmap
from random import Random

from server.solitaires import SOLITAIRES
from server.solitaires.cards import DECK, card_text, parse_card, parse_cards
from server.solitaires.codes import ALPHABET
from server.solitaires.half_moon import DECK as TWO_DECKS
from server.solitaires.protocol import InvalidMove, Move, Removal, Solitaire, State, Transfer

HALF_MOON = SOLITAIRES["HM1-N"]
EASY, MEDIUM, HARD = (SOLITAIRES[f"SH1-C{cells}"] for cells in (4, 2, 1))


def table(solitaire: Solitaire, score: int = 0, moves: int = 0, **places: str) -> State:
    """A state by the cards of its places as text, bottom first; places that are left out are empty."""
    assert set(places) <= set(solitaire.index)
    return State(tuple(parse_cards(places.get(place.name, "").split()) for place in solitaire.places), score, moves)


def up_to(card: str) -> str:
    """A suit from its ace up to this card, as it lies on a foundation."""
    last = parse_card(card)
    return " ".join(card_text(byte) for byte in range(last // 16 * 16 + 1, last + 1))


def tops(solitaire: Solitaire, state: State) -> dict[str, str]:
    """The top cards by their places, empty places left out."""
    return {
        place.name: card_text(cards[-1]) for place, cards in zip(solitaire.places, state.places, strict=True) if cards
    }


@cache
def every_move(solitaire: Solitaire) -> tuple[Move, ...]:
    """Every move that can be read in this ruleset, legal or not; a removal in one order only."""
    names = list(solitaire.index)
    moves: Iterable[Move]
    if solitaire.move_type is Removal:
        moves = (Removal(places) for size in range(1, 5) for places in combinations(names, size))
    else:
        moves = starmap(Transfer, product(names, names, range(1, 15)))
    return tuple(move for move in moves if _readable(solitaire, move))


def _readable(solitaire: Solitaire, move: Move) -> bool:
    try:
        return solitaire.parse_move(solitaire.move_fields(move)) == move
    except InvalidMove:
        return False


def is_idle(solitaire: Solitaire, state: State, move: Move) -> bool:
    """Cell to cell, or a king with all of its column to an empty one: accepted, but not listed (RULES)."""
    if isinstance(move, Removal):
        return False
    source, target = solitaire.index[move.source], solitaire.index[move.target]
    roles = solitaire.places[source].role, solitaire.places[target].role
    if roles == ("column", "column"):
        return not state.places[target] and move.count == len(state.places[source])
    return roles == ("cell", "cell")


def is_taking_back(solitaire: Solitaire, move: Move) -> bool:
    """A card back from its foundation: listed, but no way out of a dead end (RULES)."""
    return isinstance(move, Transfer) and solitaire.places[solitaire.index[move.source]].role == "foundation"


def walk(solitaire: Solitaire, body: str, choices: list[int]) -> list[State]:
    """The states of a game in which each choice picks one of the legal moves, until there is none."""
    states = [solitaire.deal(body)]
    for choice in choices:
        state = states[-1]
        moves = solitaire.legal_moves(state)
        if not moves:
            break
        move = moves[choice % len(moves)]
        states.append(solitaire.apply(state, move, solitaire.play(state, move).points))
    return states


def _late_half_moon(solitaire: Solitaire, random: Random) -> State:
    cards = random.sample(TWO_DECKS, random.randrange(30))
    places = [b""] * len(solitaire.places)
    for card in cards:
        at = random.randrange(len(places))
        if solitaire.places[at].role == "pile" or not places[at]:
            places[at] += bytes([card])
    return State(tuple(places), score=random.randrange(500))


def _late_seahaven(solitaire: Solitaire, random: Random) -> State:
    home = [random.randrange(14) for _ in range(4)]
    roles = [place.role for place in solitaire.places]
    columns, cells = roles.index("cell"), roles.count("cell")
    places = [b""] * columns + [b""] * cells
    used = random.randrange(1, columns + 1)
    cards = [card for card in DECK if card % 16 > home[card // 16]]
    # From high to low, so that suits come to lie in sequence; a few cards out of their order.
    cards.sort(key=lambda card: -(card % 16) + random.choice((0, 0, 0, random.randrange(-9, 9))))
    for card in cards:
        fits = [at for at in range(columns) if places[at] and places[at][-1] == card + 1]
        at = random.choice([*fits, *fits, random.randrange(used)])
        cell = columns + random.randrange(cells)
        if random.random() < 0.1 and not places[cell]:
            at = cell
        places[at] += bytes([card])
    foundations = [bytes(range(suit * 16 + 1, suit * 16 + 1 + height)) for suit, height in enumerate(home)]
    return State((*places, *foundations), score=random.randrange(60))


LATE = {"HM": _late_half_moon, "SH": _late_seahaven}


def scattered(solitaire: Solitaire, random: Random) -> State:
    """A table that need not come from any game: late, lopsided, with long sequences and many empty places.

    Of a solitaire that has none here, one that a game leads to.
    """
    if solitaire.game in LATE:
        return LATE[solitaire.game](solitaire, random)
    body = "".join(random.choices(ALPHABET, k=7))
    return walk(solitaire, body, random.choices(range(1000), k=random.randrange(60)))[-1]


def count_cards(state: State) -> Counter[int]:
    return Counter(b"".join(state.places))
