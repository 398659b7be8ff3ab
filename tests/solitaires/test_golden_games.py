"""The golden games through the engine alone, with the smallest history that an undo needs."""

from collections import deque
from typing import Any

import pytest

from server.solitaires import SOLITAIRES, read_code
from server.solitaires.cards import card_text, cards_text
from server.solitaires.protocol import IllegalMove, Move, Selected, Solitaire, State
from tests.golden import lines

GAMES = lines("cases/games.jsonl")
MOVE_FIELDS = ("remove", "from", "to", "count")


def meaning(solitaire: Solitaire, state: State, step: dict[str, Any]) -> Move | Selected:
    """What a step other than undo asks for."""
    match step["do"]:
        case "move":
            return solitaire.parse_move({name: step[name] for name in MOVE_FIELDS if name in step})
        case "tap":
            return solitaire.tap(state, tuple(step.get("selection", ())), step["place"])
        case _:
            return solitaire.double_tap(state, step["place"])


def status(solitaire: Solitaire, state: State) -> str:
    return "won" if solitaire.is_won(state) else "dead_end" if solitaire.is_dead_end(state) else "playing"


@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game['code']}-{game['kind']}")
def test_a_golden_game_goes_as_written(game: dict[str, Any]) -> None:
    code = read_code(game["code"])
    solitaire = SOLITAIRES[code.ruleset]
    state = solitaire.deal(code.body)
    history: deque[State] = deque(maxlen=100)
    for step in game["steps"]:
        if step.get("status") == 409:
            assert status(solitaire, state) == "won"
            continue
        if step["do"] == "undo":
            assert step["ok"] == bool(history)
            state = history.pop() if history else state
        else:
            try:
                meant = meaning(solitaire, state, step)
                if isinstance(meant, Selected):
                    assert step["removed"] is False
                    assert (list(meant.selection), meant.reason) == (step["then"], step["reason"])
                else:
                    played = solitaire.play(state, meant)
                    history.append(state)
                    state = solitaire.apply(state, meant, played.points)
                assert step["ok"]
            except IllegalMove as error:
                assert (step["ok"], step["reason"]) == (False, error.reason)
        assert (state.score, state.moves) == (step["score"], step["moves"]), step
    assert_ends(solitaire, state, game["end"])


def assert_ends(solitaire: Solitaire, state: State, end: dict[str, Any]) -> None:
    assert (status(solitaire, state), state.score, state.moves) == (end["status"], end["score"], end["moves"])
    cards = {name: state.places[at] for name, at in solitaire.index.items()}
    for name, top in end.get("tops", {}).items():
        assert top == (card_text(cards[name][-1]) if cards[name] else None)
    for name, count in end.get("counts", {}).items():
        assert count == len(cards[name])
    for name, shown in end.get("places", {}).items():
        assert shown == (len(cards[name]) if name.startswith("F") else list(cards_text(cards[name])))
