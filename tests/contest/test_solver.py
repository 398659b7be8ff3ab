"""The search: on mazes whose answer is plain, and on both games against a search that leaves nothing out."""

import sys
from collections import Counter
from collections.abc import Callable
from random import Random
from statistics import mean, median
from typing import Any

import pytest

from server.contest.solver import Lost, Unknown, Won, solve
from server.solitaires.half_moon import HalfMoon
from server.solitaires.protocol import Removal, Solitaire, State, Transfer
from server.solitaires.seahaven import Seahaven
from tests.contest.puzzles import Maze, body, can_be_won, in_room, late_half_moon, late_seahaven
from tests.solitaires.tables import table, up_to

START = in_room("start")


def rooms(answer: Any) -> list[str]:
    assert isinstance(answer, Won)
    return [move.places[0] for move in answer.line]


def test_the_line_leads_to_the_goal_and_the_first_move_is_tried_first() -> None:
    maze = Maze({"start": ["left", "right"], "left": ["cellar"], "right": ["goal"]})
    answer = solve(maze, START)
    assert rooms(answer) == ["right", "goal"]
    assert maze.looked_at == ["start", "left", "cellar", "right"]
    assert answer.positions == 4


def test_a_game_that_is_won_needs_no_line() -> None:
    assert solve(Maze({}), in_room("goal")) == Won((), 0)


def test_a_maze_without_a_way_is_lost_once_every_room_was_seen() -> None:
    maze = Maze({"start": ["left", "right"], "left": ["start", "right"], "right": ["left"], "far": ["goal"]})
    assert solve(maze, START) == Lost(3)
    assert sorted(maze.looked_at) == ["left", "right", "start"]


def test_no_position_is_looked_at_twice_however_many_ways_lead_to_it() -> None:
    doors = {"start": ["0a", "0b"]}
    for level in range(60):
        doors |= {f"{level}{side}": [f"{level + 1}a", f"{level + 1}b"] for side in "ab"}
    assert solve(Maze(doors), START) == Lost(123)


def test_positions_of_one_key_are_one_position() -> None:
    maze = Maze({"start": ["left", "right"], "right": ["goal"]}, same={"right": "left"})
    assert solve(maze, START) == Lost(2)


def test_a_line_may_be_longer_than_the_interpreters_stack() -> None:
    length = 10 * sys.getrecursionlimit()
    corridor = {str(at): [str(at + 1)] for at in range(length)} | {str(length): ["goal"]}
    answer = solve(Maze(corridor), in_room("0"))
    assert len(rooms(answer)) == length + 1
    assert solve(Maze(corridor, goal="nowhere"), in_room("0")) == Lost(length + 2)


def test_the_search_looks_at_as_many_positions_as_it_may_and_no_more() -> None:
    corridor = {str(at): [str(at + 1)] for at in range(9)} | {"9": ["goal"]}
    assert isinstance(solve(Maze(corridor), in_room("0"), positions=10), Won)
    assert solve(Maze(corridor), in_room("0"), positions=9) == Unknown(9)
    assert solve(Maze(corridor, goal="nowhere"), in_room("0"), positions=11) == Lost(11)
    maze = Maze(corridor, goal="nowhere")
    assert solve(maze, in_room("0"), positions=10) == Unknown(10)
    assert len(maze.looked_at) == 10


def test_the_search_ends_when_its_time_has_come() -> None:
    corridor = {str(at): [str(at + 1)] for at in range(1000)}
    ticks = iter(range(1000))
    assert solve(Maze(corridor), in_room("0"), until=5, clock=lambda: next(ticks)) == Unknown(6)


# Against the plain search.


def judged(game: HalfMoon | Seahaven, tables: list[State]) -> Counter[str]:
    """How many of the tables were won by a line that the rules play, and how many are lost by the plain search too."""
    found: Counter[str] = Counter()
    for state in tables:
        answer = solve(game, state, positions=2000)
        if isinstance(answer, Won):
            assert wins(game, state, answer), state
            found["won"] += 1
        elif isinstance(answer, Lost):
            truth = can_be_won(game, state)
            assert truth is not True, state
            found["lost" if truth is False else "too large"] += 1
    return found


def wins(game: Solitaire, state: State, answer: Won) -> bool:
    for move in answer.line:
        state = game.apply(state, move, game.play(state, move).points)
    return game.is_won(state)


def test_half_moon_is_judged_as_by_a_search_that_leaves_nothing_out() -> None:
    game, random = HalfMoon(), Random(11)
    found = judged(game, [late_half_moon(game, random) for _ in range(800)])
    assert found["won"] >= 150 and found["lost"] >= 500


@pytest.mark.parametrize(("cells", "left", "lost"), [(1, 40, 7), (1, 44, 12), (2, 46, 5)])
def test_seahaven_is_judged_as_by_a_search_that_leaves_nothing_out(cells: int, left: int, lost: int) -> None:
    game, random = Seahaven(cells), Random(left)
    found = judged(game, [late_seahaven(game, random, left) for _ in range(30)])
    assert found["won"] >= 5 and found["lost"] >= lost


@pytest.mark.parametrize("cells", [1, 2])
def test_whole_deals_that_are_given_up_as_lost_are_lost(cells: int) -> None:
    game, random = Seahaven(cells), Random(7)
    found = judged(game, [game.deal(body(random)) for _ in range(25)])
    assert found["lost"] >= 15


# What must not be left out.


class Without:
    """A game whose search leaves out the moves that ``which(state, move)`` names."""

    def __init__(self, game: Any, which: Callable[[State, Any], bool]) -> None:
        self._game, self._which = game, which

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)

    def search_moves(self, state: State) -> list[Any]:
        return [move for move in self._game.search_moves(state) if not self._which(state, move)]


def test_a_settled_king_may_have_to_go_to_a_cell_for_the_column_that_it_leaves() -> None:
    # 8H to 5H must go onto 9H: two cells let three cards move, one cell and the king's column four
    game = Seahaven(cells=2)
    state = table(
        game,
        T1="KS",
        T2="AS AD AC 4H 8H 7H 6H 5H",
        T3="9H",
        T4="7S TD KC 9C 8D 8C",
        T5="TH JH QH 8S JC 3S",
        T6="JS 9S 3D 7C 2S QC",
        T7="TC 6S 6D 5C 4S 9D",
        T8="7D 4C KH 5S TS",
        T9="3C 2D JD QD 2C",
        T10="6C QS 4D 5D KD",
        FH=up_to("3H"),
    )

    def parks_a_king(state: State, move: Transfer) -> bool:
        return (
            move.target[0] == "C" and len(column := state.places[game.index[move.source]]) == 1 and column[0] % 16 == 13
        )

    assert isinstance(solve(game, state), Won)
    assert isinstance(solve(Without(game, parks_a_king), state), Lost)


def test_a_card_that_lies_on_its_next_may_have_to_leave_it() -> None:
    game = Seahaven(cells=2)
    state = table(
        game,
        T1="7C JS 3H KH 7D KD QD 6S QC",
        T2="8H 6D JH",
        T3="TC 4D 3S 8C",
        T4="5D 9C 5H 2S 7S 4H",
        T5="9D 8D",
        T6="4S 9S 9H JD",
        T7="2C TD TS",
        T8="8S AS JC QH 7H KS QS",
        T9="2H AC 6H 6C TH",
        T10="KC 5S 5C 4C 3C",
        FH="AH",
        FD=up_to("3D"),
    )

    def breaks_a_sequence(state: State, move: Transfer) -> bool:
        column = state.places[game.index[move.source]]
        return move.target[0] == "C" and len(column) > 1 and column[-2] == column[-1] + 1

    assert isinstance(solve(game, state), Won)
    assert isinstance(solve(Without(game, breaks_a_sequence), state), Lost)


def test_a_card_must_not_go_onto_its_next_only_because_it_can() -> None:
    game = Seahaven(cells=1)
    state = table(
        game,
        T1="3D 3C QH 4D",
        T2="TD QS KD JS 6C 4C",
        T3="5C TC 9C 8S JD",
        T4="7S QC JH",
        T5="7C 6H KH",
        T6="6D JC KC 5D QD",
        T7="9S",
        T8="5H 9D 4H TH TS",
        T9="6S 8H 8D 7D",
        T10="8C 7H 9H",
        C1="KS",
        FS=up_to("5S"),
        FH=up_to("3H"),
        FD=up_to("2D"),
        FC=up_to("2C"),
    )

    def waits_though_another_fits(state: State, move: Transfer) -> bool:
        fitting = [other for other in game.search_moves(state) if state.places[game.index[other.target]]]
        return bool(fitting) and move != fitting[0]

    assert isinstance(solve(game, state), Won)
    assert isinstance(solve(Without(game, waits_though_another_fits), state), Lost)


def test_a_pile_goes_before_the_reserve_and_removals_within_the_reserve_wait() -> None:
    game = HalfMoon()
    state = table(game, P1="TS AS", R1="AH", R2="TH")
    assert game.search_moves(state) == [Removal(("P1", "R2"))]
    answer = solve(game, state)
    assert isinstance(answer, Won) and answer.positions == 2
    early = game.apply(state, Removal(("R1", "R2")), 10)
    assert solve(game, early) == Lost(1)


def test_the_reserve_is_played_out_once_the_piles_are_gone() -> None:
    game = HalfMoon()
    assert isinstance(solve(game, table(game, P3="JS", R1="AH", R2="TH", R5="QH", R7="KD")), Won)


# What it costs: figures of DESIGN 9, on deals that are always the same.


def search_deals(game: HalfMoon | Seahaven, deals: int, positions: int) -> tuple[list[Won], list[Lost]]:
    random = Random(2026)
    answers = [solve(game, game.deal(body(random)), positions=positions) for _ in range(deals)]
    return [one for one in answers if isinstance(one, Won)], [one for one in answers if isinstance(one, Lost)]


def test_half_moon_is_won_at_once_in_most_deals() -> None:
    won, _ = search_deals(HalfMoon(), deals=25, positions=1500)
    assert len(won) >= 18
    assert median([answer.positions for answer in won]) <= 100
    assert {len(answer.line) for answer in won} == {48}


def test_seahaven_with_four_cells_is_won_at_once_in_most_deals() -> None:
    won, _ = search_deals(Seahaven(4), deals=20, positions=1500)
    assert len(won) >= 14
    assert median([answer.positions for answer in won]) <= 150


def test_seahaven_with_one_cell_is_decided_in_every_deal_and_nearly_always_lost() -> None:
    won, lost = search_deals(Seahaven(1), deals=100, positions=35_000)
    assert len(won) + len(lost) == 100
    assert 1 <= len(won) <= 8
    assert mean([answer.positions for answer in lost]) <= 150
