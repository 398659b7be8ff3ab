"""What the benches say on the wire, made by hand: a client library would cost more than the server that it asks."""

UPGRADE = (
    "GET {path} HTTP/1.1\r\nHost: bench\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


def ws_frame(text: str) -> bytes:
    """A client's text frame, masked with zeros (as the protocol allows)."""
    data = text.encode()
    if len(data) < 126:
        return bytes([0x81, 0x80 | len(data)]) + b"\0\0\0\0" + data
    return bytes([0x81, 0x80 | 126]) + len(data).to_bytes(2, "big") + b"\0\0\0\0" + data


def pong(payload: bytes) -> bytes:
    """The answer to a ping, masked with zeros."""
    return bytes([0x8A, 0x80 | len(payload)]) + bytes(4) + payload


def http_request(path: str, body: str, token: str) -> bytes:
    data = body.encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer {token}\r\nContent-Length: {len(data)}\r\n\r\n"
    )
    return head.encode() + data
