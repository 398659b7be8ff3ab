"""Free ports of this machine."""

import random
import socket

# below the range from which Linux takes the ports of outgoing connections, so that none of those gets in between
_RANGE = range(20_000, 32_000)


def free_port() -> int:
    """A TCP port of 127.0.0.1 that nobody has just now."""
    for port in random.sample(_RANGE, 200):
        with socket.socket() as sock:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                sock.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise OSError("no free port found")
