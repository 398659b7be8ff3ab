"""How a server starts, what it says when it cannot, and how it ends: real processes, as an operator starts them."""

import json
import os
import re
import signal
import socket
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from server.store.migrate import upgrade
from tests.parts.ports import free_port
from tests.parts.postgres import Postgres
from tests.parts.server_process import ServerProcess


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite database that is up to date, as after the first start."""
    path = tmp_path_factory.mktemp("door") / "games.db"
    upgrade(f"sqlite:///{path}")
    return path


def refusal(server: ServerProcess) -> str:
    """What a server that must not start says: exactly one line, and exit code 1."""
    assert server.wait(20) == 1, server.output()
    (line,) = server.output().splitlines()
    assert line.startswith("moontide: ")
    return line.removeprefix("moontide: ")


# starting


def test_the_first_start_makes_the_database_and_says_where_it_serves(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "games.db"
    with ServerProcess(path).wait_ready() as server:
        assert path.exists()
        assert server.output() == f"Moontide is ready at {server.url} (database sqlite:///{path}). Ctrl-C ends it.\n"


def test_a_later_start_is_ready_in_under_two_seconds(database: Path) -> None:
    times = []
    for _ in range(3):
        before = time.monotonic()
        with ServerProcess(database).wait_ready() as server:
            times.append(time.monotonic() - before - server.process.waited_for_a_core())
    assert min(times) < 2.0


def test_without_a_command_it_serves(database: Path) -> None:
    with ServerProcess(database, command=()).wait_ready() as server:
        assert server.request("GET", "/healthz")[0] == 200


def test_port_zero_takes_a_free_one_and_tells_it(database: Path) -> None:
    with ServerProcess(database, "--port", "0") as server:
        server.process.wait_until(lambda: "Moontide is ready" in server.output())
        found = re.search(r"http://127\.0\.0\.1:(\d+)", server.output())
        assert found
        server.port = int(found[1])
        assert server.is_ready()


# refusing to start


def test_a_port_in_use_is_told_in_one_line(database: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with ServerProcess(database, port=port) as server:
            said = refusal(server)
    assert said == f"cannot listen on port {port} of 127.0.0.1: it is already in use; choose another with --port"


def test_two_servers_that_start_together_do_not_share_a_port(tmp_path: Path) -> None:
    port = free_port()
    with ServerProcess(tmp_path / "a.db", port=port) as one, ServerProcess(tmp_path / "b.db", port=port) as other:
        one.process.wait_until(lambda: (one.process.code is None) != (other.process.code is None))
        loser = one if one.process.code is not None else other
        assert "already in use" in refusal(loser)


def test_a_host_that_is_not_ours_is_told_in_one_line(database: Path) -> None:
    with ServerProcess(database, "--host", "192.0.2.1") as server:
        assert refusal(server).startswith("cannot listen on port ")
    with ServerProcess(database, "--host", "nowhere.invalid") as server:
        assert refusal(server).startswith("cannot listen on nowhere.invalid: ")


def test_a_file_that_is_no_database_is_told_in_one_line_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    path.write_text("these are my letters to my aunt\n" * 100)
    before = path.read_bytes()
    with ServerProcess(path) as server:
        assert str(path) in refusal(server)
    assert path.read_bytes() == before


def test_a_folder_in_the_place_of_the_file_is_told_in_one_line(tmp_path: Path) -> None:
    with ServerProcess(tmp_path) as server:
        assert str(tmp_path) in refusal(server)


def test_a_file_that_cannot_be_made_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with ServerProcess(tmp_path / "file" / "games.db") as server:
        assert str(tmp_path / "file" / "games.db") in refusal(server)


def test_a_database_from_a_newer_version_is_told_in_one_line_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    upgrade(f"sqlite:///{path}")
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE alembic_version SET version_num = 'ffff'")
    connection.close()
    with ServerProcess(path) as server:
        said = refusal(server)
    assert str(path) in said and "newer version" in said


def test_a_second_server_on_the_same_file_is_told_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    with ServerProcess(path).wait_ready(), ServerProcess(path) as second:
        assert str(path) in refusal(second)


def test_a_postgresql_that_does_not_answer_is_told_in_one_line_without_its_password() -> None:
    with ServerProcess(f"postgresql+asyncpg://moon:tide-secret@127.0.0.1:{free_port()}/games") as server:
        said = refusal(server)
    assert "127.0.0.1" in said
    assert "tide-secret" not in said


@pytest.mark.parametrize(
    ("words", "env", "said"),
    [
        (["--port", "abc"], {}, "--port is 'abc', but must be a whole number from 0 to 65535"),
        ([], {"MOONTIDE_LIMITS": "maybe"}, "MOONTIDE_LIMITS is 'maybe', but must be on or off"),
        (["--workers", "2"], {}, "workers is '2', but must be 1 with SQLite; several processes need a PostgreSQL"),
    ],
)
def test_a_setting_that_cannot_be_is_told_in_one_line(
    database: Path, words: list[str], env: dict[str, str], said: str
) -> None:
    with ServerProcess(database, *words, env=env) as server:
        assert refusal(server).startswith(said)


# ending


def test_ctrl_c_ends_it_within_three_seconds(database: Path) -> None:
    with ServerProcess(database).wait_ready() as server, socket.create_connection(("127.0.0.1", server.port)) as open_:
        open_.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n")  # a request that is never finished
        before = time.monotonic()
        server.interrupt()
        assert server.wait(5) == 0
        assert time.monotonic() - before < 3.0
        assert "Traceback" not in server.output()


def test_ctrl_c_does_not_wait_for_those_who_wait_for_news(database: Path) -> None:
    with ServerProcess(database).wait_ready() as server:
        _, player = server.request("POST", "/v1/players", {})
        _, game = server.request("POST", "/v1/games", {"code": "HM1-N-AAAAAAB"}, player["token"])
        with socket.create_connection(("127.0.0.1", server.port)) as waiting:
            path = f"/v1/games/{game['id']}/events?after={game['seq']}&wait=25"
            waiting.sendall(
                f"GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {player['token']}\r\n\r\n".encode()
            )
            time.sleep(0.2)
            before = time.monotonic()
            server.interrupt()
            assert server.wait(5) == 0
            assert time.monotonic() - before < 3.0
        assert "Traceback" not in server.output()


def test_sigterm_ends_it_in_order(database: Path) -> None:
    with ServerProcess(database).wait_ready() as server:
        server.terminate()
        assert server.wait(10) == 0
        assert len(server.output().splitlines()) == 1


async def test_sigterm_tells_the_sockets_before_it_closes_them(database: Path) -> None:
    with ServerProcess(database).wait_ready() as server:
        _, player = server.request("POST", "/v1/players", {})
        async with connect(server.live_url) as live:
            await live.send(json.dumps({"t": "hello", "token": player["token"]}))
            assert json.loads(await live.recv())["t"] == "welcome"
            server.terminate()
            assert json.loads(await live.recv())["t"] == "draining"
            with pytest.raises(ConnectionClosed) as closed:
                await live.recv()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1012
        assert server.wait(10) == 0
        assert "Traceback" not in server.output()


# several processes


@pytest.fixture
def several(new_postgres_url: str, postgres: Postgres) -> Iterator[ServerProcess]:
    with ServerProcess(new_postgres_url, "--workers", "2") as server:
        server.process.wait_until(lambda: "Moontide is ready" in server.output())
        yield server


def children(parent: int) -> set[int]:
    """The processes that run (zombies do not) and were started by ``parent``."""
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, of = stat.read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if int(of) == parent and state != "Z":
            found.add(int(stat.parent.name))
    return found


def runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def is_serving(server: ServerProcess) -> bool:
    return all(server.is_ready() for _ in range(20))


def test_several_processes_share_the_port_replace_the_dead_and_end_together(several: ServerProcess) -> None:
    workers = children(several.process.pid)
    assert len(workers) == 2
    assert is_serving(several)

    victim = workers.pop()
    os.kill(victim, signal.SIGKILL)
    several.process.wait_until(lambda: len(children(several.process.pid) - {victim}) == 2)
    assert workers < children(several.process.pid)
    several.process.wait_until(lambda: is_serving(several))

    workers = children(several.process.pid)
    before = time.monotonic()
    several.interrupt()
    assert several.wait(10) == 0
    assert time.monotonic() - before < 3.0
    assert not any(map(runs, workers))
    assert len(several.output().splitlines()) == 1


def test_the_processes_end_when_their_parent_is_killed(several: ServerProcess) -> None:
    workers = children(several.process.pid)
    several.kill()
    deadline = time.monotonic() + 10
    while any(map(runs, workers)):
        assert time.monotonic() < deadline, "a server process outlived its parent"
        time.sleep(0.05)


def test_a_port_in_use_is_told_in_one_line_by_several_too(new_postgres_url: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with ServerProcess(new_postgres_url, "--workers", "2", port=port) as server:
            assert "already in use" in refusal(server)
