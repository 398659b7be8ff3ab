"""Devices: each holds a token of its own, of which only the hash is stored; any of them can be revoked."""

from collections.abc import Sequence

from msgspec import Struct
from sqlalchemy import Connection, insert, select, update

from server.store.players import Player
from server.store.tables import players, tokens


class Token(Struct, frozen=True, gc=False):
    """One device of a player; ``label`` is what the player calls it."""

    id: str
    label: str | None
    created_at: int
    revoked_at: int | None


class Known(Struct, frozen=True, gc=False):
    """Who holds a token."""

    token_id: str
    player: Player


def add_token(connection: Connection, *, id: str, player: str, hash: str, label: str | None, now: int) -> None:
    connection.execute(insert(tokens).values(id=id, player_id=player, hash=hash, label=label, created_at=now))


def find_by_token_hash(connection: Connection, hash: str) -> Known | None:
    """The holder of a token that is not revoked."""
    row = connection.execute(_HOLDER.where(tokens.c.hash == hash)).first()
    return None if row is None else Known(row[0], Player(*row[1:]))


def list_tokens(connection: Connection, player: str) -> list[Token]:
    """The devices of a player that may still come in, newest first."""
    mine = select(tokens.c.id, tokens.c.label, tokens.c.created_at, tokens.c.revoked_at).where(
        tokens.c.player_id == player, tokens.c.revoked_at.is_(None)
    )
    newest_first = mine.order_by(tokens.c.created_at.desc(), tokens.c.id.desc())
    return [Token(*row) for row in connection.execute(newest_first)]


def revoke(connection: Connection, player: str, token: str, now: int) -> bool:
    """Lock out one device; False where this player has no such token, or it is revoked already."""
    mine = (tokens.c.id == token, tokens.c.player_id == player, tokens.c.revoked_at.is_(None))
    return connection.execute(update(tokens).where(*mine).values(revoked_at=now)).rowcount == 1


def tokens_revoked(connection: Connection, token_ids: Sequence[str]) -> set[str]:
    """Those of these tokens that are no longer good: revoked, or gone with their player."""
    good = select(tokens.c.id).where(tokens.c.id.in_(token_ids), tokens.c.revoked_at.is_(None))
    return set(token_ids) - set(connection.execute(good).scalars())


_HOLDER = (
    select(tokens.c.id, players.c.id, players.c.name, players.c.tag, players.c.created_at)
    .join(players, players.c.id == tokens.c.player_id)
    .where(tokens.c.revoked_at.is_(None))
)
