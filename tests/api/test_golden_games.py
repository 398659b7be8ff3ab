"""Whole games over real HTTP: every step's status, reason, score and moves, and how each game ends."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from server.api.app import create_app
from server.settings import Settings
from tests.api.plain_http import Wire
from tests.golden import lines
from tests.parts.live_app import live_app

GAMES = lines("cases/games.jsonl")
ANSWERS = {"ok", "status", "reason", "score", "moves", "removed", "then"}


@pytest.fixture(scope="module")
async def port(folder: Path) -> AsyncIterator[int]:
    settings = Settings(port=0, database=f"sqlite:///{folder}/golden.db", limits=False)
    async with live_app(create_app(settings), settings) as running:
        yield int(running.url.rpartition(":")[2])


@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game['code']}-{game['kind']}")
async def test_every_step_of_the_game_is_answered_as_written(game: dict[str, Any], port: int) -> None:
    async with Wire(port) as wire:
        token = (await wire.ask("POST", "/v1/players", {})).json()["token"]
        dealt = await wire.ask("POST", "/v1/games", {"code": game["code"]}, token)
        view = dealt.json()
        path = dealt.headers["location"]
        for number, step in enumerate(game["steps"]):
            command = {name: value for name, value in step.items() if name not in ANSWERS}
            command |= {"command_id": f"step-{number}", "after": view["seq"]}
            reply = await wire.ask("POST", path + "/commands", command, token)
            answer = reply.json()
            assert reply.status == step.get("status", 200), (number, step, answer)
            assert (reply.status == 200) is step["ok"]
            if "view" in answer:
                assert step.get("removed") is not False
                assert (answer["seq"], len(answer["events"])) == (view["seq"] + 1, 1)
                view = answer["view"]
            else:
                if reply.status == 200:
                    assert step["removed"] is False
                    assert (answer["seq"], answer["events"]) == (view["seq"], [])
                    assert sorted(answer["selection"]) == sorted(step["then"]), (number, step, answer)
                    assert answer["reason"] == step["reason"], (number, step, answer)
                else:
                    code = "illegal_move" if reply.status == 422 else "game_over"
                    assert (answer["code"], answer["params"].get("reason")) == (code, step.get("reason"))
                seen = (await wire.ask("GET", path, None, token)).json()
                assert seen == view, (number, step)
            assert (view["score"], view["moves"]) == (step["score"], step["moves"]), (number, step)
        assert_end(view, game["end"])
        assert (await wire.ask("GET", f"{path}?at={view['seq']}", None, token)).json() == view


def assert_end(view: dict[str, Any], end: dict[str, Any]) -> None:
    """The view is what the case says: `tops` are top cards, `counts` numbers of cards, `places` all cards, or how many."""
    assert {name: view[name] for name in ("status", "score", "moves")} == {
        name: end[name] for name in ("status", "score", "moves")
    }
    places = {place["name"]: place for place in view["places"]}
    for name, top in end.get("tops", {}).items():
        assert places[name]["cards"][-1:] == ([top] if top else [])
    for name, count in end.get("counts", {}).items():
        assert places[name]["count"] == count
    for name, cards in end.get("places", {}).items():
        held = places[name]
        assert (held["count"] if isinstance(cards, int) else held["cards"]) == cards
