"""The load tells the truth: what had to wait shows it, what is refused is no answer, and pings are answered."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.bench import load
from tests.bench.frames import pong, ws_frame

GOOD, BAD = b"\x81\x04good", b"\x81\x03bad"
SAID = ws_frame("say")

Answer = Callable[[int, asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def server(answer: Answer) -> AsyncIterator[int]:
    """The port of one that answers each message in this way; it is told how many came before."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 101 Switching Protocols\r\n\r\n")
            number = 0
            while await reader.readexactly(len(SAID)) == SAID:
                await answer(number, reader, writer)
                number += 1
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    running = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield running.sockets[0].getsockname()[1]
    finally:
        running.close()


def plan(port: int, messages: int, **more: Any) -> dict[str, Any]:
    some = {"kind": "ws", "port": port, "path": "/", "openings": [], "answer": "good", "seconds": 5}
    return {**some, "messages": [["say"] * messages], **more}


async def one_stalls(number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    if number == 5:
        await asyncio.sleep(0.3)
    writer.write(GOOD)


async def test_a_pause_of_the_server_is_in_the_time_of_all_that_were_due_in_it() -> None:
    async with server(one_stalls) as port:
        paced = await load.run(plan(port, 40, rate=100, seconds=0.4))
        in_turn = await load.run(plan(port, 40))
    assert paced["answers"] == in_turn["answers"] == 40
    assert in_turn["p50_ms"] < 50 < paced["p50_ms"] and in_turn["p99_ms"] > 290


async def test_what_is_no_good_answer_ends_the_run() -> None:
    async def refuse_the_third(number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(BAD if number == 2 else GOOD)

    async with server(refuse_the_third) as port:
        with pytest.raises(RuntimeError, match="bad"):
            await load.run(plan(port, 40))


async def test_a_connection_that_is_closed_ends_the_run() -> None:
    async def close(number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    async with server(close) as port:
        with pytest.raises(RuntimeError, match="lost"):
            await load.run(plan(port, 40))


async def test_a_ping_is_answered_whether_it_comes_alone_or_with_an_answer() -> None:
    async def ping(number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for way in ([b"\x89\x02hi"], [b"\x89\x00"], [b"\x89\x01", b"a"])[number]:
            writer.write(way)
            await asyncio.sleep(0.01)
        for payload in ([b"hi"], [b""], [b"a"])[number]:
            assert await reader.readexactly(len(pong(payload))) == pong(payload)
        writer.write(b"\x89\x02hi" + GOOD if number == 2 else GOOD)

    async with server(ping) as port:
        assert (await load.run(plan(port, 3)))["answers"] == 3


async def test_more_messages_than_there_are_cannot_be_due() -> None:
    async with server(one_stalls) as port:
        with pytest.raises(RuntimeError, match="more messages"):
            await load.run(plan(port, 4, rate=100, seconds=0.3))
