"""Small tables to be searched, and a plain search to compare with, which leaves nothing out."""

from operator import itemgetter
from random import Random

from server.solitaires.cards import DECK
from server.solitaires.half_moon import PILES
from server.solitaires.protocol import Played, Removal, Solitaire, State

BODY_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"


class Maze:
    """A puzzle of named rooms: ``doors`` lead from each to others, and to be in ``goal`` is to have won."""

    def __init__(self, doors: dict[str, list[str]], goal: str = "goal", same: dict[str, str] | None = None) -> None:
        self.doors = doors
        self.goal = goal
        self.same = same or {}
        self.looked_at: list[str] = []

    def play(self, state: State, move: Removal) -> Played:
        assert move.places[0] in self.doors[room(state)]
        return Played(b"", 0)

    def apply(self, state: State, move: Removal, points: int) -> State:
        return in_room(move.places[0])

    def is_won(self, state: State) -> bool:
        return room(state) == self.goal

    def search_moves(self, state: State) -> list[Removal]:
        self.looked_at.append(room(state))
        return [Removal((door,)) for door in self.doors.get(room(state), [])]

    def search_key(self, state: State) -> bytes:
        return self.same.get(room(state), room(state)).encode()


def in_room(name: str) -> State:
    return State((name.encode(),))


def room(state: State) -> str:
    return state.places[0].decode()


def can_be_won(game: Solitaire, state: State, limit: int = 3000) -> bool | None:
    """Every listed move in every table, tables told apart place by place; None where there are more than ``limit``.

    What brings points is tried first, which finds a win sooner and leaves nothing out.
    """
    seen, untried = {state.places}, [state]
    while untried:
        if len(seen) > limit:
            return None
        here = untried.pop()
        if game.is_won(here):
            return True
        played = [(game.play(here, move).points, move) for move in game.legal_moves(here)]
        for points, move in sorted(played, key=itemgetter(0)):
            after = game.apply(here, move, points)
            if after.places not in seen:
                seen.add(after.places)
                untried.append(after)
    return False


def body(random: Random) -> str:
    return "".join(random.choices(BODY_LETTERS, k=7))


def late_half_moon(game: Solitaire, random: Random) -> State:
    """A few pairs and trios that are left, in a few piles and reserve places."""
    cards: list[int] = []
    for _ in range(random.randrange(5, 10)):
        low = random.randrange(1, 7)
        ranks = (low, 11 - low) if low < 6 else (11, 12, 13)
        cards += [random.randrange(4) * 16 + rank for rank in ranks]
    random.shuffle(cards)
    places = [b""] * len(game.places)
    for reserve in range(PILES, PILES + random.randrange(5)):
        places[reserve] = bytes([cards.pop()])
    piles = random.randrange(3, 6)
    for card in cards:
        places[random.randrange(piles)] += bytes([card])
    return State(tuple(places))


def late_seahaven(game: Solitaire, random: Random, left: int) -> State:
    """The ``left`` highest cards, suits uneven, thrown on ten columns and perhaps into the cells; the rest is home."""
    heights = [0, 0, 0, 0]
    for _ in range(left):
        heights[random.choice([suit for suit in range(4) if heights[suit] < 13])] += 1
    cards = [card for card in DECK if card % 16 > 13 - heights[card // 16]]
    random.shuffle(cards)
    places = [b""] * len(game.places)
    roles = [place.role for place in game.places]
    for at, role in enumerate(roles):
        if role == "cell" and random.random() < 0.5:
            places[at] = bytes([cards.pop()])
        if role == "foundation":
            suit = at - roles.index("foundation")
            places[at] = bytes(range(suit * 16 + 1, suit * 16 + 14 - heights[suit]))
    for turn, card in enumerate(cards):
        column = turn % 10 if random.random() < 0.5 else random.randrange(10)
        places[column] += bytes([card])
    return State(tuple(places))
