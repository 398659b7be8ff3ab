"""Cards as bytes and as text."""

import pytest

from server.solitaires.cards import DECK, TEXT, card_text, cards_text, parse_card, parse_cards


def test_a_card_is_its_suit_times_16_plus_its_rank() -> None:
    assert [parse_card(text) for text in ("AS", "KS", "AH", "TH", "2D", "KC")] == [1, 13, 17, 26, 34, 61]


def test_the_deck_has_52_cards_and_each_reads_back_from_its_text() -> None:
    assert len(set(DECK)) == len(DECK) == 52
    assert [parse_card(card_text(card)) for card in DECK] == list(DECK)
    assert parse_cards(cards_text(DECK)) == DECK


def test_bytes_that_are_no_card_have_no_text() -> None:
    assert [card for card, text in enumerate(TEXT) if text] == sorted(DECK)


def test_the_next_card_of_a_suit_is_one_more() -> None:
    assert parse_card("8H") == parse_card("7H") + 1
    assert all(TEXT[parse_card(f"K{suit}") + 1] == "" for suit in "SHDC")


@pytest.mark.parametrize("text", ["", "T", "10H", "th", "HT", "1H", "TX", "VC", "T♥", " TH"])
def test_other_text_is_no_card(text: str) -> None:
    with pytest.raises(ValueError, match="not a card"):
        parse_card(text)
