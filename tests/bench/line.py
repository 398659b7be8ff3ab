"""One blocking connection of a bench: as little between the clock and the server as Python allows."""

import json
import socket
from types import TracebackType
from typing import Any, Self

from tests.bench.frames import UPGRADE, pong, ws_frame


class Line:
    """A kept HTTP connection."""

    def __init__(self, port: int, *, receive_buffer: int | None = None) -> None:
        """``receive_buffer`` (bytes): what the kernel takes in for one who does not read; its own choice if None."""
        self.socket = socket.socket()
        if receive_buffer is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(30)
        self.socket.connect(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._buffer = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: type[BaseException] | None, value: object, trace: TracebackType | None) -> None:
        self.socket.close()

    def get(self, path: str, token: str) -> bytes:
        """The body of a good answer."""
        head = f"GET {path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\n\r\n"
        self.socket.sendall(head.encode())
        lines = self._take_to(b"\r\n\r\n").lower()
        if not lines.startswith(b"http/1.1 200"):
            raise RuntimeError(f"GET {path}: {lines!r}")
        _, _, length = lines.partition(b"content-length: ")
        return self._take(int(length.partition(b"\r")[0]))

    def _take(self, size: int) -> bytes:
        while len(self._buffer) < size:
            more = self.socket.recv(65536)
            if not more:
                raise ConnectionError("the server has closed")
            self._buffer += more
        taken, self._buffer = self._buffer[:size], self._buffer[size:]
        return taken

    def _take_to(self, end: bytes) -> bytes:
        while (at := self._buffer.find(end)) < 0:
            more = self.socket.recv(65536)
            if not more:
                raise ConnectionError("the server has closed")
            self._buffer += more
        return self._take(at + len(end))


class LiveLine(Line):
    """A WebSocket that has said hello."""

    def __init__(self, port: int, token: str, *, receive_buffer: int | None = None) -> None:
        super().__init__(port, receive_buffer=receive_buffer)
        self.socket.sendall(UPGRADE.format(path="/v1/live").encode())
        self._take_to(b"\r\n\r\n")
        self.say(t="hello", token=token)
        self.hear(b'{"t":"welcome"')

    def say(self, **message: Any) -> None:
        self.socket.sendall(ws_frame(json.dumps(message)))

    def watch(self, game: str) -> bytes:
        """Watch a game: its ``state``."""
        self.say(t="watch", channel=f"game:{game}")
        return self.hear(b'{"t":"state"')

    def hear(self, kind: bytes) -> bytes:
        """The next message that begins so; others before it are passed over, save for refusals."""
        while True:
            opcode, text = self._frame()
            if opcode == 9:
                self.socket.sendall(pong(text))
            elif opcode == 8:
                raise ConnectionError(f"the server has closed: {text!r}")
            elif text.startswith(kind):
                return text
            elif text.startswith((b'{"t":"refused"', b'{"t":"resync"')):
                raise RuntimeError(text.decode())

    def _frame(self) -> tuple[int, bytes]:
        head = self._take(2)
        size = head[1]
        if size >= 126:
            size = int.from_bytes(self._take(2 if size == 126 else 8), "big")
        return head[0] & 15, self._take(size)
