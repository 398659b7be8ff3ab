"""Games over HTTP: dealing, looking, playing, who may watch, lists."""

import asyncio
import base64
from typing import Any

import httpx2
import pytest

from server.solitaires import SOLITAIRES
from tests.api.client import Player, client_of, join
from tests.api.conftest import MakeApp
from tests.parts.clock import ManualClock
from tests.parts.entropy import SeededEntropy


def code_of(response: httpx2.Response) -> tuple[int, str]:
    return response.status_code, response.json()["code"]


# -- dealing ----------------------------------------------------------------------------------------


async def test_a_deal_answers_with_its_first_view(ada: Player) -> None:
    response = await ada.ask("POST", "/v1/games", {"code": " hm1-n aaaaaa8 "})
    view = response.json()
    assert response.status_code == 201
    assert response.headers["location"] == f"/v1/games/{view['id']}"
    assert (view["code"], view["ruleset"], view["daily"], view["purpose"]) == ("HM1-N-AAAAAAB", "HM1-N", None, "open")
    assert (view["seq"], view["status"], view["score"], view["moves"], view["undos"]) == (1, "playing", 0, 0, 0)
    assert (view["undo_left"], view["elapsed_ms"], view["watching"]) == (0, 0, "private")
    assert "legal" not in view
    tops = {place["name"]: (place["cards"], place["count"]) for place in view["places"]}
    assert tops["P1"] == (["5S"], 8)
    assert tops["R1"] == (["TH"], 1)


@pytest.mark.parametrize("ruleset", SOLITAIRES)
async def test_a_ruleset_draws_a_code_of_seven_characters(ruleset: str, ada: Player) -> None:
    views = [(await ada.ask("POST", "/v1/games", {"ruleset": ruleset})).json() for _ in range(3)]
    assert {view["ruleset"] for view in views} == {ruleset}
    assert len({view["code"] for view in views}) == 3
    assert all(len(view["code"].rpartition("-")[2]) == 7 for view in views)
    again = await ada.deal(views[0]["code"])
    assert again.view["places"] == views[0]["places"]


@pytest.mark.parametrize(
    ("code", "part"),
    [
        ("HM1-N-AAAAAA!", "character"),
        ("XX1-N-AAAAAAB", "game"),
        ("HM2-N-AAAAAAB", "version"),
        ("HM1-N-AAAAAAAB", "length"),
        ("SH1-C3-AAAAAAB", "variant"),
        ("", "game"),
    ],
)
async def test_a_code_that_cannot_be_read_says_which_part(code: str, part: str, ada: Player) -> None:
    response = await ada.ask("POST", "/v1/games", {"code": code})
    assert code_of(response) == (400, "invalid_code")
    assert response.json()["params"] == {"part": part}


@pytest.mark.parametrize(
    "body",
    [{}, {"code": "HM1-N-AAAAAAB", "ruleset": "HM1-N"}, {"ruleset": "HM2-N"}, {"ruleset": "HM1-N", "ranked": 1}],
)
async def test_what_is_no_deal_is_refused(body: Any, ada: Player) -> None:
    assert code_of(await ada.ask("POST", "/v1/games", body)) == (400, "invalid_body")


async def test_a_deal_that_is_sent_again_is_the_same_game(ada: Player, bob: Player) -> None:
    body = {"ruleset": "HM1-N", "command_id": "deal-1"}
    answers = await asyncio.gather(*(ada.ask("POST", "/v1/games", body) for _ in range(5)))
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert (await bob.ask("POST", "/v1/games", body)).json()["id"] != answers[0].json()["id"]
    for other in ({"ruleset": "SH1-C4"}, {"code": "HM1-N-AAAAAAB"}, {"ruleset": "HM1-N", "ranked": False}):
        assert code_of(await ada.ask("POST", "/v1/games", {**other, "command_id": "deal-1"})) == (
            409,
            "command_id_reused",
        )


async def test_a_game_is_ranked_unless_its_player_says_no(ada: Player) -> None:
    await ada.deal(ranked=False)
    await ada.deal()
    listed = (await ada.get("/v1/games")).json()["items"]
    assert [one["ranked"] for one in listed] == [True, False]


async def test_codes_and_deals_come_through_the_seams(make_app: MakeApp) -> None:
    upside_down = SOLITAIRES["HM1-N"].deal("AAAAAAA")
    app = await make_app(entropy=SeededEntropy(), deal=lambda code: upside_down)
    async with client_of(app) as http:
        player = await join(http)
        views = [(await player.ask("POST", "/v1/games", {"ruleset": "HM1-N"})).json() for _ in range(2)]
        assert views[0]["places"] == views[1]["places"]
        assert views[0]["code"] != views[1]["code"]
        first = (await player.ask("POST", "/v1/games", {"code": "HM1-N-AAAAAAB"})).json()
        assert first["places"] == views[0]["places"]


# -- playing ----------------------------------------------------------------------------------------


async def test_a_move_answers_with_its_event_and_the_view_after_it(ada: Player) -> None:
    table = await ada.deal()
    answer = (await table.send("move", command_id="one", after=1, remove=["P1", "P8"])).json()
    (event,) = answer["events"]
    assert (answer["seq"], event["seq"], event["type"], event["v"], event["seat"]) == (2, 2, "moved", 1, 1)
    assert event["command_id"] == "one"
    assert event["data"] == {"cards": ["5S", "6D"], "points": 10, "remove": ["P1", "P8"]}
    assert (answer["view"]["score"], answer["view"]["moves"], answer["view"]["undo_left"]) == (10, 1, 1)
    assert answer["view"] == (await ada.get(table.path)).json()


async def test_a_tap_selects_and_tells_what_fits_or_makes_the_move(ada: Player) -> None:
    table = await ada.deal()
    first = (await table.send("tap", place="P1")).json()
    assert first == {"seq": 1, "events": [], "selection": ["P1"], "fits": ["P8", "R2"], "reason": None}
    mismatch = (await table.send("tap", selection=["P1"], place="P2")).json()
    assert (mismatch["selection"], mismatch["fits"], mismatch["reason"]) == ([], [], "sum_must_be_11")
    move = (await table.send("tap", selection=["P1"], place="P8")).json()
    assert move["events"][0]["data"]["remove"] == ["P1", "P8"]


async def test_what_is_not_allowed_now_says_why_and_changes_nothing(ada: Player) -> None:
    table = await ada.deal()
    response = await table.send("move", remove=["P1", "P2"])
    assert code_of(response) == (422, "illegal_move")
    assert response.json()["params"] == {"reason": "sum_must_be_11", "places": ["P1", "P2"]}
    assert (await ada.get(table.path)).json() == table.view


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"do": "move", "remove": ["P1"]}, "bad_count"),
        ({"do": "move", "remove": ["P1", "P99"]}, "no_such_place"),
        ({"do": "move", "remove": ["P1", "P1"]}, "place_twice"),
        ({"do": "move", "from": "P1", "to": "P2"}, "malformed"),
        ({"do": "tap", "place": "T1"}, "no_such_place"),
        ({"do": "tap"}, "malformed"),
        ({"do": "undo", "after": 2}, "malformed"),
    ],
)
async def test_what_cannot_be_read_in_the_ruleset_says_why(fields: dict[str, Any], reason: str, ada: Player) -> None:
    table = await ada.deal()
    response = await table.send(**fields)
    assert code_of(response) == (400, "invalid_command")
    assert response.json()["params"]["reason"] == reason


async def test_a_repeated_command_is_answered_as_the_first_time(ada: Player) -> None:
    table = await ada.deal()
    command = {"command_id": "one", "do": "move", "remove": ["P1", "P8"]}
    first = await table.send(**command)
    await table.move("P8", "P5", "P3")
    again = await table.send(**{**command, "remove": ["P8", "P1"], "after": 1})
    assert again.json() == first.json()
    assert (await ada.get(table.path)).json()["seq"] == 3
    other = await table.send(**{**command, "remove": ["P2", "P9"]})
    assert code_of(other) == (409, "command_id_reused")
    tap = await table.send("tap", command_id="one", selection=["P1"], place="P8")
    assert code_of(tap) == (409, "command_id_reused")


async def test_a_stale_command_is_told_what_it_missed(ada: Player) -> None:
    table = await ada.deal()
    await table.move("P1", "P8")
    await table.move("P8", "P5", "P3")
    response = await table.send("move", after=1, remove=["P2", "P9"])
    assert code_of(response) == (409, "stale")
    params = response.json()["params"]
    assert params["seq"] == 3
    assert params["missed"] == (await ada.get(table.path + "/events?after=1")).json()["items"]


async def test_more_than_a_hundred_missed_events_are_not_listed(ada: Player) -> None:
    table = await ada.deal()
    for _ in range(50):
        await table.move("P1", "P8")
        await table.send("undo")
    assert len((await table.send("undo", after=1)).json()["params"]["missed"]) == 100
    await table.move("P1", "P8")
    assert (await table.send("undo", after=1)).json()["params"] == {"seq": 102, "missed": None}


async def test_after_the_end_nothing_is_accepted(ada: Player) -> None:
    table = await ada.deal()
    assert (await table.send("resign")).json()["view"]["status"] == "resigned"
    for do in ("undo", "resign"):
        response = await table.send(do)
        assert code_of(response) == (409, "game_over")
        assert response.json()["params"] == {"status": "resigned"}


async def test_of_many_commands_on_one_state_one_is_taken(ada: Player) -> None:
    table = await ada.deal()
    answers = await asyncio.gather(*(table.send("move", after=1, remove=["P1", "P8"]) for _ in range(10)))
    assert sorted(answer.status_code for answer in answers) == [200] + [409] * 9
    assert (await ada.get(table.path)).json()["seq"] == 2


# -- looking ----------------------------------------------------------------------------------------


async def test_a_view_shows_the_game_after_any_event(ada: Player) -> None:
    table = await ada.deal()
    views = [table.view, await table.move("P1", "P8"), await table.move("P8", "P5", "P3")]
    views.append((await table.send("undo")).json()["view"])
    for seq, view in enumerate(views, start=1):
        assert (await ada.get(f"{table.path}?at={seq}")).json() == view
    assert [view["undos"] for view in views] == [0, 0, 0, 1]
    assert code_of(await ada.get(table.path + "?at=5")) == (400, "invalid_query")


async def test_legal_moves_come_to_those_who_ask(ada: Player) -> None:
    table = await ada.deal("SH1-C4-AAAAAJ2")
    for flag in ("1", "true"):
        legal = (await ada.get(f"{table.path}?legal={flag}")).json()["legal"]
        assert legal
        assert all(move.keys() == {"from", "to", "count"} for move in legal)
    assert "legal" not in (await ada.get(table.path + "?legal=0")).json()
    for move in legal:
        assert (await table.send("move", **move)).status_code == 200
        assert (await table.send("undo")).status_code == 200


async def test_a_view_never_names_a_covered_card(ada: Player) -> None:
    table = await ada.deal()
    assert all(len(place["cards"]) == min(1, place["count"]) for place in table.view["places"])


# -- watching ---------------------------------------------------------------------------------------


async def test_what_was_opened_can_be_closed_again(ada: Player, bob: Player, http: httpx2.AsyncClient) -> None:
    table = await ada.deal()
    for watching, seen in (("link", 200), ("private", 404), ("public", 200), ("private", 404)):
        put = await ada.ask("PUT", table.path + "/watching", {"watching": watching})
        assert put.json()["watching"] == watching
        assert (await bob.get(table.path)).status_code == seen
        assert (await http.get(table.path)).status_code == (200 if seen == 200 else 401)
    assert (await ada.ask("PUT", table.path + "/watching", {"watching": "friends"})).status_code == 400


async def test_a_watcher_sees_what_the_player_sees(ada: Player, bob: Player) -> None:
    table = await ada.deal()
    await ada.ask("PUT", table.path + "/watching", {"watching": "link"})
    view = await table.move("P1", "P8")
    assert (await bob.get(table.path)).json() == {**view, "watching": "link"}
    theirs = (await bob.get(table.path + "/events")).json()
    assert theirs == (await ada.get(table.path + "/events")).json()


# -- lists ------------------------------------------------------------------------------------------


async def test_my_games_come_newest_first_page_by_page(make_app: MakeApp, clock: ManualClock) -> None:
    app = await make_app(clock=clock)
    async with client_of(app) as http:
        ada, bob = await join(http), await join(http)
        made = []
        for number in range(7):
            # Several in one millisecond: the id decides then.
            clock.tick(number % 2)
            made.append((await ada.deal()).id)
            await bob.deal()
        seen: list[str] = []
        cursor = ""
        while True:
            page = (await ada.get(f"/v1/games?limit=3{cursor}")).json()
            seen += [item["id"] for item in page["items"]]
            if page["next"] is None:
                break
            cursor = f"&cursor={page['next']}"
        assert seen == made[::-1]


async def test_lists_are_filtered(make_app: MakeApp, clock: ManualClock) -> None:
    app = await make_app(clock=clock)
    async with client_of(app) as http:
        ada = await join(http)
        tables = {}
        for code in ("HM1-N-AAAAAAB", "SH1-C4-AAAAAJ2", "SH1-C2-AAAAAJ2"):
            tables[code] = await ada.deal(code)
            clock.tick(1000)
        await tables["SH1-C2-AAAAAJ2"].send("resign")

        async def found(query: str) -> list[str]:
            return [item["code"] for item in (await ada.get("/v1/games?" + query)).json()["items"]]

        assert await found("code=hm1naaaaaab") == ["HM1-N-AAAAAAB"]
        assert await found("ruleset=SH1-C4") == ["SH1-C4-AAAAAJ2"]
        assert await found("status=resigned") == ["SH1-C2-AAAAAJ2"]
        assert await found("status=playing&ruleset=SH1-C2") == []
        assert await found("since=2026-11-30T10:00:01.000Z") == ["SH1-C2-AAAAAJ2", "SH1-C4-AAAAAJ2"]
        assert await found("until=2026-11-30T10:00:01.000Z") == ["HM1-N-AAAAAAB"]
        assert await found("since=2026-11-30T10:00:01Z&until=2026-11-30T11:00:02%2B01:00") == ["SH1-C4-AAAAAJ2"]


async def test_public_games_are_listed_for_everybody_and_no_others(make_app: MakeApp) -> None:
    app = await make_app()
    async with client_of(app) as http:
        ada, bob = await join(http), await join(http)
        tables = [await ada.deal(code) for code in ("HM1-N-AAAAAAB", "SH1-C4-AAAAAJ2", "SH1-C2-AAAAAJ2")]
        for table, watching in zip(tables, ("public", "link", "public"), strict=True):
            await ada.ask("PUT", table.path + "/watching", {"watching": watching})
        for listed in (await http.get("/v1/games?watching=public"), await bob.get("/v1/games?watching=public")):
            assert [item["id"] for item in listed.json()["items"]] == [tables[2].id, tables[0].id]
        assert (await bob.get("/v1/games")).json() == {"items": [], "next": None}
        filtered = (await http.get("/v1/games?watching=public&ruleset=HM1-N")).json()["items"]
        assert [item["id"] for item in filtered] == [tables[0].id]
        page = (await http.get("/v1/games?watching=public&limit=1")).json()
        rest = (await http.get(f"/v1/games?watching=public&limit=1&cursor={page['next']}")).json()
        assert [page["items"][0]["id"], rest["items"][0]["id"]] == [tables[2].id, tables[0].id]
        assert rest["next"] is None


async def test_a_filtered_page_of_public_games_is_full_as_long_as_there_are_more(
    make_app: MakeApp, clock: ManualClock
) -> None:
    app = await make_app(clock=clock)
    async with client_of(app) as http:
        ada = await join(http)
        for code in ("HM1-N-AAAAAAB", "SH1-C4-AAAAAJ2", "SH1-C2-AAAAAJ2", "HM1-N-AAAAAAB", "SH1-C2-AAAAAJ2"):
            table = await ada.deal(code)
            await ada.ask("PUT", table.path + "/watching", {"watching": "public"})
            clock.tick(1000)
        await table.send("resign")

        async def pages(filters: str) -> list[list[str]]:
            """What each page of two shows: rulesets, and the second in which the game was dealt."""
            shown, cursor = [], ""
            while True:
                page = (await http.get(f"/v1/games?watching=public&limit=2&{filters}{cursor}")).json()
                shown.append([f"{item['ruleset']} {item['started_at'][17:19]}" for item in page["items"]])
                if page["next"] is None:
                    return shown
                cursor = f"&cursor={page['next']}"

        assert await pages("code=hm1naaaaaab") == [["HM1-N 03", "HM1-N 00"]]
        assert await pages("status=playing") == [["HM1-N 03", "SH1-C2 02"], ["SH1-C4 01", "HM1-N 00"]]
        assert await pages("ruleset=SH1-C4") == [["SH1-C4 01"]]
        assert await pages("status=won") == [[]]
        assert await pages("since=2026-11-30T10:00:01Z&until=2026-11-30T10:00:04Z") == [
            ["HM1-N 03", "SH1-C2 02"],
            ["SH1-C4 01"],
        ]


@pytest.mark.parametrize(
    "cursor",
    [
        "x",
        "",
        "AAAA",
        "%00",
        "é",
        base64.urlsafe_b64encode(b"1.0193796a-5c00-7000-8000-000000000000").decode(),
        "A" * 31,
        "A" * 33,
        "A" * 31 + "=",
        "A" * 31 + "\n",
        "' OR 1=1 --" + "A" * 21,
    ],
)
async def test_a_cursor_that_was_not_given_out_is_refused(cursor: str, ada: Player) -> None:
    response = await ada.ask("GET", "/v1/games", params={"cursor": cursor})
    assert code_of(response) == (400, "invalid_cursor")


@pytest.mark.parametrize(
    "query",
    ["code=HM1", "ruleset=HM2-N", "status=open", "since=yesterday", "since=2026-11-30T10:00:00", "watching=link"],
)
async def test_a_filter_that_means_nothing_is_refused(query: str, ada: Player) -> None:
    response = await ada.get("/v1/games?" + query)
    assert code_of(response) == (400, "invalid_query")
    assert response.json()["params"]["name"] == query.partition("=")[0]
