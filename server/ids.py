"""Names and secrets that the server makes: each one drawn from the entropy that it is given.

Players copy a recovery and a pairing code by hand: they are base32 (RFC 4648) as deal codes are, so that
no character has a look-alike that means something else.
"""

import os
from base64 import b32encode, urlsafe_b64encode
from collections.abc import Callable
from hashlib import blake2b
from uuid import UUID

from server.clock import Clock

_LOOK_ALIKES = str.maketrans({"0": "O", "1": "I", "8": "B", "-": None, " ": None})
_BASE32 = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
_RECOVERY = 28
_PAIRING = 8
_GROUP = 4


class Ids:
    """The source of every id and secret. A seam of ``create_app``: tests give a clock and an entropy that repeat.

    Ids of games sort by the time they were made in, also those that one process makes within a millisecond.
    """

    def __init__(self, clock: Clock, entropy: Callable[[int], bytes] = os.urandom) -> None:
        """``entropy(n)`` answers ``n`` random bytes."""
        self._clock = clock
        self._entropy = entropy
        self._at = -1
        self._count = 0
        self._request_key: bytes | None = None
        self._requests = 0

    def game(self) -> str:
        """A UUIDv7 (RFC 9562): 48 bits of milliseconds, a 12-bit counter within them, 62 random bits."""
        now = self._clock.now()
        drawn = int.from_bytes(self._entropy(10))
        if now > self._at:
            self._at = now
            # the counter starts in the lower half, so that one millisecond holds at least 2048 ids
            self._count = drawn >> 69
        else:
            self._count += 1
            if self._count > 0xFFF:
                self._at, self._count = self._at + 1, 0
        tail = drawn & ((1 << 62) - 1)
        return str(UUID(int=self._at << 80 | 7 << 76 | self._count << 64 | 0b10 << 62 | tail))

    def player(self) -> str:
        """A UUIDv4: it tells nothing, not even when the player came."""
        return str(UUID(bytes=self._entropy(16), version=4))

    def token(self) -> str:
        """A bearer token: ``mt_`` and 256 bits as 43 base64url characters."""
        return "mt_" + urlsafe_b64encode(self._entropy(32)).rstrip(b"=").decode()

    def recovery(self) -> str:
        """A recovery code of 140 bits: seven groups of four, ``ABCD-EFGH-…``; read it with `read_recovery`."""
        return _grouped(self._base32(_RECOVERY))

    def pairing(self) -> str:
        """A pairing code of 40 bits, eight characters; short-lived and counted. Read it with `read_pairing`."""
        return self._base32(_PAIRING)

    def salt(self) -> bytes:
        """The 16 bytes that hide a player's id in the log of a game."""
        return self._entropy(16)

    def request(self) -> str:
        """The id of one request, in its answer and in the logs: 16 hex digits.

        All come from one draw of entropy. To draw for each would be a system call a request, which also hands the
        interpreter lock to whoever waits for it.
        """
        if self._request_key is None:
            self._request_key = self._entropy(32)
        self._requests += 1
        return blake2b(self._requests.to_bytes(8), key=self._request_key, digest_size=8).hexdigest()

    def command(self) -> str:
        """The id of a command whose client sent none: 32 hex digits."""
        return self._entropy(16).hex()

    def _base32(self, length: int) -> str:
        return b32encode(self._entropy((length * 5 + 7) // 8)).decode()[:length]


def read_recovery(text: str) -> str | None:
    """The canonical recovery code that a person meant, or None where it is none.

    Case, spaces and hyphens do not matter, and the look-alikes 0, 1 and 8 are read as O, I and B.
    """
    plain = _plain(text, _RECOVERY)
    return None if plain is None else _grouped(plain)


def read_pairing(text: str) -> str | None:
    """The canonical pairing code that a person meant, or None; as forgiving as `read_recovery`."""
    return _plain(text, _PAIRING)


def _plain(text: str, length: int) -> str | None:
    if len(text) > 4 * length or not text.isascii():
        return None
    plain = text.strip().upper().translate(_LOOK_ALIKES)
    return plain if len(plain) == length and _BASE32.issuperset(plain) else None


def _grouped(plain: str) -> str:
    return "-".join(plain[start : start + _GROUP] for start in range(0, len(plain), _GROUP))
