"""Can this deal be won? A depth-first search that remembers, the same for every solitaire.

A solitaire is searched through two answers of its own (`protocol.Searchable`): the moves worth trying, best
first, and a key that positions of one fate share. Everything else is here: the walk, the memory, the budget.

    Won       with the line of moves that wins
    Lost      every position that can be reached was looked at, and none is won: no play wins this deal
    Unknown   the budget ran out before the answer

The walk keeps its own stack, since a line may be longer than the interpreter's. It is pure but for the clock.
A line that it finds is a claim; it counts once the rules have played it (`certify.replays`).
"""

import time
from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

from server.solitaires.protocol import Move, Searchable, Solitaire, State


class Puzzle(Solitaire, Searchable, Protocol):
    """A solitaire that can be searched."""


class Won(NamedTuple):
    """``line`` wins; ``positions`` were looked at to find it."""

    line: tuple[Move, ...]
    positions: int


class Lost(NamedTuple):
    """No line wins; it took ``positions`` to see."""

    positions: int


class Unknown(NamedTuple):
    """The budget of ``positions`` (or its time) was spent without an answer."""

    positions: int


Answer = Won | Lost | Unknown


def solve(
    game: Puzzle,
    state: State,
    *,
    positions: int | None = None,
    until: float | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Answer:
    """Whether ``state`` can be won, looking at no more than ``positions`` and not after ``until`` by ``clock``.

    A position counts when its moves are listed; the memory holds one key for each position met. Without a limit
    the search ends by itself wherever a game has finitely many positions, and so knows no `Unknown`.
    """
    if game.is_won(state):
        return Won((), 0)
    met = {game.search_key(state)}
    line: list[Move] = []
    looked_at = 1
    open_moves: list[tuple[State, Iterator[Move]]] = [(state, iter(game.search_moves(state)))]
    while open_moves:
        state, moves = open_moves[-1]
        for move in moves:
            after = game.apply(state, move, game.play(state, move).points)
            if game.is_won(after):
                return Won((*line, move), looked_at)
            key = game.search_key(after)
            if key not in met:
                break
        else:
            open_moves.pop()
            if line:
                line.pop()
            continue
        if looked_at == positions or (until is not None and clock() >= until):
            return Unknown(looked_at)
        met.add(key)
        line.append(move)
        looked_at += 1
        open_moves.append((after, iter(game.search_moves(after))))
    return Lost(looked_at)
