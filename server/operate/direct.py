"""uvicorn's WebSocket with a direct line to the application beside the way of ASGI (see `server.api.direct`).

On the way of ASGI each text costs a place in a queue, a pause of reading, a task that is woken, and as many on the way
back; that is half of what a move costs in this process. What is read and how, the handshake, pings and the close all
stay uvicorn's and websockets'.
"""

from collections.abc import Callable
from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame
from websockets.http11 import Request
from websockets.protocol import OPEN

from server.api.direct import DIRECT

_TEXT = b"\x81"  # the last frame of its message, and a text (RFC 6455, 5.2)


class DirectSocket(WebSocketsSansIOProtocol):
    """One connection; it is its own `server.api.direct.Direct`."""

    _take: Callable[[str], bool] | None = None

    # -- for the application ------------------------------------------------------------------------

    def listen(self, take: Callable[[str], bool]) -> None:
        self._take = take

    def write(self, text: str) -> bool:
        if self.conn.state is not OPEN or self.close_sent or self.transport.is_closing() or not self.writable.is_set():
            return False
        data = text.encode()
        size = len(data)
        if size < 126:
            head = _TEXT + size.to_bytes(1, "big")
        elif size < 1 << 16:
            head = _TEXT + b"\x7e" + size.to_bytes(2, "big")
        else:
            head = _TEXT + b"\x7f" + size.to_bytes(8, "big")
        self.transport.write(head + data)
        return True

    # -- for uvicorn --------------------------------------------------------------------------------

    def handle_connect(self, event: Request) -> None:
        super().handle_connect(event)
        if self.response.status_code == 101:
            extensions: dict[str, Any] = self.scope["extensions"]
            extensions[DIRECT] = self

    def handle_text(self, event: Frame) -> None:
        if self._take is not None and event.fin and not self.close_sent and self.queue.empty():
            try:
                text = str(event.data, "utf-8")
            except UnicodeDecodeError:
                pass  # uvicorn closes the connection for it
            else:
                if self._take(text):
                    return
        super().handle_text(event)
