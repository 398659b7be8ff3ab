"""The one write path: exactly once, in order, stored before it is told, and nothing lost when things break."""

import asyncio

import pytest
from msgspec.structs import replace

from server.live.referee import Chosen, Taken
from server.play.playthrough import replay
from server.play.refusals import CommandIdReused, IllegalCommand, Quarantined, Stale, Unavailable
from server.solitaires import read_code
from server.store.memory_log import MemoryLog
from tests.live.helpers import Ear, ShakyLog, bench

MOVE = {"do": "move", "remove": ["P1", "P8"]}
TRIO = {"do": "move", "remove": ["P8", "P5", "P3"]}


async def test_an_accepted_command_is_one_event_stored_before_it_is_published() -> None:
    log = ShakyLog()
    async with bench(log) as table:
        game = await table.open()
        ear = Ear()
        table.hub.listen("game:" + game.header.id, ear)
        log.hold = asyncio.Event()
        sent = asyncio.create_task(table.send(game.header, command_id="a", **MOVE))
        await log.begun.wait()
        assert ear.frames == [] and not sent.done()
        log.hold.set()
        taken = await sent
        assert isinstance(taken, Taken) and taken.game.playthrough.seq == 2
        assert [frame["seq"] for frame in ear.frames] == [2]
        assert [record.seq for record in await log.read(game.header.id)] == [1, 2]


async def test_a_repeated_command_gets_its_first_answer_and_another_under_its_id_is_refused() -> None:
    async with bench() as table:
        game = await table.open()
        first = await table.send(game.header, command_id="a", **MOVE)
        await table.send(game.header, command_id="b", **TRIO)
        again = await table.send(game.header, command_id="a", after=1, **MOVE)
        assert again == first
        with pytest.raises(CommandIdReused):
            await table.send(game.header, command_id="a", **TRIO)
        assert (await table.referee.look(game.header.id)).playthrough.seq == 3  # type: ignore[union-attr]


async def test_the_same_command_sent_many_times_at_once_makes_one_event() -> None:
    async with bench() as table:
        game = await table.open()
        answers = await asyncio.gather(*(table.send(game.header, command_id="a", **MOVE) for _ in range(50)))
        assert {answer.event.seq for answer in answers} == {2}
        assert len(await table.referee.records(game.header.id)) == 2


async def test_opening_twice_with_one_command_id_gives_one_game() -> None:
    async with bench() as table:
        games = await asyncio.gather(*(table.open() for _ in range(20)))
        assert len({game.header.id for game in games}) == 1
        with pytest.raises(CommandIdReused):
            await table.referee.open(
                games[0].header.player or "", read_code("HM1-N-AAAAAAC"), command_id="open", digest="e" * 16
            )


async def test_commands_on_one_game_are_taken_one_after_another_in_their_order() -> None:
    async with bench() as table:
        game = await table.open("SH1-C4-AAAAAJ2")
        steps = [("C1", "C3"), ("C3", "C4"), ("C4", "C1"), ("C1", "C3")]
        await asyncio.gather(
            *(
                table.send(game.header, command_id=f"c{number}", do="move", **{"from": source, "to": target})
                for number, (source, target) in enumerate(steps)
            )
        )
        records = await table.referee.records(game.header.id)
        assert [record.command_id for record in records] == ["open", "c0", "c1", "c2", "c3"]
        assert replay(records).state.moves == 4


async def test_appends_that_arrive_during_a_commit_go_into_the_next_one_together() -> None:
    log = ShakyLog()
    async with bench(log) as table:
        games = [await table.open(command_id=f"o{number}") for number in range(20)]
        log.batches.clear()
        log.hold = asyncio.Event()
        sends = [asyncio.create_task(table.send(game.header, command_id="a", **MOVE)) for game in games]
        await log.begun.wait()
        for _ in range(5):
            await asyncio.sleep(0)
        log.hold.set()
        await asyncio.gather(*sends)
        assert sum(log.batches) == 20 and len(log.batches) <= 2


async def test_a_caller_that_is_cancelled_changes_nothing() -> None:
    log = ShakyLog()
    async with bench(log) as table:
        game = await table.open()
        ear = Ear()
        table.hub.listen("game:" + game.header.id, ear)
        log.hold = asyncio.Event()
        sent = asyncio.create_task(table.send(game.header, command_id="a", **MOVE))
        await log.begun.wait()
        sent.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sent
        log.hold.set()
        taken = await table.send(game.header, command_id="b", **TRIO)
        assert taken.game.playthrough.seq == 3
        assert [frame["seq"] for frame in ear.frames] == [2, 3]


async def test_what_could_not_be_stored_is_neither_acked_nor_published_and_can_be_sent_again() -> None:
    log = ShakyLog()
    async with bench(log) as table:
        game = await table.open()
        ear = Ear()
        table.hub.listen("game:" + game.header.id, ear)
        log.fail = True
        with pytest.raises(Unavailable):
            await table.send(game.header, command_id="a", **MOVE)
        assert ear.frames == []
        taken = await table.send(game.header, command_id="a", **MOVE)
        assert taken.game.playthrough.seq == 2


async def test_an_unknown_commit_outcome_is_found_out_by_sending_again() -> None:
    log = ShakyLog()
    async with bench(log) as table:
        game = await table.open()
        log.lose = True
        with pytest.raises(Unavailable):
            await table.send(game.header, command_id="a", **MOVE)
        taken = await table.send(game.header, command_id="a", **MOVE)
        assert taken.event.seq == 2
        assert len(await table.referee.records(game.header.id)) == 2


async def test_a_stale_command_is_told_what_it_missed_and_a_selecting_tap_makes_no_event() -> None:
    async with bench() as table:
        game = await table.open()
        await table.send(game.header, command_id="a", **MOVE)
        with pytest.raises(Stale) as caught:
            await table.send(game.header, command_id="b", after=1, **TRIO)
        assert caught.value.params["seq"] == 2
        assert [record.seq for record in caught.value.params["missed"]] == [2]
        chosen = await table.send(game.header, command_id="c", after=2, do="tap", place="P2")
        assert isinstance(chosen, Chosen) and chosen.seq == 2
        with pytest.raises(IllegalCommand):
            await table.send(game.header, command_id="d", do="move", remove=["P1", "P2"])


async def test_of_two_processes_one_wins_a_seq_and_the_loser_decides_again_on_what_it_missed() -> None:
    log = MemoryLog()
    async with bench(log, sole_writer=False) as here, bench(log, sole_writer=False) as there:
        game = await here.open("SH1-C4-AAAAAJ2")
        assert await there.referee.look(game.header.id) is not None
        ear = Ear()
        there.hub.listen("game:" + game.header.id, ear)
        answers = await asyncio.gather(
            here.send(game.header, command_id="h", do="move", **{"from": "C1", "to": "C3"}),
            there.send(game.header, command_id="t", do="move", **{"from": "C2", "to": "C4"}),
        )
        assert sorted(answer.event.seq for answer in answers) == [2, 3]
        assert [frame["seq"] for frame in ear.frames] in ([2], [2, 3])
        for table in (here, there):
            seen = await table.referee.look(game.header.id)
            assert seen is not None and seen.playthrough.seq == 3
        with pytest.raises(Stale) as caught:
            await here.send(game.header, command_id="x", after=1, do="undo")
        assert [record.seq for record in caught.value.params["missed"]] == [2, 3]
        # A cache may not refuse: the id is known to the other process only.
        known = await here.send(game.header, command_id="t", do="move", **{"from": "C2", "to": "C4"})
        assert known.event.record.command_id == "t"


async def test_a_log_that_does_not_verify_is_quarantined_and_others_play_on() -> None:
    log = MemoryLog()
    async with bench(log) as table:
        bad, good = await table.open(command_id="x"), await table.open(command_id="y")
        await table.send(bad.header, command_id="a", **MOVE)
        records = log._records[bad.header.id]
        records[1] = replace(records[1], data=records[1].data.replace('"points":10', '"points":15'))
        table.cache.drop(bad.header.id)
        with pytest.raises(Quarantined):
            await table.referee.look(bad.header.id)
        with pytest.raises(Quarantined):
            await table.send(bad.header, command_id="b", **TRIO)
        assert (await table.send(good.header, command_id="a", **MOVE)).game.playthrough.seq == 2


async def test_the_cache_is_bounded_and_what_was_dropped_comes_back_from_its_log() -> None:
    async with bench(cache=3) as table:
        games = [await table.open(command_id=f"o{number}") for number in range(10)]
        assert len(table.cache) == 3
        taken = await asyncio.gather(*(table.send(game.header, command_id="a", **MOVE) for game in games))
        assert [one.game.playthrough.seq for one in taken] == [2] * 10
        assert len(table.cache) <= 4


async def test_a_look_at_an_earlier_event_is_the_state_of_then() -> None:
    async with bench() as table:
        game = await table.open()
        await table.send(game.header, command_id="a", **MOVE)
        await table.send(game.header, command_id="b", do="undo")
        then = await table.referee.look_at(game.header.id, 2)
        assert then is not None and then.playthrough.state.score == 10
        assert await table.referee.look_at(game.header.id, 4) is None
        assert await table.referee.look_at(game.header.id, 0) is None


async def test_who_waits_for_news_is_not_woken_by_a_game_that_is_read_again() -> None:
    async with bench() as table:
        game = await table.open()
        table.cache.drop(game.header.id)
        assert await table.referee.news(game.header.id, 1, 0.001) is False


async def test_news_wakes_the_one_who_waits_or_says_that_there_was_none() -> None:
    async with bench() as table:
        game = await table.open()
        waiting = asyncio.create_task(table.referee.news(game.header.id, 1, 10.0))
        await asyncio.sleep(0)
        await table.send(game.header, command_id="a", **MOVE)
        assert await waiting is True
        assert await table.referee.news(game.header.id, 1, 10.0) is True
        assert await table.referee.news(game.header.id, 2, 0.001) is False
        assert table.hub.channels() == []
