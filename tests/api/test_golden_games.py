"""Whole games over real HTTP: every step's status, reason, score and moves, and how each game ends."""

import asyncio
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


def name_of(game: dict[str, Any]) -> str:
    return f"{game['code']}-{game['kind']}"


@pytest.fixture(scope="module")
async def played(folder: Path) -> AsyncIterator[dict[str, BaseException | None]]:
    """All games, played side by side: what went wrong in each, or None."""
    settings = Settings(port=0, database=f"sqlite:///{folder}/golden.db", limits=False, dailies=False)
    async with live_app(create_app(settings), settings) as running:
        port = int(running.url.rpartition(":")[2])
        wrong = await asyncio.gather(*(play(game, port) for game in GAMES), return_exceptions=True)
        yield dict(zip(map(name_of, GAMES), wrong, strict=True))


@pytest.mark.parametrize("name", [name_of(game) for game in GAMES])
def test_every_step_of_the_game_is_answered_as_written(name: str, played: dict[str, BaseException | None]) -> None:
    if (wrong := played[name]) is not None:
        raise wrong


async def play(game: dict[str, Any], port: int) -> None:
    """Play a game to its end; each answer must be as written."""
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
                assert_nothing_moved(answer, step, view)
                assert (await wire.ask("GET", path, None, token)).json() == view, (number, step)
            assert (view["score"], view["moves"]) == (step["score"], step["moves"]), (number, step)
        assert_end(view, game["end"])
        assert (await wire.ask("GET", f"{path}?at={view['seq']}", None, token)).json() == view


def assert_nothing_moved(answer: dict[str, Any], step: dict[str, Any], view: dict[str, Any]) -> None:
    """The answer to a tap that only selects, or to what is refused."""
    if step["ok"]:
        assert step["removed"] is False
        assert (answer["seq"], answer["events"]) == (view["seq"], [])
        assert sorted(answer["selection"]) == sorted(step["then"]), (step, answer)
        assert answer["reason"] == step["reason"], (step, answer)
    else:
        code = "illegal_move" if step["status"] == 422 else "game_over"
        assert (answer["code"], answer["params"].get("reason")) == (code, step.get("reason")), (step, answer)


def assert_end(view: dict[str, Any], end: dict[str, Any]) -> None:
    """The view is what the case says: top cards, numbers of cards, all cards or how many."""
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
