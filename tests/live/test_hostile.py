"""Hostile input: a clean close or a refusal, no traceback, and nobody else is disturbed."""

import asyncio
import json
import logging
import os
import socket as sockets
import struct
from contextlib import suppress

import pytest
from websockets.exceptions import ConnectionClosed

from tests.live.player import Lobby

DEEP = "[" * 4000 + "]" * 4000

REFUSED = {
    "not JSON": "{nope",
    "NaN": '{"t":"watch","channel":"game:x","after":NaN}',
    "a huge number": '{"t":"watch","channel":"game:x","after":' + "9" * 5000 + "}",
    "deep nesting": '{"t":"watch","channel":' + DEEP + "}",
    "only nesting": DEEP,
    "a lone surrogate": '{"t":"watch","channel":"\\ud800"}',
    "NUL": '{"t":"watch","channel":"game:\\u0000"}',
    "a list": "[]",
    "a number": "12",
    "an empty text": "",
    "an unknown message": '{"t":"fly"}',
    "no t": '{"channel":"game:x"}',
    "an unknown field": '{"t":"ping","extra":1}',
    "a second hello": '{"t":"hello","token":"mt_x"}',
    "an unknown channel": '{"t":"watch","channel":"weather:today"}',
    "a command with a wrong type": '{"t":"command","game":"x","command_id":"a","do":5}',
    "a command with a bad id": '{"t":"command","game":"x","command_id":"~expired","do":"undo"}',
    "a command with a huge count": '{"t":"command","game":"x","command_id":"a","do":"move","count":' + "9" * 5000 + "}",
}


@pytest.mark.parametrize("name", REFUSED)
async def test_what_cannot_be_read_is_refused_and_the_socket_lives_on(lobby: Lobby, name: str) -> None:
    player = await lobby.player()
    async with player.socket() as socket:
        await socket.raw(REFUSED[name])
        assert 400 <= (await socket.until("refused"))["problem"]["status"] < 500
        await socket.say("ping")
        await socket.until("pong")


@pytest.mark.parametrize(
    ("data", "code"),
    [(b"\x00\x01", 1003), ("x" * 8193, 1009), ("x" * 10_000_000, 1009), ("é" * 4097, 1009)],
    ids=["binary", "a little too large", "10 MB", "too many bytes"],
)
async def test_binary_and_oversized_frames_close_the_socket(lobby: Lobby, data: str | bytes, code: int) -> None:
    player = await lobby.player()
    async with player.socket() as socket:
        with suppress(ConnectionClosed):
            await socket.raw(data)
        assert (await socket.closed())[0] == code


async def test_text_that_is_not_utf8_closes_the_socket(lobby: Lobby) -> None:
    player = await lobby.player()
    async with player.socket() as socket:
        masked = bytes(byte ^ mask for byte, mask in zip(b'{"t":"\xff\xfe"}', b"\x01\x02\x03\x04" * 4, strict=False))
        transport = socket.connection.transport
        transport.write(bytes([0x81, 0x80 | len(masked)]) + b"\x01\x02\x03\x04" + masked)
        assert (await socket.closed())[0] == 1007


async def test_no_hostile_client_leaves_a_traceback_or_disturbs_another(
    lobby: Lobby, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    player = await lobby.player()
    game = await player.deal("SH1-C4-AAAAAJ2")

    async def attack(text: str | bytes) -> None:
        async with player.socket() as socket:
            for _ in range(5):
                with suppress(ConnectionClosed):
                    await socket.raw(text)
                    await socket.raw(json.dumps({"t": "watch", "channel": f"game:{game}"}))

    async with player.socket() as watcher:
        await watcher.say("watch", channel=f"game:{game}")
        await watcher.until("state")
        attacks = [asyncio.create_task(attack(text)) for text in [*REFUSED.values(), b"\x00", "x" * 9000]]
        spots = ["C3", "C4"]
        for number in range(40):
            source = "C1" if number == 0 else spots[(number + 1) % 2]
            await watcher.say(
                "command", game=game, command_id=f"c{number}", do="move", **{"from": source, "to": spots[number % 2]}
            )
            assert (await watcher.until("event"))["seq"] == number + 2
            await watcher.until("ack")
        await asyncio.gather(*attacks)
    assert [record.getMessage() for record in caplog.records if record.exc_info] == []


async def test_a_client_that_breaks_off_in_the_middle_of_a_command_has_its_event(lobby: Lobby) -> None:
    """The connection is reset while the commit may be under way: the event is there, once."""
    player = await lobby.player()
    game = await player.deal()
    async with player.socket() as watcher:
        await watcher.say("watch", channel=f"game:{game}")
        await watcher.until("state")
        async with player.socket() as socket:
            await socket.say("command", game=game, command_id="a", do="move", remove=["P1", "P8"])
            raw = socket.connection.transport.get_extra_info("socket")
            raw.setsockopt(sockets.SOL_SOCKET, sockets.SO_LINGER, struct.pack("ii", 1, 0))
            os.sched_yield()
            socket.connection.transport.abort()
        again = await watcher.command(game, "a", do="move", remove=["P1", "P8"])
        assert again == {"t": "ack", "command_id": "a", "seq": 2}
    assert len((await player.call("GET", f"/v1/games/{game}/events"))["items"]) == 2
