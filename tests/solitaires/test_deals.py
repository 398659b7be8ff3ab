"""Deals are the same for ever: the golden ones, and what every deal has in common."""

from collections import Counter
from hashlib import shake_256
from itertools import islice
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.solitaires import SOLITAIRES, read_code
from server.solitaires.cards import DECK, cards_text
from server.solitaires.codes import ALPHABET
from server.solitaires.half_moon import DECK as TWO_DECKS
from server.solitaires.shuffle import numbers, shuffle
from tests.golden import lines
from tests.solitaires.tables import EASY, HALF_MOON, HARD, MEDIUM, count_cards, tops

DEALS = lines("cases/deals.jsonl")
BODIES = st.text(ALPHABET, min_size=7, max_size=7)


@pytest.mark.parametrize("deal", DEALS, ids=lambda deal: deal["code"])
def test_a_golden_deal_comes_out_card_by_card(deal: dict[str, Any]) -> None:
    code = read_code(deal["code"])
    solitaire = SOLITAIRES[code.ruleset]
    places = zip(solitaire.places, solitaire.deal(code.body).places, strict=True)
    dealt = {place.name: list(cards_text(cards)) for place, cards in places}
    assert {name: cards for name, cards in dealt.items() if cards} == {
        name: cards for name, cards in deal["places"].items() if cards
    }


def test_the_published_example_has_its_tops_and_its_reserve() -> None:
    state = HALF_MOON.deal("AAAAAAB")
    published = "5S AH KH 4C QH 5H 7S 6D TD TC 2D KH  TH 6S 3D 4S 7D 5S JH AC"
    assert list(tops(HALF_MOON, state).values()) == published.split()
    below = {name: cards_text(state.places[HALF_MOON.index[name]])[-2] for name in ("P1", "P8")}
    assert below == {"P1": "7H", "P8": "JC"}


@given(BODIES)
def test_half_moon_deals_every_card_twice_in_12_piles_of_8_and_a_reserve_of_8(body: str) -> None:
    state = HALF_MOON.deal(body)
    assert count_cards(state) == Counter(DECK + DECK) == Counter(TWO_DECKS)
    assert list(map(len, state.places)) == [8] * 12 + [1] * 8
    assert (state.score, state.moves) == (0, 0)


@given(BODIES)
def test_seahaven_deals_one_deck_and_only_its_last_two_cards_depend_on_the_cells(body: str) -> None:
    easy, medium, hard = (solitaire.deal(body).places for solitaire in (EASY, MEDIUM, HARD))
    assert Counter(b"".join(easy)) == Counter(DECK)
    assert list(map(len, easy)) == [5] * 10 + [1, 1, 0, 0] + [0] * 4
    assert list(map(len, medium)) == [5] * 10 + [1, 1] + [0] * 4
    assert list(map(len, hard)) == [5, 6] + [5] * 8 + [1] + [0] * 4
    assert medium[:12] == easy[:12]
    assert hard[:11] == (easy[0], easy[1] + easy[11], *easy[2:11])


def test_the_stream_is_read_as_big_endian_pairs_and_never_ends() -> None:
    stream = shake_256(b"HM1:AAAAAAB").digest(6000)
    assert list(islice(numbers("HM1:AAAAAAB"), 3000)) == [
        int.from_bytes(stream[at : at + 2], "big") for at in range(0, 6000, 2)
    ]


def test_numbers_that_would_favour_some_places_are_passed_over() -> None:
    """One of the golden deals draws such a number: without the rule it would come out otherwise."""

    def unfair(seed: str) -> bytes:
        cards = bytearray(TWO_DECKS)
        for last, number in zip(range(len(cards) - 1, 0, -1), numbers(seed), strict=False):
            other = number % (last + 1)
            cards[last], cards[other] = cards[other], cards[last]
        return bytes(cards)

    seeds = {read_code(deal["code"]).seed for deal in DEALS if deal["code"].startswith("HM")}
    assert any(shuffle(seed, TWO_DECKS) != unfair(seed) for seed in seeds)


def test_a_seed_that_is_not_ascii_has_no_shuffle() -> None:
    with pytest.raises(UnicodeEncodeError):
        shuffle("HM1:ÅAAAAAA", DECK)
