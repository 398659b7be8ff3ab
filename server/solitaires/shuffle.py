"""The shuffle of rules version 1: the same order of cards from the same seed, for ever, in any language.

The seed text feeds SHAKE-256, whose output is read as big-endian 16-bit numbers; they drive a Fisher-Yates
shuffle from the end (DESIGN 4). Numbers that would favour some places are skipped, so every order is
equally likely. Frozen by ``tests/golden/cases/deals.jsonl``: another shuffle is another rules version.

>>> shuffle("HM1:AAAAAAB", b"abcdefgh")
b'gfehdabc'
"""

from collections.abc import Iterator
from hashlib import shake_256


def numbers(seed: str) -> Iterator[int]:
    """The endless stream of 16-bit numbers of a seed text (ASCII)."""
    source = shake_256(seed.encode("ascii"))
    read, size = 0, 512
    while True:
        # A longer digest begins with the shorter one, so reading on means asking for more of the same.
        stream = source.digest(size)
        for at in range(read, size, 2):
            yield stream[at] << 8 | stream[at + 1]
        read, size = size, size * 2


def shuffle(seed: str, deck: bytes) -> bytes:
    """The cards of ``deck`` in the order that the seed text gives."""
    cards = bytearray(deck)
    draw = numbers(seed)
    for last in range(len(cards) - 1, 0, -1):
        places = last + 1
        fair = 65536 - 65536 % places
        number = next(number for number in draw if number < fair)
        other = number % places
        cards[last], cards[other] = cards[other], cards[last]
    return bytes(cards)
