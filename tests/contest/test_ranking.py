"""In what order results stand: the rules of ranking against the plainest model of them."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from server.play.board import board_of, ruleset_of
from server.play.outcome import result
from server.play.ranking import Ranking, percentile, rankings, rankings_of
from server.play.records import Header, Result
from server.solitaires import SOLITAIRES
from tests.play.helpers import GAME, OWNER, START, Table

MOST = {"won": 1, "score": 1023, "undos": 65535, "moves": 65535, "seconds": 2**36 - 1}
EVERY = list(dict.fromkeys(ranking for ruleset in SOLITAIRES for ranking in rankings(ruleset).values()))
ranked = pytest.mark.parametrize("ranking", EVERY, ids=lambda one: "-".join(one.keys))


def made(won: bool, score: int, undos: int, moves: int, seconds: int, *, ruleset: str = "HM1-N") -> Result:
    return Result(
        game=GAME,
        ruleset=ruleset,
        board=None,
        won=won,
        score=score,
        undos=undos,
        moves=moves,
        seconds=seconds,
        finished_at=0,
        link="",
    )


def near(values: st.SearchStrategy[int], most: int) -> st.SearchStrategy[int]:
    """Small numbers, numbers around powers of two, and some that are too large for the bits."""
    edges = [edge for bit in range(most.bit_length() + 1) for edge in (2**bit - 1, 2**bit, 2**bit + 1)]
    return values | st.sampled_from(edges) | st.integers(0, 2 * most)


results = st.builds(
    made,
    st.booleans(),
    near(st.integers(500, 530), 1023),
    near(st.integers(0, 3), 65535),
    near(st.integers(40, 60), 65535),
    near(st.integers(250, 270), 2**36 - 1),
)
pairs = (
    st.tuples(results, results)
    | st.builds(
        lambda one, seconds, moves: (one, replace(one, seconds=one.seconds + seconds, moves=one.moves + moves)),
        results,
        st.integers(0, 3),
        st.integers(0, 3),
    )
    | st.builds(
        lambda one, seconds, moves: (
            replace(one, seconds=one.seconds + seconds),
            replace(one, moves=one.moves + moves),
        ),
        results,
        st.integers(0, 3),
        st.integers(0, 3),
    )
)


def plainly(ranking: Ranking, one: Result) -> tuple[int, ...]:
    """What is compared, smaller is better: the keys as they are named, more of nothing than its bits hold."""
    sign = {"won": -1, "score": -1}
    return tuple(sign.get(name, 1) * min(int(getattr(one, name)), MOST[name]) for name in ranking.ranked_by)


@ranked
@given(one=results, other=results)
def test_the_packed_number_orders_results_as_their_keys_do(ranking: Ranking, one: Result, other: Result) -> None:
    first, second = ranking.pack(one), ranking.pack(other)
    assert (first > second) == (plainly(ranking, one) < plainly(ranking, other))
    assert (first == second) == (plainly(ranking, one) == plainly(ranking, other))
    assert 0 <= first < 2**63


@ranked
@given(one=results)
def test_a_packed_number_tells_its_keys(ranking: Ranking, one: Result) -> None:
    told = ranking.unpack(ranking.pack(one))
    assert told == {name: min(int(getattr(one, name)), MOST[name]) for name in ranking.ranked_by}


@ranked
@given(pair=pairs)
def test_buckets_keep_the_order_and_lie_in_one_another(ranking: Ranking, pair: tuple[Result, Result]) -> None:
    first, second = sorted(map(ranking.pack, pair))
    worse, better = ranking.buckets(first), ranking.buckets(second)
    assert all(low <= high for low, high in zip(worse, better, strict=True))
    edges = (*better, second)
    assert sorted(edges, reverse=True) == list(edges)
    for level in range(1, len(worse)):
        assert worse[level] != better[level] or worse[level - 1] == better[level - 1], "a bucket lies in one above"


@given(keys=st.lists(results, max_size=12), one=results)
def test_what_is_better_is_the_sum_over_the_edges(keys: list[Result], one: Result) -> None:
    """The sum that `Ranking.buckets` promises, against comparing with each."""
    for ranking in EVERY:
        key, others = ranking.pack(one), [ranking.pack(other) for other in keys]
        edges = (2**63, *ranking.buckets(key))
        better = sum(
            below < bucket <= above
            for other in others
            for bucket, (above, below) in zip(ranking.buckets(other), pairwise(edges), strict=True)
        )
        better += sum(key < other <= edges[-1] for other in others)
        assert better == sum(other > key for other in others)


def test_the_first_keys_by_hand() -> None:
    """One bit, ten bits, then counted down in 16 and 36 bits (DESIGN 9)."""
    moon, sea = rankings("HM1-N")[""], rankings("SH1-C4")
    one = made(True, 520, 2, 48, 161)
    assert moon.pack(one) == 1 << 62 | 520 << 52 | (65535 - 2) << 36 | (2**36 - 1 - 161)
    assert sea[""].pack(one) == 1 << 62 | 520 << 52 | (2**36 - 1 - 161) << 16 | (65535 - 48)
    assert sea["moves"].pack(one) == 1 << 62 | 520 << 52 | (65535 - 48) << 36 | (2**36 - 1 - 161)


@pytest.mark.parametrize(
    ("ruleset", "better", "worse"),
    [
        ("HM1-N", (True, 0, 9, 48, 999), (False, 520, 0, 48, 1)),  # a win before all
        ("HM1-N", (True, 520, 0, 48, 999), (True, 520, 1, 48, 1)),  # an undo may have shown a card
        ("SH1-C4", (True, 520, 9, 99, 100), (True, 520, 0, 50, 101)),  # there it has not
        ("SH1-C1", (True, 520, 0, 50, 100), (True, 520, 0, 51, 100)),
        ("SH1-C1", (True, 520, 0, 51, 100), (True, 510, 0, 50, 1)),
    ],
)
def test_what_counts_first(ruleset: str, better: tuple[int, ...], worse: tuple[int, ...]) -> None:
    ranking = rankings(ruleset)[""]
    assert ranking.pack(made(*better)) > ranking.pack(made(*worse))


def test_each_ruleset_states_what_it_ranks_by() -> None:
    moon = {"": ("won", "score", "undos", "seconds")}
    sea = {"": ("won", "score", "seconds", "moves"), "moves": ("won", "score", "moves", "seconds")}
    stated = {name: {lens: one.ranked_by for lens, one in rankings(name).items()} for name in SOLITAIRES}
    assert stated == {"HM1-N": moon, "SH1-C4": sea, "SH1-C2": sea, "SH1-C1": sea}


def test_an_order_that_fits_into_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="do not fit into 63 bits"):
        rankings_of(("score", "undos", "moves", "seconds"), ())


@pytest.mark.parametrize(
    ("worse", "players", "percent"),
    [(0, 1, 100.0), (0, 2, 0.0), (1, 2, 100.0), (1, 3, 50.0), (2, 4, 66.7), (7, 9, 87.5)],
)
def test_a_percentile_is_the_share_of_others_strictly_worse(worse: int, players: int, percent: float) -> None:
    assert percentile(worse=worse, players=players) == percent


def header(**fields: object) -> Header:
    given = {"purpose": "open", "player": None, "salt": None, **fields}
    return Header(
        id=GAME,
        code="HM1-N-AAAAAAB",
        ruleset="HM1-N",
        owner=OWNER,
        command_id="c0",
        created_at=START,
        **given,  # type: ignore[arg-type]
    )


def test_ranked_time_ends_at_the_last_move_and_is_whole_seconds() -> None:
    """Giving up a long time after the last move costs nothing; 1.5 s and 3.0 s are 1 s and 3 s."""
    table = Table("HM1-N-AAAAAAB")
    table.send(do="move", remove=["P1", "P8"])
    assert result(header(), table.playthrough) is None
    table.now += 3_600_000
    table.send(do="resign")
    counted = result(header(), table.playthrough)
    assert counted is not None
    assert (counted.won, counted.score, counted.undos, counted.moves, counted.seconds) == (False, 10, 0, 1, 1)
    assert (counted.finished_at, counted.link) == (START + 3_603_000, table.playthrough.link)


def test_a_game_in_which_all_was_taken_back_counts_and_one_without_a_move_does_not() -> None:
    table = Table("HM1-N-AAAAAAB")
    table.send(do="move", remove=["P1", "P8"])
    table.send(do="undo")
    table.send(do="resign")
    counted = result(header(), table.playthrough)
    assert counted is not None
    assert (counted.score, counted.undos, counted.moves, counted.seconds) == (0, 1, 0, 3)
    untouched = Table("HM1-N-AAAAAAB")
    untouched.send(do="resign")
    assert result(header(), untouched.playthrough) is None


@pytest.mark.parametrize(
    ("fields", "board"),
    [
        ({}, "code:HM1-N-AAAAAAB"),
        ({"ranked": False}, None),
        ({"purpose": "race", "race": GAME}, None),
        ({"purpose": "daily", "date": "2026-11-30"}, "daily:2026-11-30:HM1-N"),
    ],
)
def test_which_board_a_game_counts_on(fields: dict[str, object], board: str | None) -> None:
    assert board_of(header(**fields)) == board
    assert board is None or ruleset_of(board) == "HM1-N"
