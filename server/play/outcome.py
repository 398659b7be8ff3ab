"""What follows from an event: pure, from the game's header and the state before and after it.

A plain move changes no status and has no outcome: it touches the log alone. A game that ends with at
least one move or undo behind it makes a result; one that was never moved in makes none.
"""

from server.play.board import board_of
from server.play.playthrough import Playthrough
from server.play.records import Header, Outcome, Result


def outcome(header: Header, before: Playthrough | None, after: Playthrough) -> Outcome | None:
    """The outcome of the event between the two playthroughs, or None when the status stays as it was."""
    if after.status == (before.status if before else "playing"):
        return None
    return Outcome(game=header.id, status=after.status, result=result(header, after))


def result(header: Header, playthrough: Playthrough) -> Result | None:
    """What an ended game counts, or None while it runs or if nobody ever moved in it."""
    if not playthrough.ended or playthrough.acted_at is None:
        return None
    return Result(
        game=playthrough.game,
        ruleset=header.ruleset,
        board=board_of(header),
        won=playthrough.status == "won",
        score=playthrough.state.score,
        undos=playthrough.undos,
        moves=playthrough.state.moves,
        seconds=seconds(playthrough),
        finished_at=playthrough.at,
        link=playthrough.link,
    )


def seconds(playthrough: Playthrough) -> int:
    """Ranked time: whole seconds from the deal to the last move or undo; 0 without one (DESIGN 9)."""
    if playthrough.acted_at is None:
        return 0
    return (playthrough.acted_at - playthrough.started_at) // 1000
