"""A crowd of watchers in a process of its own: ``python -m tests.bench.crowd PORT TOKEN GAME WATCHERS``.

It says ``ready`` when all of them watch. Each line on standard input is then answered by one of JSON: what has been
heard since the last. Frames are told apart by their first bytes and never decoded; the share of a core that the crowd
has used is part of the report, so that it can be seen not to be what limits.
"""

import asyncio
import json
import os
import sys
from time import perf_counter, process_time
from typing import Any

from tests.bench.frames import UPGRADE, pong, ws_frame

_UPGRADE = UPGRADE.format(path="/v1/live").encode()
_EVENT = b'{"t":"event"'
_PING = ws_frame('{"t":"ping"}')


class Crowd:
    """What all watchers have heard: ``last`` is when (s) the slowest heard each event that all have heard."""

    def __init__(self, size: int, game: str) -> None:
        self.size = size
        self.seq_at = len(f'{{"t":"event","channel":"game:{game}","seq":')
        self.last: dict[int, float] = {}
        self.frames = 0
        self.watching = 0
        self.everybody = asyncio.Event()
        self._heard: dict[int, int] = {}
        self._since = (perf_counter(), process_time())

    def arrived(self) -> None:
        self.watching += 1
        if self.watching == self.size:
            self.everybody.set()

    def heard(self, seq: int) -> None:
        self.frames += 1
        number = self._heard.get(seq, 0) + 1
        if number == self.size:
            self._heard.pop(seq, None)
            self.last[seq] = perf_counter()
        else:
            self._heard[seq] = number

    def report(self) -> str:
        now = (perf_counter(), process_time())
        told = {
            "last": self.last,
            "missing": len(self._heard),
            "frames": self.frames,
            "cpu_s": now[1] - self._since[1],
            "busy": (now[1] - self._since[1]) / (now[0] - self._since[0]),
        }
        self.last, self._heard, self.frames, self._since = {}, {}, 0, now
        return json.dumps(told)


class Watcher(asyncio.Protocol):
    """One of the crowd."""

    def __init__(self, crowd: Crowd, first_words: bytes) -> None:
        self._crowd = crowd
        self._first_words = first_words
        self._buffer = b""
        self._open = False

    def connection_made(self, transport: Any) -> None:  # uvloop's is no asyncio.Transport by name
        self._transport = transport
        transport.write(_UPGRADE)

    def data_received(self, data: bytes) -> None:
        if self._buffer:
            data = self._buffer + data
        if not self._open:
            _, found, rest = data.partition(b"\r\n\r\n")
            if not found:
                self._buffer = data
                return
            self._open, data = True, rest
            self._transport.write(self._first_words)
        at, end = 0, len(data)
        while end - at >= 4:
            size = data[at + 1]
            body = at + 2
            if size == 126:
                size = data[at + 2] << 8 | data[at + 3]
                body = at + 4
            if end - body < size:
                break
            if data.startswith(_EVENT, body):
                number = body + self._crowd.seq_at
                self._crowd.heard(int(data[number : data.index(b",", number)]))
            elif data[at] & 15 == 9:
                # the answer to the server's own ping, and the one that a client sends by itself
                self._transport.write(pong(data[body : body + size]) + _PING)
            elif data.startswith(b'{"t":"state"', body):
                self._crowd.arrived()
            elif data.startswith((b'{"t":"resync"', b'{"t":"refused"'), body) or data[at] & 15 == 8:
                give_up(f"a watcher was given up: {data[body : body + size]!r}")
            at = body + size
        self._buffer = data[at:]

    def connection_lost(self, error: Exception | None) -> None:
        give_up(f"a watcher lost its connection: {error}")


def give_up(why: str) -> None:
    """End at once: what was measured is worth nothing."""
    print(why, file=sys.stderr, flush=True)
    os._exit(1)


async def watch(port: str, token: str, game: str, watchers: str) -> None:
    loop = asyncio.get_running_loop()
    crowd = Crowd(int(watchers), game)
    hello = ws_frame(json.dumps({"t": "hello", "token": token}))
    follow = ws_frame(json.dumps({"t": "watch", "channel": f"game:{game}"}))
    for _ in range(crowd.size):
        await loop.create_connection(lambda: Watcher(crowd, hello + follow), "127.0.0.1", int(port))
    async with asyncio.timeout(60):
        await crowd.everybody.wait()
    print("ready", flush=True)
    asked: asyncio.Queue[str] = asyncio.Queue()
    loop.add_reader(0, lambda: asked.put_nowait(sys.stdin.readline()))
    while await asked.get():
        print(crowd.report(), flush=True)


def main() -> None:
    import uvloop

    uvloop.run(watch(*sys.argv[1:]))


if __name__ == "__main__":
    main()
