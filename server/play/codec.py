"""Text of the log: canonical JSON, the chain of links, and reading it back.

A record is UTF-8 JSON with sorted keys, no spaces and integers only. Each link is
SHA-256(previous link as 32 raw bytes, then the record); link 0 is SHA-256("moontide-log-1"). So an event
can't be changed, dropped, added or moved without changing every link after it.
"""

from binascii import unhexlify
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256

import msgspec

from server.play.events import READERS, Event, EventData
from server.play.records import Record

FIRST_LINK = sha256(b"moontide-log-1").hexdigest()

_canonical = msgspec.json.Encoder(order="sorted").encode
_plain = msgspec.json.Encoder().encode
_readers = {key: msgspec.json.Decoder(shape).decode for key, shape in READERS.items()}


class CorruptLog(ValueError):
    """A stored log that does not verify or can't be read; ``game`` and ``seq`` say where."""

    def __init__(self, game: str, seq: int, detail: str) -> None:
        super().__init__(f"game {game}, event {seq}: {detail}")
        self.game = game
        self.seq = seq
        self.detail = detail


def canonical(value: object) -> str:
    """The canonical JSON of a value: sorted keys, no spaces.

    >>> canonical({"b": 1, "a": [2, 3]})
    '{"a":[2,3],"b":1}'
    """
    return _canonical(value).decode()


def record_text(record: Record) -> str:
    """The exact text that is hashed. Ids and types need no escaping: their alphabets are closed."""
    return (
        f'{{"at":{record.at},"command_id":"{record.command_id}","data":{record.data},"game":"{record.game}",'
        f'"seat":{record.seat},"seq":{record.seq},"type":"{record.type}","v":{record.v}}}'
    )


def next_link(previous: str, text: str) -> str:
    """The link of a record's text behind the previous link; 64 lower-case hex digits."""
    return sha256(unhexlify(previous) + text.encode()).hexdigest()


def seal(
    previous: str, *, game: str, seq: int, at: int, command_id: str, data: EventData, digest: str | None = None
) -> Event:
    """A new event behind the link ``previous``, with its text and its own link; ``at`` in ms UTC."""
    kind = data.type
    # The fields of event data are declared in sorted order; only a dict inside (the deal) needs sorting.
    text = (_canonical(data) if kind == "dealt" else _plain(data)).decode()
    hashed = (
        f'{{"at":{at},"command_id":"{command_id}","data":{text},"game":"{game}",'
        f'"seat":1,"seq":{seq},"type":"{kind}","v":1}}'
    )
    link = sha256(unhexlify(previous) + hashed.encode()).hexdigest()
    return Event(Record(game, seq, kind, 1, 1, at, command_id, text, link, digest), data)


def read(record: Record) -> Event:
    """What a stored record means; raises `CorruptLog` for an unknown type or version: refused, not guessed."""
    reader = _readers.get((record.type, record.v))
    if reader is None:
        raise CorruptLog(record.game, record.seq, f"unknown event {record.type!r} version {record.v}")
    try:
        return Event(record, reader(record.data))
    except msgspec.MsgspecError as error:
        raise CorruptLog(record.game, record.seq, f"unreadable data of {record.type!r}: {error}") from None


def follows(record: Record, *, seq: int, link: str) -> bool:
    """Whether a record comes right behind the event ``seq`` with this link."""
    return record.seq == seq + 1 and record.link == next_link(link, record_text(record))


def check_chain(records: Iterable[Record], *, seq: int = 0, link: str = FIRST_LINK) -> None:
    """Raise `CorruptLog` at the first record that is not dense or whose link does not follow from the one before."""
    for record in records:
        seq += 1
        if record.seq != seq:
            raise CorruptLog(record.game, seq, f"expected event {seq}, found {record.seq}")
        link = next_link(link, record_text(record))
        if record.link != link:
            raise CorruptLog(record.game, seq, "the link does not follow from the record and the link before")


def digest(told: str) -> str:
    """The 16 hex digits that tell one command from another under the same id (DESIGN 5), of its canonical JSON."""
    return sha256(told.encode()).hexdigest()[:16]


def owner_of(player: str, salt: bytes) -> str:
    """The owner in a log: SHA-256 of the salt, then the player id's 36 characters; hex."""
    return sha256(salt + player.encode()).hexdigest()


def utc_text(ms: int) -> str:
    """Milliseconds UTC as the wire writes them.

    >>> utc_text(1796000001500)
    '2026-11-30T00:53:21.500Z'
    """
    return _second_text(ms // 1000) + _MILLISECONDS[ms % 1000]


_MILLISECONDS = tuple(f".{ms:03d}Z" for ms in range(1000))


@lru_cache(maxsize=4096)
def _second_text(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def read_all(records: Sequence[Record]) -> list[Event]:
    """Check the chain of a whole log, then read it: upcasts come after the check."""
    check_chain(records)
    return [read(record) for record in records]
