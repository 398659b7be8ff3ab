"""Perft: how many lines of n legal moves there are, from deals and from the middle of games.

The counts were found by two programs that share no code. A move that is listed wrongly, or not at all,
shows here even where no game of the tests comes across it.
"""

from typing import Any

import pytest

from server.solitaires import SOLITAIRES, read_code
from server.solitaires.protocol import Solitaire, State
from tests.golden import lines

PERFT = lines("perft.jsonl")


def count_lines(solitaire: Solitaire, state: State, depth: int) -> int:
    moves = solitaire.legal_moves(state)
    if depth == 1:
        return len(moves)
    return sum(count_lines(solitaire, solitaire.apply(state, move, 0), depth - 1) for move in moves)


@pytest.mark.parametrize("case", PERFT, ids=lambda case: f"{case['code']}+{len(case.get('after', []))}")
def test_the_legal_lines_are_as_many_as_counted(case: dict[str, Any]) -> None:
    code = read_code(case["code"])
    solitaire = SOLITAIRES[code.ruleset]
    state = solitaire.deal(code.body)
    for fields in case.get("after", []):
        move = solitaire.parse_move(fields)
        state = solitaire.apply(state, move, solitaire.play(state, move).points)
    counts = [count_lines(solitaire, state, depth) for depth in range(1, len(case["lines"]) + 1)]
    assert counts == case["lines"]
