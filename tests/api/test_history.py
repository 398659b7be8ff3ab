"""The log of a game over HTTP: pages, lines, and waiting."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from time import monotonic

import pytest

from server.api.app import create_app
from server.clock import parse_time
from server.play.codec import check_chain
from server.play.records import Record
from server.settings import Settings
from tests.api.client import Player, Table, client_of, join
from tests.api.conftest import MakeApp
from tests.api.plain_http import Wire
from tests.parts.live_app import LiveApp, live_app

NDJSON = {"accept": "application/x-ndjson"}


async def until(holds: Callable[[], bool]) -> None:
    """Look for some seconds until it holds."""
    for _ in range(500):
        if holds():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it never came to hold")


async def played(player: Player, moves: int) -> Table:
    """A game with ``moves`` moves and as many undos."""
    table = await player.deal()
    for _ in range(moves):
        await table.move("P1", "P8")
        assert (await table.send("undo")).status_code == 200
    return table


async def test_pages_lead_to_the_head(ada: Player) -> None:
    table = await played(ada, 3)
    after, seen = 0, []
    while True:
        page = (await ada.get(f"{table.path}/events?after={after}&limit=3")).json()
        seen += [event["seq"] for event in page["items"]]
        if page["next"] is None:
            break
        assert page["next"] == seen[-1]
        after = page["next"]
    assert seen == [1, 2, 3, 4, 5, 6, 7]
    assert (await ada.get(table.path + "/events?after=7")).json() == {"items": [], "next": None}
    assert (await ada.get(table.path + "/events?after=99")).json() == {"items": [], "next": None}


async def test_what_is_read_over_http_verifies(ada: Player) -> None:
    table = await played(ada, 2)
    records = [
        Record(
            table.id,
            event["seq"],
            event["type"],
            event["v"],
            event["seat"],
            parse_time(event["at"]),
            event["command_id"],
            json.dumps(event["data"], sort_keys=True, separators=(",", ":")),
            event["link"],
        )
        for event in (await ada.get(table.path + "/events")).json()["items"]
    ]
    assert [record.type for record in records] == ["dealt", "moved", "undone", "moved", "undone"]
    check_chain(records)


async def test_lines_are_the_whole_log_without_paging(ada: Player) -> None:
    table = await played(ada, 30)
    page = (await ada.get(table.path + "/events?limit=200")).json()["items"]
    response = await ada.get(table.path + "/events", headers=NDJSON)
    assert response.headers["content-type"] == "application/x-ndjson"
    assert response.text.endswith("\n")
    assert [json.loads(line) for line in response.text.splitlines()] == page
    rest = await ada.get(table.path + "/events?after=59&limit=1", headers=NDJSON)
    assert [json.loads(line) for line in rest.text.splitlines()] == page[59:]
    assert (await ada.get(table.path + "/events?after=61", headers=NDJSON)).text == ""


async def test_a_long_log_is_sent_in_several_parts(ada: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    table = await played(ada, 5)
    whole = (await ada.get(table.path + "/events", headers=NDJSON)).text
    for size in (1, 3, 11, 12):
        monkeypatch.setattr("server.api.history._LINES_AT_ONCE", size)
        assert (await ada.get(table.path + "/events", headers=NDJSON)).text == whole


async def test_waiting_ends_with_the_next_event(ada: Player) -> None:
    table = await ada.deal()
    for path, headers in (
        (table.path + "/events?after={}&wait=20", {}),
        (table.path + "/events?after={}&wait=20", NDJSON),
    ):
        head = (await ada.get(table.path)).json()["seq"]
        began = monotonic()
        waiting = asyncio.create_task(ada.get(path.format(head), headers=headers))
        await asyncio.sleep(0.05)
        assert not waiting.done()
        await table.move("P1", "P8")
        response = await waiting
        assert monotonic() - began < 10
        events = [json.loads(line) for line in response.text.splitlines()] if headers else response.json()["items"]
        assert [event["seq"] for event in events] == [head + 1]
        await table.send("undo")


async def test_waiting_for_what_is_there_already_takes_no_time(ada: Player) -> None:
    table = await played(ada, 1)
    began = monotonic()
    assert len((await ada.get(table.path + "/events?after=1&wait=25")).json()["items"]) == 2
    assert monotonic() - began < 5


async def test_waiting_in_vain_ends_without_items(ada: Player) -> None:
    table = await ada.deal()
    assert (await ada.get(table.path + "/events?after=1&wait=1")).json() == {"items": [], "next": None}


async def test_those_who_wait_are_answered_when_the_process_ends(make_app: MakeApp) -> None:
    app = await make_app()
    async with client_of(app) as http:
        player = await join(http)
        table = await player.deal()
        waiting = asyncio.create_task(player.get(table.path + "/events?after=1&wait=25"))
        await asyncio.sleep(0.05)
        await app.state.drain()
        async with asyncio.timeout(5):
            assert (await waiting).json() == {"items": [], "next": None}


@pytest.fixture
async def running(folder: Path) -> AsyncIterator[LiveApp]:
    settings = Settings(port=0, database=f"sqlite:///{folder}/waiting.db", limits=False, dailies=False)
    async with live_app(create_app(settings), settings) as app:
        yield app


async def test_nobody_waits_for_a_client_that_has_gone(running: LiveApp) -> None:
    hub = running.app.state.services.hub
    port = int(running.url.rpartition(":")[2])
    async with Wire(port) as wire:
        token = (await wire.ask("POST", "/v1/players", {})).json()["token"]
        path = (await wire.ask("POST", "/v1/games", {"code": "HM1-N-AAAAAAB"}, token)).headers["location"]
        waiting = asyncio.create_task(wire.ask("GET", path + "/events?after=1&wait=25", None, token))
        await until(lambda: bool(hub.channels()))
        waiting.cancel()
    await until(lambda: not hub.channels())
