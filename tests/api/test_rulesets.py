"""What can be played, and what a code means."""

import httpx2
import pytest

from server.solitaires import SOLITAIRES
from tests.golden import lines

DEALS = lines("cases/deals.jsonl")


async def test_every_ruleset_is_told_with_its_table(http: httpx2.AsyncClient) -> None:
    items = (await http.get("/v1/rulesets")).json()["items"]
    assert [item["ruleset"] for item in items] == list(SOLITAIRES)
    for item in items:
        solitaire = SOLITAIRES[item["ruleset"]]
        assert f"{item['game']}{item['version']}-{item['variant']}" == item["ruleset"]
        assert [place["name"] for place in item["places"]] == [place.name for place in solitaire.places]
        assert item["ranked_by"][:2] == ["won", "score"]
        assert item["reasons"][-1] == "nothing_to_undo"
        assert {"move", "tap", "undo", "resign"} <= set(item["commands"])
    assert "double_tap" not in items[0]["commands"]


async def test_the_arc_of_half_moon_is_where_the_rules_put_it(http: httpx2.AsyncClient) -> None:
    items = (await http.get("/v1/rulesets")).json()["items"]
    places = {place["name"]: place for place in items[0]["places"]}
    assert [(places[f"P{n}"]["x"], places[f"P{n}"]["y"]) for n in range(4, 11)] == [(x, 1) for x in range(1, 8)]
    assert [(places[name]["x"], places[name]["y"]) for name in ("P3", "P2", "P1", "P11", "P12")] == [
        (1, 2),
        (1, 3),
        (1, 4),
        (7, 2),
        (7, 3),
    ]
    assert [(places[f"R{n}"]["x"], places[f"R{n}"]["y"]) for n in range(1, 9)] == [
        (x, y) for y in (3, 4) for x in (2.5, 3.5, 4.5, 5.5)
    ]
    assert [places[f"P{n}"]["drop"] for n in range(4, 11)] == [1, 0.45, 0.1, 0, 0.1, 0.45, 1]


@pytest.mark.parametrize("case", DEALS, ids=lambda case: case["code"])
async def test_a_code_means_its_golden_deal_and_shows_no_covered_card(case: dict, http: httpx2.AsyncClient) -> None:
    deal = (await http.get(f"/v1/deals/{case['code']}")).json()
    assert deal["code"] == case["code"]
    assert deal["sealed"] is (len(case["code"].rpartition("-")[2]) == 26)
    top_only = deal["game"] == "HM"
    for place in deal["view"]["places"]:
        dealt = case["places"].get(place["name"], [])
        assert place["count"] == len(dealt)
        assert place["cards"] == (dealt[-1:] if top_only else dealt)


@pytest.mark.parametrize("typed", ["hm1naaaaaab", "HM1-N-AAAAAA8", "hm1%20n%20aaaaaab", "HM1-N-AAA-AAAB"])
async def test_a_code_is_read_as_people_type_it(typed: str, http: httpx2.AsyncClient) -> None:
    assert (await http.get(f"/v1/deals/{typed}")).json()["code"] == "HM1-N-AAAAAAB"


@pytest.mark.parametrize(
    ("typed", "part"),
    [("HM1-N-AAAAAA1%00", "character"), ("%C3%A9", "character"), ("ZZ", "game"), ("HM1-N-A", "length")],
)
async def test_nonsense_is_no_code_and_says_why(typed: str, part: str, http: httpx2.AsyncClient) -> None:
    response = await http.get(f"/v1/deals/{typed}")
    assert (response.status_code, response.json()["code"]) == (400, "invalid_code")
    assert response.json()["params"] == {"part": part}
