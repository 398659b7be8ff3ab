"""The registry of open sockets: whatever their number, a revocation finds its own within a second."""

import asyncio
from collections.abc import Collection

from server.api.auth import Identity
from server.api.sockets import TOKENS_A_QUERY, Sockets


class Held:
    """A socket that somebody holds open."""

    def __init__(self, token: str) -> None:
        self.identity = Identity("player", token)
        self.heard_at = asyncio.get_running_loop().time()
        self.stuck = False
        self.closed: asyncio.Future[tuple[int, str]] = asyncio.get_running_loop().create_future()

    def close(self, code: int, reason: str) -> None:
        if not self.closed.done():
            self.closed.set_result((code, reason))

    def drain(self, reconnect_in_ms: int) -> None:
        raise AssertionError("nobody drains here")

    async def retire(self) -> None:
        raise AssertionError("nobody retires here")


async def test_many_tokens_are_looked_up_in_parts_and_the_revoked_ones_are_closed() -> None:
    asked: list[Collection[str]] = []
    gone = {"token3", f"token{TOKENS_A_QUERY + 7}", f"token{3 * TOKENS_A_QUERY - 1}"}

    async def revoked(tokens: Collection[str]) -> Collection[str]:
        asked.append(tokens)
        return gone & set(tokens)

    sockets = Sockets(revoked, limited=False, heartbeat_s=20)
    held = [Held(f"token{number}") for number in range(3 * TOKENS_A_QUERY)]
    assert all(map(sockets.add, held))
    sockets.start()
    async with asyncio.timeout(3):
        closed = await asyncio.gather(*(one.closed for one in held if one.identity.token in gone))
    await sockets.close()
    assert closed == [(1008, "unauthenticated")] * 3
    assert {one.identity.token for one in held if one.closed.done()} == gone
    assert max(map(len, asked)) == TOKENS_A_QUERY
    assert set().union(*asked) == {one.identity.token for one in held}
