"""Games as they are stored, and what a forger does to them."""

import json
from typing import Any

from msgspec.structs import replace

from server.play import codec
from server.play.records import Header, Record
from tests.play.helpers import GAME, Table

PLAYER = "6f1c1a52-3b86-4a56-9d5c-0c5b3b0c2f11"
SALT = bytes(range(16))

# Half Moon: a pair, a trio, one of them taken back, and another pair.
HALF_MOON: list[dict[str, Any]] = [
    {"do": "move", "remove": ["P1", "P8"]},
    {"do": "move", "remove": ["P8", "P5", "P3"]},
    {"do": "undo"},
    {"do": "move", "remove": ["P2", "P9"]},
]


def records_of(table: Table) -> list[Record]:
    return [event.record for event in table.events]


def half_moon(*further: dict[str, Any], until: int | None = None) -> list[Record]:
    """The log of a game of Half Moon: dealt, moved, moved, undone, moved (events 1 to 5), and what is added."""
    table = Table("HM1-N-AAAAAAB", until=until)
    for fields in (*HALF_MOON, *further):
        table.send(**fields)
    return owned(records_of(table))


def owned(records: list[Record]) -> list[Record]:
    """The same log, as one of `PLAYER`'s."""
    return relinked([edited(records[0], owner=codec.owner_of(PLAYER, SALT)), *records[1:]])


def header_of(records: list[Record], status: str = "playing") -> Header:
    """The row that belongs to a log."""
    dealt = json.loads(records[0].data)
    return Header(
        id=GAME,
        code=dealt["code"],
        ruleset=dealt["code"].rpartition("-")[0],
        owner=dealt["owner"],
        salt=SALT.hex(),
        player=PLAYER,
        purpose=dealt["purpose"],
        until=dealt["until"],
        status=status,
        command_id=records[0].command_id,
        created_at=records[0].at,
    )


def edited(record: Record, drop: str = "", **changes: Any) -> Record:
    """The record with some of its data changed, and one field taken out."""
    data = {**json.loads(record.data), **changes}
    data.pop(drop, None)
    return replace(record, data=codec.canonical(data))


def relinked(records: list[Record]) -> list[Record]:
    """What a forger who knows the chain does: every link is made anew, so that none of them tells."""
    link, forged = codec.FIRST_LINK, []
    for record in records:
        link = codec.next_link(link, codec.record_text(record))
        forged.append(replace(record, link=link))
    return forged
