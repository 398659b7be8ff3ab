"""Who asks: bearer tokens, known to the server only by their hash.

    Authorization: Bearer mt_…

A token that was found is remembered for a second at most, so a revocation holds everywhere within that time
and a busy client costs one look-up a second.
"""

import re
import time
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

from server.api.errors import ProblemError
from server.store.secrets import secret_hash

REMEMBERED_S: Final = 1.0
"""How long a token that was found counts as valid without asking again."""

_TOKEN = re.compile(r"mt_[A-Za-z0-9_-]{43}")
_CHALLENGE = (b"www-authenticate", b'Bearer realm="moontide"')


class Identity(NamedTuple):
    """Whose token it is, and which of the player's tokens (its id, not the secret)."""

    player: str
    token: str


def bearer(header: bytes) -> str:
    """The token of an ``Authorization`` header; raises ``unauthenticated`` for any other kind of credentials."""
    scheme, _, token = header.partition(b" ")
    if scheme.lower() != b"bearer":
        raise unauthenticated("authenticate with Authorization: Bearer and a token")
    return token.strip().decode("latin-1")


def unauthenticated(detail: str) -> ProblemError:
    return ProblemError("unauthenticated", detail, headers=[_CHALLENGE])


def token_needed() -> ProblemError:
    return unauthenticated("this needs a token: Authorization: Bearer mt_…")


class Tokens:
    """Finds out whose a token is. ``find`` looks up the hash of one in the database."""

    def __init__(
        self,
        find: Callable[[str], Awaitable[Identity | None]],
        *,
        now: Callable[[], float] = time.monotonic,
        at_most: int = 10_000,
    ) -> None:
        self._find = find
        self._now = now
        self._bound = at_most
        self._known: dict[str, tuple[Identity, float]] = {}

    async def identify(self, token: str) -> Identity | None:
        """Whose token it is; None for one that is malformed, unknown or revoked."""
        hashed, now = secret_hash(token), self._now()
        remembered = self._known.get(hashed)
        if remembered is not None and now < remembered[1]:
            return remembered[0]
        if _TOKEN.fullmatch(token) is None:
            return None
        identity = await self._find(hashed)
        if identity is None:
            self._known.pop(hashed, None)
            return None
        if len(self._known) >= self._bound:
            self._known.clear()
        self._known[hashed] = (identity, now + REMEMBERED_S)
        return identity

    def forget(self, *, player: str, token: str | None = None) -> None:
        """Ask again about a player's tokens, or about that one of them: at once, not after `REMEMBERED_S`."""
        gone = [
            hashed
            for hashed, (identity, _) in self._known.items()
            if identity.player == player and token in (None, identity.token)
        ]
        for hashed in gone:
            del self._known[hashed]
