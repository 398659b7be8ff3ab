"""Where a list goes on: base64url of the last item's sort key (8 bytes) and id (16 bytes). Opaque to clients.

Every text of 32 base64url characters is a place in the order; whatever else comes was never given out.
"""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Final, NamedTuple
from uuid import UUID

from server.api.errors import ProblemError

PATTERN: Final = "^[A-Za-z0-9_-]{32}$"

_is_cursor = re.compile(PATTERN[:-1]).fullmatch


class Cursor(NamedTuple):
    """The sort key (a signed 64-bit number) and the id of the last item that was given out."""

    key: int
    id: str

    def __str__(self) -> str:
        return urlsafe_b64encode(self.key.to_bytes(8, signed=True) + UUID(self.id).bytes).decode()


def read_cursor(text: str) -> Cursor:
    """The inverse of ``str``; raises ``invalid_cursor``.

    >>> read_cursor(str(Cursor(1796032800007, "0193796a-5c00-7000-8000-000000000000")))
    Cursor(key=1796032800007, id='0193796a-5c00-7000-8000-000000000000')
    """
    if _is_cursor(text) is None:
        raise ProblemError("invalid_cursor", "a cursor is the `next` of an earlier answer, unchanged")
    inside = urlsafe_b64decode(text)
    return Cursor(int.from_bytes(inside[:8], signed=True), str(UUID(bytes=inside[8:])))
