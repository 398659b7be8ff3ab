"""What every log promises, whatever keeps it: memory, SQLite and PostgreSQL under the same tests."""

import asyncio

import pytest

from server.play.records import Outcome, Record
from server.store.eventlog import Append, Conflict, Failed, Won
from server.store.open import Store
from tests.store.conftest import Kept
from tests.store.records import header, move, new_id, opening, record


async def started(kept: Kept, moves: int = 0) -> str:
    """A game with its first event and some moves."""
    game = new_id()
    answers = await kept.log.append([opening(game), *(move(game, seq) for seq in range(2, moves + 2))])
    assert answers == [Won()] * (moves + 1)
    return game


class TestReading:
    async def test_what_was_stored_is_read_back_exactly(self, kept: Kept) -> None:
        game = new_id()
        stored = Record(
            game=game,
            seq=1,
            type="dealt",
            v=3,
            seat=2,
            at=253402300799999,
            command_id="~expired",
            data='{"b":1, "a":"h\u00e9\\u0000 \U0001f0a1 %s :x $1 \'\\""}',
            link="ab" * 32,
            digest="0123456789abcdef",
        )
        assert await kept.log.append([Append(stored, header(game))]) == [Won()]
        assert await kept.log.read(game) == [stored]

    async def test_a_record_may_have_no_digest(self, kept: Kept) -> None:
        game = await started(kept)
        assert (await kept.log.read(game))[0].digest is None

    async def test_events_come_in_the_order_of_seq_between_after_and_until(self, kept: Kept) -> None:
        game = await started(kept, moves=19)

        async def seqs(after: int = 0, limit: int | None = None, until: int | None = None) -> list[int]:
            return [one.seq for one in await kept.log.read(game, after, limit, until)]

        assert await seqs() == list(range(1, 21))
        assert await seqs(after=18) == [19, 20]
        assert await seqs(after=3, limit=2) == [4, 5]
        assert await seqs(until=3) == [1, 2, 3]
        assert await seqs(after=5, until=7) == [6, 7]
        assert await seqs(after=20) == [] == await seqs(limit=0) == await seqs(after=7, until=7)

    async def test_an_id_in_another_form_than_ours_is_no_game(self, kept: Kept) -> None:
        game = await started(kept)
        assert await kept.log.header(game) is not None
        for other in (game.upper(), game.replace("-", ""), f"{{{game}}}", game[:-1], game + "0", "abc", ""):
            if other != game:  # an id may have no letter
                assert await kept.log.header(other) is None, other

    async def test_a_game_that_is_not_there_has_no_events_no_head_no_header(self, kept: Kept) -> None:
        game = new_id()
        assert await kept.log.read(game) == []
        assert await kept.log.head([game]) == {}
        assert await kept.log.header(game) is None
        assert await kept.log.opened(await kept.player(), "c") is None

    async def test_heads_are_the_newest_seq_and_link_of_each_game(self, kept: Kept) -> None:
        one, other = await started(kept, moves=11), await started(kept)
        heads = await kept.log.head([one, new_id(), other])
        assert heads == {game: ((last := (await kept.log.read(game))[-1]).seq, last.link) for game in (one, other)}
        assert heads[one][0] == 12
        assert await kept.log.head([]) == {}

    async def test_the_header_comes_with_the_first_event(self, kept: Kept) -> None:
        player, game = await kept.player(), new_id()
        row = header(game, player, command_id="mine")
        assert await kept.log.append([Append(record(game, 1), row)]) == [Won()]
        assert await kept.log.header(game) == row == await kept.log.opened(player, "mine")
        assert await kept.log.opened(await kept.player(), "mine") is None


class TestAppending:
    async def test_nothing_is_nothing(self, kept: Kept) -> None:
        assert await kept.log.append([]) == []

    async def test_the_first_to_store_a_seq_has_it(self, kept: Kept) -> None:
        game = await started(kept)
        assert await kept.log.append([move(game, 2, by="first")]) == [Won()]
        assert await kept.log.append([move(game, 2, by="second")]) == [Conflict()]
        assert [one.command_id for one in await kept.log.read(game)] == ["c1", "c2first"]

    async def test_answers_are_in_the_order_of_the_batch_and_a_conflict_leaves_its_neighbours_alone(
        self, kept: Kept
    ) -> None:
        games = [await started(kept) for _ in range(7)]
        taken = {1, 4, 5}
        assert await kept.log.append([move(games[index], 2, by="x") for index in taken]) == [Won()] * 3
        answers = await kept.log.append([move(game, 2) for game in reversed(games)])
        assert answers == [Conflict() if index in taken else Won() for index in reversed(range(7))]
        for index, game in enumerate(games):
            assert (await kept.log.read(game))[-1].command_id == ("c2x" if index in taken else "c2")

    async def test_two_for_one_place_in_a_batch_the_first_has_it_and_nothing_follows_the_second(
        self, kept: Kept
    ) -> None:
        game, other = await started(kept), await started(kept)
        batch = [move(game, 2, by="a"), move(game, 2, by="b"), move(game, 3, by="b"), move(other, 2)]
        assert await kept.log.append(batch) == [Won(), Conflict(), Conflict(), Won()]
        assert [one.command_id for one in await kept.log.read(game)] == ["c1", "c2a"]

    async def test_several_on_one_game_in_a_batch_all_win(self, kept: Kept) -> None:
        game = await started(kept)
        assert await kept.log.append([move(game, seq) for seq in (2, 3, 4)]) == [Won()] * 3
        assert (await kept.log.head([game]))[game][0] == 4

    async def test_what_was_built_upon_a_loser_loses_too_and_the_others_win(self, kept: Kept) -> None:
        game, other = await started(kept), await started(kept)
        assert await kept.log.append([move(game, 2, by="quicker")]) == [Won()]
        batch = [move(other, 2), move(game, 2), move(game, 3), move(game, 4, status="won"), move(other, 3)]
        assert await kept.log.append(batch) == [Won(), Conflict(), Conflict(), Conflict(), Won()]
        assert [one.command_id for one in await kept.log.read(game)] == ["c1", "c2quicker"]
        assert (await kept.log.head([other]))[other][0] == 3
        found = await kept.log.header(game)
        assert found is not None and found.status == "playing"

    async def test_a_thousand_in_one_batch(self, kept: Kept) -> None:
        games = [new_id() for _ in range(500)]
        batch = [opening(game) for game in games] + [move(game, 2, status="won") for game in games]
        assert await kept.log.append(batch) == [Won()] * 1000
        assert {seq for seq, _ in (await kept.log.head(games)).values()} == {2}

    async def test_a_caller_that_is_cancelled_changes_nothing(self, kept: Kept) -> None:
        games = [await started(kept) for _ in range(20)]
        for game in games:
            task = asyncio.create_task(kept.log.append([move(game, 2)]))
            await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        for _ in range(500):
            if {seq for seq, _ in (await kept.log.head(games)).values()} == {2}:
                break
            await asyncio.sleep(0.01)
        assert await kept.log.append([move(game, 3) for game in games]) == [Won()] * 20


class TestOutcomes:
    async def test_a_status_is_stored_with_its_event(self, kept: Kept) -> None:
        game, other = await started(kept), await started(kept)
        assert await kept.log.append([move(other, 2), move(game, 2, status="dead_end")]) == [Won(), Won()]
        for one, status in ((game, "dead_end"), (other, "playing")):
            found = await kept.log.header(one)
            assert found is not None and found.status == status

    async def test_the_last_of_a_batch_counts(self, kept: Kept) -> None:
        game = await started(kept)
        batch = [move(game, 2, status="dead_end"), move(game, 3, status="playing"), move(game, 4, status="resigned")]
        assert await kept.log.append(batch) == [Won()] * 3
        found = await kept.log.header(game)
        assert found is not None and found.status == "resigned"

    async def test_the_outcome_of_a_loser_is_not_stored(self, kept: Kept) -> None:
        game = await started(kept, moves=1)
        assert await kept.log.append([move(game, 2, by="late", status="won")]) == [Conflict()]
        found = await kept.log.header(game)
        assert found is not None and found.status == "playing"

    async def test_a_game_may_begin_with_an_outcome(self, kept: Kept) -> None:
        game = new_id()
        first = Append(record(game, 1), header(game), Outcome(game=game, status="dead_end"))
        assert await kept.log.append([first]) == [Won()]
        found = await kept.log.header(game)
        assert found is not None and found.status == "dead_end"


class TestOpening:
    async def test_a_command_makes_one_game_and_the_second_leaves_no_event(self, kept: Kept) -> None:
        player, first, second = await kept.player(), new_id(), new_id()
        assert await kept.log.append([opening(first, player, command_id="c")]) == [Won()]
        assert await kept.log.append([opening(second, player, command_id="c")]) == [Conflict()]
        assert await kept.log.read(second) == [] and await kept.log.header(second) is None
        found = await kept.log.opened(player, "c")
        assert found is not None and found.id == first

    async def test_also_in_one_batch_and_neighbours_are_left_alone(self, kept: Kept) -> None:
        player, first, second, other = await kept.player(), new_id(), new_id(), new_id()
        batch = [
            opening(first, player, command_id="c"),
            opening(second, player, command_id="c"),
            move(second, 2),
            opening(other, player, command_id="d"),
        ]
        assert await kept.log.append(batch) == [Won(), Conflict(), Conflict(), Won()]
        assert await kept.log.read(second) == []
        assert await kept.log.header(other) is not None

    async def test_the_same_command_id_of_two_players_makes_two_games(self, kept: Kept) -> None:
        players = [await kept.player(), await kept.player()]
        batch = [opening(new_id(), player, command_id="c") for player in players]
        assert await kept.log.append(batch) == [Won(), Won()]

    async def test_a_first_event_that_loses_leaves_no_row_of_a_game(self, kept: Kept) -> None:
        game, other = new_id(), new_id()
        assert await kept.log.append([move(game, 1, by="orphan")]) == [Won()]
        assert await kept.log.append([opening(game), opening(other)]) == [Conflict(), Won()]
        assert await kept.log.header(game) is None
        assert await kept.log.header(other) is not None


class TestPoison:
    """A row that no database takes: seq 0 is refused by the database, a lone surrogate by its driver."""

    @pytest.mark.parametrize("poison", ["constraint", "encoding"])
    async def test_a_bad_row_fails_alone(self, kept: Kept, poison: str) -> None:
        games = [await started(kept) for _ in range(4)]
        bad = new_id()
        worst = record(bad, 0) if poison == "constraint" else record(bad, 1, data="\ud800")
        batch = [
            move(games[0], 2),
            Append(worst),
            move(games[1], 2, status="won"),
            move(games[2], 1, by="late"),
            opening(new_id()),
        ]
        answers = await kept.log.append(batch)
        assert answers[:1] + answers[2:] == [Won(), Won(), Conflict(), Won()]
        assert isinstance(answers[1], Failed) and not answers[1].unknown
        assert await kept.log.read(bad) == []
        assert await kept.log.append([move(games[0], 3), move(games[3], 2)]) == [Won(), Won()]

    async def test_nothing_follows_a_bad_row_on_its_game(self, kept: Kept) -> None:
        game, other = await started(kept), await started(kept)
        batch = [Append(record(game, 2, data="\ud800")), move(game, 3), move(other, 2)]
        answers = await kept.log.append(batch)
        assert isinstance(answers[0], Failed)
        assert answers[1:] == [Conflict(), Won()]
        assert (await kept.log.head([game]))[game][0] == 1

    async def test_a_player_who_is_gone_spoils_only_his_own_game(self, store: Store) -> None:
        answers = await store.log.append([opening(new_id()), opening(new_id(), new_id()), opening(new_id())])
        assert isinstance(answers[1], Failed) and not answers[1].unknown
        assert answers[0] == answers[2] == Won()
