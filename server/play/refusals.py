"""Why a command is not taken: one tree of errors, each with the stable code that clients read.

    Refusal
     +-- InvalidCommand   invalid_command     it cannot be read in this ruleset
     +-- IllegalCommand   illegal_move        it can be read and is not allowed now
     +-- Stale            stale               it was decided on an older state
     +-- GameOver         game_over           the game has ended
     +-- CommandIdReused  command_id_reused   the id belongs to another command
     +-- Quarantined      game_quarantined    the stored log does not verify
     +-- Unavailable      unavailable         the storage did not answer; try again

A refusal changes nothing. ``params`` is what stands beside the code on the wire.
"""

from typing import Any, ClassVar


class Refusal(Exception):
    """A command that is not taken; see the module's docstring for the tree."""

    code: ClassVar[str]

    def __init__(self, detail: str, **params: Any) -> None:
        super().__init__(detail)
        self.detail = detail
        self.params = params


class InvalidCommand(Refusal):
    """``params.reason`` is one of the four reasons of unreadable commands (RULES, "Reasons")."""

    code = "invalid_command"


class IllegalCommand(Refusal):
    """``params.reason`` and ``params.places`` come from the solitaire."""

    code = "illegal_move"


class Stale(Refusal):
    """``params.seq`` is the head; ``params.missed`` the events after the client's, or None if over 100."""

    code = "stale"


class GameOver(Refusal):
    """``params.status`` says how it ended."""

    code = "game_over"


class CommandIdReused(Refusal):
    """``params.seq`` is the event that the id belongs to."""

    code = "command_id_reused"


class Quarantined(Refusal):
    code = "game_quarantined"


class Unavailable(Refusal):
    code = "unavailable"
