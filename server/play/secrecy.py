"""What nobody may know yet: one question, asked by every route, frame, export, log and picture.

A daily is sealed until its close, a race while it runs. Until then a view says no code, ``dealt`` says no
cards, there are no links and no receipt, after the player's own attempt is over as before. In an open
game the code gives the deal away by design.
"""

from typing import Any, Final

from server.play.records import Header

FOREVER: Final = 2**62
"""A time that never comes: a race's seal while the race runs."""


def sealed_until(header: Header, *, race_over: bool = False) -> int | None:
    """When the game's secrets come out: None (open), a time in ms UTC, or `FOREVER` while its race runs."""
    if header.purpose == "daily":
        return header.until
    if header.purpose == "race":
        return None if race_over else FOREVER
    return None


def is_sealed(header: Header, now: int, *, race_over: bool = False) -> bool:
    """Whether the game's secrets are still kept at ``now`` (ms UTC)."""
    until = sealed_until(header, race_over=race_over)
    return until is not None and now < until


def sealed_dealt(header: Header) -> dict[str, Any]:
    """What ``dealt`` may say while sealed; ``until`` in ms UTC."""
    return {"code": None, "purpose": header.purpose, "until": header.until}
