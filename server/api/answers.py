"""What goes back: a status, headers and bytes, sent as plain ASGI messages."""

from collections.abc import AsyncIterator, Iterable
from typing import Any, Final

import msgspec
from starlette.types import Receive, Scope, Send

from server.api.errors import ProblemError

JSON: Final = b"application/json"
NDJSON: Final = b"application/x-ndjson"
PROBLEM: Final = b"application/problem+json"

# Answers belong to one player or are worth a moment only, unless a route says otherwise.
NO_STORE: Final = (b"cache-control", b"no-store")
PUBLIC: Final = (b"cache-control", b"public, max-age=300")

Headers = Iterable[tuple[bytes, bytes]]

encode: Final = msgspec.json.Encoder().encode


class Answer:
    """A whole answer. As an ASGI application it sends itself, without the body where only the head is asked for."""

    __slots__ = ("body", "headers", "media", "status")

    def __init__(
        self, body: bytes = b"", media: bytes | None = None, status: int = 200, headers: Headers = (NO_STORE,)
    ) -> None:
        self.body = body
        self.media = media
        self.status = status
        self.headers = headers

    @classmethod
    def of(cls, value: Any, status: int = 200, headers: Headers = (NO_STORE,)) -> "Answer":
        """``value`` as JSON."""
        return cls(encode(value), JSON, status, headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [*self.headers]
        if self.media is not None:
            headers.append((b"content-type", self.media))
        if self.status not in (204, 304):
            headers.append((b"content-length", b"%d" % len(self.body)))
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        body = b"" if scope["method"] == "HEAD" else self.body
        await send({"type": "http.response.body", "body": body})


class Stream:
    """An answer that is sent as it is made: ``first``, then ``parts``."""

    __slots__ = ("first", "headers", "media", "parts")

    def __init__(self, first: bytes, parts: AsyncIterator[bytes], media: bytes, headers: Headers = (NO_STORE,)) -> None:
        self.first = first
        self.parts = parts
        self.media = media
        self.headers = headers

    @classmethod
    async def begin(cls, parts: AsyncIterator[bytes], media: bytes) -> "Stream":
        """The stream of ``parts``, the first of which is made now: while its failure can still be told as a problem."""
        return cls(await anext(parts, b""), parts, media)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [*self.headers, (b"content-type", self.media)]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        if scope["method"] != "HEAD":
            await send({"type": "http.response.body", "body": self.first, "more_body": True})
            async for part in self.parts:
                await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body", "body": b""})


def problem_answer(error: ProblemError, request_id: str) -> Answer:
    """The answer that tells of a problem."""
    body = encode(error.body(request_id))
    return Answer(body, PROBLEM, error.status, [NO_STORE, *error.headers])
