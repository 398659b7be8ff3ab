"""The crowd is never waited for: watchers that come and go, read slowly, stop or vanish."""

import asyncio
import json
import os
import random
import signal
import socket as sockets
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest
from websockets.asyncio.client import connect

from server.live import outbox
from tests.live.player import Lobby, Player, Socket, fold


async def play(socket: Socket, game: str, moves: int, *, first: int = 0, pause: float = 0.0) -> None:
    """Idle moves in Seahaven, each acked: one by one with a pause between, or ten at a time under way."""
    spots = ["C3", "C4"]
    waiting = 0
    for number in range(first, first + moves):
        source = "C1" if number == 0 else spots[(number + 1) % 2]
        command = {"do": "move", "from": source, "to": spots[number % 2]}
        await socket.say("command", game=game, command_id=f"c{number}", **command)
        waiting += 1
        while waiting >= (1 if pause else 10) or (waiting and number == first + moves - 1):
            message = await socket.hear()
            assert message["t"] in ("ack", "event", "presence", "state"), message
            waiting -= message["t"] == "ack"
        await asyncio.sleep(pause)


async def test_a_hundred_watchers_that_drop_and_return_at_random_all_fold_to_the_servers_state(lobby: Lobby) -> None:
    player = await lobby.player()
    game = await player.deal("SH1-C4-AAAAAJ2")
    await player.call("PUT", f"/v1/games/{game}/watching", {"watching": "link"})
    channel = f"game:{game}"
    moves = 60
    over = asyncio.Event()

    async def watcher(number: int) -> tuple[dict[str, Any], int]:
        chance = random.Random(number)
        view: dict[str, Any] | None = None
        visits = 0
        while view is None or view["seq"] < moves + 1:
            visits += 1
            stay = chance.uniform(0.2, 2.0)
            resume = {"channel": channel} if view is None else {"channel": channel, "after": view["seq"]}
            async with connect(lobby.app.live_url, proxy=None) as connection:
                await connection.send(json.dumps({"t": "hello", "token": player.token, "resume": [resume]}))
                try:
                    async with asyncio.timeout(None if over.is_set() else stay):
                        while view is None or view["seq"] < moves + 1:
                            message = json.loads(await connection.recv())
                            if message["t"] == "state":
                                view = message["view"]
                            elif message["t"] == "event":
                                assert view is not None
                                view = fold(view, message)
                except TimeoutError:
                    connection.transport.abort()
        return view, visits

    watchers = [asyncio.create_task(watcher(number)) for number in range(100)]
    async with player.socket() as socket:
        socket.checked = False
        await play(socket, game, moves, pause=0.02)
    over.set()
    async with asyncio.timeout(60):
        folded = await asyncio.gather(*watchers)
    expected = await player.call("GET", f"/v1/games/{game}")
    assert all(view == expected for view, _ in folded)
    assert sum(visits for _, visits in folded) > 130, "hardly anybody ever dropped"


@asynccontextmanager
async def deaf(player: Player, lobby: Lobby, channel: str) -> AsyncIterator[sockets.socket]:
    """A connection that watches and then never reads again."""
    place = urlsplit(lobby.app.url)
    raw = sockets.socket()
    raw.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 4096)
    raw.setblocking(False)
    loop = asyncio.get_running_loop()
    await loop.sock_connect(raw, (place.hostname, place.port))
    upgrade = (
        "GET /v1/live HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    await loop.sock_sendall(raw, upgrade.encode())
    await loop.sock_recv(raw, 1024)
    for message in (
        {"t": "hello", "token": player.token},
        {"t": "watch", "channel": channel},
    ):
        payload = json.dumps(message).encode()
        head = bytes([0x81, 0x80 | 126]) + len(payload).to_bytes(2, "big") + b"\0\0\0\0"
        await loop.sock_sendall(raw, head + payload)
    try:
        yield raw
    finally:
        raw.close()


async def test_one_that_stops_reading_is_dropped_and_the_others_do_not_notice(
    lobby: Lobby, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "SEND_DEADLINE_S", 1.0)
    player = await lobby.player()
    game = await player.deal("SH1-C4-AAAAAJ2")
    channel = f"game:{game}"
    services = lobby.app.app.state.services
    async with deaf(player, lobby, channel), player.socket() as socket:
        socket.checked = False
        await socket.say("watch", channel=channel)
        while services.hub.here(channel) < 2:
            await socket.hear()
        began = time.monotonic()
        number = 0
        # The player plays on at full speed; the deaf one's watch is given up, then its whole connection.
        while len(services.sockets) > 1:
            await play(socket, game, 50, first=number)
            number += 50
            assert time.monotonic() - began < 30, "the reader that has stopped is still there"
        assert services.hub.here(channel) == 1
    assert (await player.call("GET", f"/v1/games/{game}"))["seq"] == number + 1


STOPPED = """
import json, sys
from websockets.sync.client import connect
with connect(sys.argv[1], proxy=None) as socket:
    socket.send(json.dumps({"t": "hello", "token": sys.argv[2]}))
    socket.send(json.dumps({"t": "watch", "channel": sys.argv[3]}))
    for message in socket:
        print(json.loads(message)["t"], flush=True)
"""


async def test_a_process_that_is_stopped_holds_up_nobody_and_may_go_on_later(lobby: Lobby) -> None:
    player = await lobby.player()
    game = await player.deal("SH1-C4-AAAAAJ2")
    channel = f"game:{game}"
    other = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", STOPPED, lobby.app.live_url, player.token, channel), stdout=asyncio.subprocess.PIPE
    )
    assert other.stdout is not None
    try:
        while (await other.stdout.readline()).strip() != b"state":
            pass
        os.kill(other.pid, signal.SIGSTOP)
        async with player.socket() as socket:
            socket.checked = False
            await socket.say("watch", channel=channel)
            await socket.until("state")
            await play(socket, game, 40)
        os.kill(other.pid, signal.SIGCONT)
        events = 0
        async with asyncio.timeout(10):
            while events < 40:
                events += (await other.stdout.readline()).strip() == b"event"
    finally:
        other.kill()
        await other.wait()
