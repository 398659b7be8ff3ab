"""What a move does to the places, and how it is taken back.

`Solitaire.apply` is what a move does, and what `evolve` uses. But that is said by the shape of the move: the top cards
of some places leave, or the last cards of one place go onto another. So a long log is folded by these few lines, on a
list of places that changes, in half of the time; a test holds every ruleset's `apply` against them.

Each gives the `Entry` that the history keeps: the seq and the points of the event, and what the places of the move
held before. They trust the event; one of the other shape than the game's is an AssertionError.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import UNSET

from server.play.events import Moved
from server.play.history import Entry
from server.solitaires.protocol import Move, Removal, Transfer


def move_of(data: Moved) -> Move:
    """The move that an event tells of."""
    # `tuple.__new__` as the types themselves do it, in half of the time: once for every move.
    if data.remove is not UNSET:
        return tuple.__new__(Removal, (data.remove,))
    assert data.source is not UNSET and data.target is not UNSET and data.count is not UNSET
    return tuple.__new__(Transfer, (data.source, data.target, data.count))


def entry_before(places: Sequence[bytes], index: Mapping[str, int], seq: int, move: Move, points: int) -> Entry:
    """What taking a move back needs, from the places as they are before it."""
    if type(move) is Transfer:
        at, to = index[move.source], index[move.target]
        return (seq, points, at, places[at], to, places[to])
    assert not isinstance(move, Transfer)
    entry: list[Any] = [seq, points]
    for name in move.places:
        at = index[name]
        entry.append(at)
        entry.append(places[at])
    return tuple(entry)


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
