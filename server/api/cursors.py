"""Where a list goes on: base64url of the last item's sort key and id. Opaque to clients."""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import NamedTuple

from server.api.errors import ProblemError

_INSIDE = re.compile(r"(-?\d{1,19})\.([0-9a-f-]{1,64})")


class Cursor(NamedTuple):
    """The sort key and the id of the last item that was given out."""

    key: int
    id: str

    def __str__(self) -> str:
        return urlsafe_b64encode(f"{self.key}.{self.id}".encode()).rstrip(b"=").decode()


def read_cursor(text: str) -> Cursor:
    """The inverse of ``str``; raises ``invalid_cursor``.

    >>> read_cursor(str(Cursor(1796032800007, "0193796a-5c00-7000-8000-000000000000"))).key
    1796032800007
    """
    try:
        inside = _INSIDE.fullmatch(urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode("ascii"))
    except ValueError:
        inside = None
    if inside is not None:
        cursor = Cursor(int(inside[1]), inside[2])
        if str(cursor) == text and abs(cursor.key) < 2**63:
            return cursor
    raise ProblemError("invalid_cursor", "a cursor is the `next` of an earlier answer, unchanged")
