"""Somebody who is in both worlds, with the same secrets."""

from dataclasses import dataclass
from typing import Any, Self

import msgspec

from tests.contest.wire import ADDRESS, Answer
from tests.contest.world import Worlds


@dataclass(frozen=True)
class Person:
    worlds: Worlds
    id: str
    token: str
    recovery: str

    @classmethod
    async def join(cls, worlds: Worlds, *, name: str | None = None, address: str = ADDRESS) -> Self:
        """A new player."""
        made = await worlds.ask("POST", "/v1/players", body={"name": name}, address=address)
        assert made.status == 201, made
        return cls(worlds, made.json["player"]["id"], made.json["token"], made.json["recovery"])

    async def ask(self, method: str, target: str, body: Any = None, **more: Any) -> Answer:
        return await self.worlds.ask(method, target, token=self.token, body=body, **more)

    def hello(self, **more: Any) -> str:
        return msgspec.json.encode({"t": "hello", "token": self.token, **more}).decode()

    def watch(self, game: str, **more: Any) -> str:
        return msgspec.json.encode({"t": "watch", "channel": f"game:{game}", **more}).decode()
