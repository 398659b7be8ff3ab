"""Half Moon by hand-made tables: what may leave, every reason in its order, taps, what fits, the end."""

import pytest

from server.solitaires.protocol import IllegalMove, InvalidMove, Removal, Selected, State
from tests.solitaires.tables import HALF_MOON, table

FIVE, SIX, ACE, TEN = "P1", "R1", "P2", "P12"
JACK, QUEEN, KING, OTHER_KING, OTHER_QUEEN = "P3", "P4", "R2", "P5", "R8"
EMPTY, ALSO_EMPTY = "P6", "R3"

TABLE = table(
    HALF_MOON,
    score=100,
    moves=9,
    P1="6S 5S",
    R1="6D",
    P2="AH",
    P12="KD TD",
    P3="JC",
    P4="2S QH",
    R2="KH",
    P5="KS",
    R8="QD",
)


def removed(state: State, *places: str) -> State:
    move = Removal(places)
    return HALF_MOON.apply(state, move, HALF_MOON.play(state, move).points)


def top(state: State, place: str) -> bytes:
    return state.places[HALF_MOON.index[place]][-1:]


@pytest.mark.parametrize(("low", "high"), ["AT", "29", "38", "47", "56"])
@pytest.mark.parametrize(("one", "other"), [("P1", "P2"), ("P1", "R1"), ("R1", "R2"), ("R8", "P12")])
def test_two_cards_that_sum_to_11_leave_from_anywhere_for_10_points(low: str, high: str, one: str, other: str) -> None:
    state = table(HALF_MOON, **{one: f"KS {low}S", other: f"{high}D"})
    assert HALF_MOON.play(state, Removal((one, other))).points == 10
    after = removed(state, other, one)
    assert after == table(HALF_MOON, score=10, moves=1, **{one: "KS"})


@pytest.mark.parametrize("places", [(JACK, QUEEN, KING), (KING, JACK, QUEEN), (QUEEN, OTHER_KING, JACK)])
def test_a_jack_a_queen_and_a_king_leave_in_any_order_for_15_points(places: tuple[str, ...]) -> None:
    played = HALF_MOON.play(TABLE, Removal(places))
    assert played.points == 15
    assert played.cards == b"".join(top(TABLE, place) for place in places)
    after = removed(TABLE, *places)
    assert (after.score, after.moves) == (115, 10)
    assert [top(after, place) for place in (JACK, EMPTY)] == [b"", b""]


@pytest.mark.parametrize(
    ("remove", "reason", "places"),
    [
        ([FIVE, ACE], "sum_must_be_11", [FIVE, ACE]),
        ([ACE, FIVE], "sum_must_be_11", [ACE, FIVE]),
        ([FIVE, SIX, ACE], "sum_must_be_11", [FIVE, SIX, ACE]),
        ([FIVE, JACK], "needs_jack_queen_king", [FIVE, JACK]),
        ([JACK, QUEEN], "needs_jack_queen_king", [JACK, QUEEN]),
        ([KING, OTHER_KING], "needs_jack_queen_king", [KING, OTHER_KING]),
        ([KING, JACK, OTHER_KING], "needs_jack_queen_king", [KING, JACK, OTHER_KING]),
        ([QUEEN, OTHER_QUEEN, OTHER_QUEEN], "needs_jack_queen_king", [QUEEN, OTHER_QUEEN, OTHER_QUEEN]),
        ([FIVE, SIX, KING], "needs_jack_queen_king", [FIVE, SIX, KING]),
        ([TEN, ACE, QUEEN], "needs_jack_queen_king", [TEN, ACE, QUEEN]),
        # an empty place comes before all else, and only the empty ones are named
        ([EMPTY, FIVE], "nothing_there", [EMPTY]),
        ([FIVE, EMPTY, SIX], "nothing_there", [EMPTY]),
        ([JACK, QUEEN, EMPTY], "nothing_there", [EMPTY]),
        ([ALSO_EMPTY, KING, EMPTY], "nothing_there", [ALSO_EMPTY, EMPTY]),
        ([EMPTY, ALSO_EMPTY], "nothing_there", [EMPTY, ALSO_EMPTY]),
        # what cannot be read as a removal is never legal either
        ([FIVE], "sum_must_be_11", [FIVE]),
        ([FIVE, FIVE], "sum_must_be_11", [FIVE, FIVE]),
    ],
)
def test_the_first_reason_that_applies_is_given(remove: list[str], reason: str, places: list[str]) -> None:
    with pytest.raises(IllegalMove) as refused:
        HALF_MOON.play(TABLE, Removal(tuple(remove)))
    assert (refused.value.reason, list(refused.value.places)) == (reason, places)
    assert reason in HALF_MOON.reasons


@pytest.mark.parametrize(
    ("selection", "place", "result"),
    [
        # none: a playable card is selected
        ([], FIVE, [FIVE]),
        ([], KING, [KING]),
        # the tapped place is in the selection: it is released, another face stays
        ([FIVE], FIVE, []),
        ([KING], KING, []),
        ([KING, JACK], KING, [JACK]),
        ([KING, JACK], JACK, [KING]),
        # numbers
        ([FIVE], SIX, Removal((FIVE, SIX))),
        ([TEN], ACE, Removal((TEN, ACE))),
        ([FIVE], ACE, ([], "sum_must_be_11")),
        ([FIVE], KING, ([], "needs_jack_queen_king")),
        # faces and a number
        ([KING], FIVE, ([], "needs_jack_queen_king")),
        ([KING, JACK], FIVE, ([], "needs_jack_queen_king")),
        ([JACK], ACE, ([], "needs_jack_queen_king")),
        # one face and a face
        ([KING], OTHER_KING, ([OTHER_KING], "needs_jack_queen_king")),
        ([QUEEN], OTHER_QUEEN, ([OTHER_QUEEN], "needs_jack_queen_king")),
        ([KING], QUEEN, [KING, QUEEN]),
        ([JACK], KING, [JACK, KING]),
        # two faces and a face
        ([JACK, QUEEN], KING, Removal((JACK, QUEEN, KING))),
        ([KING, JACK], OTHER_QUEEN, Removal((KING, JACK, OTHER_QUEEN))),
        ([KING, JACK], OTHER_KING, ([JACK, OTHER_KING], "needs_jack_queen_king")),
        ([JACK, QUEEN], OTHER_QUEEN, ([JACK, OTHER_QUEEN], "needs_jack_queen_king")),
    ],
)
def test_a_tap_does_what_the_table_of_the_rules_says(selection: list[str], place: str, result: object) -> None:
    answer = HALF_MOON.tap(TABLE, tuple(selection), place)
    if isinstance(result, list):
        result = (result, None)
    if isinstance(answer, Selected):
        assert (list(answer.selection), answer.reason) == result
    else:
        assert answer == result
        assert HALF_MOON.play(TABLE, answer).points > 0


@pytest.mark.parametrize(
    ("selection", "place"),
    [
        ([EMPTY], FIVE),
        ([EMPTY], EMPTY),
        ([FIVE, FIVE], SIX),
        ([FIVE, FIVE], FIVE),
        ([KING, KING], KING),
        ([FIVE, SIX], ACE),
        ([FIVE, ACE], SIX),
        ([FIVE, KING], JACK),
        ([KING, FIVE], JACK),
        ([KING, OTHER_KING], JACK),
        ([KING, EMPTY], JACK),
        ([JACK, QUEEN, KING], KING),
        ([JACK, QUEEN, OTHER_QUEEN], KING),
        ([FIVE, SIX], EMPTY),
    ],
)
def test_a_selection_that_no_taps_could_have_made_is_refused(selection: list[str], place: str) -> None:
    with pytest.raises(IllegalMove) as refused:
        HALF_MOON.tap(TABLE, tuple(selection), place)
    assert (refused.value.reason, list(refused.value.places)) == ("bad_selection", selection)


@pytest.mark.parametrize("selection", [[], [FIVE], [KING], [KING, JACK]])
@pytest.mark.parametrize("place", [EMPTY, ALSO_EMPTY])
def test_a_tap_on_an_empty_place_is_refused(selection: list[str], place: str) -> None:
    with pytest.raises(IllegalMove) as refused:
        HALF_MOON.tap(TABLE, tuple(selection), place)
    assert (refused.value.reason, refused.value.places) == ("nothing_there", (place,))


def test_the_published_example_of_taps() -> None:
    deal = HALF_MOON.deal("AAAAAAB")
    assert HALF_MOON.tap(deal, ("P1",), "P2") == Selected((), "sum_must_be_11")
    assert HALF_MOON.tap(deal, ("P1",), "P3") == Selected((), "needs_jack_queen_king")
    assert HALF_MOON.tap(deal, ("P3",), "P12") == Selected(("P12",), "needs_jack_queen_king")
    after = removed(deal, "P1", "P8")
    trio = HALF_MOON.tap(after, ("P8", "P5"), "P3")
    assert trio == Removal(("P8", "P5", "P3"))
    assert removed(after, *trio.places).score == 25


@pytest.mark.parametrize(
    ("selection", "fits"),
    [
        ([], []),
        ([FIVE], [SIX]),
        ([ACE], [TEN]),
        ([KING], [JACK, QUEEN, OTHER_QUEEN]),
        ([JACK], [QUEEN, OTHER_KING, KING, OTHER_QUEEN]),
        ([JACK, KING], [QUEEN, OTHER_QUEEN]),
        ([QUEEN, KING], [JACK]),
    ],
)
def test_what_fits_is_what_can_still_go_with_the_selection_in_the_order_of_the_places(
    selection: list[str], fits: list[str]
) -> None:
    assert list(HALF_MOON.fits(TABLE, tuple(selection))) == fits


def test_names_that_are_no_place_cannot_be_read() -> None:
    for selection, place in ((), "P13"), (("T1",), "P1"), (("P1",), "p8"), (("R9", "R9"), "P1"):
        with pytest.raises(InvalidMove) as refused:
            HALF_MOON.tap(TABLE, selection, place)
        assert refused.value.reason == "no_such_place"


def test_there_is_no_double_tap() -> None:
    with pytest.raises(InvalidMove) as refused:
        HALF_MOON.double_tap(TABLE, FIVE)
    assert refused.value.reason == "malformed"


@pytest.mark.parametrize(
    ("places", "dead"),
    [
        ({}, False),  # an empty table is won
        ({"P1": "5S"}, True),
        ({"P1": "5S 6S"}, True),
        ({"P1": "5S", "R8": "6S"}, False),
        ({"R1": "AS", "R2": "TS"}, False),
        ({"P1": "5S", "P2": "5H", "P3": "4S", "R1": "AC"}, True),
        ({"P1": "JS", "P2": "QS", "P3": "QH"}, True),
        ({"P1": "JS", "P2": "QS", "R3": "KS"}, False),
        ({"P1": "KS JS", "P2": "QS"}, True),
        ({"P1": "JS", "P2": "TS", "P3": "QC", "R3": "9D"}, True),
    ],
)
def test_a_dead_end_has_no_pair_and_no_trio_among_the_playable_cards(places: dict[str, str], dead: bool) -> None:
    state = table(HALF_MOON, **places)
    assert HALF_MOON.is_dead_end(state) is dead
    assert HALF_MOON.is_won(state) is (not places)


def test_the_piles_make_an_arc_around_the_reserve() -> None:
    grid = {place.name: (place.x, place.y) for place in HALF_MOON.places}
    assert list(grid) == [f"P{number}" for number in range(1, 13)] + [f"R{number}" for number in range(1, 9)]
    assert [grid[f"P{number}"] for number in (3, 2, 1)] == [(1, 2), (1, 3), (1, 4)]
    assert [grid[f"P{number}"] for number in range(4, 11)] == [(column, 1) for column in range(1, 8)]
    assert [grid[f"P{number}"] for number in (11, 12)] == [(7, 2), (7, 3)]
    assert [grid[f"R{number}"] for number in range(1, 5)] == [(2.5, 3), (3.5, 3), (4.5, 3), (5.5, 3)]
    assert [grid[f"R{number}"] for number in range(5, 9)] == [(2.5, 4), (3.5, 4), (4.5, 4), (5.5, 4)]
    assert [place.drop for place in HALF_MOON.places if place.y == 1] == [1, 0.45, 0.1, 0, 0.1, 0.45, 1]
    assert {place.shows for place in HALF_MOON.places if place.role == "pile"} == {"top"}
