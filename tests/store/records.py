"""Appends as the store sees them: exact text, whatever it says."""

from hashlib import sha256
from itertools import count
from uuid import uuid4

from sqlalchemy import Connection

from server.play.records import Header, Outcome, Record
from server.store.eventlog import Append
from server.store.players import create_player

_now = count(1_796_000_000_000)


def new_id() -> str:
    return str(uuid4())


def record(game: str, seq: int, *, by: str = "", data: str = '{"points":10}', digest: str | None = None) -> Record:
    """An event; ``by`` tells apart those that race for one place."""
    return Record(
        game=game,
        seq=seq,
        type="moved" if seq > 1 else "dealt",
        v=1,
        seat=1,
        at=next(_now),
        command_id=f"c{seq}{by}",
        data=data,
        link=sha256(f"{game}{seq}{by}".encode()).hexdigest(),
        digest=digest,
    )


def header(game: str, player: str | None = None, *, command_id: str | None = None) -> Header:
    return Header(
        id=game,
        code="HM1-N-AAAAAAB",
        ruleset="HM1-N",
        owner=sha256(game.encode()).hexdigest(),
        salt=None if player is None else "00" * 16,
        player=player,
        command_id=command_id or f"open-{game}",
        created_at=next(_now),
    )


def move(game: str, seq: int, *, by: str = "", status: str | None = None, data: str = '{"points":10}') -> Append:
    outcome = None if status is None else Outcome(game=game, status=status)
    return Append(record(game, seq, by=by, data=data), None, outcome)


def opening(game: str, player: str | None = None, *, command_id: str | None = None) -> Append:
    return Append(record(game, 1), header(game, player, command_id=command_id))


def add_player(connection: Connection, player: str) -> None:
    create_player(connection, id=player, name=None, recovery_hash=sha256(player.encode()).hexdigest(), now=1)
