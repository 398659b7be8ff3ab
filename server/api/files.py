"""Ready-made answers: a body with its ETag and its gzipped twin, made once and sent often."""

import gzip
from hashlib import sha256
from typing import Final

from starlette.types import Scope

from server.api.answers import Answer

REVALIDATE: Final = (b"cache-control", b"no-cache")
"""Kept by the client, and asked for again each time: an unchanged one costs a 304."""

# Nothing from elsewhere, and no script that does not stand in a file of its own.
PAGE_POLICY: Final = [
    (
        b"content-security-policy",
        b"default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'self'; "
        b"frame-ancestors 'none'",
    ),
    (b"referrer-policy", b"no-referrer"),
]
_SQUEEZED: Final = ("text/", "application/json", "image/svg+xml", "application/manifest+json")
_WORTH_IT: Final = 512


class File:
    """Something to send as it is: ``media`` is its content type."""

    def __init__(self, body: bytes, media: str) -> None:
        self.body = body
        self.media = media
        self._etag = sha256(body).hexdigest()[:24]
        self._gzipped: bytes | None = None
        if len(body) >= _WORTH_IT and media.startswith(_SQUEEZED):
            squeezed = gzip.compress(body, mtime=0)
            self._gzipped = squeezed if len(squeezed) < len(body) else None

    def answer(self, scope: Scope) -> Answer:
        """The file, gzipped where the client takes it, or 304 where the client has it."""
        accepted = known = b""
        for name, value in scope["headers"]:
            if name == b"accept-encoding":
                accepted = value
            elif name == b"if-none-match":
                known = value
        squeezed = self._gzipped is not None and _takes_gzip(accepted)
        etag = f'"{self._etag}{"-gzip" if squeezed else ""}"'.encode()
        headers = [REVALIDATE, (b"etag", etag)]
        if self._gzipped is not None:
            headers.append((b"vary", b"Accept-Encoding"))
        if self.media.startswith(("text/html", "image/svg+xml")):
            headers += PAGE_POLICY
        if etag in known or known.strip() == b"*":
            return Answer(status=304, headers=headers)
        if squeezed:
            assert self._gzipped is not None
            return Answer(self._gzipped, self.media.encode(), headers=[*headers, (b"content-encoding", b"gzip")])
        return Answer(self.body, self.media.encode(), headers=headers)


def _takes_gzip(accepted: bytes) -> bool:
    for one in accepted.lower().split(b","):
        coding, _, weight = one.partition(b";")
        if coding.strip() == b"gzip":
            return weight.replace(b" ", b"") not in (b"q=0", b"q=0.0", b"q=0.00", b"q=0.000")
    return False
