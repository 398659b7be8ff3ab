"""Cards as bytes, and as the two characters that stand for them on the wire.

A card is ``suit * 16 + rank``: suits ``S H D C`` are 0 to 3, ranks ``A 2 … 9 T J Q K`` are 1 to 13. So the
next card of a suit is ``card + 1``, and some cards in order are one ``bytes``. No card has the value 0.

>>> parse_card("TH"), card_text(26)
(26, 'TH')
>>> cards_text(parse_cards(["5S", "6D"]))
('5S', '6D')
"""

from collections.abc import Iterable
from operator import itemgetter

RANKS = "A23456789TJQK"
SUITS = "SHDC"
ACE, TEN, JACK, QUEEN, KING = 1, 10, 11, 12, 13

DECK = bytes(suit * 16 + rank for suit in range(4) for rank in range(ACE, KING + 1))
"""One deck in order: suits S H D C, each ace to king."""


def _text(card: int) -> str:
    return RANKS[card % 16 - 1] + SUITS[card // 16] if card in DECK else ""


TEXT: tuple[str, ...] = tuple(_text(card) for card in range(64))
"""A card's text by its byte, ``TEXT[26] == "TH"``; empty where no card has that byte."""

ALONE: tuple[tuple[str], ...] = tuple((text,) for text in TEXT)
"""The texts of one card, as `cards_text` gives them: what is asked for most."""

_BYTE = {text: card for card, text in enumerate(TEXT) if text}


def card_text(card: int) -> str:
    """The two characters of a card, rank then suit."""
    return TEXT[card]


def parse_card(text: str) -> int:
    """The byte of a card's two characters; raises ValueError. Inverse of `card_text`."""
    try:
        return _BYTE[text]
    except KeyError:
        raise ValueError(f"not a card: {text!r}") from None


def cards_text(cards: bytes) -> tuple[str, ...]:
    """The texts of some cards, in their order."""
    if len(cards) > 1:
        texts: tuple[str, ...] = itemgetter(*cards)(TEXT)  # the fastest there is; of one card it makes no tuple
        return texts
    return ALONE[cards[0]] if cards else ()


def parse_cards(texts: Iterable[str]) -> bytes:
    """The bytes of some cards, in their order; raises ValueError. Inverse of `cards_text`."""
    return bytes([parse_card(text) for text in texts])
