"""The socket as a client has it: hello, watch, command, resume, presence, revocation, limits."""

import asyncio
import json
from pathlib import Path

import httpx2
import msgspec
import pytest
from websockets.asyncio.client import connect

from server.api import messages
from server.api.app import create_app
from server.api.asyncapi import EXAMPLES, asyncapi
from server.settings import Settings
from tests.live.player import Lobby, fold
from tests.parts.live_app import live_app

MOVE = {"do": "move", "remove": ["P1", "P8"]}
TRIO = {"do": "move", "remove": ["P8", "P5", "P3"]}


@pytest.mark.filterwarnings("ignore:Field name")
def test_the_document_is_valid_and_its_examples_can_be_decoded() -> None:
    from asyncapi3 import AsyncAPI3

    AsyncAPI3.model_validate(asyncapi())
    assert set(EXAMPLES) == {kind.__struct_config__.tag for kind in messages.ClientMessage.__args__}
    for examples in EXAMPLES.values():
        for example in examples:
            messages.decode_client(msgspec.json.encode(example).decode())


async def test_the_document_is_served(lobby: Lobby) -> None:
    assert (await lobby.http.get("/asyncapi.json")).json() == asyncapi()


async def test_a_watch_is_answered_by_the_state_and_an_event_comes_before_its_ack(lobby: Lobby) -> None:
    player = await lobby.player()
    game = await player.deal()
    channel = f"game:{game}"
    async with player.socket() as socket:
        await socket.say("watch", channel=channel)
        state = await socket.until("state")
        assert (state["channel"], state["seq"]) == (channel, 1)
        assert state["view"] == await player.call("GET", f"/v1/games/{game}")
        await socket.say("command", game=game, command_id="a", after=1, **MOVE)
        event = await socket.until("event", "ack")
        ack = await socket.until("ack")
        assert (event["t"], event["seq"], event["event"]["type"]) == ("event", 2, "moved")
        assert event["event"]["data"] == {"cards": ["5S", "6D"], "points": 10, "remove": ["P1", "P8"]}
        assert ack == {"t": "ack", "command_id": "a", "seq": 2}
        assert fold(state["view"], event) == await player.call("GET", f"/v1/games/{game}")
        again = await socket.command(game, "a", **MOVE)
        assert again == ack


async def test_an_ack_reaches_the_sender_even_if_it_does_not_watch(lobby: Lobby) -> None:
    player = await lobby.player()
    game = await player.deal()
    async with player.socket() as socket:
        assert await socket.command(game, "a", **MOVE) == {"t": "ack", "command_id": "a", "seq": 2}


async def test_a_tap_that_removes_nothing_is_answered_by_the_selection(lobby: Lobby) -> None:
    player = await lobby.player()
    game = await player.deal()
    async with player.socket() as socket:
        chosen = await socket.command(game, "a", do="tap", place="P1")
        assert (chosen["t"], chosen["selection"], chosen["fits"], chosen["reason"]) == (
            "selected",
            ["P1"],
            ["P8", "R2"],
            None,
        )
        ack = await socket.command(game, "b", do="tap", selection=["P1"], place="P8")
        assert (ack["t"], ack["seq"]) == ("ack", 2)


async def test_refusals_name_the_command_its_reason_and_what_was_missed(lobby: Lobby) -> None:
    player, other = await lobby.player(), await lobby.player()
    game = await player.deal()
    async with player.socket() as socket:
        illegal = await socket.command(game, "a", do="move", remove=["P1", "P2"])
        assert (illegal["command_id"], illegal["problem"]["code"]) == ("a", "illegal_move")
        assert illegal["problem"]["params"] == {"reason": "sum_must_be_11", "places": ["P1", "P2"]}
        await socket.command(game, "b", **MOVE)
        stale = await socket.command(game, "c", after=1, **TRIO)
        assert stale["problem"]["code"] == "stale"
        log = await player.call("GET", f"/v1/games/{game}/events?after=1")
        assert stale["problem"]["params"] == {"seq": 2, "missed": log["items"]}
        reused = await socket.command(game, "b", **TRIO)
        assert reused["problem"]["code"] == "command_id_reused"
        await socket.command(game, "d", do="resign")
        assert (await socket.command(game, "e", do="undo"))["problem"]["code"] == "game_over"
    game = await player.deal()  # the one that has ended stands on a board, where everybody may see it
    async with other.socket() as socket:
        not_yours = await socket.command(game, "x", do="undo")
        not_there = await socket.command("01a22ec9-0000-7000-8000-000000000000", "x", do="undo")
        for answer in (not_yours, not_there):
            answer["problem"].pop("request_id")
        assert not_yours == not_there
        await socket.say("watch", channel=f"game:{game}")
        assert (await socket.until("refused"))["problem"]["code"] == "not_found"


async def test_a_watch_with_after_gets_exactly_the_missed_events_then_watching(lobby: Lobby) -> None:
    player = await lobby.player()
    game = await player.deal()
    channel = f"game:{game}"
    async with player.socket() as socket:
        await socket.command(game, "a", **MOVE)
        await socket.command(game, "b", **TRIO)
        await socket.say("watch", channel=channel, after=0)
        assert [(await socket.until("event"))["seq"] for _ in range(3)] == [1, 2, 3]
        assert (await socket.until("watching"))["seq"] == 3
        await socket.say("watch", channel=channel, after=3)
        assert (await socket.until("watching"))["seq"] == 3
        await socket.say("watch", channel=channel, after=4)
        assert (await socket.until("resync"))["channel"] == channel
    async with player.socket(resume=[{"channel": channel, "after": 2}]) as socket:
        assert (await socket.until("event"))["seq"] == 3
        assert (await socket.until("watching"))["seq"] == 3


async def test_too_many_missed_events_are_a_resync(lobby: Lobby) -> None:
    player = await lobby.player()
    game = await player.deal("SH1-C4-AAAAAJ2")
    async with player.socket() as socket:
        socket.checked = False
        spots = ["C3", "C4"]
        for number in range(1001):
            source = "C1" if number == 0 else spots[(number + 1) % 2]
            await socket.say(
                "command", game=game, command_id=f"c{number}", do="move", **{"from": source, "to": spots[number % 2]}
            )
        for _ in range(1001):
            assert (await socket.hear())["t"] == "ack"
        await socket.say("watch", channel=f"game:{game}", after=1)
        await socket.until("resync")
        await socket.say("watch", channel=f"game:{game}", after=2)
        assert [(await socket.until("event"))["seq"] for _ in range(1000)] == list(range(3, 1003))
        assert (await socket.until("watching"))["seq"] == 1002


async def test_legal_moves_come_where_they_were_asked_for_and_nowhere_else(lobby: Lobby) -> None:
    player = await lobby.player()
    game = await player.deal()
    async with player.socket() as asking, player.socket() as plain:
        await asking.say("watch", channel=f"game:{game}", legal=True)
        await plain.say("watch", channel=f"game:{game}")
        assert "legal" in (await asking.until("state"))["view"]
        assert "legal" not in (await plain.until("state"))["view"]
        await plain.say("command", game=game, command_id="a", **MOVE)
        frame = await asking.until("event")
        seen = await player.call("GET", f"/v1/games/{game}?legal=1")
        assert frame["legal"] == seen["legal"] != []
        assert "legal" not in await plain.until("event")


async def test_two_devices_on_one_game_follow_each_other(lobby: Lobby) -> None:
    player = await lobby.player()
    game = await player.deal()
    async with player.socket() as phone, player.socket() as desk:
        for device in (phone, desk):
            await device.say("watch", channel=f"game:{game}")
            await device.until("state")
        await phone.say("command", game=game, command_id="a", after=1, **MOVE)
        await desk.say("command", game=game, command_id="b", after=1, **MOVE)
        for device in (phone, desk):
            kinds = sorted([(await device.until("event", "ack", "refused"))["t"] for _ in range(2)])
            assert kinds in (["ack", "event"], ["event", "refused"])
        assert len((await player.call("GET", f"/v1/games/{game}/events"))["items"]) == 2


async def test_a_game_by_link_may_be_watched_and_not_played_and_ends_for_watchers_when_made_private(
    lobby: Lobby,
) -> None:
    player, other = await lobby.player(), await lobby.player()
    game = await player.deal()
    channel = f"game:{game}"
    await player.call("PUT", f"/v1/games/{game}/watching", {"watching": "link"})
    async with other.socket() as socket:
        await socket.say("watch", channel=channel)
        assert (await socket.until("state"))["view"]["watching"] == "link"
        assert (await socket.command(game, "x", do="undo"))["problem"]["code"] == "forbidden"
        await player.call("PUT", f"/v1/games/{game}/watching", {"watching": "private"})
        await socket.until("resync")
        await socket.say("watch", channel=channel)
        assert (await socket.until("refused"))["problem"]["code"] == "not_found"


async def test_presence_counts_those_who_watch(lobby: Lobby) -> None:
    player = await lobby.player()
    game = await player.deal()
    channel = f"game:{game}"
    async with player.socket() as first:
        await first.say("watch", channel=channel)
        while (message := await first.hear())["t"] != "presence":
            pass
        assert message == {"t": "presence", "channel": channel, "watchers": 1}
        async with player.socket() as second:
            await second.say("watch", channel=channel)
            assert (await first.hear())["watchers"] == 2
            await second.say("unwatch", channel=channel)
            assert (await first.hear())["watchers"] == 1


async def test_an_unwatched_channel_is_silent_and_a_ping_is_answered(lobby: Lobby) -> None:
    player = await lobby.player()
    game = await player.deal()
    async with player.socket() as socket:
        await socket.say("watch", channel=f"game:{game}")
        await socket.until("state")
        await socket.say("unwatch", channel=f"game:{game}")
        assert (await socket.command(game, "a", **MOVE))["t"] == "ack"
        await socket.say("ping")
        assert (await socket.until("pong"))["now"].endswith("Z")


async def test_without_a_good_hello_the_socket_closes_with_the_code_as_reason(lobby: Lobby) -> None:
    for text in ('{"t":"ping"}', '{"t":"hello","token":"mt_no"}', "nonsense", '{"t":"hello"}'):
        async with lobby.stranger() as socket:
            await socket.raw(text)
            assert await socket.closed() == (1008, "unauthenticated")


async def test_a_revoked_token_closes_its_open_sockets_within_a_second(lobby: Lobby) -> None:
    player = await lobby.player()
    tokens = (await player.call("GET", "/v1/players/me/tokens"))["items"]
    async with player.socket() as socket:
        await player.http.delete(f"/v1/players/me/tokens/{tokens[0]['id']}", headers=player.headers)
        async with asyncio.timeout(1.5):
            assert await socket.closed() == (1008, "unauthenticated")
    async with lobby.stranger() as stranger:
        await stranger.raw(json.dumps({"t": "hello", "token": player.token}))
        assert await stranger.closed() == (1008, "unauthenticated")


async def test_limits_hold_for_channels_sockets_and_commands(tmp_path: Path) -> None:
    settings = Settings(
        database=f"sqlite:///{tmp_path / 'games.db'}", port=0, dailies=False, commands_per_second=1.0, commands_burst=3
    )
    async with (
        live_app(create_app(settings), settings) as app,
        httpx2.AsyncClient(base_url=app.url, trust_env=False) as http,
    ):
        player = await Lobby(app, http).player()
        game = await player.deal()
        async with player.socket() as socket:
            answers = [await socket.command(game, f"c{number}", do="tap", place="P1") for number in range(6)]
            refused = [answer for answer in answers if answer["t"] == "refused"]
            assert refused and {answer["problem"]["code"] for answer in refused} == {"too_many_requests"}
            others = [await connect(app.live_url, proxy=None) for _ in range(5)]
            for connection in others:
                await connection.send(json.dumps({"t": "hello", "token": player.token}))
            await asyncio.wait_for(others[-1].wait_closed(), 10)
            assert (others[-1].close_code, others[-1].close_reason) == (1008, "too_many_requests")
            for connection in others:
                await connection.close()
