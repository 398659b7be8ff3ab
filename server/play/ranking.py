"""In what order results stand on a board: the keys of a ruleset, packed into one number.

    won  1 bit | score  10 bits | then, as the ruleset has them: undos or moves  16 bits, seconds  36 bits

The more the better: what is better when there is less of it is counted down from the most that its bits hold,
and whatever is more than that counts as that most. Whoever has the larger number is the better, equal numbers
share a rank, and nothing else ever decides between two (DESIGN 9, "Ranking").

A `Ranking` also says how results are gathered into buckets, so that a rank is a sum of few numbers: see
`Ranking.buckets`.
"""

from functools import cache
from typing import Final, NamedTuple

from server.play.records import Result
from server.solitaires import SOLITAIRES

BITS: Final = {"won": 1, "score": 10, "undos": 16, "moves": 16, "seconds": 36}
UP: Final = frozenset({"won", "score"})
"""The keys of which more is better."""

MOST_BITS: Final = 63
"""What a database's signed integer holds."""

_BITS_THAT_COUNT: Final = 8
_MOST: Final = {name: (1 << bits) - 1 for name, bits in BITS.items()}


class Ranking(NamedTuple):
    """One order of results: by ``won``, then by these ``keys``. ``lens`` is the name of a further order that a
    board offers, or empty for the ruleset's own."""

    lens: str
    keys: tuple[str, ...]

    @property
    def ranked_by(self) -> tuple[str, ...]:
        """All that counts, the first that differs decides."""
        return ("won", *self.keys)

    def pack(self, result: Result) -> int:
        """The sort key of a result, higher is better."""
        return self._join([min(int(getattr(result, name)), _MOST[name]) for name in self.ranked_by])

    def unpack(self, key: int) -> dict[str, int]:
        """What a sort key says: the value of each of `ranked_by`; the inverse of `pack`, but for what was too much."""
        return dict(zip(self.ranked_by, self._split(key), strict=True))

    def buckets(self, key: int) -> tuple[int, ...]:
        """The buckets that a result with this key is counted in, one a level; each is named by the best key that it
        can hold.

        Level 0 gathers what is equal in ``won`` and the first key, each further level what is equal in one key
        more, until ``seconds``, of which only the first eight bits count. Nothing is refined behind a rounded key:
        that would not keep the order. So the buckets of a level lie in those of the level above, in the order of
        their keys: where ``a >= b`` it is always ``buckets(a)[level] >= buckets(b)[level]``. How many are better
        than a key is then, with ``edges = (infinity, *buckets(key))``, the sum over the levels of what is counted
        in the buckets with ``edges[level + 1] < bucket <= edges[level]``, and those of the last bucket that are
        better, one by one.
        """
        values = self._split(key)
        best = [_MOST[name] if name in UP else 0 for name in self.ranked_by]
        buckets = []
        for level, name in enumerate(self.keys, 1):
            last = _rounded(values[level]) if name == "seconds" else values[level]
            buckets.append(self._join([*values[:level], last, *best[level + 1 :]]))
            if name == "seconds":
                break
        return tuple(buckets)

    def _join(self, values: list[int]) -> int:
        key = 0
        for name, value in zip(self.ranked_by, values, strict=True):
            key = key << BITS[name] | (value if name in UP else _MOST[name] - value)
        return key

    def _split(self, key: int) -> list[int]:
        values = []
        for name in reversed(self.ranked_by):
            value = key & _MOST[name]
            values.append(value if name in UP else _MOST[name] - value)
            key >>= BITS[name]
        return values[::-1]


def rankings_of(ranked_by: tuple[str, ...], lenses: tuple[str, ...]) -> dict[str, Ranking]:
    """The orders of a ruleset by their lens: its own, and for each lens one where that key comes right after the
    first. Raises ValueError where the keys are more than one number holds."""
    rankings = {"": Ranking("", ranked_by)}
    for lens in lenses:
        rankings[lens] = Ranking(lens, (ranked_by[0], lens, *(key for key in ranked_by[1:] if key != lens)))
    for ranking in rankings.values():
        if sum(BITS[key] for key in ranking.ranked_by) > MOST_BITS:
            raise ValueError(f"{', '.join(ranking.ranked_by)} do not fit into {MOST_BITS} bits")
    return rankings


@cache
def rankings(ruleset: str) -> dict[str, Ranking]:
    """The orders in which the boards of a ruleset can be read, by lens; ``""`` is the one that counts."""
    solitaire = SOLITAIRES[ruleset]
    return rankings_of(solitaire.ranked_by, solitaire.lenses)


def percentile(*, worse: int, players: int) -> float:
    """How many of the others are strictly worse, in percent with one decimal; alone it is 100 (DESIGN 9)."""
    return 100.0 if players < 2 else round(100 * worse / (players - 1), 1)


def _rounded(seconds: int) -> int:
    """Rounded down, which is towards the better, to what the first bits say."""
    dropped = max(seconds.bit_length() - _BITS_THAT_COUNT, 0)
    return seconds >> dropped << dropped
