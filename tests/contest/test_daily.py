"""Sealed dailies: committed ahead, one attempt each, ended by the log's own rule, revealed by the clock."""

import asyncio
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest

from server.contest.calendar import DAY_MS, day, day_of, days_ahead
from server.contest.certify import Certified, Failed, Uncertified
from server.contest.daily import Dailies, commitment, daily_rulesets
from server.solitaires.codes import draw_code
from server.store import dailies as stored
from tests.contest.conftest import HM_CODE, SH_CODE, World, world
from tests.parts.clock import ManualClock
from tests.parts.entropy import SeededEntropy

DATE = "2026-11-30"
PATH = f"/v1/dailies/{DATE}/HM1-N"


def first_move(view: dict[str, Any]) -> dict[str, Any]:
    """Any legal move of a view that was asked for with them."""
    move: dict[str, Any] = view["legal"][0]
    return move


# -- the calendar ------------------------------------------------------------------------------------


def test_a_day_opens_at_midnight_utc_and_closes_an_hour_after_it_is_over() -> None:
    leap = day("2028-02-29")
    assert (leap.last_start_at - leap.opens_at, leap.closes_at - leap.last_start_at) == (DAY_MS, 3_600_000)
    assert day_of(leap.opens_at) == leap == day_of(leap.last_start_at - 1)
    assert day_of(leap.opens_at - 1).date == "2028-02-28"
    assert [ahead.date for ahead in days_ahead(leap.opens_at)] == ["2028-02-29", "2028-03-01", "2028-03-02"]


@pytest.mark.parametrize(
    "text", ["2027-02-29", "2026-13-01", "2026-1-1", "today", "", "2026-11-30T00:00", "\uff12026-11-30"]
)
def test_what_is_no_date_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"date|calendar"):
        day(text)


# -- making ------------------------------------------------------------------------------------------


class Search:
    """Answers searches at once with codes of its own, or as it is told."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.answers: list[Certified | Uncertified | Failed] = []
        self.hold: asyncio.Event | None = None
        self.begun = asyncio.Event()
        self._entropy = SeededEntropy()

    async def __call__(self, ruleset: str) -> Certified | Uncertified | Failed:
        self.asked.append(ruleset)
        self.begun.set()
        if self.hold is not None:
            await self.hold.wait()
        if self.answers:
            return self.answers.pop(0)
        return Certified(draw_code(ruleset, self._entropy, sealed=True), ({"remove": ["P1", "P2"]},), 1, 70)


def maker(one: World, search: Search, holder: str = "a") -> Dailies:
    services = one.services
    return Dailies(
        database=services.database,
        referee=services.referee,
        clock=one.clock,
        ids=services.ids,
        search=search,
        holder=holder,
    )


async def test_a_new_server_commits_to_all_rulesets_of_today_and_the_two_days_ahead_once(here: World) -> None:
    search = Search()
    assert await maker(here, search).make() == 12
    assert await maker(here, search).make() == 0
    for date in ("2026-11-30", "2026-12-01", "2026-12-02"):
        shown = (await here.http.get(f"/v1/dailies/{date}")).json()
        assert [item["ruleset"] for item in shown["items"]] == daily_rulesets()
        for item in shown["items"]:
            daily = await here.services.database.read(stored.get, date, item["ruleset"])
            assert daily is not None and len(daily.code.rsplit("-", 1)[1]) == 26
            assert item["commitment"] == sha256(daily.code.encode()).hexdigest()
            assert (item["certified"], item["code"], item["line"]) == (True, None, None)
            assert item["committed_at"] == "2026-11-30T10:00:00.000Z"


async def test_a_deal_without_a_line_is_uncertified_and_a_failed_search_is_tried_again(here: World) -> None:
    search = Search()
    code = draw_code("HM1-N", SeededEntropy("x"), sealed=True)
    search.answers = [Failed("died"), Uncertified(draw_code("SH1-C4", SeededEntropy("y"), sealed=True), 3, 9)]
    assert await maker(here, search).make() == 11
    before = (await here.http.get(f"/v1/dailies/{DATE}")).json()["items"]
    assert (before[0]["commitment"], before[1]["certified"]) == (None, False)
    ada = await here.player()
    missing = await ada.ask("POST", f"{PATH}/attempt", {})
    assert (missing.status_code, missing.json()["code"]) == (409, "not_open_yet")
    search.answers = [Uncertified(code, 5, 9)]
    assert await maker(here, search).make() == 1
    after = (await here.http.get(f"/v1/dailies/{DATE}")).json()["items"][0]
    assert (after["commitment"], after["certified"]) == (commitment(str(code)), False)


async def test_of_two_processes_one_searches_and_a_dead_ones_lease_runs_out(here: World) -> None:
    slow, other = Search(), Search()
    slow.hold = asyncio.Event()
    searching = asyncio.create_task(maker(here, slow, "a").make())
    await slow.begun.wait()
    assert await maker(here, other, "b").make() == 0 and other.asked == []
    searching.cancel()
    await asyncio.gather(searching, return_exceptions=True)
    assert await maker(here, other, "b").make() == 0, "its lease still runs"
    here.clock.tick(60_001)
    assert await maker(here, other, "b").make() == 12


async def test_what_was_committed_to_first_stands(here: World) -> None:
    await here.commit(DATE)
    with pytest.raises(AssertionError):
        await here.commit(DATE, "HM1-N-PXB3RBRP734357X6ZF7T32YU3A")
    daily = await here.services.database.read(stored.get, DATE, "HM1-N")
    assert daily is not None and daily.code == HM_CODE


# -- starting ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("at", "offset", "status", "code"),
    [
        ("opens_at", -1, 409, "not_open_yet"),
        ("opens_at", 0, 201, None),
        ("opens_at", 1, 201, None),
        ("last_start_at", -1, 201, None),
        ("last_start_at", 0, 409, "starts_closed"),
        ("last_start_at", 1, 409, "starts_closed"),
        ("closes_at", 0, 409, "starts_closed"),
    ],
)
async def test_a_start_counts_from_the_opening_on_and_before_the_last_start(
    here: World, at: str, offset: int, status: int, code: str | None
) -> None:
    here.clock.at = day(DATE).opens_at - 3_600_000
    named = await here.commit(DATE)
    ada = await here.player()
    here.clock.at = getattr(named, at) + offset
    answer = await ada.ask("POST", f"{PATH}/attempt", {})
    assert answer.status_code == status, answer.text
    assert answer.json().get("code") == code


async def test_the_one_attempt_is_given_again_and_two_devices_at_once_get_the_same(here: World) -> None:
    await here.commit(DATE)
    ada, bob = await here.player(), await here.player()
    answers = await asyncio.gather(*(ada.ask("POST", f"{PATH}/attempt", {}) for _ in range(10)))
    assert len({answer.json()["id"] for answer in answers}) == 1
    game = answers[0].json()
    assert (game["code"], game["daily"]) == (None, {"date": DATE, "ruleset": "HM1-N"})
    assert game["until"] == "2026-12-01T01:00:00.000Z"
    assert (await bob.ask("POST", f"{PATH}/attempt", {})).json()["id"] != game["id"]
    resigned = await ada.ask("POST", f"/v1/games/{game['id']}/commands", {"command_id": "r", "do": "resign"})
    assert resigned.status_code == 200
    again = await ada.ask("POST", f"{PATH}/attempt", {})
    assert (again.json()["id"], again.json()["status"]) == (game["id"], "resigned")
    mine = (await ada.get(f"/v1/dailies/{DATE}")).json()["items"][0]["mine"]
    assert mine == {"game": game["id"], "status": "resigned"}


async def test_an_attempts_command_id_cannot_be_that_of_another_game(here: World) -> None:
    await here.commit(DATE)
    ada = await here.player()
    await ada.deal(command_id="mine")
    answer = await ada.ask("POST", f"{PATH}/attempt", {"command_id": "mine"})
    assert (answer.status_code, answer.json()["code"]) == (409, "command_id_reused")


@pytest.mark.parametrize("path", ["2026-11-31/HM1-N", "2026-11-30/XX1-N", "2020-01-01/HM1-N", "tomorrow/HM1-N"])
async def test_there_is_no_attempt_on_what_is_no_daily(here: World, path: str) -> None:
    ada = await here.player()
    answer = await ada.ask("POST", f"/v1/dailies/{path}/attempt", {})
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


# -- the end -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("offset", "status"), [(-1, 200), (0, 409), (1, 409)])
async def test_a_command_counts_before_the_close_of_an_attempt_over_midnight(
    here: World, offset: int, status: int
) -> None:
    named = await here.commit(DATE)
    ada = await here.player()
    here.clock.at = named.last_start_at - 1
    game = (await ada.ask("POST", f"{PATH}/attempt", {})).json()
    here.clock.at = named.closes_at + offset
    view = (await ada.get(f"/v1/games/{game['id']}")).json()
    assert view["status"] == ("playing" if status == 200 else "expired")
    here.clock.at = named.closes_at + offset
    answer = await ada.ask("POST", f"/v1/games/{game['id']}/commands", {"command_id": "r", "do": "resign"})
    assert answer.status_code == status
    if status != 200:
        assert (answer.json()["code"], answer.json()["params"]["status"]) == ("game_over", "expired")


async def test_the_sweep_expires_what_is_open_publishes_a_manifest_and_twice_is_once(here: World) -> None:
    named = await here.commit(DATE)
    players = [await here.player() for _ in range(4)]
    games = []
    for number, player in enumerate(players):
        game = (await player.ask("POST", f"{PATH}/attempt", {})).json()
        games.append(game["id"])
        if number:  # the first one never moves, and so makes no row
            here.clock.tick(1500)
            view = (await player.get(f"/v1/games/{game['id']}?legal=1")).json()
            body = {"command_id": "m", "do": "move", **first_move(view)}
            assert (await player.ask("POST", f"/v1/games/{game['id']}/commands", body)).status_code == 200
    early = await here.http.get(f"{PATH}/manifest")
    assert (early.status_code, early.json()["code"]) == (409, "sealed")
    here.clock.at = named.closes_at - 1
    assert await here.services.dailies.sweep() == 0
    here.clock.at = named.closes_at
    shown = (await here.http.get(f"/v1/dailies/{DATE}")).json()
    assert (shown["items"][0]["code"], shown["swept"]) == (HM_CODE, False), "the clock reveals, sweep or no sweep"
    assert (await here.http.get(f"{PATH}/manifest")).json()["code"] == "sealed"
    assert await here.services.dailies.sweep() == 1
    assert await here.services.dailies.sweep() == 0
    assert (await here.http.get(f"/v1/dailies/{DATE}")).json()["swept"] is True
    answer = await here.http.get(f"{PATH}/manifest")
    manifest = answer.json()
    assert msgspec.json.Encoder(order="sorted").encode(manifest) == answer.content
    assert (manifest["code"], manifest["commitment"], manifest["previous"]) == (HM_CODE, commitment(HM_CODE), None)
    assert sorted(row["game"] for row in manifest["rows"]) == sorted(games[1:])
    for row in manifest["rows"]:
        player = players[games.index(row["game"])]
        log = (await player.get(f"/v1/games/{row['game']}/events")).json()["items"]
        assert (log[-1]["type"], log[-1]["command_id"], log[-1]["link"]) == ("expired", "~expired", row["link"])
    text = answer.text
    assert not any(player.id in text for player in players)


async def test_the_board_of_a_running_day_is_provisional_and_has_no_links(here: World) -> None:
    named = await here.commit(DATE)
    ada, bob = await here.player(name="Ada"), await here.player()
    for player, moves in ((ada, 2), (bob, 1)):
        game = (await player.ask("POST", f"{PATH}/attempt", {})).json()["id"]
        for number in range(moves):
            view = (await player.get(f"/v1/games/{game}?legal=1")).json()
            body = {"command_id": f"m{number}", "do": "move", **first_move(view)}
            assert (await player.ask("POST", f"/v1/games/{game}/commands", body)).status_code == 200
        await player.ask("POST", f"/v1/games/{game}/commands", {"command_id": "r", "do": "resign"})
    board = (await bob.get(f"{PATH}/board")).json()
    assert (board["board"], board["code"], board["provisional"]) == (f"daily:{DATE}:HM1-N", None, True)
    assert [(row["rank"], row["player"]["name"], row["link"]) for row in board["items"]] == [
        (1, "Ada", None),
        (2, None, None),
    ]
    assert (board["me"]["rank"], board["me"]["percentile"], board["me"]["link"]) == (2, 0.0, None)
    assert [(bar["score"] > 0, bar["players"]) for bar in board["histogram"]] == [(True, 1), (True, 1)]
    assert (await bob.get(f"/v1/games/{board['items'][0]['game']}")).status_code == 404
    here.clock.at = named.closes_at
    await here.services.dailies.sweep()
    board = (await here.http.get(f"{PATH}/board")).json()
    assert (board["code"], board["provisional"], board["me"]) == (HM_CODE, False, None)
    links = [row["link"] for row in board["items"]]
    manifest = (await here.http.get(f"{PATH}/manifest")).json()
    assert links == [row["link"] for row in manifest["rows"]]
    for row in board["items"]:  # once revealed, the games of a board are open to all
        assert (await here.http.get(f"/v1/games/{row['game']}")).json()["code"] == HM_CODE
        assert (await here.http.get(f"/v1/games/{row['game']}/receipt")).status_code == 200


async def test_a_manifest_names_the_one_before_by_the_hash_of_its_bytes(here: World) -> None:
    await here.commit(DATE)
    await here.commit("2026-12-01", "HM1-N-PXB3RBRP734357X6ZF7T32YU3A")
    await here.commit("2026-12-01", SH_CODE)
    here.clock.at = day("2026-12-01").closes_at
    assert await here.services.dailies.sweep() == 3
    first = await here.http.get(f"{PATH}/manifest")
    second = await here.http.get("/v1/dailies/2026-12-01/HM1-N/manifest")
    other = await here.http.get("/v1/dailies/2026-12-01/SH1-C4/manifest")
    assert second.json()["previous"] == sha256(first.content).hexdigest()
    assert other.json()["previous"] is None


async def test_a_clock_that_jumps_back_or_ahead_within_a_game_costs_no_event(here: World) -> None:
    named = await here.commit(DATE)
    ada = await here.player()
    game = (await ada.ask("POST", f"{PATH}/attempt", {})).json()["id"]
    for jump in (5000, -3_600_000, 7000, -1):
        here.clock.tick(jump)
        view = (await ada.get(f"/v1/games/{game}?legal=1")).json()
        body = {"command_id": f"m{jump}", "do": "move", **first_move(view)}
        assert (await ada.ask("POST", f"/v1/games/{game}/commands", body)).status_code == 200
    here.clock.at = named.closes_at
    log = (await ada.get(f"/v1/games/{game}/events")).json()["items"]
    times = [event["at"] for event in log]
    assert times == sorted(times)


async def test_the_archive_lists_the_days_of_a_month_newest_first(here: World) -> None:
    await here.commit(DATE)
    await here.commit("2026-12-01", SH_CODE)
    months = {
        month: [one["date"] for one in (await here.http.get(f"/v1/dailies?month={month}")).json()["items"]]
        for month in ("2026-11", "2026-12", "2025-01")
    }
    assert months == {"2026-11": ["2026-11-30"], "2026-12": ["2026-12-02", "2026-12-01"], "2025-01": []}
    assert (await here.http.get("/v1/dailies?month=2026-13")).status_code == 400
    assert (await here.http.get("/v1/dailies/2026-11-29")).status_code == 404


async def test_two_processes_on_one_database_make_sweep_and_start_once(
    new_postgres_url: str, clock: ManualClock
) -> None:
    async with world(new_postgres_url, clock) as one, world(new_postgres_url, clock) as two:
        searches = Search(), Search()
        made = await asyncio.gather(maker(one, searches[0], "a").make(), maker(two, searches[1], "b").make())
        while sum(made) < 12:  # the one that came second leaves the making to the first
            made = [*made, await maker(one, searches[0], "a").make()]
        ada = await one.player()
        answers = await asyncio.gather(
            *(httpx.post(f"{PATH}/attempt", json={}, headers=dict(ada.headers)) for httpx in (one.http, two.http) * 5)
        )
        assert {answer.status_code for answer in answers} == {201}
        assert len({answer.json()["id"] for answer in answers}) == 1
        clock.at = day(DATE).closes_at
        await asyncio.gather(one.services.dailies.sweep(), two.services.dailies.sweep())
        log = (await ada.get(f"/v1/games/{answers[0].json()['id']}/events")).json()["items"]
        assert [event["type"] for event in log] == ["dealt", "expired"]


async def test_a_search_in_a_process_of_its_own_makes_a_day(tmp_path: Path) -> None:
    """The real search, for the quickest ruleset: the line it seals wins on the engine."""
    from server.contest.certify import certify, replays
    from server.solitaires import SOLITAIRES

    found = await certify("HM1-N")
    assert isinstance(found, Certified)
    assert replays(SOLITAIRES["HM1-N"], found.code, found.line)
