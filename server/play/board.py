"""The ids of boards, and which board a game counts on.

code:HM1-N-AAAAAAB         the open board of a deal code
daily:2026-11-30:HM1-N     the board of a sealed daily
"""

from server.play.records import Header


def code_board(code: str) -> str:
    """The id of the open board of a code in its canonical form."""
    return f"code:{code}"


def daily_board(date: str, ruleset: str) -> str:
    """The id of the board of a daily; ``date`` is its UTC day, YYYY-MM-DD."""
    return f"daily:{date}:{ruleset}"


def ruleset_of(board: str) -> str:
    """The ruleset that a board is of.

    >>> ruleset_of("code:HM1-N-AAAAAAB"), ruleset_of("daily:2026-11-30:SH1-C4")
    ('HM1-N', 'SH1-C4')
    """
    kind, _, rest = board.partition(":")
    return rest.rpartition("-")[0] if kind == "code" else rest.rpartition(":")[2]


def board_of(header: Header) -> str | None:
    """The board that a game's result counts on: its code's, its daily's, or none (races, and games kept off)."""
    if not header.ranked:
        return None
    if header.purpose == "daily":
        assert header.date is not None
        return daily_board(header.date, header.ruleset)
    return code_board(header.code) if header.purpose == "open" else None
