"""The games that are kept folded in memory: bounded, least recently used out first.

The cache is never the truth: whatever is dropped comes back by replaying its log. Several requests for a
game that is not here share one replay.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable

from server.play.playthrough import Playthrough
from server.play.records import Header


class Cached:
    """One game in memory: its newest playthrough, the ids of the commands that made its events (with
    their seq), and whether an append is under way."""

    __slots__ = ("committing", "header", "playthrough", "seen")

    def __init__(self, header: Header, playthrough: Playthrough, seen: dict[str, int]) -> None:
        self.header = header
        self.playthrough = playthrough
        self.seen = seen
        self.committing = False


class Cache:
    """At most ``bound`` games, save for those with an append under way, which stay until it is done."""

    def __init__(self, bound: int) -> None:
        self.bound = bound
        self._games: OrderedDict[str, Cached] = OrderedDict()
        self._loading: dict[str, asyncio.Task[Cached | None]] = {}

    def __len__(self) -> int:
        return len(self._games)

    def __contains__(self, game_id: str) -> bool:
        """Whether the game is here, or being read."""
        return game_id in self._games or game_id in self._loading

    def get(self, game_id: str) -> Cached | None:
        cached = self._games.get(game_id)
        if cached is not None:
            self._games.move_to_end(game_id)
        return cached

    def put(self, cached: Cached) -> None:
        self._games[cached.header.id] = cached
        self.trim()

    def hold(self, cached: Cached) -> None:
        """Keep a game that an append is under way for, until it is released."""
        cached.committing = True
        if self._games.get(cached.header.id) is not cached:
            self.put(cached)

    def release(self, cached: Cached) -> None:
        """The append is done; what is beyond the bound may go again."""
        cached.committing = False
        if len(self._games) > self.bound:
            self.trim()

    def drop(self, game_id: str) -> None:
        self._games.pop(game_id, None)

    def of_player(self, player: str) -> list[Cached]:
        return [cached for cached in self._games.values() if cached.header.player == player]

    def trim(self) -> None:
        """Drop the least recently used beyond the bound."""
        excess = len(self._games) - self.bound
        if excess > 0:
            idle = (game_id for game_id, cached in self._games.items() if not cached.committing)
            for game_id in [next(idle, None) for _ in range(excess)]:
                if game_id is not None:
                    del self._games[game_id]

    async def load(self, game_id: str, read: Callable[[str], Awaitable[Cached | None]]) -> Cached | None:
        """The game, read once however many ask at the same time; None if there is none."""
        task = self._loading.get(game_id)
        if task is None:
            task = self._loading[game_id] = asyncio.create_task(self._load(game_id, read))
        return await asyncio.shield(task)

    async def _load(self, game_id: str, read: Callable[[str], Awaitable[Cached | None]]) -> Cached | None:
        try:
            cached = await read(game_id)
        finally:
            del self._loading[game_id]  # before the task is done: what it came to is nobody else's answer
        if cached is not None:
            known = self._games.get(game_id)
            if known is not None:
                return known
            self.put(cached)
        return cached
