"""The bootstrap reads pyproject.toml as pip does, makes the environment once, and says what it cannot do."""

import json
import os
import subprocess
import sys
import threading
import time
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from server import bootstrap
from server.bootstrap import CannotInstall


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of its own, where the bootstrap does its work without pip and without a network."""
    (tmp_path / "server").mkdir()
    monkeypatch.setattr(bootstrap, "ROOT", tmp_path)
    monkeypatch.setattr(bootstrap, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(bootstrap, "PYTHON", tmp_path / ".venv" / "bin" / "python")
    monkeypatch.setattr(bootstrap, "STAMP", tmp_path / ".venv" / "moontide.json")
    monkeypatch.setattr(bootstrap, "LOCK", tmp_path / ".venv.lock")
    monkeypatch.setattr(bootstrap, "PROJECT", tmp_path / "pyproject.toml")
    monkeypatch.setattr(bootstrap, "CONSTRAINTS", tmp_path / "server" / "constraints.txt")
    bootstrap.PROJECT.write_text(
        '[project]\nname = "toy"\ndependencies = ["msgspec>=0.1"]\n'
        '[project.optional-dependencies]\ntest = ["toy[more]", "nowhere>=1"]\nmore = ["pytest>=8,<99"]\n'
    )
    bootstrap.CONSTRAINTS.write_text("msgspec==0.1\n")
    return tmp_path


@pytest.fixture
def done(tree: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """The commands that the bootstrap would have run; making the environment leaves an interpreter there."""
    commands: list[tuple[str, ...]] = []

    def run(command: list[str], failure: str) -> None:
        commands.append(tuple(command[1:]))
        if "venv" in command:
            bootstrap.PYTHON.parent.mkdir(parents=True)
            bootstrap.PYTHON.symlink_to(sys.executable)

    monkeypatch.setattr(bootstrap, "run", run)
    monkeypatch.setattr(bootstrap, "_asks", lambda words: "pip" in words and bootstrap.PYTHON.exists())
    return commands


def test_the_environment_of_these_tests_has_all_that_pyproject_names() -> None:
    assert bootstrap.missing("test") == []


def test_every_requirement_is_of_a_form_that_the_bootstrap_reads() -> None:
    assert len(list(bootstrap.requirements("test"))) > 20
    assert [line for line in bootstrap.requirements("test") if not bootstrap._REQUIREMENT.fullmatch(line)] == []


def test_an_extra_may_name_other_extras(tree: Path) -> None:
    assert list(bootstrap.requirements()) == ["msgspec>=0.1"]
    assert sorted(bootstrap.requirements("test")) == ["msgspec>=0.1", "nowhere>=1", "pytest>=8,<99"]


@pytest.mark.parametrize(
    ("line", "have", "met"),
    [
        ("a>=1.2", "1.2", True),
        ("a>=1.2", "1.10", True),
        ("a>=1.2", "1.1.9", False),
        ("a>=1.2,<2", "2.0", False),
        ("a>=1.2,<2", "1.99.post1", True),
        ("a>=2", "2.0rc1", True),
        ("a", "0", True),
        ("a[b]>=1", "1", True),
        ("a>=1", None, False),
        ("a>=1; sys_platform != 'win32'", None, sys.platform == "win32"),
        ("a>=1; sys_platform == 'atari'", None, True),
    ],
)
def test_a_requirement_is_compared_with_what_is_there(
    line: str, have: str | None, met: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def version(name: str) -> str:
        if have is None:
            raise PackageNotFoundError(name)
        return have

    monkeypatch.setattr(bootstrap, "requirements", lambda *extras: [line])
    monkeypatch.setattr("importlib.metadata.version", version)
    assert bootstrap.missing() == ([] if met else [line])


def test_the_environment_is_made_once_and_stamped(done: list[tuple[str, ...]]) -> None:
    bootstrap.install(())
    assert [command[:2] for command in done] == [("-m", "venv"), ("-m", "pip")]
    assert done[1][-1] == "."
    assert bootstrap.is_stamped(())
    bootstrap.install(())
    assert len(done) == 2


def test_an_extra_is_added_to_those_that_are_there(done: list[tuple[str, ...]]) -> None:
    bootstrap.install(("more",))
    assert not bootstrap.is_stamped(("test",))
    bootstrap.install(("test",))
    assert done[-1][-1] == ".[more,test]"
    assert bootstrap.is_stamped(("more",)) and bootstrap.is_stamped(("test",))


@pytest.mark.parametrize("file", ["PROJECT", "CONSTRAINTS"])
def test_another_dependency_brings_the_environment_up_to_date(done: list[tuple[str, ...]], file: str) -> None:
    bootstrap.install(("more",))
    with getattr(bootstrap, file).open("a") as changed:
        changed.write("# another release\n")
    assert not bootstrap.is_stamped(())
    bootstrap.install(())
    assert [command[1] for command in done] == ["venv", "pip", "pip"]
    assert done[-1][-1] == ".[more]"


def test_an_install_that_fails_leaves_no_stamp(done: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch) -> None:
    bootstrap.install(())
    bootstrap.CONSTRAINTS.write_text("msgspec==0.2\n")

    def fail(*words: str) -> None:
        raise CannotInstall("pip could not install")

    monkeypatch.setattr(bootstrap, "pip", fail)
    with pytest.raises(CannotInstall):
        bootstrap.install(())
    assert not bootstrap.STAMP.exists()


def test_an_environment_whose_python_is_gone_is_made_anew(done: list[tuple[str, ...]]) -> None:
    bootstrap.install(())
    bootstrap.PYTHON.unlink()
    bootstrap.PYTHON.parent.rmdir()
    bootstrap.install(())
    assert [command[1] for command in done] == ["venv", "pip", "venv", "pip"]


def test_another_tools_complete_environment_is_taken_as_it_is(
    done: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    bootstrap.PYTHON.parent.mkdir(parents=True)
    bootstrap.PYTHON.symlink_to(sys.executable)
    monkeypatch.setattr(bootstrap, "_asks", lambda words: "server.bootstrap" in words)
    bootstrap.install(("test",))
    assert done == []
    assert not bootstrap.STAMP.exists()


def test_two_starts_at_once_make_it_once(done: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch) -> None:
    quick = bootstrap.run

    def slow(command: list[str], failure: str) -> None:
        time.sleep(0.1)
        quick(command, failure)

    monkeypatch.setattr(bootstrap, "run", slow)
    starts = [threading.Thread(target=bootstrap.install, args=((),)) for _ in range(3)]
    for start in starts:
        start.start()
    for start in starts:
        start.join()
    assert [command[1] for command in done] == ["venv", "pip"]
    assert json.loads(bootstrap.STAMP.read_text())["fingerprint"] == bootstrap.fingerprint()


@pytest.mark.parametrize(
    ("user", "apt", "told"),
    [
        (1000, "/usr/bin/apt-get", "this Python has no ensurepip; run: sudo apt-get install -y python3."),
        (0, None, "this Python has no ensurepip; install the package of your system that brings it"),
    ],
)
def test_without_ensurepip_it_says_what_to_install(
    done: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch, user: int, apt: str | None, told: str
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setattr("os.geteuid", lambda: user)
    monkeypatch.setattr("shutil.which", lambda name: apt)
    with pytest.raises(CannotInstall) as caught:
        bootstrap.install(())
    assert str(caught.value).startswith(told)
    assert done == []


def test_without_ensurepip_root_installs_it_on_debian(
    done: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr("shutil.which", lambda name: "/usr/bin/apt-get")
    bootstrap.install(())
    package = f"python{sys.version_info.major}.{sys.version_info.minor}-venv"
    assert done[0][0] == "update"
    assert done[1][:3] == ("install", "-y", package)
    assert [command[1] for command in done[2:]] == ["venv", "pip"]


def test_another_users_environment_that_is_out_of_date_is_told_in_one_line(
    done: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    bootstrap.install(())
    bootstrap.CONSTRAINTS.write_text("msgspec==0.2\n")
    monkeypatch.setattr("os.access", lambda path, mode: False)
    with pytest.raises(CannotInstall, match=r"is out of date, and another user's"):
        bootstrap.install(())
    assert [command[1] for command in done] == ["venv", "pip"]


def test_a_failing_command_shows_what_it_printed_and_ends_in_one_line(
    tree: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(CannotInstall, match=r"^it failed \(exit code 3 of: "):
        bootstrap.run([sys.executable, "-c", "print('no network'); raise SystemExit(3)"], "it failed")
    assert capfd.readouterr().err == "no network\n"


def test_variables_that_lead_elsewhere_are_left_out() -> None:
    env = bootstrap.clean({"PATH": "/bin", "PYTHONHOME": "/x", "PIP_USER": "1", "PIP_TARGET": "/x"})
    assert env == {"PATH": "/bin"}


def test_it_is_quick_where_nothing_is_to_be_done() -> None:
    code = "import time, server.bootstrap as b; t = time.perf_counter(); b.ensure(); print(time.perf_counter() - t)"
    root = Path(bootstrap.__file__).parents[1]
    times = [float(subprocess.check_output([sys.executable, "-c", code], cwd=root, env=os.environ)) for _ in range(3)]
    assert min(times) < 0.3
