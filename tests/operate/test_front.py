"""nginx with the file that docker-compose.yml gives it: a real one, before upstreams that note what reaches them."""

import asyncio
import json
import re
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from server.api.errors import PROBLEMS
from server.api.history import LONGEST_WAIT_S
from server.api.sockets import SILENT_AFTER
from server.settings import Settings
from server.store.postgres_database import COMMAND_S
from tests.parts.absent import Absent
from tests.parts.front import FILE, front
from tests.parts.nginx import Nginx
from tests.parts.ports import free_port


class Seen(NamedTuple):
    """A request as it reached the upstream."""

    line: str
    headers: dict[str, str]
    body: bytes


class Upstream:
    """Notes what it is asked, and answers 200; or hangs up before it answers, so many times."""

    def __init__(self) -> None:
        self.seen: list[Seen] = []
        self.hang_ups = 0
        self.port = 0

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield
        finally:
            server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
            body = await reader.readexactly(int(headers.get("content-length", "0")))
            self.seen.append(Seen(head[0], headers, body))
            if self.hang_ups:
                self.hang_ups -= 1
            else:
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
        except asyncio.IncompleteReadError:
            pass
        finally:
            writer.close()


@pytest.fixture
async def upstreams() -> AsyncIterator[list[Upstream]]:
    one, two = Upstream(), Upstream()
    async with one.listening(), two.listening():
        yield [one, two]


@pytest.fixture
async def nginx(upstreams: list[Upstream]) -> AsyncIterator[Nginx]:
    try:
        running = await asyncio.to_thread(front, *(upstream.port for upstream in upstreams))
    except Absent as absent:
        pytest.skip(str(absent))
    yield running
    await asyncio.to_thread(running.__exit__)


class Told(NamedTuple):
    status: int
    headers: dict[str, str]
    body: str


async def say(nginx: Nginx, line: str, *headers: str, body: str = "") -> Told:
    """Send a request as it stands, and read the answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", nginx.port)
    try:
        given = [line, *headers, f"Content-Length: {len(body)}", "Connection: close", "", body]
        writer.write("\r\n".join(given).encode())
        head, _, text = (await reader.read()).decode().partition("\r\n\r\n")
    finally:
        writer.close()
    status, *lines = head.split("\r\n")
    return Told(
        int(status.split()[1]),
        {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)},
        text,
    )


def is_problem(told: Told, code: str) -> bool:
    """Whether nginx has said it as the server would."""
    problem = json.loads(told.body)
    assert set(problem) == {"type", "title", "status", "code", "detail", "params", "request_id"}
    assert told.headers["content-type"] == "application/problem+json"
    assert told.headers["access-control-allow-origin"] == "*"
    kind = PROBLEMS[code]
    return (problem["code"], problem["type"], problem["title"]) == (code, f"/problems/{code}", kind.title) and (
        told.status == problem["status"] == kind.status
    )


def test_the_whole_file_is_one_that_nginx_takes(nginx: Nginx, tmp_path: Path) -> None:
    words = [nginx.process.command[0], "-t", "-p", str(tmp_path), "-c", str(FILE)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


async def test_nginx_tells_the_clients_address_itself(nginx: Nginx, upstreams: list[Upstream]) -> None:
    told = await say(
        nginx,
        "GET /v1/rulesets HTTP/1.1",
        "Host: cards.example:8000",
        "X-Forwarded-For: 203.0.113.9, 10.0.0.1",
        "Forwarded: for=203.0.113.9",
        "X-Forwarded-Proto: https",
    )
    (seen,) = upstreams[0].seen + upstreams[1].seen
    assert told.status == 200
    assert seen.headers["x-forwarded-for"] == "127.0.0.1"
    assert seen.headers["x-forwarded-proto"] == "http"
    assert seen.headers["host"] == "cards.example:8000"
    assert "forwarded" not in seen.headers


async def test_nginx_passes_an_upgrade_on_and_keeps_other_connections(nginx: Nginx, upstreams: list[Upstream]) -> None:
    upgrade = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="]
    await say(nginx, "GET /v1/live HTTP/1.1", "Host: x", *upgrade)
    await say(nginx, "GET /v1/rulesets HTTP/1.1", "Host: x")
    seen = {one.line: one.headers for one in upstreams[0].seen + upstreams[1].seen}
    live, plain = seen["GET /v1/live HTTP/1.1"], seen["GET /v1/rulesets HTTP/1.1"]
    assert (live["upgrade"], live["connection"]) == ("websocket", "upgrade")
    assert "upgrade" not in plain and "connection" not in plain


BODY = '{"command_id":"a","do":"undo"}'


async def test_a_command_whose_process_hangs_up_is_sent_to_another(nginx: Nginx, upstreams: list[Upstream]) -> None:
    upstreams[0].hang_ups = 1
    told = [await say(nginx, "POST /v1/games/0190/commands HTTP/1.1", "Host: x", body=BODY) for _ in range(2)]
    assert [one.status for one in told] == [200, 200]
    assert [len(upstream.seen) for upstream in upstreams] == [1, 2]
    assert {one.body.decode() for upstream in upstreams for one in upstream.seen} == {BODY}


@pytest.mark.parametrize("path", ["/v1/games", "/v1/games/0190/commands/more"])
async def test_nothing_else_that_writes_is_sent_twice(nginx: Nginx, upstreams: list[Upstream], path: str) -> None:
    upstreams[0].hang_ups = upstreams[1].hang_ups = 1
    told = await say(nginx, f"POST {path} HTTP/1.1", "Host: x", body=BODY)
    assert is_problem(told, "unavailable") and told.headers["retry-after"] == "1"
    assert sum(len(upstream.seen) for upstream in upstreams) == 1


async def test_what_nginx_says_itself_has_the_form_of_everything_else(nginx: Nginx, upstreams: list[Upstream]) -> None:
    assert is_problem(await say(nginx, "GET /metrics HTTP/1.1", "Host: x"), "not_found")
    assert is_problem(await say(nginx, "POST /v1/games HTTP/1.1", "Host: x", body="x" * 1_100_000), "too_large")
    assert is_problem(await say(nginx, "GET /v1/rulesets HTTP/1.1"), "invalid_query")  # no Host
    assert is_problem(await say(nginx, f"GET /{'x' * 40_000} HTTP/1.1", "Host: x"), "invalid_query")
    assert is_problem(await say(nginx, "GET / HTTP/1.1", "Host: x", f"X: {'x' * 40_000}"), "invalid_query")
    assert upstreams[0].seen == upstreams[1].seen == []


async def test_with_no_server_nginx_says_unavailable_and_when_to_come_again() -> None:
    try:
        running = await asyncio.to_thread(front, free_port(), free_port())
    except Absent as absent:
        pytest.skip(str(absent))
    with running:
        for line in ("GET /v1/rulesets HTTP/1.1", "POST /v1/games HTTP/1.1"):
            told = await say(running, line, "Host: x")
            assert is_problem(told, "unavailable") and told.headers["retry-after"] == "1"


def seconds(block: str, name: str) -> float:
    (found,) = re.findall(rf"\b{name} (\d+)s;", block)
    return float(found)


def test_nginx_waits_longer_than_a_silent_socket_a_long_poll_and_a_slow_database() -> None:
    text = FILE.read_text()
    live = text.partition("location = /v1/live {")[2].partition("}")[0]
    general = text.partition("server {")[2].partition("location")[0]
    assert seconds(live, "proxy_read_timeout") > SILENT_AFTER * Settings().heartbeat_s
    assert seconds(general, "proxy_read_timeout") > max(LONGEST_WAIT_S, COMMAND_S)
