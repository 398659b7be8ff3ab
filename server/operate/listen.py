"""The socket that players connect to."""

import errno
import socket
import time

from server.operate.options import Failure
from server.settings import Settings

#: How long sent data may stay unacknowledged before the kernel gives a connection up (ms). Accepted
#: connections inherit it, so that one whose reader has stopped or vanished ends without our help (DESIGN 7).
USER_TIMEOUT_MS = 20_000

#: What the kernel keeps for a reader that does not read; accepted connections inherit it. Frames are small, so
#: no reader that reads is slowed by it, and a thousand that have stopped do not take gigabytes.
SEND_BUFFER = 128 * 1024

BACKLOG = 2048

#: A process that was killed may keep its port for a moment, though nobody answers there any more (s).
HELD_ON_S = 1.0

_WHY = {
    errno.EADDRINUSE: "it is already in use; choose another with --port",
    errno.EACCES: "this user may not listen there; ports below 1024 are root's",
    errno.EADDRNOTAVAIL: "no such address on this machine; choose another with --host",
}


def bind(settings: Settings, *, shared: bool = False) -> socket.socket:
    """A bound socket for the host and port of the settings. Raises `Failure`.

    ``shared``: several processes bind the same port, and the system spreads new connections over those that
    listen. A port that somebody already listens on is refused all the same, unless that one shares it too.
    """
    host, port = settings.host, settings.port
    try:
        family, address = _resolve(host, port)
    except OSError as error:
        raise Failure(f"cannot listen on {host}: {error.strerror}") from None
    deadline = time.monotonic() + HELD_ON_S
    while True:
        try:
            sock = _bound(family, address, shared=shared)
            break
        except OSError as error:
            if error.errno == errno.EADDRINUSE and time.monotonic() < deadline and not _is_answered(family, address):
                time.sleep(0.05)
                continue
            why = _WHY.get(error.errno or 0, error.strerror)
            raise Failure(f"cannot listen on port {port} of {host}: {why}") from None
    sock.set_inheritable(True)
    return sock


def _bound(family: socket.AddressFamily, address: tuple[object, ...], *, shared: bool) -> socket.socket:
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if shared:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, USER_TIMEOUT_MS)
        sock.bind(address)
        if not shared:
            # at once: two servers that start together could both bind, and find out only here
            sock.listen(BACKLOG)
    except OSError:
        sock.close()
        raise
    return sock


def _is_answered(family: socket.AddressFamily, address: tuple[object, ...]) -> bool:
    """Whether somebody listens there."""
    with socket.socket(family, socket.SOCK_STREAM) as sock:
        sock.settimeout(0.5)
        return sock.connect_ex(address) == 0


def url_of(host: str, sock: socket.socket) -> str:
    """Where the server is found, as one types it."""
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{sock.getsockname()[1]}"


def _resolve(host: str, port: int) -> tuple[socket.AddressFamily, tuple[object, ...]]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    # a name like localhost stands for both families; the older one is the one that every client tries
    found.sort(key=lambda info: info[0] != socket.AF_INET)
    return found[0][0], found[0][4]
