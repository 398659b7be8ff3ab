"""The moves that can be taken back: the newest hundred, as they went in, and no work for the collector."""

import gc

import pytest

from server.play.history import UNDO_DEPTH, Entry, History


def entry(number: int) -> Entry:
    return number, -15 * (number % 3), 2, bytes(range(number % 60)), 17, b""


def grown(moves: int) -> History:
    history = History()
    for number in range(moves):
        history = history.and_then(entry(number))
    return history


@pytest.mark.parametrize("moves", [0, 1, UNDO_DEPTH - 1, UNDO_DEPTH, UNDO_DEPTH + 1, 3 * UNDO_DEPTH])
def test_it_holds_the_newest_moves_as_they_went_in(moves: int) -> None:
    history = grown(moves)
    assert list(history) == [entry(number) for number in range(moves)][-UNDO_DEPTH:]
    assert len(history) == min(moves, UNDO_DEPTH)


def test_moves_are_taken_back_newest_first_and_new_ones_follow() -> None:
    history = grown(150)
    for number in reversed(range(50, 150)):
        assert history.newest == entry(number)
        history = history.without_newest()
    assert not history and history == History()
    assert list(history.and_then(entry(7))) == [entry(7)]


def test_taking_back_where_there_is_nothing_is_an_error_and_changes_nothing() -> None:
    history = History()
    with pytest.raises(IndexError):
        _ = history.newest
    with pytest.raises(IndexError):
        history.without_newest()
    assert history == History()


def test_a_history_made_at_once_is_the_same_as_one_that_has_grown() -> None:
    assert History.of(entry(number) for number in range(90)) == grown(90)


def test_whole_piles_of_many_places_fit_in() -> None:
    large = (4_000_000_000, -(2**40), *(part for index in range(8) for part in (index, bytes(208))))
    assert grown(1).and_then(large).newest == large


def test_the_collector_has_nothing_to_do_with_it() -> None:
    history = grown(UNDO_DEPTH)
    assert not gc.is_tracked(history)
    assert not any(map(gc.is_tracked, gc.get_referents(history)))
