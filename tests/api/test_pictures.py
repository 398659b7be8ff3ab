"""The picture of a table shows what the view shows, and nothing else."""

import xml.etree.ElementTree as xml
from collections import Counter
from typing import Any

import httpx2
import pytest

from server.api.board_svg import board_svg
from server.api.glyphs import RANKS, SUITS
from server.play.view import DailyRef, PlaceView, View
from server.solitaires import SOLITAIRES
from tests.api.client import Player
from tests.golden import lines

SVG = "{http://www.w3.org/2000/svg}"


def cards_in(picture: str) -> Counter[str]:
    """The cards that are drawn, by their titles."""
    root = xml.fromstring(picture)
    return Counter(title.text or "" for group in root.iter(SVG + "g") for title in group.findall(SVG + "title"))


def numbers_in(picture: str) -> list[int]:
    texts = [text.text or "" for text in xml.fromstring(picture).iter(SVG + "text")]
    return [int(text) for text in texts if text.isdecimal()]


def drawn_cards(places: list[dict[str, Any]]) -> Counter[str]:
    """The cards of a view that a picture shows: of a foundation the top one."""
    return Counter(
        card for place in places for card in (place["cards"][-1:] if place["role"] == "foundation" else place["cards"])
    )


@pytest.mark.parametrize("code", ["HM1-N-AAAAAAB", "SH1-C4-AAAAAJ2", "SH1-C2-AAAAAJ2", "SH1-C1-AAAAAJ2"])
async def test_a_picture_shows_the_cards_of_the_view(code: str, ada: Player) -> None:
    table = await ada.deal(code)
    response = await ada.get(table.path + "/board.svg")
    assert (response.status_code, response.headers["content-type"]) == (200, "image/svg+xml")
    assert response.headers["content-security-policy"].startswith("default-src 'none'")
    assert cards_in(response.text) == drawn_cards(table.view["places"])
    assert numbers_in(response.text) == [
        place["count"] for place in table.view["places"] if place["role"] == "pile" and place["count"] > 1
    ]
    assert code in response.text


async def test_a_picture_is_of_any_event(ada: Player) -> None:
    table = await ada.deal()
    views = [table.view, await table.move("P1", "P8"), await table.move("P8", "P5", "P3")]
    for view in views:
        picture = (await ada.get(f"{table.path}/board.svg?at={view['seq']}")).text
        assert cards_in(picture) == drawn_cards(view["places"])
        assert f"{view['score']} points" in picture
    problem = await ada.get(table.path + "/board.svg?at=4")
    assert (problem.status_code, problem.json()["params"]) == (400, {"name": "at"})


async def test_a_won_game_is_a_table_without_cards_under_a_full_moon(ada: Player) -> None:
    (won,) = [game for game in lines("cases/games.jsonl") if game["code"] == "HM1-N-AAAAAAB" and game["kind"] == "win"]
    table = await ada.deal()
    for step in won["steps"]:
        if step["ok"]:
            await table.move(*step["remove"])
    picture = (await ada.get(table.path + "/board.svg")).text
    assert cards_in(picture) == Counter()
    assert "A18.0 18 0 0 1 0-18Z" in picture
    assert "520 points · 48 moves · won" in picture


async def test_a_picture_loads_nothing(ada: Player) -> None:
    picture = (await ada.get((await ada.deal()).path + "/board.svg")).text
    root = xml.fromstring(picture)
    names = {element.get("id") for element in root.iter()}
    for element in root.iter():
        for name, value in element.attrib.items():
            assert name != "style" and not name.startswith("on")
            if name.endswith("href"):
                assert value.startswith("#") and value[1:] in names
    assert "<script" not in picture and "<style" not in picture and "<image" not in picture


async def test_whoever_may_watch_may_look(ada: Player, bob: Player, http: httpx2.AsyncClient) -> None:
    table = await ada.deal()
    assert (await bob.get(table.path + "/board.svg")).status_code == 404
    await ada.ask("PUT", table.path + "/watching", {"watching": "link"})
    assert (await http.get(table.path + "/board.svg")).status_code == 200


def test_a_sealed_deal_is_named_by_its_day() -> None:
    solitaire = SOLITAIRES["HM1-N"]
    view = View(
        id="0193796a-5c00-7000-8000-000000000000",
        code=None,
        ruleset="HM1-N",
        daily=DailyRef("2026-11-30", "HM1-N"),
        purpose="daily",
        seq=2,
        status="dead_end",
        score=10,
        moves=1,
        undos=0,
        undo_left=1,
        started_at="2026-11-30T10:00:00.000Z",
        elapsed_ms=0,
        until=None,
        watching="private",
        places=[PlaceView(place.name, place.role, 0, ()) for place in solitaire.places],
    )
    assert "daily of 2026-11-30 · 10 points · 1 move · dead end" in board_svg(view)


def test_there_is_an_outline_of_every_rank_and_suit() -> None:
    assert set(RANKS) == set("A23456789TJQK")
    assert set(SUITS) == set("SHDC")
