"""The moves that can be taken back, packed into two strings.

    packed   (seq, points, index, cards, index, cards, ...) as MessagePack | the next move ...
    sizes    one character a move: its code point is how many bytes of ``packed`` the move has

A game keeps up to a hundred moves and a server thousands of games. As tuples they are most of what the collector
walks through, and again after a move, while everybody waits (a quarter of a second with 5,000 games); a string of
bytes is none of its business, costs less to grow, and takes a third of the memory. The sizes stand apart, since the
oldest move is dropped from the front and the newest taken from the back; a string of characters is the array of small
numbers that is quickest to read at its ends and to grow.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct
from msgspec.msgpack import Decoder, Encoder

UNDO_DEPTH = 100
"""How many moves can be taken back (RULES, "Both games")."""

Entry = tuple[Any, ...]
"""One move: the seq of its event, the points that it brought, then what its places held before it, each as the
place's index and its cards."""

_encode = Encoder().encode
_decode = Decoder(Entry).decode


class History(Struct, frozen=True, gc=False):
    """At most `UNDO_DEPTH` moves, the newest last; its length is their number."""

    packed: bytes = b""
    sizes: str = ""
    moves: int = 0

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> "History":
        """The history of these moves, of which there are not too many."""
        packed = list(map(_encode, entries))
        return cls(b"".join(packed), "".join(map(chr, map(len, packed))), len(packed))

    def __len__(self) -> int:
        return self.moves

    def __iter__(self) -> Iterator[Entry]:
        """The moves, oldest first."""
        start = 0
        for size in map(ord, self.sizes):
            yield _decode(self.packed[start : start + size])
            start += size

    @property
    def newest(self) -> Entry:
        """The move that an undo takes back; IndexError where there is none."""
        return _decode(self.packed[-self._newest_size() :])

    def and_then(self, entry: Entry) -> "History":
        """One move more; the oldest goes where that is too many."""
        body = _encode(entry)
        packed, sizes = self.packed, self.sizes + chr(len(body))
        if self.moves < UNDO_DEPTH:
            return History(packed + body, sizes, self.moves + 1)
        return History(packed[ord(sizes[0]) :] + body, sizes[1:], UNDO_DEPTH)

    def without_newest(self) -> "History":
        """The newest move taken back; IndexError where there is none."""
        return History(self.packed[: -self._newest_size()], self.sizes[:-1], self.moves - 1)

    def _newest_size(self) -> int:
        if not self.moves:
            raise IndexError("no move to take back")
        return ord(self.sizes[-1])
