"""What is published of a daily at its close: every row of its board, with the last link of its log.

A chain of links shows that a log is consistent; that it is *the* log comes from its last link having been
published. A manifest names the one before by its hash, so that none can be changed later without changing all
that came after. It holds no name and no player id, and it is never rewritten.
"""

from collections.abc import Sequence

from server.play.codec import canonical
from server.play.ranking import rankings
from server.store.dailies import Entry


def manifest_text(
    *, date: str, ruleset: str, code: str, commitment: str, previous: str | None, entries: Sequence[Entry]
) -> str:
    """The canonical JSON of a manifest: rows by rank, then by game id; equal keys share a rank.

    ``previous`` is the SHA-256 (hex) of the stored text of this ruleset's manifest before, None for the first.
    A row's ``keys`` are what the ruleset ranks by, in whole numbers (``won`` is 1 or 0, ``seconds`` the ranked time).
    """
    ranking = rankings(ruleset)[""]
    packed = sorted(((-ranking.pack(entry.result), entry.result.game, entry) for entry in entries), key=_by_key)
    rows = []
    rank, before = 0, None
    for number, (key, game, entry) in enumerate(packed, 1):
        if key != before:
            rank, before = number, key
        rows.append(
            {
                "game": game,
                "keys": {name: int(getattr(entry.result, name)) for name in ranking.ranked_by},
                "link": entry.result.link,
                "owner": entry.owner,
                "rank": rank,
            }
        )
    return canonical(
        {
            "date": date,
            "ruleset": ruleset,
            "code": code,
            "commitment": commitment,
            "previous": previous,
            "rows": rows,
        }
    )


def _by_key(row: tuple[int, str, Entry]) -> tuple[int, str]:
    return row[0], row[1]
