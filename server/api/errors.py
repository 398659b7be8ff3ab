"""Everything that can go wrong for a client: RFC 9457 problems, each with a stable code.

A handler raises `ProblemError` with a code of `PROBLEMS`; floors below raise a `Refusal` or a `StoreError`,
which `as_problem` translates. A page under ``/problems/`` and a line of ``docs/errors.md`` stand for each code.
"""

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from msgspec import UNSET, Struct, UnsetType

from server.play.refusals import Refusal
from server.store.errors import StoreUnavailable

RETRY_AFTER_S: Final = 1
"""What 503 says of when to try again, in seconds."""


class Kind(NamedTuple):
    """One code: its HTTP status, its title, and what it means to the one who gets it."""

    status: int
    title: str
    meaning: str


PROBLEMS: Final[dict[str, Kind]] = {
    "invalid_code": Kind(
        400, "Invalid code", "The deal code cannot be read; `params.part` is the first part of it that fails."
    ),
    "invalid_body": Kind(400, "Invalid body", "The body is not what this route takes; `errors` says where."),
    "invalid_query": Kind(
        400, "Invalid query", "A query parameter is unknown or cannot have this value; `params.name` names it."
    ),
    "invalid_cursor": Kind(400, "Invalid cursor", "A cursor must be the `next` of an earlier answer, unchanged."),
    "invalid_command": Kind(
        400, "Invalid command", "The command cannot be read in this ruleset; `params.reason` says why."
    ),
    "unauthenticated": Kind(
        401, "Unauthenticated", "A valid bearer token is needed: there was none, or a malformed or revoked one."
    ),
    "forbidden": Kind(403, "Forbidden", "This may be seen with this token, but not changed."),
    "not_found": Kind(404, "Not found", "There is nothing here, or nothing that may be seen with this token."),
    "method_not_allowed": Kind(
        405, "Method not allowed", "The route does not know this method; `Allow` lists those it knows."
    ),
    "stale": Kind(
        409,
        "Stale",
        "The command was decided on an older state. `params.seq` is the newest event, `params.missed` the events"
        " since `after`, or null when there are more than 100.",
    ),
    "game_over": Kind(409, "Game over", "The game has ended and takes no command; `params.status` says how."),
    "command_id_reused": Kind(
        409, "Command id reused", "This `command_id` belongs to another command; a new command needs a new one."
    ),
    "sealed": Kind(409, "Sealed", "Not to be told before `params.until` (null: no time is known)."),
    "not_finished": Kind(409, "Not finished", "There is none before the game has ended."),
    "not_open_yet": Kind(409, "Not open yet", "It can be started from `params.opens_at` on."),
    "starts_closed": Kind(409, "Starts closed", "The last start was at `params.last_start_at`."),
    "too_large": Kind(413, "Too large", "The body is larger than `params.limit` bytes."),
    "unsupported_media_type": Kind(
        415, "Unsupported media type", "Bodies are JSON: send `Content-Type: application/json`."
    ),
    "illegal_move": Kind(
        422, "Illegal move", "The command can be read and is not allowed now; `params.reason` says why."
    ),
    "too_many_requests": Kind(429, "Too many requests", "Slow down: try again after `Retry-After` seconds."),
    "internal": Kind(500, "Internal error", "A fault of the server. It is logged under `request_id`."),
    "unavailable": Kind(
        503,
        "Unavailable",
        "The storage did not answer. Send the same again, `command_id` and all, after `Retry-After`.",
    ),
    "game_quarantined": Kind(
        503, "Game quarantined", "The stored log of this game does not verify; an operator has to look at it."
    ),
}


class FieldError(Struct, frozen=True):
    """One fault in a body: a JSON pointer (RFC 6901) to it, and what is wrong there."""

    pointer: str
    detail: str


class Problem(Struct, frozen=True, kw_only=True):
    """What went wrong, as RFC 9457 has it. Programs read ``code`` and ``params``, people the rest."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    params: dict[str, Any]
    request_id: str
    errors: list[FieldError] | UnsetType = UNSET


class ProblemError(Exception):
    """A request that is not answered with what it asked for. ``code`` is one of `PROBLEMS`."""

    def __init__(
        self,
        code: str,
        detail: str,
        *,
        errors: Iterable[FieldError] = (),
        headers: Iterable[tuple[bytes, bytes]] = (),
        **params: Any,
    ) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.params = params
        self.errors = list(errors)
        self.headers = list(headers)

    @property
    def status(self) -> int:
        return PROBLEMS[self.code].status

    def body(self, request_id: str) -> Problem:
        """The problem as it goes out."""
        kind = PROBLEMS[self.code]
        return Problem(
            type="/problems/" + self.code,
            title=kind.title,
            status=kind.status,
            code=self.code,
            detail=self.detail,
            params=self.params,
            request_id=request_id,
            errors=self.errors or UNSET,
        )


def not_found() -> ProblemError:
    """One answer for what is not there and for what is not yours, so that the two cannot be told apart."""
    return ProblemError("not_found", "there is nothing here that this token may see")


def too_many(seconds: int, detail: str) -> ProblemError:
    return ProblemError("too_many_requests", detail, headers=[(b"retry-after", str(seconds).encode())])


def as_problem(error: Exception) -> ProblemError | None:
    """The problem that an error means, or None for a fault of our own."""
    if isinstance(error, ProblemError):
        return error
    retry = [(b"retry-after", str(RETRY_AFTER_S).encode())]
    if isinstance(error, Refusal):
        headers = retry if PROBLEMS[error.code].status == 503 else []
        return ProblemError(error.code, error.detail, headers=headers, **error.params)
    if isinstance(error, StoreUnavailable):
        return ProblemError("unavailable", "the storage does not answer; try again", headers=retry)
    return None


def problem_for(code: str, detail: str, params: dict[str, Any], request_id: str = "") -> Problem:
    """A problem that no exception stands for, as a socket tells it."""
    return ProblemError(code, detail, **params).body(request_id)
