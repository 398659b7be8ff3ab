"""What a move does to the places, and how it is taken back.

That is said by the shape of the move and not by the game: the top cards of some places leave, or the last cards of
one place go onto another. So a log is folded by these few lines, on a list of places that changes, and no game is
asked; `Solitaire.apply` is the same step for those who have a state and a move in hand, as a search has.

Each gives the `Entry` that the history keeps: the seq and the points of the event, and what the places of the move
held before. They trust the event; one of the other shape than the game's is an AssertionError.
"""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import UNSET

from server.play.events import Moved
from server.play.history import Entry
from server.solitaires.protocol import Removal, Transfer


def remove(places: list[bytes], index: Mapping[str, int], seq: int, data: Moved) -> Entry:
    """Take the top cards of a removal away."""
    names = data.remove
    assert names is not UNSET
    entry: list[Any] = [seq, data.points]
    for name in names:
        at = index[name]
        cards = places[at]
        entry.append(at)
        entry.append(cards)
        places[at] = cards[:-1]
    return tuple(entry)


def transfer(places: list[bytes], index: Mapping[str, int], seq: int, data: Moved) -> Entry:
    """Put the last cards of one place onto another."""
    source, target, count = data.source, data.target, data.count
    assert source is not UNSET and target is not UNSET and count is not UNSET
    at, to = index[source], index[target]
    cards, onto = places[at], places[to]
    places[at] = cards[:-count]
    places[to] += cards[-count:]
    return (seq, data.points, at, cards, to, onto)


EFFECTS: dict[type[Removal] | type[Transfer], Callable[[list[bytes], Mapping[str, int], int, Moved], Entry]] = {
    Removal: remove,
    Transfer: transfer,
}
"""By a ruleset's ``move_type``: change the places as the event with this seq tells; the entry of the history."""


def take_back(places: list[bytes], entry: Entry) -> None:
    """Give the places of a move what they held before it: last first, should a log name one of them twice."""
    for at in range(len(entry) - 2, 0, -2):
        places[entry[at]] = entry[at + 1]
