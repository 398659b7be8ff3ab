"""Whole games by code: every step's answer, score and moves, and the end, through decide and evolve."""

from typing import Any

import pytest

from server.play.commands import Selection
from server.play.playthrough import replay
from server.play.refusals import GameOver, Refusal
from tests.golden import lines
from tests.play.helpers import Table
from tests.play.test_golden_logs import end_of

GAMES = lines("cases/games.jsonl")
ANSWERS = {"ok", "status", "reason", "score", "moves", "removed", "then"}


@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game['code']}-{game['kind']}")
def test_every_step_of_the_game_is_answered_as_written(game: dict[str, Any]) -> None:
    table = Table(game["code"])
    for number, step in enumerate(game["steps"]):
        before = table.playthrough
        command = {name: value for name, value in step.items() if name not in ANSWERS}
        try:
            decision = table.send(**command)
        except Refusal as refusal:
            assert not step["ok"], (number, step, refusal)
            status = 409 if isinstance(refusal, GameOver) else 422
            assert (status, refusal.params.get("reason")) == (step["status"], step.get("reason")), (number, step)
            assert table.playthrough is before
        else:
            assert step["ok"], (number, step)
            if isinstance(decision, Selection):
                assert step["removed"] is False, (number, step)
                assert sorted(decision.selection) == sorted(step["then"]), (number, step)
                assert decision.reason == step["reason"], (number, step)
                assert table.playthrough is before
        state = table.playthrough.state
        assert (state.score, state.moves) == (step["score"], step["moves"]), (number, step)
    end = end_of(table.playthrough, game["end"])
    assert {name: end[name] for name in game["end"]} == game["end"]
    assert replay([event.record for event in table.events]) == table.playthrough
