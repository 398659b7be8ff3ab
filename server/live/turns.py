"""Whose turn it is on a game: commands are handled one after another, in the order in which they came.

A turn outlives the one who took it: it is given on when the command's append is decided, even if the
handler that waited for it has been cancelled meanwhile.
"""

import asyncio
from collections import deque


class Turns:
    """First come, first served, for each game by itself."""

    def __init__(self) -> None:
        self._waiting: dict[str, deque[asyncio.Future[None]] | None] = {}
        """The games whose turn is somebody's, each with those who wait for it, if there ever were any."""

    def __len__(self) -> int:
        return len(self._waiting)

    def take_now(self, game: str) -> bool:
        """Take the turn if it is nobody's; `give` must follow, once."""
        if game in self._waiting:
            return False
        self._waiting[game] = None
        return True

    async def take(self, game: str) -> None:
        """Wait for one's turn on a game; `give` must follow, once."""
        if self.take_now(game):
            return
        queue = self._waiting[game]
        if queue is None:
            queue = self._waiting[game] = deque()
        turn = asyncio.get_running_loop().create_future()
        queue.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.give(game)  # it was ours in the same moment: the next one's now
            raise

    def give(self, game: str) -> None:
        """Give the turn to the one who has waited longest."""
        queue = self._waiting[game]
        while queue:
            turn = queue.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        del self._waiting[game]
