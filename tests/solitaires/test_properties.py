"""What holds of every ruleset in the registry, in games and on tables that no game leads to."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.solitaires import SOLITAIRES
from server.solitaires.codes import ALPHABET, draw_code
from server.solitaires.protocol import IllegalMove, Move, Removal, Searchable, Selected, Solitaire, State
from tests.solitaires.tables import count_cards, every_move, is_idle, is_taking_back, scattered, walk
from tests.solitaires.twins import Twins

# Twins stands for the solitaire that will be added next.
GAMES: list[Solitaire] = [*SOLITAIRES.values(), Twins()]


def of_games(*, command: str = "move") -> pytest.MarkDecorator:
    """Every ruleset that has this command."""
    games = [game for game in GAMES if command in game.commands]
    return pytest.mark.parametrize("solitaire", games, ids=lambda game: game.ruleset)


BODIES = st.text(ALPHABET, min_size=7, max_size=7)
CHOICES = st.lists(st.integers(0, 999), max_size=60)
RANDOMS = st.randoms(use_true_random=False)


def same(move: Move) -> Move | frozenset[str]:
    """The order of a removal has no meaning."""
    return frozenset(move.places) if isinstance(move, Removal) else move


def plays(solitaire: Solitaire, state: State, move: Move) -> bool:
    try:
        solitaire.play(state, move)
    except IllegalMove as error:
        assert error.reason in solitaire.reasons
        assert set(error.places) <= set(solitaire.index)
        return False
    return True


def assert_lists_what_plays(solitaire: Solitaire, state: State) -> None:
    listed = [same(move) for move in solitaire.legal_moves(state)]
    assert len(set(listed)) == len(listed)
    playable = {
        same(move)
        for move in every_move(solitaire)
        if plays(solitaire, state, move) and not is_idle(solitaire, state, move)
    }
    assert set(listed) == playable
    helps = any(not is_taking_back(solitaire, move) for move in solitaire.legal_moves(state))
    assert solitaire.is_dead_end(state) is (not helps and not solitaire.is_won(state))


@of_games()
@settings(max_examples=15)
@given(body=BODIES, choices=CHOICES)
def test_in_a_game_every_listed_move_plays_and_no_unlisted_one_does(
    solitaire: Solitaire, body: str, choices: list[int]
) -> None:
    assert_lists_what_plays(solitaire, walk(solitaire, body, choices)[-1])


@of_games()
@settings(max_examples=40)
@given(random=RANDOMS)
def test_on_any_table_every_listed_move_plays_and_no_unlisted_one_does(solitaire: Solitaire, random: Random) -> None:
    assert_lists_what_plays(solitaire, scattered(solitaire, random))


@of_games()
@given(body=BODIES, choices=CHOICES)
def test_after_any_legal_sequence_every_card_is_on_the_table_or_was_removed(
    solitaire: Solitaire, body: str, choices: list[int]
) -> None:
    state = solitaire.deal(body)
    cards, score = count_cards(state), 0
    for number, choice in enumerate(choices):
        moves = solitaire.legal_moves(state)
        if not moves:
            break
        before, move = state, moves[choice % len(moves)]
        played = solitaire.play(before, move)
        state = solitaire.apply(before, move, played.points)
        if isinstance(move, Removal):
            cards.subtract(played.cards)
        score += played.points
        assert count_cards(state) == +cards
        assert (state.score, state.moves) == (score, number + 1)
        assert state.score >= 0


@of_games()
@given(body=BODIES, choices=CHOICES)
def test_a_move_changes_the_places_that_it_names_and_no_other_object(
    solitaire: Solitaire, body: str, choices: list[int]
) -> None:
    """The difference of two states, the view and undo rest on this."""
    state = walk(solitaire, body, choices)[-1]
    for move in solitaire.legal_moves(state):
        after = solitaire.apply(state, move, 0)
        named = set(move.places if isinstance(move, Removal) else (move.source, move.target))
        changed = {name for name, at in solitaire.index.items() if after.places[at] is not state.places[at]}
        assert changed == named


@of_games(command="tap")
@settings(max_examples=30)
@given(random=RANDOMS)
def test_whatever_a_tap_means_is_legal_or_can_be_tapped_on(solitaire: Solitaire, random: Random) -> None:
    state = scattered(solitaire, random)
    selection: tuple[str, ...] = ()
    for _ in range(20):
        place = random.choice(list(solitaire.index))
        try:
            answer = solitaire.tap(state, selection, place)
        except IllegalMove as error:
            assert error.reason in solitaire.reasons
            assert error.reason != "bad_selection"
            continue
        if isinstance(answer, Selected):
            selection = answer.selection
            assert set(solitaire.fits(state, selection)).isdisjoint(selection)
        else:
            assert same(answer) in map(same, solitaire.legal_moves(state))
            state, selection = solitaire.apply(state, answer, 0), ()


@pytest.mark.parametrize("solitaire", [game for game in GAMES if game.selects], ids=lambda game: game.ruleset)
@settings(max_examples=30)
@given(random=RANDOMS)
def test_what_fits_is_what_some_listed_move_has_besides_the_selection(solitaire: Solitaire, random: Random) -> None:
    state = scattered(solitaire, random)
    sets = [set(move.places) for move in solitaire.legal_moves(state) if isinstance(move, Removal)]
    for name in solitaire.index:
        if state.places[solitaire.index[name]]:
            fits = set(solitaire.fits(state, (name,)))
            assert fits >= {other for places in sets if name in places for other in places - {name}}
            for other in fits:
                both = solitaire.tap(state, (name,), other)
                assert isinstance(both, Removal) or (both.selection, both.reason) == ((name, other), None)
                if isinstance(both, Selected):
                    thirds = {third for places in sets if {name, other} < places for third in places - {name, other}}
                    assert set(solitaire.fits(state, (name, other))) == thirds


@of_games(command="double_tap")
@settings(max_examples=30)
@given(random=RANDOMS)
def test_a_double_tap_is_legal_or_says_why(solitaire: Solitaire, random: Random) -> None:
    state = scattered(solitaire, random)
    for name in solitaire.index:
        try:
            move = solitaire.double_tap(state, name)
        except IllegalMove as error:
            assert error.reason in ("nothing_there", "nowhere_to_go")
            continue
        assert plays(solitaire, state, move)
        if solitaire.is_won(solitaire.apply(state, move, 0)):
            assert move.target.startswith("F")


@of_games()
def test_a_ruleset_answers_all_that_the_other_floors_ask(solitaire: Solitaire) -> None:
    assert isinstance(solitaire, Solitaire)
    assert isinstance(solitaire, Searchable) or not solitaire.daily
    assert solitaire.ruleset == f"{solitaire.game}{solitaire.version}-{solitaire.variant}"
    assert draw_code(solitaire.ruleset, bytes).ruleset == solitaire.ruleset
    assert list(solitaire.index) == [place.name for place in solitaire.places]
    assert list(solitaire.index.values()) == list(range(len(solitaire.places)))
    assert len({(place.x, place.y) for place in solitaire.places}) == len(solitaire.places)
    assert all(place.x >= 1 and place.y >= 1 and 0 <= place.drop <= 1 for place in solitaire.places)
    assert {"move"} <= solitaire.commands <= {"move", "tap", "double_tap"}
    assert set(solitaire.ranked_by) | set(solitaire.lenses) <= {"score", "undos", "seconds", "moves"}
    assert solitaire.ranked_by[0] == "score"
    assert len(set(solitaire.reasons)) == len(solitaire.reasons)
