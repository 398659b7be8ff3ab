"""The moves that can be taken back, packed into two strings of bytes.

    packed   (seq, points, index, cards, index, cards, ...) as MessagePack | the next move ...
    sizes    of each of them, two bytes

A game keeps up to a hundred moves and a server thousands of games. As tuples they are most of what the collector
walks through, and again after a move, while everybody waits (a quarter of a second with 5,000 games); a string of
bytes is none of its business, costs less to grow, and takes a third of the memory. The sizes stand apart: the oldest
move is dropped from the front, the newest taken from the back.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Literal

from msgspec import Struct
from msgspec.msgpack import Decoder, Encoder

UNDO_DEPTH = 100
"""How many moves can be taken back (RULES, "Both games")."""

Entry = tuple[Any, ...]
"""One move: the seq of its event, the points that it brought, then what its places held before it, each as the
place's index and its cards."""

_encode = Encoder().encode
_decode = Decoder(Entry).decode

_SIZE = 2
_ORDER: Literal["little"] = "little"


class History(Struct, frozen=True, gc=False):
    """At most `UNDO_DEPTH` moves, the newest last; its length is their number."""

    packed: bytes = b""
    sizes: bytes = b""
    moves: int = 0

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> "History":
        """The history of these moves, of which there are not too many."""
        packed = list(map(_encode, entries))
        sizes = [len(body).to_bytes(_SIZE, _ORDER) for body in packed]
        return cls(b"".join(packed), b"".join(sizes), len(packed))

    def __len__(self) -> int:
        return self.moves

    def __iter__(self) -> Iterator[Entry]:
        """The moves, oldest first."""
        start = 0
        for at in range(0, len(self.sizes), _SIZE):
            end = start + self._size(at)
            yield _decode(self.packed[start:end])
            start = end

    @property
    def newest(self) -> Entry:
        """The move that an undo takes back; IndexError where there is none."""
        return _decode(self.packed[-self._newest_size() :])

    def and_then(self, entry: Entry) -> "History":
        """One move more; the oldest goes where that is too many."""
        body = _encode(entry)
        size = len(body).to_bytes(_SIZE, _ORDER)
        if self.moves < UNDO_DEPTH:
            return History(self.packed + body, self.sizes + size, self.moves + 1)
        oldest = int.from_bytes(self.sizes[:_SIZE], _ORDER)
        return History(self.packed[oldest:] + body, self.sizes[_SIZE:] + size, UNDO_DEPTH)

    def without_newest(self) -> "History":
        """The newest move taken back; IndexError where there is none."""
        return History(self.packed[: -self._newest_size()], self.sizes[:-_SIZE], self.moves - 1)

    def _newest_size(self) -> int:
        if not self.moves:
            raise IndexError("no move to take back")
        return self._size(len(self.sizes) - _SIZE)

    def _size(self, at: int) -> int:
        return int.from_bytes(self.sizes[at : at + _SIZE], _ORDER)
