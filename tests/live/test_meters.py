"""What /metrics says after some play is what was played: every meter is fed, and none tells who played."""

import asyncio
import re
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest

from server.api.app import create_app
from server.metrics import Metrics
from server.settings import Settings
from tests.live.player import Lobby
from tests.live.test_socket import MOVE
from tests.parts.live_app import live_app

#: What only several processes have, or time alone brings.
ELSEWHERE = {"moontide_broker_up", "moontide_broker_messages_total", "moontide_clock_offset_seconds"}


@pytest.fixture
async def small(tmp_path: Path) -> AsyncIterator[Lobby]:
    """An application that keeps one game in memory."""
    settings = Settings(
        database=f"sqlite:///{tmp_path / 'games.db'}", port=0, limits=False, dailies=False, cached_games=1
    )
    async with (
        live_app(create_app(settings), settings) as app,
        httpx2.AsyncClient(base_url=app.url, trust_env=False) as http,
    ):
        yield Lobby(app, http)


async def meters(lobby: Lobby) -> dict[str, float]:
    """Each series with its value, as it stands in the text."""
    text = (await lobby.http.get("/metrics")).text
    series = (line.rpartition(" ") for line in text.splitlines() if not line.startswith("#"))
    return {name: float(value) for name, _, value in series if not name.endswith("_created")}


async def test_every_meter_is_fed_by_play_and_none_names_a_game_a_code_or_a_player(
    small: Lobby, tmp_path: Path
) -> None:
    player = await small.player()
    first, second = await player.deal(), await player.deal("SH1-C4-AAAAAJ2")
    async with player.socket() as socket:
        await socket.say("watch", channel=f"game:{first}")
        await socket.until("state")  # the second game had taken its place in memory: it is replayed
        assert (await socket.command(first, "a", after=1, **MOVE))["t"] == "ack"
        assert (await socket.command(first, "a", after=1, **MOVE))["t"] == "ack"
        assert (await socket.command(first, "b", do="move", remove=["P1", "P1"]))["t"] == "refused"
        assert (await socket.command(first, "c", do="tap", place="P9"))["t"] == "selected"
        await player.call("POST", f"/v1/games/{first}/commands", {"command_id": "d", "do": "undo"})
        await socket.say("watch", channel=f"game:{first}", after=9)
        await socket.until("event")
        await socket.until("resync")
        await socket.say("watch", channel=f"game:{first}")
        await socket.until("state")
        heard = await meters(small)
        assert (heard["moontide_sockets"], heard["moontide_watches"], heard["moontide_cached_games"]) == (1, 1, 1)
        assert heard["moontide_frames_total"] >= 9
        await socket.raw(b"binary")
        assert await socket.closed() == (1003, "text frames only")
    with sqlite3.connect(tmp_path / "games.db") as damaged:
        damaged.execute("UPDATE games SET code = 'SH1-C4-AAAAAAB' WHERE id = ?", (second,))
    answer = await small.http.get(f"/v1/games/{second}", headers=player.headers)
    assert answer.json()["code"] == "game_quarantined"

    now = await meters(small)
    commands = {name: value for name, value in now.items() if name.startswith("moontide_commands_total")}
    assert commands == {
        'moontide_commands_total{answer="accepted",do="move"}': 2,
        'moontide_commands_total{answer="accepted",do="undo"}': 1,
        'moontide_commands_total{answer="invalid_command",do="move"}': 1,
        'moontide_commands_total{answer="selected",do="tap"}': 1,
    }
    assert now["moontide_command_seconds_count"] == 5 and now["moontide_command_seconds_sum"] > 0
    assert now["moontide_repeated_commands_total"] == 1
    assert now['moontide_appends_total{result="won"}'] == now["moontide_commit_appends_sum"] == 4
    assert now["moontide_commit_seconds_count"] == now['moontide_commit_appends_bucket{le="1.0"}'] == 4
    assert now["moontide_replays_total"] == 3  # the first for its watch, for the repeated command, and the damaged one
    assert now["moontide_quarantined_total"] == 1
    assert now["moontide_resyncs_total"] == 1
    assert now['moontide_dropped_total{reason="text frames only"}'] == 1
    assert (now["moontide_sockets"], now["moontide_watches"]) == (0, 0)

    declared = {sample.name for family in Metrics().registry.collect() for sample in family.samples}
    fed = {re.sub(r"\{.*", "", name) for name in now}
    assert {name for name in declared if not name.endswith("_created")} <= fed
    unfed = {name for name, value in heard.items() if not value and not now[name] and "_bucket" not in name}
    assert unfed <= ELSEWHERE
    for private in (first, second, player.id, "AAAAAAB", "AAAAAJ2"):
        assert not any(private in name for name in now)


async def test_what_was_counted_is_taken_over_once_however_often_it_is_read(small: Lobby) -> None:
    player = await small.player()
    game = await player.deal()
    async with player.socket() as socket:
        await socket.command(game, "a", **MOVE)
        answers = await asyncio.gather(*(meters(small) for _ in range(5)))
    for name in ('moontide_appends_total{result="won"}', "moontide_commit_seconds_count"):
        assert [answer[name] for answer in answers] == [2] * 5
