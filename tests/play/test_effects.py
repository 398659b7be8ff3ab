"""What a move does to the places is said by its shape, and every game says the same of it."""

import random

import pytest
from msgspec import UNSET

from server.play import codec
from server.play.commands import moved_data
from server.play.effects import EFFECTS, take_back
from server.play.events import Moved
from server.play.playthrough import replay
from server.solitaires import SOLITAIRES
from tests.play.helpers import GAME, START, Table

REMOVAL = Moved(("5S", "6D"), points=10, remove=("T1", "T2"))
TRANSFER = Moved(("KC",), 1, "P1", 0, UNSET, "P2")


@pytest.mark.parametrize("ruleset", sorted(SOLITAIRES))
def test_the_effect_is_the_games_own_apply_touches_no_other_place_and_can_be_taken_back(ruleset: str) -> None:
    solitaire, chance = SOLITAIRES[ruleset], random.Random(ruleset)
    for body in ("AAAAAJ2", "BBBBBBC", "2345672"):
        state = solitaire.deal(body)
        while legal := solitaire.legal_moves(state)[:60]:
            move = chance.choice(legal)
            cards, points = solitaire.play(state, move)
            places = [*state.places]
            entry = EFFECTS[solitaire.move_type](places, solitaire.index, 7, moved_data(move, cards, points))
            after = solitaire.apply(state, move, points)
            assert tuple(places) == after.places
            assert entry[:2] == (7, points)
            changed = [at for at, cards in enumerate(places) if cards is not state.places[at]]
            assert sorted(entry[2::2]) == changed
            take_back(places, entry)
            assert all(one is other for one, other in zip(places, state.places, strict=True))
            state = after
            if state.moves > 80:
                break


def test_a_place_that_a_forged_log_names_twice_gets_all_of_its_cards_back() -> None:
    solitaire = SOLITAIRES["HM1-N"]
    dealt = solitaire.deal("AAAAAAB").places
    places = [*dealt]
    entry = EFFECTS[solitaire.move_type](places, solitaire.index, 2, Moved((), remove=("P1", "P1")))
    assert len(places[0]) == len(dealt[0]) - 2
    take_back(places, entry)
    assert tuple(places) == dealt


@pytest.mark.parametrize(("code", "data"), [("HM1-N-AAAAAAB", TRANSFER), ("SH1-C4-AAAAAJ2", REMOVAL)])
@pytest.mark.parametrize("last", [True, False])
def test_a_move_of_the_other_shape_is_a_corrupt_log(code: str, data: Moved, last: bool) -> None:
    dealt = Table(code).events[0].record
    forged = codec.seal(dealt.link, game=GAME, seq=2, at=START, command_id="c1", data=data).record
    further = codec.seal(forged.link, game=GAME, seq=3, at=START, command_id="c2", data=data).record
    with pytest.raises(codec.CorruptLog, match="cannot be folded") as caught:
        replay([dealt, forged] if last else [dealt, forged, further])
    assert caught.value.seq == 2
