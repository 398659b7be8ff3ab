"""What a server may offer beside ASGI: the way of a text to and from one socket, without a queue and a task between.

It stands in the scope of a WebSocket, under ``extensions``, as ASGI provides for what only some servers have. Our own
has it (`server.operate.direct`); the application does the same, more slowly, without.
"""

from collections.abc import Callable
from typing import Final, Protocol

DIRECT: Final = "moontide.direct"


class Direct(Protocol):
    """The direct line to one client."""

    def listen(self, take: Callable[[str], bool]) -> None:
        """Ask ``take`` with each text that arrives while nothing waits to be received. Where it says no, and has done
        nothing, the text is received as ever."""
        ...

    def write(self, text: str) -> bool:
        """Send a text at once; False, and nothing is sent, while the client has much to read, and before and after
        the connection."""
        ...
