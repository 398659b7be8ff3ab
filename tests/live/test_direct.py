"""The direct line beside ASGI: it may be faster than that, and nothing else."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from server.api.app import create_app
from server.operate.direct import DirectSocket
from server.settings import Settings
from tests.live.player import Lobby, Player
from tests.parts.live_app import live_app

MOVE = {"do": "move", "remove": ["P1", "P8"]}
TRIO = {"do": "move", "remove": ["P8", "P5", "P3"]}


@pytest.fixture
async def plain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Lobby]:
    """Players on a server that offers ASGI and no more."""
    from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

    monkeypatch.setattr("server.operate.web.DirectSocket", WebSocketsSansIOProtocol)
    settings = Settings(database=f"sqlite:///{tmp_path / 'games.db'}", port=0, limits=False, dailies=False)
    async with (
        live_app(create_app(settings), settings) as app,
        httpx2.AsyncClient(base_url=app.url, trust_env=False) as http,
    ):
        yield Lobby(app, http)


def command(game: str, number: int, **fields: Any) -> dict[str, Any]:
    return {"t": "command", "game": game, "command_id": f"c{number}", **fields}


async def transcript(player: Player) -> list[dict[str, Any]]:
    """All that is said to someone who says everything in one breath, without what differs from game to game."""
    game, missing = await player.deal(), "01890000-0000-7000-8000-000000000000"
    said = [
        {"t": "watch", "channel": f"game:{game}", "legal": True},
        command(game, 1, after=1, **MOVE),
        command(game, 2, after=2, **MOVE),
        command(game, 3, **TRIO),
        command(game, 1, after=1, **MOVE),
        {"t": "ping"},
        command(game, 4, do="tap", selection=[], place="P1"),
        command(missing, 5, **MOVE),
        {"t": "nonsense"},
        command(game, 6, do="undo"),
        {"t": "unwatch", "channel": f"game:{game}"},
        command(game, 7, do="resign"),
        command(game, 8, do="undo"),
    ]
    heard: list[dict[str, Any]] = []
    async with player.socket() as line:
        for message in said:
            await line.raw(json.dumps(message))
        waiting = {f"c{number}" for number in range(1, 9)}
        while waiting:
            message = await line.hear()
            if message["t"] in ("ack", "selected", "refused"):
                waiting.discard(message.get("command_id"))
            heard.append(message)
    text = json.dumps([one for one in heard if one["t"] not in ("presence", "pong")])
    return [told(one) for one in json.loads(text.replace(game, "GAME"))]


def told(message: dict[str, Any]) -> dict[str, Any]:
    """A message without the time and the names of requests."""
    passing = {"at", "started_at", "elapsed_ms", "link", "request_id", "now", "owner"}
    return {
        name: told(value) if isinstance(value, dict) else value
        for name, value in message.items()
        if name not in passing
    }


def by_command(messages: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {one["command_id"]: one for one in messages if "command_id" in one}


def in_order(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What has an order of its own; commands on different games may overtake each other."""
    return [one for one in messages if one["t"] in ("state", "event") or one.get("command_id", "c5") != "c5"]


async def test_everything_is_said_as_it_is_without_it(lobby: Lobby, plain: Lobby) -> None:
    direct, usual = await transcript(await lobby.player()), await transcript(await plain.player())
    assert by_command(direct) == by_command(usual)
    assert in_order(direct) == in_order(usual)


async def test_a_command_does_not_go_past_a_watch_that_is_still_being_read(lobby: Lobby) -> None:
    player = await lobby.player()
    game = await player.deal()
    async with player.socket() as line:
        await line.raw(json.dumps({"t": "watch", "channel": f"game:{game}"}))
        await line.raw(json.dumps(command(game, 1, after=1, **MOVE)))
        assert (await line.until("state"))["seq"] == 1
        assert (await line.until("event"))["seq"] == 2
        assert (await line.until("ack"))["seq"] == 2


async def test_more_commands_than_may_be_under_way_are_all_taken_in_their_order(lobby: Lobby) -> None:
    player = await lobby.player()
    games = [await player.deal() for _ in range(40)]
    async with player.socket() as line:
        for number, game in enumerate(games):
            await line.raw(json.dumps(command(game, number, after=1, **MOVE)))
            await line.raw(json.dumps(command(game, 100 + number, after=2, **TRIO)))
        answers = [await line.until("ack") for _ in range(80)]
    for number in range(40):
        of_game = [one["seq"] for one in answers if one["command_id"] in (f"c{number}", f"c{100 + number}")]
        assert of_game == [2, 3]


async def test_a_text_that_is_no_utf8_closes_the_connection_as_ever(lobby: Lobby) -> None:
    player = await lobby.player()
    async with player.socket() as line:
        await line.connection.send(b"\xff\xfe", text=True)
        assert (await line.closed())[0] == 1007


async def test_a_command_in_fragments_is_taken(lobby: Lobby) -> None:
    player = await lobby.player()
    game = await player.deal()
    text = json.dumps(command(game, 1, after=1, **MOVE))
    async with player.socket() as line:
        await line.connection.send([text[:20], text[20:50], text[50:]])
        assert (await line.until("ack"))["seq"] == 2


async def test_a_long_text_is_framed_as_the_protocol_says(lobby: Lobby, monkeypatch: pytest.MonkeyPatch) -> None:
    player = await lobby.player()
    lines: list[DirectSocket] = []
    listen = DirectSocket.listen
    monkeypatch.setattr(DirectSocket, "listen", lambda self, take: (lines.append(self), listen(self, take)))
    async with player.socket() as line:
        await line.say("ping")
        await line.until("pong")
        for size in (0, 125, 126, (1 << 16) - 1, 1 << 16):
            assert lines[-1].write("m" * size)
            assert await line.connection.recv() == "m" * size
    assert not lines[-1].write("m")


async def test_an_event_and_its_ack_arrive_in_one_piece(lobby: Lobby) -> None:
    player = await lobby.player()
    game = await player.deal()
    async with player.socket() as line:
        await line.say("watch", channel=f"game:{game}")
        await line.until("state")
        await line.until("presence")
        transport = line.connection.transport
        received: list[bytes] = []
        protocol = line.connection.data_received
        transport.get_protocol().data_received = lambda data: (received.append(data), protocol(data))
        await line.say("command", game=game, command_id="a", after=1, **MOVE)
        await line.until("event")
        await line.until("ack")
        assert len(received) == 1


async def test_an_answer_over_http_arrives_in_one_piece(lobby: Lobby) -> None:
    host, _, port = lobby.app.url.removeprefix("http://").partition(":")
    loop = asyncio.get_running_loop()
    with socket.socket() as sock:
        sock.setblocking(False)
        await loop.sock_connect(sock, (host, int(port)))
        await loop.sock_sendall(sock, b"GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n")
        head, _, body = (await loop.sock_recv(sock, 1 << 20)).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200")
    assert f"content-length: {len(body)}".encode() in head
    assert body
