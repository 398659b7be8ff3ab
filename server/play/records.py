"""The two things that are stored of a game: its header, and its events as exact text.

A `Record` is one row of the log, with ``data`` as the very text that was hashed. A `Header` is the row of
the game itself: what no event may carry (the player and the salt) and what routes ask without a replay.
"""

from msgspec import Struct


class Record(Struct, frozen=True, gc=False):
    """One stored event. Times are milliseconds UTC, links 64 hex digits, ``seq`` dense from 1."""

    game: str
    seq: int
    type: str
    v: int
    seat: int
    at: int
    command_id: str
    data: str
    link: str
    digest: str | None = None


class Header(Struct, frozen=True, gc=False, kw_only=True):
    """The row of one game.

    ``owner`` is the hash that stands in the log (DESIGN 5); ``salt`` (hex) and ``player`` open it and are
    None once the player has been erased. ``purpose`` is open, daily or race; ``date`` (YYYY-MM-DD) is that
    of a daily, ``until`` its end (ms) or None. ``watching`` is private, link or public. ``status`` is the
    stored projection, brought up to date only when it changes. ``command_id`` made the game, unique per player.
    """

    id: str
    code: str
    ruleset: str
    owner: str
    salt: str | None
    player: str | None
    purpose: str = "open"
    ranked: bool = True
    date: str | None = None
    race: str | None = None
    until: int | None = None
    watching: str = "private"
    status: str = "playing"
    command_id: str
    created_at: int


class Result(Struct, frozen=True, gc=False, kw_only=True):
    """What a finished game counts: every key that any ruleset ranks by, the last link, and where it counts.

    ``board`` is the id of the board that it may have a row on, or None for games that stand on none.
    ``seconds`` is the ranked time, ``finished_at`` the time of the last event (ms UTC).
    """

    game: str
    ruleset: str
    board: str | None
    won: bool
    score: int
    undos: int
    moves: int
    seconds: int
    finished_at: int
    link: str


class Outcome(Struct, frozen=True, gc=False, kw_only=True):
    """What follows from an event besides the event: written in the same transaction as it.

    ``status`` is the game's new status; ``result`` is there when the game has ended with at least one move.
    """

    game: str
    status: str
    result: Result | None = None
