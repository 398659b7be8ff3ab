"""Can this deal be won? A depth-first search that remembers, the same for every solitaire.

A solitaire is searched through two answers of its own (`protocol.Searchable`): the moves worth trying, best
first, and a key that positions of one fate share. Everything else is here: the walk, the memory, the budget.

    Won       with the line of moves that wins
    Lost      every position that can be reached was looked at, and none is won: no play wins this deal
    Unknown   the budget was spent before the answer

The walk keeps a stack of its own, since a line may be longer than the interpreter's. It is pure but for the
clock. A line is a claim of the search: it counts once the rules have played it (`certify.replays`).
"""

import time
from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

from server.solitaires.protocol import Move, Played, Searchable, State


class Puzzle(Searchable, Protocol):
    """What the search asks of a solitaire."""

    def play(self, state: State, move: Move) -> Played: ...

    def apply(self, state: State, move: Move, points: int) -> State: ...

    def is_won(self, state: State) -> bool: ...


class Won(NamedTuple):
    """``line`` wins; ``positions`` were looked at to find it."""

    line: tuple[Move, ...]
    positions: int


class Lost(NamedTuple):
    """No line wins; to know it took ``positions``."""

    positions: int


class Unknown(NamedTuple):
    """After ``positions`` the budget was spent."""

    positions: int


Answer = Won | Lost | Unknown


def solve(
    puzzle: Puzzle,
    state: State,
    *,
    positions: int | None = None,
    until: float | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Answer:
    """Whether ``state`` can be won; looks at ``positions`` at most, and at no further one from ``until`` by ``clock``.

    To look at a position is to list its moves; the memory holds the key of each one looked at. Without limits
    the search ends by itself, since a game has finitely many positions, and never answers `Unknown`.
    """
    if puzzle.is_won(state):
        return Won((), 0)
    known = {puzzle.search_key(state)}
    line: list[Move] = []
    untried: list[tuple[State, Iterator[Move]]] = [(state, iter(puzzle.search_moves(state)))]
    while untried:
        state, moves = untried[-1]
        for move in moves:
            after = puzzle.apply(state, move, puzzle.play(state, move).points)
            if puzzle.is_won(after):
                return Won((*line, move), len(known))
            key = puzzle.search_key(after)
            if key in known:
                continue
            if len(known) == positions or (until is not None and clock() >= until):
                return Unknown(len(known))
            known.add(key)
            line.append(move)
            untried.append((after, iter(puzzle.search_moves(after))))
            break
        else:
            untried.pop()
            del line[-1:]
    return Lost(len(known))
