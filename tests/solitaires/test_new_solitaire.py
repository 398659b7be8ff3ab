"""A new solitaire is one file and one line in the registry: Twins is played through the log, the store and the API."""

from collections import Counter
from pathlib import Path

import pytest

from server.api.app import create_app
from server.settings import Settings
from server.solitaires import SOLITAIRES
from server.solitaires.protocol import Solitaire
from tests.api.client import Player, Table, client_of, join
from tests.solitaires.twins import DECK, Twins

CODE = "TW1-X-AAAAAAG"
"""Played by the first legal move each time, it comes to a dead end."""


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one line."""
    monkeypatch.setitem(SOLITAIRES, "TW1-X", Twins())


async def play_on(table: Table) -> int:
    """Play the first legal move while there is one; how many it were."""
    for played in range(7):
        view = (await table.player.get(f"{table.path}?legal=1")).json()
        if not view["legal"]:
            return played
        response = await table.send("move", after=view["seq"], **view["legal"][0])
        assert response.status_code == 200, response.text
    raise AssertionError("twelve cards are six pairs at most")


def test_it_answers_the_protocol_and_deals_its_own_deck() -> None:
    assert isinstance(Twins(), Solitaire)
    assert Counter(b"".join(Twins().deal("AAAAAAC").places)) == Counter(DECK)


async def test_it_is_dealt_played_undone_refused_and_read_back(registered: None, tmp_path: Path) -> None:
    settings = Settings(database=f"sqlite:///{tmp_path}/games.db", limits=False, dailies=False)
    first = create_app(settings)
    async with first.router.lifespan_context(first), client_of(first) as http:
        told = {item["ruleset"]: item for item in (await http.get("/v1/rulesets")).json()["items"]}
        assert told["TW1-X"]["title"] == "Twins"
        assert [place["name"] for place in told["TW1-X"]["places"]] == ["P1", "P2", "P3", "P4"]

        ada = await join(http)
        table = await ada.deal(CODE.lower())
        assert (table.view["code"], table.view["ruleset"]) == (CODE, "TW1-X")
        assert [(place["count"], len(place["cards"])) for place in table.view["places"]] == [(3, 1)] * 4

        played = await play_on(table)
        assert played > 1
        undone = (await table.send("undo")).json()["view"]
        assert (undone["score"], undone["moves"], undone["undos"]) == (7 * (played - 1), played - 1, 1)
        for fields, status, reason in (
            ({"remove": ["P1", "P1"]}, 422, "must_be_twins"),
            ({"remove": ["P1", "P9"]}, 400, "no_such_place"),
            ({"remove": ["P1"]}, 400, "malformed"),
        ):
            refused = await table.send("move", **fields)
            assert (refused.status_code, refused.json()["params"]["reason"]) == (status, reason)
        assert (await table.send("tap", place="P1")).json()["params"]["reason"] == "malformed"
        await play_on(table)
        end = (await ada.get(table.path)).json()
        assert end["status"] == "dead_end"

    second = create_app(settings)
    async with second.router.lifespan_context(second), client_of(second) as http:
        again = Player(http, ada.id, ada.token, ada.recovery)
        assert (await again.get(table.path)).json() == end
        events = (await again.get(f"{table.path}/events")).json()["items"]
        assert [event["type"] for event in events].count("undone") == 1
        assert len(events) == end["seq"]


async def test_without_the_line_its_code_is_no_code(tmp_path: Path) -> None:
    app = create_app(Settings(database=f"sqlite:///{tmp_path}/games.db", limits=False, dailies=False))
    async with app.router.lifespan_context(app), client_of(app) as http:
        response = await http.get(f"/v1/deals/{CODE}")
    assert (response.status_code, response.json()["params"]) == (400, {"part": "game"})
