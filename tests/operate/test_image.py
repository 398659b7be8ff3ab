"""The image of the server: what its Dockerfile says, and what it holds, laid out and run as a container runs it."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.parts.ports import free_port
from tests.parts.process import Process, is_root

ROOT = Path(__file__).parents[2]
DOCKERFILE = ROOT / "server" / "Dockerfile"


class Line(NamedTuple):
    """An instruction of a Dockerfile."""

    name: str
    words: str


def stages() -> list[list[Line]]:
    """The instructions of each stage, its ``FROM`` first."""
    text = re.sub(r"^#.*\n", "", DOCKERFILE.read_text(), flags=re.MULTILINE).replace("\\\n", " ")
    made: list[list[Line]] = []
    for line in filter(None, map(str.strip, text.splitlines())):
        name, _, words = line.partition(" ")
        if name == "FROM":
            made.append([])
        made[-1].append(Line(name, " ".join(words.split())))
    return made


def last(name: str) -> str:
    """The words of the only such instruction in the stage that becomes the image."""
    (words,) = (line.words for line in stages()[-1] if line.name == name)
    return words


def test_the_image_is_slim_pinned_and_installs_what_is_pinned_and_no_tests() -> None:
    bases = {stage[0].words.partition(" ")[0] for stage in stages()}
    (base,) = bases
    assert re.fullmatch(r"python:3\.11\.\d+-slim-\w+", base)
    (install,) = (line.words for stage in stages() for line in stage if "pip install" in line.words)
    assert "--constraint server/constraints.txt" in install
    assert install.endswith("--editable .")
    assert len(stages()) == 2 and "pip" not in " ".join(line.words for line in stages()[-1])


def test_the_image_runs_as_nobody_in_particular_without_a_shell_around_it() -> None:
    names = [line.name for line in stages()[-1]]
    assert last("USER") == "moontide" and names.index("USER") < names.index("ENTRYPOINT")
    assert json.loads(last("ENTRYPOINT")) == ["python", "-m", "server"]
    assert json.loads(last("CMD")) == ["serve"]
    assert last("STOPSIGNAL") == "SIGTERM"


@contextmanager
def laid_out() -> Iterator[Path]:
    """What the image holds of the repository, where everybody may read it."""
    with tempfile.TemporaryDirectory(prefix="moontide-image-") as folder:
        app = Path(folder) / "app"
        for line in stages()[-1]:
            if line.name == "COPY" and not line.words.startswith("--from"):
                *sources, target = line.words.split()
                for source in sources:
                    if (ROOT / source).is_dir():
                        shutil.copytree(ROOT / source, app / target, ignore=shutil.ignore_patterns("__pycache__"))
                    else:
                        (app / target).mkdir(parents=True, exist_ok=True)
                        shutil.copy(ROOT / source, app / target)
        (Path(folder) / "data").mkdir()
        Path(folder).chmod(0o755)
        (Path(folder) / "data").chmod(0o777)
        yield Path(folder)


def variables() -> dict[str, str]:
    return dict(word.split("=", 1) for word in shlex.split(last("ENV")))


def in_a_container(*words: str) -> list[str]:
    """``words`` as the first process of a PID namespace, and not as root; skips where that is not allowed."""
    if not is_root():
        pytest.skip("only root can start a process as PID 1 of a namespace")
    start = ["unshare", "--pid", "--fork", "--kill-child"]
    allowed = subprocess.run([*start, "true"], capture_output=True, text=True, check=False)
    if allowed.returncode != 0:
        pytest.skip(f"no PID namespaces here: {allowed.stderr.strip()}")
    return [*start, "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *words]


def ask(port: int, path: str) -> tuple[int, str]:
    connection = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    except (OSError, HTTPException):
        return 0, ""
    finally:
        connection.close()


def child_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])


def test_what_the_image_holds_serves_as_pid_1_tells_its_health_and_ends_at_sigterm() -> None:
    port = free_port()
    with laid_out() as folder:
        # a container's variables and nothing else
        env = {
            **variables(),
            "PATH": os.environ["PATH"],
            "MOONTIDE_HOST": "127.0.0.1",
            "MOONTIDE_PORT": str(port),
            "MOONTIDE_DATABASE": f"sqlite:///{folder}/data/moontide.db",
            "MOONTIDE_DAILIES": "off",
        }
        entry = [*json.loads(last("ENTRYPOINT")), *json.loads(last("CMD"))]
        check = json.loads(last("HEALTHCHECK").partition(" CMD ")[2])
        command = in_a_container(sys.executable, *entry[1:])
        with Process(command, env=env, cwd=folder / "app") as server:
            server.wait_until(lambda: ask(port, "/readyz")[0] == 200)
            assert ask(port, "/")[1].startswith("<!doctype html>") and ask(port, "/openapi.json")[0] == 200
            healthy = [sys.executable, *check[1:]]
            assert subprocess.run(healthy, env=env, check=False).returncode == 0
            os.kill(child_of(server.pid), signal.SIGTERM)
            assert server.wait(10) == 0, server.output()
            assert subprocess.run(healthy, env=env, capture_output=True, check=False).returncode != 0
