"""``kill -9`` in the middle of everything, again and again: what was acknowledged is there, once."""

import asyncio
import random
from pathlib import Path

import pytest

from tests.faults.forked_server import ForkedServer
from tests.faults.ledger import Ledger, stored_events
from tests.faults.load import HttpPlayer, Player, SocketPlayer, play_until
from tests.faults.scale import times
from tests.faults.verifying import verify

KILLS = times(30, 300)


@pytest.mark.timeout(KILLS * 10)
async def test_nothing_acknowledged_is_lost_and_nothing_is_there_twice_however_often_the_server_is_killed(
    tmp_path: Path,
) -> None:
    ledger, chance = Ledger(), random.Random(9)
    players: list[Player] = [HttpPlayer(f"http{number}", ledger) for number in range(3)]
    players += [SocketPlayer(f"socket{number}", ledger) for number in range(3)]
    with ForkedServer(tmp_path / "games.db") as server:
        for _ in range(KILLS):
            await asyncio.to_thread(server.start)
            playing = await play_until(ledger, ledger.acks + chance.randrange(10, 70), players, server.port)
            await asyncio.to_thread(server.kill)
            await asyncio.gather(*playing)
        assert server.output().count("is ready") == KILLS
    logs = stored_events(tmp_path / "games.db")
    assert [*ledger.faults(logs)] == []
    assert ledger.acks > KILLS * 25 and ledger.pushed

    code, told = await asyncio.to_thread(verify, server.database)
    assert (code, told["findings"], told["differing"]) == (0, [], 0)
    assert (told["games"], told["events"]) == (len(logs), sum(map(len, logs.values())))
    assert told["boards"] > 0, "no game has been played to its end"
