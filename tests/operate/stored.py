"""Honest games in a real database, for tools to look at and for tests to harm."""

import itertools
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from server.play.outcome import result
from server.play.playthrough import ENDED, replay
from server.play.records import Header, Outcome, Record
from server.store.eventlog import Append, Won
from server.store.open import Store
from server.store.players import create_player
from tests.operate.forging import HALF_MOON, PLAYER, header_of, owned, records_of, relinked
from tests.play.helpers import Table

_numbers = itertools.count(1)


def game_id() -> str:
    """An id as the server makes them, the newest last."""
    return f"0193796a-5c00-7000-8000-{next(_numbers):012x}"


def moved_to(records: Sequence[Record], game: str) -> list[Record]:
    """The same log, as one of another game."""
    return relinked([replace(record, game=game) for record in records])


def honest(*further: dict[str, Any], code: str = "HM1-N-AAAAAAB") -> tuple[Header, list[Record]]:
    """A game of its own: Half Moon with a few moves, or of another code, dealt only, and what is added."""
    table = Table(code)
    for fields in (*(HALF_MOON if code == "HM1-N-AAAAAAB" else []), *further):
        table.send(**fields)
    game = game_id()
    records = moved_to(owned(records_of(table)), game)
    row = replace(header_of(records, replay(records).status), id=game, command_id=f"open-{game}")
    first = replace(records[0], command_id=row.command_id)
    return row, relinked([first, *records[1:]])


async def add_player(store: Store) -> None:
    """`PLAYER`, whose games all of these are."""
    await store.database.write(create_player, id=PLAYER, name=None, recovery_hash="0" * 64, now=1)


async def store_game(store: Store, row: Header, records: Sequence[Record]) -> str:
    """Store a game as it is, honest or not; its id."""
    appends = [Append(record, row if place == 0 else None) for place, record in enumerate(records)]
    if row.status in ENDED and (playthrough := replay(records)).ended:
        follows = Outcome(game=row.id, status=row.status, result=result(row, playthrough))
        appends[-1] = replace(appends[-1], outcome=follows)
    assert await store.log.append(appends) == [Won()] * len(records)
    return row.id
