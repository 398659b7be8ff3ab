"""Seahaven Towers by hand-made tables: every move and reason in its order, taps, points, the end."""

import pytest

from server.solitaires.protocol import IllegalMove, InvalidMove, Solitaire, State, Transfer
from tests.solitaires.tables import EASY, HARD, MEDIUM, table, up_to


def moved(solitaire: Solitaire, state: State, source: str, target: str, count: int = 1) -> State:
    move = Transfer(source, target, count)
    return solitaire.apply(state, move, solitaire.play(state, move).points)


def reason_of(solitaire: Solitaire, state: State, source: str, target: str, count: int = 1) -> tuple[str, list[str]]:
    with pytest.raises(IllegalMove) as refused:
        solitaire.play(state, Transfer(source, target, count))
    assert refused.value.reason in solitaire.reasons
    return refused.value.reason, list(refused.value.places)


TABLE = table(
    MEDIUM,
    score=40,
    moves=7,
    T1="2C 8H",
    T2="3C 7H 6H 5H",
    T3="KD QD JD",
    T4="9C TC",
    T5="9H",
    T6="KC",
    T7="4C 8D",
    T9="5C KH",
    T10="6C QC",
    C1="9S",
    FS=up_to("8S"),
    FD=up_to("7D"),
    FH=up_to("4H"),
)
"""Two cells, one of them taken; one empty column, T8."""


@pytest.mark.parametrize(
    ("source", "target", "count", "cards", "points"),
    [
        ("T2", "T1", 3, "T1=2C 8H 7H 6H 5H", 0),
        ("T2", "C2", 1, "C2=5H", 0),
        ("T1", "T5", 1, "T5=9H 8H", 0),
        ("T9", "T8", 1, "T8=KH", 0),
        ("T10", "T6", 1, "T6=KC QC", 0),
        ("T2", "FH", 1, "FH=" + up_to("5H"), 10),
        ("C1", "FS", 1, "FS=" + up_to("9S"), 10),
        ("T7", "FD", 1, "FD=" + up_to("8D"), 10),
        ("FD", "T7", 1, "T7=4C 8D 7D", -15),
        ("FH", "T2", 1, "T2=3C 7H 6H 5H 4H", -15),
        ("FS", "C2", 1, "C2=8S", -15),
        # idle, and accepted
        ("C1", "C2", 1, "C2=9S", 0),
        ("T6", "T8", 1, "T8=KC", 0),
    ],
)
def test_a_move_takes_the_last_cards_and_brings_its_points(
    source: str, target: str, count: int, cards: str, points: int
) -> None:
    before = TABLE.places[MEDIUM.index[source]]
    played = MEDIUM.play(TABLE, Transfer(source, target, count))
    assert (played.cards, played.points) == (before[-count:], points)
    after = MEDIUM.apply(TABLE, Transfer(source, target, count), points)
    name, _, texts = cards.partition("=")
    assert after.places[MEDIUM.index[name]] == table(MEDIUM, **{name: texts}).places[MEDIUM.index[name]]
    assert after.places[MEDIUM.index[source]] == before[:-count]
    assert (after.score, after.moves) == (40 + points, 8)
    others = [at for name, at in MEDIUM.index.items() if name not in (source, target)]
    assert [after.places[at] for at in others] == [TABLE.places[at] for at in others]


@pytest.mark.parametrize(
    ("source", "target", "count", "reason"),
    [
        ("T1", "T1", 1, "same_place"),
        ("C1", "C1", 5, "same_place"),
        ("FS", "FS", 1, "same_place"),
        ("T8", "T8", 1, "same_place"),
        ("T8", "T1", 1, "nothing_there"),
        ("C2", "T8", 1, "nothing_there"),
        ("C2", "FS", 3, "nothing_there"),
        ("FC", "FH", 1, "nothing_there"),
        ("T2", "C2", 2, "one_card_at_a_time"),
        ("T2", "C1", 99, "one_card_at_a_time"),
        ("T2", "FH", 3, "one_card_at_a_time"),
        ("C1", "T1", 2, "one_card_at_a_time"),
        ("FS", "T1", 2, "one_card_at_a_time"),
        ("FS", "FH", 2, "one_card_at_a_time"),
        ("T1", "T5", 2, "not_a_sequence"),
        ("T2", "T1", 4, "not_a_sequence"),
        ("T2", "T1", 99, "not_a_sequence"),
        ("T4", "T8", 2, "not_a_sequence"),
        ("T3", "T8", 4, "not_a_sequence"),
        ("T5", "T1", 2, "not_a_sequence"),
        ("FS", "FH", 1, "foundation_to_foundation"),
        ("FS", "FC", 1, "foundation_to_foundation"),
        ("T1", "FH", 1, "not_next_on_foundation"),
        ("T2", "FS", 1, "not_next_on_foundation"),
        ("C1", "FD", 1, "not_next_on_foundation"),
        ("T6", "FC", 1, "not_next_on_foundation"),
        ("T1", "C1", 1, "cell_taken"),
        ("FS", "C1", 1, "cell_taken"),
        ("C2", "C1", 1, "nothing_there"),
        ("T1", "T8", 1, "only_king_to_empty_column"),
        ("T3", "T8", 2, "only_king_to_empty_column"),
        ("C1", "T8", 1, "only_king_to_empty_column"),
        ("FH", "T8", 1, "only_king_to_empty_column"),
        ("T1", "T2", 1, "wrong_card_for_column"),
        ("T6", "T9", 1, "wrong_card_for_column"),
        ("T2", "T5", 3, "wrong_card_for_column"),
        ("C1", "T4", 1, "wrong_card_for_column"),
        ("FS", "T5", 1, "wrong_card_for_column"),
        ("T3", "T5", 3, "wrong_card_for_column"),
        ("T3", "T8", 3, "too_many_cards"),
    ],
)
def test_the_first_reason_that_applies_is_given(source: str, target: str, count: int, reason: str) -> None:
    named = [source] if reason == "nothing_there" else [source, target]
    assert reason_of(MEDIUM, TABLE, source, target, count) == (reason, named)


def test_a_sequence_across_two_suits_or_round_the_corner_is_none() -> None:
    state = table(EASY, T1="2C 7H 6D", T2="8H", T3="AS KH", T4="2S AS KS")
    assert reason_of(EASY, state, "T1", "T2", 2)[0] == "not_a_sequence"
    assert reason_of(EASY, state, "T3", "T5", 2)[0] == "not_a_sequence"
    assert reason_of(EASY, state, "T4", "T5", 3)[0] == "not_a_sequence"


@pytest.mark.parametrize("count", [0, -1, -2])
def test_a_count_that_cannot_be_read_is_never_legal(count: int) -> None:
    assert reason_of(EASY, table(EASY, T1="3C 7H 6H", T2="8H"), "T1", "T2", count)[0] == "not_a_sequence"


def roomy(solitaire: Solitaire, cells: int, columns: int, **places: str) -> State:
    """These places, with so many cells and columns empty besides; the rest holds what takes no part."""
    names = [place.name for place in solitaire.places if place.name not in places]
    free = [name for name in names if name[0] == "C"][:cells] + [name for name in names if name[0] == "T"][:columns]
    filled = {name: "2C" for name in names if name[0] in "TC" and name not in free}
    return table(solitaire, **places, **filled)


@pytest.mark.parametrize(
    ("cells", "columns", "most"), [(0, 0, 1), (1, 0, 2), (4, 0, 5), (0, 1, 2), (2, 1, 6), (1, 2, 8)]
)
@pytest.mark.parametrize("count", range(1, 13))
def test_a_sequence_has_at_most_empty_cells_plus_1_times_2_to_the_empty_columns(
    cells: int, columns: int, most: int, count: int
) -> None:
    ranks = "KQJT98765432A"[12 - count :]
    head, *tail = (f"{rank}S" for rank in ranks)
    state = roomy(EASY, cells, columns, T1=" ".join(["4H", *tail]), T2=head)
    if count <= most:
        after = moved(EASY, state, "T1", "T2", count)
        assert after.places[:2] == table(EASY, T1="4H", T2=" ".join([head, *tail])).places[:2]
    else:
        assert reason_of(EASY, state, "T1", "T2", count) == ("too_many_cards", ["T1", "T2"])


@pytest.mark.parametrize(
    ("cells", "columns", "most"), [(0, 1, 1), (1, 1, 2), (0, 2, 2), (1, 2, 4), (4, 1, 5), (0, 4, 8)]
)
@pytest.mark.parametrize("count", range(1, 14))
def test_an_empty_column_that_is_the_target_does_not_count(cells: int, columns: int, most: int, count: int) -> None:
    sequence = " ".join(f"{rank}S" for rank in "KQJT98765432A"[:count])
    state = roomy(EASY, cells, columns, T1=f"4H {sequence}")
    if count <= most:
        assert moved(EASY, state, "T1", "T2", count).places[1] == table(EASY, T2=sequence).places[1]
    else:
        assert reason_of(EASY, state, "T1", "T2", count) == ("too_many_cards", ["T1", "T2"])


def test_the_column_that_is_being_emptied_is_not_empty_yet() -> None:
    state = roomy(EASY, 0, 0, T1="7H 6H", T2="8H")
    assert reason_of(EASY, state, "T1", "T2", 2)[0] == "too_many_cards"


@pytest.mark.parametrize(("score", "left"), [(0, 0), (10, 0), (15, 0), (20, 5), (520, 505)])
def test_a_card_taken_back_costs_15_points_but_the_score_never_falls_below_0(score: int, left: int) -> None:
    state = table(EASY, score=score, FS=up_to("KS"), T1="2H")
    assert moved(EASY, state, "FS", "C1").score == left
    assert moved(EASY, state, "FS", "T2").score == left


@pytest.mark.parametrize("place", ["T2", "C1", "T7"])
def test_a_tap_sends_the_top_card_home(place: str) -> None:
    move = MEDIUM.tap(TABLE, (), place)
    assert isinstance(move, Transfer)
    assert (move.source, move.target[0], move.count) == (place, "F", 1)
    assert MEDIUM.play(TABLE, move).points == 10


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("T1", "no_foundation_yet"),
        ("T6", "no_foundation_yet"),
        ("T8", "nothing_there"),
        ("C2", "nothing_there"),
        ("FS", "nowhere_to_go"),
        ("FC", "nowhere_to_go"),
    ],
)
def test_a_tap_that_sends_nothing_says_why(place: str, reason: str) -> None:
    with pytest.raises(IllegalMove) as refused:
        MEDIUM.tap(TABLE, (), place)
    assert (refused.value.reason, refused.value.places) == (reason, (place,))


DOUBLE_TAPS = table(
    MEDIUM,
    T1="8H",
    T2="2C 9H",
    T3="7S",
    T4="6S",
    T5="KD",
    T6="3C 8D",
    T7="JC",
    T9="4C KH",
    C2="QC",
    FS=up_to("5S"),
)


@pytest.mark.parametrize(
    ("place", "target"),
    [
        ("T4", "FS"),  # before the 7S of a column
        ("T1", "T2"),  # before the empty cell
        ("T5", "T8"),  # the leftmost empty column, for a king that is alone too
        ("T9", "T8"),
        ("T6", "C1"),
        ("T2", "C1"),
    ],
)
def test_a_double_tap_takes_the_first_of_foundation_column_empty_column_and_empty_cell(place: str, target: str) -> None:
    move = MEDIUM.double_tap(DOUBLE_TAPS, place)
    assert move == Transfer(place, target)
    MEDIUM.play(DOUBLE_TAPS, move)


def test_a_double_tap_prefers_the_longest_column_and_of_equals_the_leftmost() -> None:
    """One deck leaves no choice; the rule is the text's all the same."""
    state = table(EASY, T1="9H", T2="2S 9H", T3="3S 9H", T4="8H")
    assert EASY.double_tap(state, "T4") == Transfer("T4", "T2")


@pytest.mark.parametrize(
    ("state", "place", "reason"),
    [
        (DOUBLE_TAPS, "C2", "nowhere_to_go"),  # not from cell to cell
        (DOUBLE_TAPS, "FS", "nowhere_to_go"),
        (DOUBLE_TAPS, "FC", "nowhere_to_go"),
        (DOUBLE_TAPS, "T8", "nothing_there"),
        (DOUBLE_TAPS, "C1", "nothing_there"),
        (table(HARD, T1="5S", C1="4H"), "T1", "nowhere_to_go"),
    ],
)
def test_a_double_tap_that_sends_nothing_says_why(state: State, place: str, reason: str) -> None:
    solitaire = MEDIUM if state is DOUBLE_TAPS else HARD
    with pytest.raises(IllegalMove) as refused:
        solitaire.double_tap(state, place)
    assert (refused.value.reason, refused.value.places) == (reason, (place,))


def test_taps_that_cannot_be_read() -> None:
    for place in ("C3", "T11", "P1", "fs", ""):
        for tap in (lambda name: MEDIUM.tap(TABLE, (), name), lambda name: MEDIUM.double_tap(TABLE, name)):
            with pytest.raises(InvalidMove) as refused:
                tap(place)
            assert refused.value.reason == "no_such_place"
    with pytest.raises(InvalidMove) as refused:
        MEDIUM.tap(TABLE, ("T1",), "T2")
    assert refused.value.reason == "malformed"


BLOCKED = {f"T{number}": card for number, card in enumerate("3D 5D 7D 9D JD 3C 5C 7C".split(), start=3)}


@pytest.mark.parametrize(
    ("places", "dead"),
    [
        # full cell, full columns: single cards only
        ({"T1": "5S 7S", "T2": "6H", "C1": "9C"}, True),
        ({"T1": "5S 7S", "T2": "6H"}, False),
        ({"T1": "5S 7S", "T2": "8S", "C1": "9C"}, False),
        ({"T1": "5S 7S", "T2": "6H", "C1": "5H"}, False),
        ({"T1": "5S 7S", "T2": "6H", "C1": "AC"}, False),
        ({"T1": "5S 7S 6S", "T2": "8S", "C1": "9C"}, True),
        # taking back is no way out
        ({"T1": "5S 7S", "T2": "6H", "C1": "9C", "FS": up_to("4S"), "FC": up_to("8C")}, False),
        ({"T1": "6S 7S", "T2": "6H", "C1": "9C", "FH": up_to("5H")}, False),
        ({"T1": "5S 7S", "T2": "6H", "C1": "9C", "FH": up_to("4H")}, True),
        # an empty column takes kings, and lends room to a sequence
        ({"T1": "5S 7S", "C1": "9C"}, True),
        ({"T1": "5S KS", "C1": "9C"}, False),
        ({"T1": "KS", "C1": "9C"}, True),
        ({"T1": "5S 7S", "C1": "KC"}, False),
        ({"T1": "5S KS QS", "C1": "9C"}, True),
        ({"T1": "KS QS", "C1": "9C"}, True),
        ({"T1": "5S KS QS", "T10": "", "C1": "9C"}, False),
        ({"T1": "2H 8S 7S", "T2": "9S", "C1": "9C"}, True),
        ({"T1": "2H 8S 7S", "T2": "9S", "T10": "", "C1": "9C"}, False),
        ({"T1": "2H 9S 8S 7S", "T2": "TS", "T10": "", "C1": "9C"}, True),
    ],
)
def test_a_dead_end_has_no_move_but_idle_ones_and_taking_back(places: dict[str, str], dead: bool) -> None:
    state = table(HARD, **BLOCKED | places)
    assert HARD.is_dead_end(state) is dead
    assert not HARD.is_won(state)


def test_a_card_that_can_only_go_from_cell_to_cell_is_a_dead_end() -> None:
    assert MEDIUM.is_dead_end(table(MEDIUM, C1="5S"))
    assert not MEDIUM.is_dead_end(table(MEDIUM, C1="5S", FS=up_to("4S")))
    assert not MEDIUM.is_dead_end(table(MEDIUM, C1="KS"))


def test_all_cards_home_is_won_and_no_dead_end() -> None:
    home = {f"F{suit}": up_to(f"K{suit}") for suit in "SHDC"}
    for solitaire in (EASY, MEDIUM, HARD):
        won = table(solitaire, **home)
        assert solitaire.is_won(won)
        assert not solitaire.is_dead_end(won)
        assert not solitaire.is_won(moved(solitaire, won, "FS", "T1"))
        assert not solitaire.is_won(moved(solitaire, won, "FS", "C1"))


def test_idle_moves_are_accepted_and_not_listed_but_taking_back_is_listed() -> None:
    idle = [Transfer("C1", "C2"), Transfer("T6", "T8")]
    back = [Transfer("FS", "C2"), Transfer("FD", "T7"), Transfer("FH", "T2")]
    for move in idle + back:
        MEDIUM.play(TABLE, move)
    listed = MEDIUM.legal_moves(TABLE)
    assert not set(idle) & set(listed)
    assert set(back) < set(listed)


@pytest.mark.parametrize(("solitaire", "cells"), [(EASY, 4), (MEDIUM, 2), (HARD, 1)])
def test_the_cells_lie_over_the_first_columns_and_the_foundations_over_the_last(
    solitaire: Solitaire, cells: int
) -> None:
    assert [(place.name, place.role, place.x, place.y, place.fanned) for place in solitaire.places] == [
        *((f"T{number}", "column", number, 2, True) for number in range(1, 11)),
        *((f"C{number}", "cell", number, 1, False) for number in range(1, cells + 1)),
        *((f"F{suit}", "foundation", 7 + at, 1, False) for at, suit in enumerate("SHDC")),
    ]
    assert {place.shows for place in solitaire.places} == {"all"}
