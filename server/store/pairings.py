"""Pairing codes: short-lived, good for one device. What is stored is their hash."""

from sqlalchemy import Connection, delete, insert, select, update

from server.store.players import Player, player_by_id
from server.store.tables import pairings

LIFETIME_MS = 10 * 60 * 1000


def create_pairing(connection: Connection, *, player: str, code_hash: str, now: int) -> int:
    """Make a code good for ten minutes; when it ends (ms). A player has one at a time: the newest."""
    expires_at = now + LIFETIME_MS
    connection.execute(delete(pairings).where((pairings.c.player_id == player) | (pairings.c.expires_at <= now)))
    connection.execute(insert(pairings).values(code_hash=code_hash, player_id=player, expires_at=expires_at))
    return expires_at


def claim_pairing(connection: Connection, code_hash: str, now: int) -> Player | None:
    """Whose device this becomes, once: None for a code that is unknown, used or past its time."""
    good = (pairings.c.code_hash == code_hash, pairings.c.used_at.is_(None), pairings.c.expires_at > now)
    claim = update(pairings).where(*good).values(used_at=now).returning(pairings.c.player_id)
    player = connection.execute(claim).scalar_one_or_none()
    return None if player is None else player_by_id(connection, player)


def has_pairing(connection: Connection, player: str, now: int) -> bool:
    """Whether a code of this player is waiting to be used."""
    waiting = (pairings.c.player_id == player, pairings.c.used_at.is_(None), pairings.c.expires_at > now)
    return connection.execute(select(pairings.c.code_hash).where(*waiting)).first() is not None
