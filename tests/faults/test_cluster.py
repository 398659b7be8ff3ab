"""Three real processes on one PostgreSQL and one NATS behind nginx: they are one server, whatever becomes of a part."""

import asyncio
import itertools
import json
import os
import signal
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from tests.faults.clients import Http, Socket, socket
from tests.faults.cluster import Cluster
from tests.faults.devices import Caller, Device, at_play, step
from tests.faults.ledger import Ledger
from tests.faults.scale import times
from tests.live.player import fold
from tests.parts.absent import Absent
from tests.parts.server_process import ServerProcess

ROUNDS = times(1, 20)

AWAY_AT_MOST_S = 5.0


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    try:
        with Cluster() as running:
            yield running
    except Absent as absent:
        pytest.skip(str(absent))


@asynccontextmanager
async def sockets(ports: list[int], token: str) -> AsyncIterator[list[Socket]]:
    """A socket of the same player at each of these ports."""
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(socket(port, token)) for port in ports]


async def command(live: Socket, game: str, command_id: str, **fields: Any) -> dict[str, Any]:
    """Send a command; its answer."""
    await live.send(t="command", game=game, command_id=command_id, **fields)
    return await live.until("ack", "refused")


async def watch(live: Socket, game: str) -> dict[str, Any]:
    """Watch a game from its newest state on; that view."""
    await live.send(t="watch", channel=f"game:{game}")
    return dict((await live.until("state"))["view"])


async def followed(live: Socket, view: dict[str, Any], seq: int) -> dict[str, Any]:
    """The view after event ``seq``, folded from what comes: each event once, in order, and nothing is skipped."""
    while view["seq"] < seq:
        view = fold(view, await live.until("event", "resync"))
    return view


@asynccontextmanager
async def commits_held(cluster: Cluster) -> AsyncIterator[asyncpg.Connection]:
    """No event can be stored while the block lasts: an append that has begun waits for its end."""
    holder = await asyncpg.connect(cluster.database.replace("+asyncpg", ""))
    try:
        async with holder.transaction():
            await holder.execute("LOCK TABLE events IN SHARE ROW EXCLUSIVE MODE")
            yield holder
    finally:
        await holder.close()


async def one_waits(holder: asyncpg.Connection) -> None:
    """Wait until an append waits for what is held."""
    async with asyncio.timeout(10):
        while not await holder.fetchval(  # noqa: ASYNC110 (the database has no event for it)
            "SELECT count(*) FROM pg_locks WHERE relation = 'events'::regclass AND NOT granted"
        ):
            await asyncio.sleep(0.01)


# one server


async def test_two_devices_that_race_through_two_processes_have_one_winner_a_seq(cluster: Cluster) -> None:
    token = await cluster.new_player()
    game = (await cluster.deal(token, "race"))["id"]
    async with sockets(cluster.ports[:2], token) as pair:
        wins = [0, 0]
        for number in range(times(25, 1000)):
            after = number + 1
            answers = await asyncio.gather(
                *(
                    command(live, game, f"{name}{number}", after=after, **step(number))
                    for name, live in zip("ab", pair, strict=True)
                )
            )
            (winner,) = [place for place, answer in enumerate(answers) if answer["t"] == "ack"]
            wins[winner] += 1
            assert answers[winner]["seq"] == after + 1
            lost = answers[1 - winner]["problem"]
            assert (lost["code"], lost["params"]["seq"]) == ("stale", after + 1)
            ((seq, missed),) = [(event["seq"], event["command_id"]) for event in lost["params"]["missed"]]
            assert (seq, missed) == (after + 1, f"{'ab'[winner]}{number}")
    assert sum(wins) == times(25, 1000)


async def test_a_move_through_one_process_is_in_a_look_through_another_at_once(cluster: Cluster) -> None:
    token = await cluster.new_player()
    game = (await cluster.deal(token, "look"))["id"]
    path = f"/v1/games/{game}"
    async with AsyncExitStack() as stack:
        doors = [await stack.enter_async_context(Http(port, token)) for port in cluster.ports]
        for number, (mover, looker) in enumerate(
            itertools.islice(itertools.cycle(itertools.permutations(doors, 2)), 12)
        ):
            status, answer = await mover.request(
                "POST", f"{path}/commands", {"command_id": f"m{number}", **step(number)}
            )
            assert (status, answer["seq"]) == (200, number + 2)
            assert await looker.request("GET", path) == (200, answer["view"])
            _, page = await looker.request("GET", f"{path}/events?after={number + 1}")
            assert [event["seq"] for event in page["items"]] == [number + 2]


async def test_watchers_at_every_process_see_moves_made_at_any_in_order_once(cluster: Cluster) -> None:
    token = await cluster.new_player()
    game = (await cluster.deal(token, "watch"))["id"]
    moves = times(60, 3000)
    async with sockets([*cluster.ports * 2, cluster.port], token) as watchers, sockets(cluster.ports, token) as movers:
        views = [await watch(live, game) for live in watchers]
        following = [
            asyncio.create_task(followed(live, view, moves + 1)) for live, view in zip(watchers, views, strict=True)
        ]
        for number in range(moves):
            answer = await command(movers[number % 3], game, f"m{number}", **step(number))
            assert answer == {"t": "ack", "command_id": f"m{number}", "seq": number + 2}
        async with asyncio.timeout(10):
            views = await asyncio.gather(*following)
        for port in cluster.ports:
            now = await cluster.look(port, token, game)
            assert all(view == now for view in views)


async def test_a_socket_that_is_cut_while_its_commit_is_under_way_costs_the_watchers_nothing(cluster: Cluster) -> None:
    token = await cluster.new_player()
    game = (await cluster.deal(token, "cut"))["id"]
    async with sockets(cluster.ports, token) as watchers, socket(cluster.ports[0], token) as mover:
        views = [await watch(live, game) for live in watchers]
        async with commits_held(cluster) as holder:
            await mover.send(t="command", game=game, command_id="last-words", **step(0))
            await one_waits(holder)
            mover.cut()
            await asyncio.sleep(0.1)  # so that the process has seen it go
        async with asyncio.timeout(5):
            for live, view in zip(watchers, views, strict=True):
                assert (await followed(live, view, 2))["moves"] == 1
    async with socket(cluster.ports[1], token) as again:
        answer = await command(again, game, "last-words", **step(0))
        assert answer == {"t": "ack", "command_id": "last-words", "seq": 2}


# parts that go and come back


async def test_what_happens_while_nats_is_away_is_caught_up_within_two_seconds_of_its_return(cluster: Cluster) -> None:
    token = await cluster.new_player()
    game = (await cluster.deal(token, "nats"))["id"]
    async with sockets(cluster.ports[:2], token) as watchers, socket(cluster.ports[2], token) as mover:
        views = [await watch(live, game) for live in watchers]
        numbers = itertools.count()

        async def move(times: int) -> int:
            """Moves that are all acknowledged; the seq of the last."""
            for number in itertools.islice(numbers, times):
                assert (await command(mover, game, f"m{number}", **step(number)))["t"] == "ack"
            return number + 2

        async def all_see(seq: int) -> None:
            views[:] = await asyncio.gather(
                *(followed(live, view, seq) for live, view in zip(watchers, views, strict=True))
            )

        await all_see(await move(3))
        for _ in range(ROUNDS):
            for hangs in (False, True):
                if hangs:  # then what is told before it dies is taken, and told to nobody
                    cluster.nats.process.send(signal.SIGSTOP)
                else:
                    await asyncio.to_thread(cluster.nats.kill)
                missed = await move(10)
                await asyncio.to_thread(cluster.nats.kill)
                await asyncio.to_thread(cluster.nats.restart)
                async with asyncio.timeout(2):
                    await all_see(missed)
                last = await move(3)
                async with asyncio.timeout(2):
                    await all_see(last)


@pytest.mark.parametrize("number", range(ROUNDS))
async def test_postgresql_that_goes_and_comes_back_loses_nothing_that_was_acknowledged(
    cluster: Cluster, number: int
) -> None:
    ledger, devices = Ledger(), []
    for player in range(6):
        token, name = await cluster.new_player(), f"pg{number}-{player}"
        view = await cluster.deal(token, name, ledger)
        port = [*cluster.ports, cluster.port][player % 4]
        devices += [
            Device(port, token, view, ledger, name),
            Device(cluster.ports[(player + 1) % 3], token, view, ledger),
        ]
    token = await cluster.new_player()
    caller = Caller(
        cluster.port, token, await cluster.deal(token, f"pg{number}-http", ledger), ledger, f"pg{number}-http"
    )
    async with at_play(*devices, caller):
        await ledger.reaches(100)
        for end in (cluster.postgres.stop, cluster.postgres.crash):
            await asyncio.to_thread(end)
            for server in cluster.servers:
                status, problem = await asyncio.to_thread(server.request, "GET", "/readyz")
                assert (status, problem["code"]) == (503, "unavailable")
                assert (await asyncio.to_thread(server.request, "GET", "/healthz"))[0] == 200
            assert await hello_of_a_stranger(cluster.ports[0]) == (1013, "unavailable")
            before = ledger.acks
            await asyncio.to_thread(cluster.postgres.restart)
            async with asyncio.timeout(15):
                await ledger.reaches(before + 100)
            assert all([await asyncio.to_thread(server.is_ready) for server in cluster.servers])
        await settle(cluster, devices, [caller])
    assert caller.turned_away and cluster.faults(ledger) == []
    assert all("Traceback" not in server.output() for server in cluster.servers)


async def hello_of_a_stranger(port: int) -> tuple[int | None, str | None]:
    """How a socket ends whose token no process has seen before."""
    async with connect(f"ws://127.0.0.1:{port}/v1/live", compression=None) as live:
        await live.send(json.dumps({"t": "hello", "token": "mt_" + "A" * 43}))
        async with asyncio.timeout(10):
            await live.wait_closed()
    return live.close_code, live.close_reason


async def settle(cluster: Cluster, devices: list[Device], callers: list[Caller]) -> None:
    """Nobody moves any more, and everybody has seen all of his game, whatever happened to his line."""
    async with asyncio.timeout(20):
        await asyncio.gather(*(mover.rest() for mover in [*devices, *callers]))
        for device in devices:
            now = await cluster.look(cluster.port, device.token, device.game)
            await device.follows_to(now["seq"])
            assert device.view == now


# processes that go and come back


async def crowd(cluster: Cluster, ledger: Ledger, name: str) -> tuple[list[Device], list[Caller]]:
    """Players behind nginx: each moves on one device and watches on another; some move over HTTP."""
    devices, callers = [], []
    for number in range(8):
        token = await cluster.new_player()
        view = await cluster.deal(token, f"{name}{number}", ledger)
        devices += [
            Device(cluster.port, token, view, ledger, f"{name}{number}"),
            Device(cluster.port, token, view, ledger),
        ]
    for number in range(3):
        token = await cluster.new_player()
        view = await cluster.deal(token, f"{name}-http{number}", ledger)
        callers.append(Caller(cluster.port, token, view, ledger, f"{name}-http{number}"))
    return devices, callers


@pytest.mark.parametrize("number", range(ROUNDS))
async def test_the_clients_of_a_process_that_is_killed_are_back_on_another_within_five_seconds(
    cluster: Cluster, number: int
) -> None:
    ledger = Ledger()
    devices, callers = await crowd(cluster, ledger, f"kill{number}-")
    victim = cluster.servers[number % 3]
    async with at_play(*devices, *callers):
        await ledger.reaches(150)
        arrivals = sum(device.away.times for device in devices)
        await asyncio.to_thread(victim.kill)
        await ledger.reaches(ledger.acks + 150)
        assert sum(device.away.times for device in devices) > arrivals, "somebody was on it"
        await cluster.back(victim)
        await settle(cluster, devices, callers)
        longest = max(one.away.longest for one in [*devices, *callers])
    assert longest < AWAY_AT_MOST_S and cluster.faults(ledger) == []


@pytest.mark.parametrize("number", range(ROUNDS))
async def test_a_rolling_restart_loses_no_move_and_nobody_stays_away_longer_than_five_seconds(
    cluster: Cluster, number: int
) -> None:
    ledger = Ledger()
    devices, callers = await crowd(cluster, ledger, f"roll{number}-")
    async with at_play(*devices, *callers):
        await ledger.reaches(100)
        for server in cluster.servers:
            server.terminate()
            began = time.monotonic()
            assert await asyncio.to_thread(server.wait, 10) == 0, server.output()
            assert time.monotonic() - began < 10
            await cluster.back(server)
        await ledger.reaches(ledger.acks + 50)
        await settle(cluster, devices, callers)
        longest = max(one.away.longest for one in [*devices, *callers])
    assert [caller.turned_away for caller in callers] == [[], [], []], "nginx has asked another process"
    assert sum(device.told_to_go for device in devices) >= len(devices)
    assert [code for device in devices for code in device.closed_with] == [], "whoever is told goes in time"
    assert longest < AWAY_AT_MOST_S and cluster.faults(ledger) == []
    assert all("Traceback" not in server.output() for server in cluster.servers)


async def test_a_process_that_drains_answers_what_it_has_accepted_then_closes_with_1012(cluster: Cluster) -> None:
    token = await cluster.new_player()
    game = (await cluster.deal(token, "drain"))["id"]
    server = cluster.servers[2]
    async with sockets([server.port] * 10, token) as stubborn, Http(server.port, token) as http:
        await watch(stubborn[0], game)
        async with commits_held(cluster) as holder:
            await stubborn[0].send(t="command", game=game, command_id="accepted", **step(0))
            await one_waits(holder)
            await http.send("POST", f"/v1/games/{game}/commands", {"command_id": "accepted-too", **step(1)})
            await asyncio.sleep(0.1)
            server.terminate()
            began = time.monotonic()
            spread = sorted([(await live.until("draining"))["reconnect_in_ms"] for live in stubborn])
            assert spread[0] >= 0 and spread[-1] <= 2000 and len(set(spread)) == 10, "not all at once"
            with pytest.raises(OSError):
                await asyncio.open_connection("127.0.0.1", server.port)
            # Those who stay all the same are closed after their time, but for the one that is still owed an answer.
            for live in stubborn[1:]:
                assert await closing(live) == (1012, [])
        code, last = await closing(stubborn[0])
        assert [message["t"] for message in last if message["t"] != "presence"][:2] == ["event", "ack"]
        assert code == 1012
        status, answer = await http.answer()
        assert (status, answer["seq"]) == (200, 3)
        assert await asyncio.to_thread(server.wait, 10) == 0
        assert time.monotonic() - began < 10 and "Traceback" not in server.output()
    await cluster.back(server)


async def closing(live: Socket) -> tuple[int, list[dict[str, Any]]]:
    """The code that a socket is closed with, and what was said on it until then."""
    said = []
    try:
        async with asyncio.timeout(10):
            while True:
                said.append(await live.next())
    except ConnectionClosed as closed:
        return (closed.rcvd.code if closed.rcvd else 1006), said


# several processes on one port


async def test_workers_of_one_port_are_one_server_and_one_that_dies_is_replaced(cluster: Cluster) -> None:
    ledger, devices = Ledger(), []
    words = ("--workers", "3")
    with ServerProcess(cluster.postgres.new_database(), *words, env={"MOONTIDE_NATS": cluster.nats.url}) as several:
        await asyncio.to_thread(several.process.wait_until, lambda: "is ready" in several.output())
        async with Http(several.port) as http:
            status, made = await http.request("POST", "/v1/players", {})
            assert status == 201
            http.token = token = made["token"]
            for number in range(4):
                body = {"code": "SH1-C4-AAAAAJ2", "command_id": f"w{number}"}
                _, view = await http.request("POST", "/v1/games", body)
                devices.append(Device(several.port, token, view, ledger, f"w{number}"))
                devices += [Device(several.port, token, view, ledger) for _ in range(3)]
        async with at_play(*devices):
            await ledger.reaches(100)
            victim = children(several.process.pid)[0]
            os.kill(victim, signal.SIGKILL)
            await ledger.reaches(ledger.acks + 200)
            async with asyncio.timeout(20):
                await asyncio.gather(*(device.rest() for device in devices))
                async with Http(several.port, token) as http:
                    for device in devices:
                        _, now = await http.request("GET", f"/v1/games/{device.game}")
                        await device.follows_to(now["seq"])
                        assert device.view == now
            longest = max(device.away.longest for device in devices)
        assert longest < AWAY_AT_MOST_S
        assert victim not in children(several.process.pid)


def children(pid: int) -> list[int]:
    """The processes that a process has started, and that run."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
