"""Players: an id, perhaps a name, and a secret for the day when all devices are lost."""

from base64 import b32encode
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, delete, insert, select, update

from server.store.results import erase
from server.store.tables import games, pairings, players, tokens


class Player(Struct, frozen=True, gc=False):
    """``name`` is None for a guest; ``tag`` is always shown with it, since names are not unique."""

    id: str
    name: str | None
    tag: str
    created_at: int


def tag_of(player: str) -> str:
    """The four characters that tell two players of one name apart: base32 of the SHA-256 of the id."""
    return b32encode(sha256(player.encode()).digest())[:4].decode()


def create_player(connection: Connection, *, id: str, name: str | None, recovery_hash: str, now: int) -> Player:
    """A new player, who has no device yet."""
    player = Player(id, name, tag_of(id), now)
    connection.execute(
        insert(players).values(id=id, name=name, tag=player.tag, recovery_hash=recovery_hash, created_at=now)
    )
    return player


def player_by_id(connection: Connection, player: str) -> Player | None:
    row = connection.execute(_COLUMNS.where(players.c.id == player)).first()
    return None if row is None else Player(*row)


def players_by_id(connection: Connection, ids: Sequence[str]) -> dict[str, Player]:
    """Those of these players that there are."""
    return {row.id: Player(*row) for row in connection.execute(_COLUMNS.where(players.c.id.in_(ids)))}


def player_by_recovery(connection: Connection, recovery_hash: str) -> Player | None:
    row = connection.execute(_COLUMNS.where(players.c.recovery_hash == recovery_hash)).first()
    return None if row is None else Player(*row)


def rename(connection: Connection, player: str, name: str | None) -> Player | None:
    """Give a name, or take it back; the player as it now stands, None where there is none."""
    row = connection.execute(
        update(players).where(players.c.id == player).values(name=name).returning(*_FIELDS)
    ).first()
    return None if row is None else Player(*row)


def delete_player(connection: Connection, player: str) -> bool:
    """Erase a player: name, devices, pairing codes, and in the rows of games the id and the salt that lead from a
    log to it. The logs stay, and say nothing, and so do rows on boards. False where there is no such player."""
    # Locked first: a game that is being opened now holds a share of this row, and its salt must be seen below;
    # one that comes later finds no player. (SQLite has one writer, and knows no FOR UPDATE.)
    locked = connection.execute(select(players.c.id).where(players.c.id == player).with_for_update()).first()
    if locked is None:
        return False
    erase(connection, player)
    connection.execute(delete(tokens).where(tokens.c.player_id == player))
    connection.execute(delete(pairings).where(pairings.c.player_id == player))
    connection.execute(delete(players).where(players.c.id == player))
    return True


def export_player(connection: Connection, player: str) -> dict[str, Any] | None:
    """All that is stored of a player besides the logs of the games: plain values, times in ms; no secrets."""
    found = player_by_id(connection, player)
    if found is None:
        return None
    devices = select(tokens.c.id, tokens.c.label, tokens.c.created_at, tokens.c.revoked_at).where(
        tokens.c.player_id == player
    )
    played = select(games).where(games.c.player == player)
    return {
        "player": {"id": found.id, "name": found.name, "tag": found.tag, "created_at": found.created_at},
        "tokens": [
            dict(row._mapping) for row in connection.execute(devices.order_by(tokens.c.created_at, tokens.c.id))
        ],
        "games": [dict(row._mapping) for row in connection.execute(played.order_by(games.c.created_at, games.c.id))],
    }


_FIELDS = (players.c.id, players.c.name, players.c.tag, players.c.created_at)
_COLUMNS = select(*_FIELDS)
