"""Several processes on one PostgreSQL: what is stored in one is told in the others, with NATS and without."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import httpx2
import pytest

from server.api.app import create_app
from server.live import broker
from server.settings import Settings
from tests.live.player import Lobby, Player, Socket, fold
from tests.parts.live_app import live_app
from tests.parts.nats import Nats

SPOTS = ("C3", "C4")
MOVE = {"do": "move", "remove": ["P1", "P8"]}


@asynccontextmanager
async def processes(url: str, *servers: str, count: int = 2) -> AsyncIterator[list[Lobby]]:
    """So many applications on one database, each behind a uvicorn of its own."""
    async with AsyncExitStack() as stack:
        lobbies = []
        for _ in range(count):
            settings = Settings(database=url, port=0, limits=False, dailies=False, nats=servers)
            app = await stack.enter_async_context(live_app(create_app(settings), settings))
            http = await stack.enter_async_context(httpx2.AsyncClient(base_url=app.url, trust_env=False))
            lobbies.append(Lobby(app, http))
        yield lobbies


def beside(player: Player, lobby: Lobby) -> Player:
    """The same player, at another process."""
    return Player(lobby.app, lobby.http, {"player": {"id": player.id}, "token": player.token})


def step(number: int) -> dict[str, Any]:
    source = "C1" if number == 0 else SPOTS[(number + 1) % 2]
    return {"do": "move", "from": source, "to": SPOTS[number % 2]}


async def connected(*lobbies: Lobby) -> None:
    """Wait until every process has its NATS."""
    async with asyncio.timeout(10):
        for lobby in lobbies:
            await lobby.app.app.state.services.broker.connected.wait()


async def followed(socket: Socket, view: dict[str, Any], until: int) -> dict[str, Any]:
    """Fold what comes until event ``until``; every event once, in order."""
    while view["seq"] < until:
        message = await socket.until("event")
        view = fold(view, message)
    return view


async def test_watchers_at_one_process_see_moves_made_at_another_in_order_once(
    new_postgres_url: str, nats_url: str
) -> None:
    async with processes(new_postgres_url, nats_url) as (here, there):
        await connected(here, there)
        player = await here.player()
        game = await player.deal("SH1-C4-AAAAAJ2")
        async with player.socket() as watcher, beside(player, there).socket() as mover:
            await watcher.say("watch", channel=f"game:{game}")
            view = (await watcher.until("state"))["view"]
            for number in range(20):
                assert (await mover.command(game, f"c{number}", **step(number)))["seq"] == number + 2
            view = await followed(watcher, view, 21)
        assert view == await beside(player, there).call("GET", f"/v1/games/{game}")


async def test_a_move_through_one_process_is_in_a_look_through_another_at_once(new_postgres_url: str) -> None:
    async with processes(new_postgres_url) as (here, there):
        player = await here.player()
        game = await player.deal("SH1-C4-AAAAAJ2")
        other = beside(player, there)
        for number in range(10):
            mover, looker = (player, other) if number % 2 else (other, player)
            body = {"command_id": f"c{number}", "after": number + 1, **step(number)}
            assert (await mover.call("POST", f"/v1/games/{game}/commands", body))["seq"] == number + 2
            assert (await looker.call("GET", f"/v1/games/{game}"))["seq"] == number + 2


async def test_two_devices_that_race_through_two_processes_have_one_winner_a_seq(
    new_postgres_url: str, nats_url: str
) -> None:
    async with processes(new_postgres_url, nats_url) as (here, there):
        player = await here.player()
        game = await player.deal("SH1-C4-AAAAAJ2")
        async with player.socket() as one, beside(player, there).socket() as two:
            for number in range(15):
                after = number + 1
                answers = await asyncio.gather(
                    one.command(game, f"a{number}", after=after, **step(number)),
                    two.command(game, f"b{number}", after=after, **step(number)),
                )
                won = [answer for answer in answers if answer["t"] == "ack"]
                (lost,) = [answer for answer in answers if answer["t"] == "refused"]
                assert [answer["seq"] for answer in won] == [number + 2]
                assert lost["problem"]["code"] == "stale"
                assert [event["seq"] for event in lost["problem"]["params"]["missed"]] == [number + 2]


async def test_what_happened_while_nats_was_away_is_caught_up_within_two_seconds_of_its_return(
    new_postgres_url: str,
) -> None:
    with Nats() as own:
        async with processes(new_postgres_url, own.url) as (here, there):
            await connected(here, there)
            player = await here.player()
            game = await player.deal("SH1-C4-AAAAAJ2")
            async with player.socket() as watcher, beside(player, there).socket() as mover:
                await watcher.say("watch", channel=f"game:{game}")
                view = (await watcher.until("state"))["view"]
                await mover.command(game, "c0", **step(0))
                view = await followed(watcher, view, 2)
                await asyncio.to_thread(own.kill)
                for number in range(1, 6):
                    assert (await mover.command(game, f"c{number}", **step(number)))["t"] == "ack"
                await asyncio.to_thread(own.restart)
                async with asyncio.timeout(2):
                    view = await followed(watcher, view, 7)
                await connected(here, there)
                await mover.command(game, "c6", **step(6))
                view = await followed(watcher, view, 8)


async def test_without_nats_the_log_is_compared_with_what_is_watched(
    new_postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broker, "COMPARE_EVERY_S", 0.2)
    async with processes(new_postgres_url) as (here, there):
        player = await here.player()
        game = await player.deal("SH1-C4-AAAAAJ2")
        async with player.socket() as watcher, beside(player, there).socket() as mover:
            await watcher.say("watch", channel=f"game:{game}")
            view = (await watcher.until("state"))["view"]
            for number in range(5):
                await mover.command(game, f"c{number}", **step(number))
            await followed(watcher, view, 6)


async def test_a_game_that_fell_out_of_the_cache_is_still_told_of(new_postgres_url: str, nats_url: str) -> None:
    async with processes(new_postgres_url, nats_url) as (here, there):
        await connected(here, there)
        player = await here.player()
        game = await player.deal("SH1-C4-AAAAAJ2")
        async with player.socket() as watcher, beside(player, there).socket() as mover:
            await watcher.say("watch", channel=f"game:{game}")
            view = (await watcher.until("state"))["view"]
            for number in range(4):
                here.app.app.state.services.referee._cache.drop(game)
                await mover.command(game, f"c{number}", **step(number))
            await followed(watcher, view, 5)


async def test_presence_counts_the_watchers_of_all_processes(new_postgres_url: str, nats_url: str) -> None:
    async with processes(new_postgres_url, nats_url) as (here, there):
        await connected(here, there)
        player = await here.player()
        game = await player.deal()
        async with player.socket() as one:
            await one.say("watch", channel=f"game:{game}")
            async with beside(player, there).socket() as two:
                await two.say("watch", channel=f"game:{game}")
                async with asyncio.timeout(8):
                    while (message := await one.hear())["t"] != "presence" or message["watchers"] != 2:
                        pass


async def test_a_game_made_private_at_one_process_ends_for_watchers_at_another(
    new_postgres_url: str, nats_url: str
) -> None:
    async with processes(new_postgres_url, nats_url) as (here, there):
        await connected(here, there)
        player, guest = await here.player(), await there.player()
        game = await player.deal()
        await player.call("PUT", f"/v1/games/{game}/watching", {"watching": "link"})
        async with guest.socket() as watcher:
            await watcher.say("watch", channel=f"game:{game}")
            await watcher.until("state")
            await player.call("POST", f"/v1/games/{game}/commands", {"command_id": "a", **MOVE})
            await watcher.until("event")  # so it has subscribed
            await player.call("PUT", f"/v1/games/{game}/watching", {"watching": "private"})
            await watcher.until("resync")
