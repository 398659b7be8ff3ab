"""What a search leaves out never decides whether a deal can be won.

Small tables are searched twice: with `search_moves` and `search_key`, and with every legal move and every
position told apart that differs in more than which of two columns, cells or piles is which.
"""

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from random import Random

import pytest

from server.solitaires import SOLITAIRES
from server.solitaires.protocol import IllegalMove, Move, Searchable, Solitaire, State, Transfer
from tests.solitaires.tables import HALF_MOON, HARD, MEDIUM, table, up_to


def search(
    solitaire: Solitaire,
    start: State,
    moves_of: Callable[[State], Sequence[Move]],
    key_of: Callable[[State], Hashable],
    budget: int = 200_000,
) -> tuple[Move, ...] | None:
    """A winning line, or None where there is none; depth first, each key once."""
    seen = {key_of(start)}
    waiting: list[tuple[State, tuple[Move, ...]]] = [(start, ())]
    while waiting:
        state, line = waiting.pop()
        if solitaire.is_won(state):
            return line
        for move in reversed(moves_of(state)):
            after = solitaire.apply(state, move, 0)
            key = key_of(after)
            if key not in seen:
                seen.add(key)
                waiting.append((after, (*line, move)))
        assert len(seen) < budget, "the search does not end"
    return None


def assert_searches_agree(solitaire: Solitaire, start: State) -> bool:
    assert isinstance(solitaire, Searchable)
    line = search(solitaire, start, solitaire.search_moves, solitaire.search_key)
    roles = [place.role for place in solitaire.places]

    def whole(state: State) -> Hashable:
        return tuple(sorted(zip(roles, state.places, strict=True)))

    assert (line is None) == (search(solitaire, start, solitaire.legal_moves, whole) is None)
    if line is not None:
        assert_wins(solitaire, start, line)
    return line is not None


def assert_wins(solitaire: Solitaire, state: State, line: Sequence[Move]) -> None:
    for move in line:
        state = solitaire.apply(state, move, solitaire.play(state, move).points)
    assert solitaire.is_won(state)


def small_half_moon(random: Random) -> State:
    """Cards whose numbers would let them all leave, in a few piles and the reserve."""
    ranks = [
        rank for low, high in random.choices(["AT", "29", "38"], k=random.randrange(4, 10)) for rank in (low, high)
    ]
    ranks += "JQK" * random.randrange(4)
    random.shuffle(ranks)
    reserve = random.randrange(6)
    places = {f"R{1 + at}": ranks.pop() + "S" for at in range(reserve)}
    piles = random.randrange(2, 5)
    for number in range(1, piles + 1):
        places[f"P{number}"] = " ".join(f"{rank}H" for rank in ranks[number - 1 :: piles])
    return table(HALF_MOON, **places)


def small_seahaven(solitaire: Solitaire, random: Random) -> State:
    """The high cards of two suits in one column or two; the low ones are home, the other suits not in play."""
    cards = [f"{rank}{suit}" for suit in "SH" for rank in "789TJQK"]
    random.shuffle(cards)
    columns = random.randrange(1, 3)
    places = {f"T{1 + at}": " ".join(cards[at::columns]) for at in range(columns)}
    return table(solitaire, **places, FS=up_to("6S"), FH=up_to("6H"))


SEEDS = 150
SMALL = {HALF_MOON: small_half_moon, MEDIUM: partial(small_seahaven, MEDIUM), HARD: partial(small_seahaven, HARD)}


@pytest.mark.parametrize("solitaire", SMALL, ids=lambda solitaire: solitaire.ruleset)
def test_small_tables_are_won_or_lost_with_and_without_what_the_search_leaves_out(solitaire: Solitaire) -> None:
    won = [assert_searches_agree(solitaire, SMALL[solitaire](Random(seed))) for seed in range(SEEDS)]
    assert SEEDS / 10 < sum(won) < SEEDS * 9 / 10


@pytest.mark.parametrize("code", ["HM1-N-IDVWTFK", "SH1-C4-LUYXGSL", "SH1-C2-4PRDKCX", "SH1-C1-COXZSIE"])
def test_a_winning_line_of_a_deal_is_found_among_few_positions(code: str) -> None:
    ruleset, _, body = code.rpartition("-")
    solitaire = SOLITAIRES[ruleset]
    assert isinstance(solitaire, Searchable)
    start = solitaire.deal(body)
    line = search(solitaire, start, solitaire.search_moves, solitaire.search_key, budget=5_000)
    assert line is not None
    assert_wins(solitaire, start, line)


def test_a_position_does_not_depend_on_which_column_or_cell_is_which() -> None:
    assert isinstance(MEDIUM, Searchable)
    one = table(MEDIUM, T1="5S KH", T4="7C", C1="2D")
    other = table(MEDIUM, T9="7C", T10="5S KH", C2="2D")
    assert MEDIUM.search_key(one) == MEDIUM.search_key(other)
    for different in (table(MEDIUM, T1="5S KH 7C", C1="2D"), table(MEDIUM, T1="5S KH", T4="7C", T5="2D")):
        assert MEDIUM.search_key(one) != MEDIUM.search_key(different)


def test_a_settled_king_may_go_to_a_cell_because_the_column_that_it_leaves_lends_more_room() -> None:
    assert isinstance(MEDIUM, Searchable)
    blocked = {f"T{number}": "2C" for number in range(4, 11)}
    state = table(MEDIUM, T1="KC", T2="AH 6S 5S 4S 3S", T3="8H 7S", **blocked)
    sequence, king = Transfer("T2", "T3", 4), Transfer("T1", "C1")
    with pytest.raises(IllegalMove, match="too_many_cards"):
        MEDIUM.play(state, sequence)
    assert king in MEDIUM.search_moves(state)
    assert sequence in MEDIUM.search_moves(MEDIUM.apply(state, king, 0))
