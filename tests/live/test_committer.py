"""Group commit by itself: who goes with whom, who waits for whom, and that everybody is told."""

import asyncio
from collections.abc import Sequence

import pytest

from server.live.committer import Committer
from server.play.records import Outcome, Record
from server.store.eventlog import Append, Appended, Failed, OneByOne, Won


class SlowLog(OneByOne):
    """Stores nothing, but tells in which batches it was asked to; commits of games that end wait for ``go``."""

    def __init__(self, lanes: int) -> None:
        super().__init__(lanes)
        self.go = asyncio.Event()
        self.batches: list[list[str]] = []

    async def append(self, batch: Sequence[Append]) -> list[Appended]:
        self.batches.append([one.record.game for one in batch])
        if any(one.outcome for one in batch):
            await self.go.wait()
        return [Won()] * len(batch)


class BrokenLog(SlowLog):
    async def append(self, batch: Sequence[Append]) -> list[Appended]:
        raise RuntimeError("out of order")


def move(game: str, *, ends: bool = False) -> Append:
    record = Record(game, 2, "moved", 1, 1, 0, f"c-{game}", "{}", "0" * 64)
    return Append(record, None, Outcome(game=game, status="won") if ends else None)


class Crowd:
    """Those who submit, and what they have been told."""

    def __init__(self, committer: Committer) -> None:
        self._committer = committer
        self.told: dict[str, Appended] = {}
        self._waiting: dict[str, asyncio.Event] = {}

    def submit(self, *games: str, ends: bool = False) -> None:
        for game in games:
            self._committer.submit(move(game, ends=ends), lambda result, game=game: self._hear(game, result))

    def _hear(self, game: str, result: Appended) -> None:
        assert game not in self.told, "told twice"
        self.told[game] = result
        if waiting := self._waiting.pop(game, None):
            waiting.set()

    async def until_told(self, *games: str) -> None:
        async with asyncio.timeout(5):
            for game in games:
                if game not in self.told:
                    await self._waiting.setdefault(game, asyncio.Event()).wait()


async def test_what_arrives_during_a_commit_goes_into_the_next_one_together() -> None:
    log = SlowLog(lanes=1)
    committer = Committer(log)
    crowd = Crowd(committer)
    crowd.submit("a", ends=True)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    crowd.submit("b", "c", "d")
    log.go.set()
    await crowd.until_told("a", "b", "c", "d")
    assert log.batches == [["a"], ["b", "c", "d"]]


async def test_moves_do_not_wait_for_a_game_that_ends_where_the_log_has_two_lanes() -> None:
    log = SlowLog(lanes=2)
    committer = Committer(log)
    crowd = Crowd(committer)
    crowd.submit("end", ends=True)
    crowd.submit("a", "b")
    await crowd.until_told("a", "b")
    assert "end" not in crowd.told
    log.go.set()
    await committer.close()
    assert crowd.told == dict.fromkeys(("a", "b", "end"), Won())


@pytest.mark.parametrize("lanes", [1, 2])
async def test_no_commit_is_larger_than_its_bound_and_nobody_is_forgotten(lanes: int) -> None:
    log = SlowLog(lanes)
    log.go.set()
    committer = Committer(log, batch=2)
    crowd = Crowd(committer)
    crowd.submit("a", "b", "c", "d", "e")
    crowd.submit("f", "g", "h", ends=True)
    await committer.close()
    assert set(crowd.told) == set("abcdefgh")
    assert max(map(len, log.batches)) == 2


async def test_a_log_that_raises_tells_everybody_that_the_outcome_is_unknown(caplog: pytest.LogCaptureFixture) -> None:
    committer = Committer(BrokenLog(lanes=2))
    crowd = Crowd(committer)
    crowd.submit("a", "b")
    crowd.submit("end", ends=True)
    await committer.close()
    assert crowd.told == dict.fromkeys(("a", "b", "end"), Failed("RuntimeError('out of order')", unknown=True))
    assert "failed" in caplog.text


async def test_room_comes_back_when_what_waits_is_stored() -> None:
    log = SlowLog(lanes=1)
    committer = Committer(log, waiting=2)
    crowd = Crowd(committer)
    crowd.submit("first", ends=True)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    crowd.submit("a")
    assert committer.has_room
    crowd.submit("b")
    assert not committer.has_room
    waiting = asyncio.create_task(committer.room())
    await asyncio.sleep(0)
    assert not waiting.done()
    log.go.set()
    async with asyncio.timeout(5):
        await waiting
    assert committer.has_room
    await committer.close()


async def test_an_answer_that_fails_keeps_no_answer_from_the_others(caplog: pytest.LogCaptureFixture) -> None:
    log = SlowLog(lanes=1)
    committer = Committer(log)
    crowd = Crowd(committer)

    def fail(result: Appended) -> None:
        raise RuntimeError("nobody there")

    committer.submit(move("bad"), fail)
    crowd.submit("good")
    await committer.close()
    assert crowd.told == {"good": Won()}
    assert "what follows from an append failed" in caplog.text
