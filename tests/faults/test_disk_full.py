"""A disk that is full for a while: a clear no, nothing promised, and service again by itself."""

import asyncio
import resource
import sys
from pathlib import Path

import pytest

from tests.faults.clients import Http, Socket, new_game, new_player, socket
from tests.faults.ledger import stored_events
from tests.faults.verifying import verify
from tests.parts.server_process import ServerProcess

CODE = "HM1-N-AAAAAAB"
FIRST, SECOND, THIRD = ["P1", "P8"], ["P8", "P5", "P3"], ["P2", "P9"]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="another process's limits are set with prlimit")


def fill_disk(pid: int) -> None:
    """From now on the process can write to no file at all, as if each of them had met the end of the disk."""
    _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, hard))


def free_disk(pid: int) -> None:
    _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (hard, hard))


async def silent(live: Socket) -> None:
    """Nothing has been pushed so far: the next message is the answer to a ping."""
    await live.send(t="ping")
    while (message := await live.next())["t"] != "pong":
        assert message["t"] == "presence", message


async def test_a_full_disk_means_503_no_ack_no_push_and_service_again_by_itself(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "games.db").wait_ready() as server:
        pid = server.process.pid
        async with Http(server.port) as http:
            token = await new_player(http)
            game = await new_game(http, CODE, "open")
            commands = f"/v1/games/{game}/commands"
            status, _ = await http.request("POST", commands, {"command_id": "a", "do": "move", "remove": FIRST})
            assert status == 200
            async with socket(server.port, token) as watcher, socket(server.port, token) as player:
                await watcher.send(t="watch", channel=f"game:{game}")
                assert (await watcher.until("state"))["seq"] == 2

                fill_disk(pid)
                command = {"command_id": "b", "do": "move", "remove": SECOND}
                for _ in range(3):
                    status, problem = await http.request("POST", commands, command)
                    assert (status, problem["code"]) == (503, "unavailable")
                    await player.send(t="command", game=game, **command)
                    refused = await player.until("refused", "ack")
                    assert refused["t"] == "refused" and refused["problem"]["code"] == "unavailable"
                status, problem = await http.request("POST", "/v1/games", {"code": CODE, "command_id": "open-too"})
                assert (status, problem["code"]) == (503, "unavailable")
                status, problem = await http.request("POST", "/v1/players", {})
                assert (status, problem["code"]) == (503, "unavailable")
                status, view = await http.request("GET", f"/v1/games/{game}")
                assert (status, view["seq"]) == (200, 2), "what is there can still be read"
                await silent(watcher)

                free_disk(pid)
                # The same commands again, and nothing else: the process was not touched.
                await player.send(t="command", game=game, **command)
                answer = await player.until("refused", "ack")
                assert (answer["t"], answer["seq"]) == ("ack", 3)
                event = await watcher.until("event")
                assert (event["seq"], event["event"]["data"]["remove"]) == (3, SECOND)
                status, answer = await http.request("POST", commands, command)
                assert (status, answer["seq"]) == (200, 3)
                status, answer = await http.request(
                    "POST", commands, {"command_id": "c", "after": 3, "do": "move", "remove": THIRD}
                )
                assert (status, answer["seq"]) == (200, 4)
                await new_game(http, CODE, "open-too")
                assert (await watcher.until("event"))["seq"] == 4
        assert server.is_ready()
    logs = stored_events(tmp_path / "games.db")
    assert sorted([event.command_id for event in log] for log in logs.values()) == [
        ["open", "a", "b", "c"],
        ["open-too"],
    ]
    code, told = await asyncio.to_thread(verify, server.database)
    assert (code, told["findings"]) == (0, [])
