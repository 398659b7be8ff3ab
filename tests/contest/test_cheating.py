"""What a cheat would try on a daily. Nothing of it is accepted; each is refused with its code, or brings nothing."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from server.api.app import create_app
from server.contest.calendar import DAY_MS, day
from server.contest.daily import commitment
from server.settings import Settings
from server.solitaires import SOLITAIRES
from tests.api.client import Player, client_of, join
from tests.contest.conftest import HM_CODE, SH_CODE, World
from tests.contest.wire import Socket
from tests.parts.clock import ManualClock

DATE, TOMORROW = "2026-11-30", "2026-12-01"
PATH = f"/v1/dailies/{DATE}/HM1-N"
HOUR_MS = 3_600_000


@pytest.fixture
async def today(here: World) -> World:
    """A world with a Half Moon daily that is open."""
    await here.commit(DATE)
    return here


def code_of(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


async def begin(player: Player, path: str = PATH) -> str:
    """Start the daily; the path of the attempt."""
    answer = await player.ask("POST", f"{path}/attempt")
    assert answer.status_code == 201, answer.text
    return f"/v1/games/{answer.json()['id']}"


async def send(player: Player, game: str, command_id: str, do: str, **fields: Any) -> httpx2.Response:
    return await player.ask("POST", f"{game}/commands", {"command_id": command_id, "do": do, **fields})


async def move(player: Player, game: str, command_id: str = "m") -> dict[str, Any]:
    """Play the first legal move; what was moved."""
    legal: dict[str, Any] = (await player.get(f"{game}?legal=1")).json()["legal"][0]
    assert (await send(player, game, command_id, "move", **legal)).status_code == 200
    return legal


async def manifest(world: World, path: str = PATH) -> dict[str, Any]:
    """What is published once the day has closed."""
    world.clock.at = day(DATE).closes_at
    await world.services.dailies.sweep()
    published: dict[str, Any] = (await world.http.get(f"{path}/manifest")).json()
    return published


@asynccontextmanager
async def on_the_line(world: World, player: Player) -> AsyncIterator[Any]:
    """A socket of a player: say something, get the first answer of these kinds."""
    socket = Socket(world.app)
    try:

        async def say(*kinds: str, **message: Any) -> dict[str, Any]:
            socket.take()
            socket.say(json.dumps(message))
            await socket.until(*kinds)
            heard: dict[str, Any] = json.loads(socket.take()[-1]["text"])
            return heard

        await say("welcome", t="hello", token=player.token)
        yield say
    finally:
        await socket.close()


# -- reading what is not one's own --------------------------------------------------------------------


async def test_anothers_log_is_not_there_until_the_reveal_whatever_its_player_allows(today: World) -> None:
    ada, bob = await today.player(), await today.player()
    game = await begin(ada)
    await move(ada, game)
    assert (await ada.ask("PUT", f"{game}/watching", {"watching": "public"})).status_code == 200
    nothing = "/v1/games/01937a6a-5c00-7000-8000-000000000000"
    for part in ("", "?at=1", "?legal=1", "/events", "/events?after=1&wait=25", "/receipt"):
        theirs, none = await bob.get(game + part), await bob.get(nothing + part)
        assert code_of(theirs) == (404, "not_found"), part
        assert {**theirs.json(), "request_id": ""} == {**none.json(), "request_id": ""}
        assert code_of(await today.http.get(game + part)) == (401, "unauthenticated")
    listed = (await today.http.get("/v1/games?watching=public&limit=1")).json()
    assert listed == {"items": [], "next": None}, "not even a cursor names it"
    async with on_the_line(today, bob) as say:
        refused = await say("refused", "state", t="watch", channel=f"game:{game.rpartition('/')[2]}")
        assert refused["problem"]["code"] == "not_found"


async def test_a_game_that_may_be_watched_takes_no_command_of_a_watcher(today: World) -> None:
    ada, bob = await today.player(), await today.player()
    game = await begin(ada)
    assert code_of(await send(bob, game, "x", "resign")) == (404, "not_found")
    assert code_of(await today.http.post(f"{game}/commands", json={"command_id": "x", "do": "resign"})) == (
        401,
        "unauthenticated",
    )
    await send(ada, game, "m", "resign")
    table = await ada.deal()
    assert (await ada.ask("PUT", f"{table.path}/watching", {"watching": "link"})).status_code == 200
    assert code_of(await send(bob, table.path, "x", "resign")) == (403, "forbidden")
    async with on_the_line(today, bob) as say:
        refused = await say("refused", "ack", t="command", game=table.id, command_id="x", do="resign")
        assert refused["problem"]["code"] == "forbidden"
    assert (await ada.get(table.path)).json()["seq"] == 1


# -- more than one attempt ----------------------------------------------------------------------------


async def test_there_is_one_attempt_however_one_begins(today: World) -> None:
    """At once from two devices, again after giving up, again after a new name: the same game, and no second result."""
    ada = await today.player()
    paired = (await ada.ask("POST", "/v1/players/me/pairings")).json()["code"]
    second = (await today.http.post("/v1/pairings", json={"code": paired})).json()["token"]
    phone = Player(today.http, ada.id, second, ada.recovery)
    answers = await asyncio.gather(
        *(device.ask("POST", f"{PATH}/attempt", {"command_id": f"{n}"}) for n, device in enumerate([ada, phone] * 5))
    )
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["id"] for answer in answers}) == 1
    game = f"/v1/games/{answers[0].json()['id']}"
    await move(phone, game)
    await send(ada, game, "r", "resign")
    await ada.ask("PATCH", "/v1/players/me", {"name": "Somebody Else"})
    for device in (ada, phone):
        assert await begin(device) == game
        assert code_of(await send(device, game, "n", "undo")) == (409, "game_over")
    assert code_of(await ada.ask("POST", f"{PATH}/attempt", {"code": HM_CODE})) == (400, "invalid_body")
    assert len((await manifest(today))["rows"]) == 1


async def test_an_attempt_that_is_abandoned_is_the_attempt(today: World) -> None:
    ada = await today.player()
    game = await begin(ada)
    await move(ada, game)
    today.clock.tick(20 * 60_000)
    assert await begin(ada) == game
    view = (await ada.get(game)).json()
    assert (view["seq"], view["started_at"]) == (2, "2026-11-30T10:00:00.000Z"), "the clock has gone on from the start"
    rows = (await manifest(today))["rows"]
    assert [(row["game"], row["keys"]["won"]) for row in rows] == [(game.rpartition("/")[2], 0)]


async def test_who_erases_himself_and_comes_back_leaves_his_row_and_gets_nothing_of_it(today: World) -> None:
    """That he can come as somebody else nobody can prevent: docs/fairness.md says so."""
    ada = await today.player()
    game = await begin(ada)
    await move(ada, game)
    assert (await ada.ask("DELETE", "/v1/players/me")).status_code == 204
    assert code_of(await ada.get(game)) == (401, "unauthenticated")
    assert code_of(await today.http.post("/v1/recoveries", json={"recovery": ada.recovery})) == (404, "not_found")
    again = await today.player()
    assert code_of(await again.get(game)) == (404, "not_found")
    assert await begin(again) != game
    rows = (await manifest(today))["rows"]
    assert [row["game"] for row in rows] == [game.rpartition("/")[2]], "the one without a move makes no row"
    receipt = (await today.http.get(f"{game}/receipt")).json()
    assert (receipt["player"], receipt["salt"]) == (None, None)
    assert (await today.http.post("/v1/verify", json=receipt)).json()["valid"] is True


# -- too early, too late ------------------------------------------------------------------------------


async def test_tomorrows_daily_is_sealed_by_every_route(today: World) -> None:
    await today.commit(TOMORROW, SH_CODE)
    ada, path = await today.player(), f"/v1/dailies/{TOMORROW}/SH1-C4"
    early = await ada.ask("POST", f"{path}/attempt", {"command_id": "early"})
    assert code_of(early) == (409, "not_open_yet")
    assert early.json()["params"] == {"opens_at": "2026-12-01T00:00:00.000Z"}
    assert code_of(await ada.ask("POST", "/v1/dailies/2026-12-03/SH1-C4/attempt")) == (404, "not_found")
    item = next(one for one in (await ada.get(f"/v1/dailies/{TOMORROW}")).json()["items"] if one["ruleset"] == "SH1-C4")
    assert (item["commitment"], item["code"], item["line"]) == (commitment(SH_CODE), None, None)
    board = (await ada.get(f"{path}/board")).json()
    assert (board["code"], board["items"], board["provisional"]) == (None, [], True)
    assert code_of(await ada.get(f"{path}/manifest")) == (409, "sealed")
    for guess in (item["commitment"], f"SH1-C4-{item['commitment']}", "SH1-C4"):
        assert code_of(await ada.get(f"/v1/deals/{guess}")) == (400, "invalid_code")
        assert code_of(await ada.ask("POST", "/v1/games", {"code": guess})) == (400, "invalid_code")
    async with on_the_line(today, ada) as say:
        refused = await say("refused", "state", t="watch", channel=f"daily:{TOMORROW}")
        assert "code" not in refused.get("view", {}) and refused["t"] == "refused"
    assert (await ada.get("/v1/games")).json()["items"] == []


async def test_a_sealed_code_is_not_confirmed_to_who_guesses_it(today: World) -> None:
    """By a page of a list, by a try, by the verdict on a receipt: a right guess and a wrong one are alike."""
    wrong = HM_CODE[:-1] + ("A" if HM_CODE[-1] != "A" else "B")
    ada = await today.player()
    sealed = await begin(ada)
    told = []
    for guess in (HM_CODE, wrong):
        table = await ada.deal(guess)
        legal = (await ada.get(f"{table.path}?legal=1")).json()["legal"][0]
        await send(ada, table.path, "m", "move", **legal)
        await send(ada, table.path, "r", "resign")
        page = (await ada.get(f"/v1/games?code={guess}&limit=1")).json()
        row = (await ada.get(f"/v1/boards/{guess}")).json()["me"]
        receipt = (await ada.get(f"{table.path}/receipt")).json() | {"game": sealed.rpartition("/")[2]}
        verdict = (await ada.ask("POST", "/v1/verify", receipt)).json()
        told.append((len(page["items"]), page["next"], row["try"], verdict))
    assert told[0] == told[1]
    assert told[0][:3] == (1, None, 1)


@pytest.mark.parametrize("late", [0, 1, DAY_MS])
async def test_a_finish_after_the_deadline_does_not_count(today: World, late: int) -> None:
    ada = await today.player()
    game = await begin(ada)
    legal = await move(ada, game)
    today.clock.at = day(DATE).closes_at + late
    for do in ("undo", "resign"):
        refused = await send(ada, game, f"late-{do}", do)
        assert code_of(refused) == (409, "game_over")
        assert refused.json()["params"]["status"] == "expired"
    assert (await send(ada, game, "m", "move", **legal)).status_code == 200, "a repeated command is told again"
    async with on_the_line(today, ada) as say:
        command = {"t": "command", "game": game.rpartition("/")[2], "command_id": "late", "do": "resign"}
        assert (await say("refused", "ack", **command))["problem"]["code"] == "game_over"
    assert [event["type"] for event in (await ada.get(f"{game}/events")).json()["items"]] == ["dealt", "moved"]
    assert code_of(await (await today.player()).ask("POST", f"{PATH}/attempt")) == (409, "starts_closed")


# -- a better result than was played ------------------------------------------------------------------


async def test_an_undo_to_peek_at_a_covered_card_counts_for_good_and_ranks_lower(today: World) -> None:
    """Both end with the same score after the same time; one has looked under a card and taken it back."""
    honest, peeker = await today.player(), await today.player()
    games = [await begin(player) for player in (honest, peeker)]
    first = (await peeker.get(f"{games[1]}?legal=1")).json()["legal"][0]
    await send(peeker, games[1], "peek", "move", **first)
    undone = (await send(peeker, games[1], "back", "undo")).json()["view"]
    assert (undone["undos"], undone["moves"], undone["score"]) == (1, 0, 0)
    for player, game in zip((honest, peeker), games, strict=True):
        await send(player, game, "again", "move", **first)
        assert (await send(player, game, "end", "resign")).status_code == 200
    rows = (await manifest(today))["rows"]
    assert [(row["game"], row["rank"], row["keys"]["undos"]) for row in rows] == [
        (games[0].rpartition("/")[2], 1, 0),
        (games[1].rpartition("/")[2], 2, 1),
    ]
    assert len({(row["keys"]["score"], row["keys"]["seconds"]) for row in rows}) == 1


@pytest.mark.parametrize("field", ["at", "started_at", "elapsed_ms", "points", "score", "seat"])
async def test_times_and_figures_of_a_client_are_unknown_fields(today: World, field: str) -> None:
    ada = await today.player()
    assert code_of(await ada.ask("POST", f"{PATH}/attempt", {field: 1})) == (400, "invalid_body")
    assert code_of(await ada.ask("POST", "/v1/games", {"code": HM_CODE, field: 1})) == (400, "invalid_body")
    game = await begin(ada)
    legal = (await ada.get(f"{game}?legal=1")).json()["legal"][0]
    refused = await send(ada, game, "m", "move", **legal, **{field: 1})
    assert code_of(refused) == (400, "invalid_command")
    assert refused.json()["params"]["reason"] == "malformed"
    async with on_the_line(today, ada) as say:
        command = {"t": "command", "game": game.rpartition("/")[2], "command_id": "m", "do": "move", **legal, field: 1}
        assert (await say("refused", "ack", **command))["problem"]["code"] == "invalid_command"
    assert (await ada.get(game)).json()["seq"] == 1


async def test_a_move_that_is_not_legal_is_no_move(today: World) -> None:
    ada = await today.player()
    game = await begin(ada)
    state = SOLITAIRES["HM1-N"].deal(HM_CODE.rpartition("-")[2])
    legal = {move.places for move in SOLITAIRES["HM1-N"].legal_moves(state)}
    illegal = next(["P1", f"P{n}"] for n in range(2, 13) if not {("P1", f"P{n}"), (f"P{n}", "P1")} & legal)
    assert code_of(await send(ada, game, "m", "move", remove=illegal)) == (422, "illegal_move")
    assert code_of(await send(ada, game, "~expired", "resign")) == (400, "invalid_command")
    assert (await ada.get(game)).json()["seq"] == 1


# -- many players -------------------------------------------------------------------------------------


@asynccontextmanager
async def limited(folder: Path, clock: ManualClock) -> AsyncIterator[Any]:
    """An application with its limits; gives what makes a client at an address."""
    app = create_app(Settings(database=f"sqlite:///{folder / 'limited.db'}", dailies=False), clock=clock)
    async with app.router.lifespan_context(app):
        yield lambda address: client_of(app, address=address)


async def test_guests_by_the_thousand_are_sixty_an_hour_from_one_address(tmp_path: Path, clock: ManualClock) -> None:
    clock.at = day(DATE).opens_at
    async with limited(tmp_path, clock) as client:
        async with client("198.51.100.7") as http:
            for _ in range(60):
                await join(http)
            clock.at += HOUR_MS - 1500
            refused = await http.post("/v1/players", json={})
            assert code_of(refused) == (429, "too_many_requests")
            assert refused.headers["retry-after"] == "2"
            for name in ("X-Forwarded-For", "Forwarded", "X-Real-IP"):
                forged = await http.post("/v1/players", json={}, headers={name: "203.0.113.5"})
                assert code_of(forged) == (429, "too_many_requests"), "no proxy is trusted here"
        async with client("198.51.100.8") as elsewhere:
            await join(elsewhere)
    async with limited(tmp_path, clock) as client, client("198.51.100.7") as http:
        assert (await http.post("/v1/players", json={})).status_code == 429, "a restart forgets nothing"
        clock.at += 1500
        await join(http)


async def test_a_household_of_ipv6_addresses_is_one_address(tmp_path: Path, clock: ManualClock) -> None:
    async with limited(tmp_path, clock) as client:
        for number in range(60):
            async with client(f"2001:db8:1:2::{number:x}") as http:
                await join(http)
        async with client("2001:db8:1:2:ffff::1") as inside, client("2001:db8:1:3::1") as outside:
            assert code_of(await inside.post("/v1/players", json={})) == (429, "too_many_requests")
            await join(outside)
