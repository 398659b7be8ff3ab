"""Who may see a game: one question for HTTP, WebSocket, exports and pictures (DESIGN 8, "Access")."""

from server.play.records import Header
from server.play.secrecy import is_sealed


def may_play(header: Header, player: str | None) -> bool:
    """Only its player acts on a game."""
    return player is not None and header.player == player


def may_read(header: Header, player: str | None, *, now: int, race_over: bool = False, on_board: bool = False) -> bool:
    """Whether ``player`` (None: nobody in particular) may see the game at ``now`` (ms UTC).

    A sealed game is its player's alone, whatever its watching policy says. ``on_board``: it has had a row on a board,
    so that everybody may see it, whatever the policy says.
    """
    if may_play(header, player):
        return True
    if is_sealed(header, now, race_over=race_over):
        return False
    return on_board or header.watching in ("link", "public")
